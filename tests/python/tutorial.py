"""Runs the tutorial's example inside an NPU process that has its package installed."""

import contextlib
import io
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "custom_linear"))

import compiled
import torch
import train
import verify
from custom_linear import _loader


def losses(device: str, dtype: str, optimizer: str) -> list[float]:
    return train.train(device, train.DTYPES[dtype], optimizer, steps=30, batch=64)


def proof(device: str) -> dict[str, list[str]]:
    """The cases that verify.py found right and wrong."""
    cases = verify.verify_custom_operator(device)
    return {
        "right": [case.what for case in cases if case.passed],
        "wrong": [case.what for case in cases if not case.passed],
    }


def proof_of_a_wrong_operator(device: str) -> dict[str, list[str]]:
    """The proof, with an operator that is a little off for one dtype."""
    true_operator = verify.custom_linear.npu_custom_linear
    try:
        verify.custom_linear.npu_custom_linear = lambda x, weight, bias=None, *, use_bias=False: (
            true_operator(x, weight, bias, use_bias=use_bias) * (1.1 if x.dtype == torch.float16 else 1)
        )
        return proof(device)
    finally:
        verify.custom_linear.npu_custom_linear = true_operator


def refusal(case: str) -> str:
    """The message with which the operator refuses a wrong call on the NPU; empty where it doesn't."""
    x, weight = torch.randn(4, 8).npu(), torch.randn(3, 8).npu()
    calls = {
        "other device": lambda op: op(x, weight.cpu()),
        "dtype": lambda op: op(x.int(), weight.int()),
        "mixed dtypes": lambda op: op(x, weight.half()),
        "shape": lambda op: op(x, weight[:, :5]),
        "bias": lambda op: op(x, weight, torch.randn(4).npu(), use_bias=True),
        "no bias": lambda op: op(x, weight, use_bias=True),
        "second derivative": lambda op: _second_derivative(op, x, weight),
    }
    try:
        calls[case](torch.ops.npu.npu_custom_linear)
        torch.npu.synchronize()
    except Exception as error:  # its text is what is tested
        return str(error)
    return ""


def function_clash(folder: str) -> str:
    """What the loader says when another vendor folder comes before the package's own."""
    try:
        _loader._check_functions([folder, str(_loader.VENDOR_FOLDER)])
    except ImportError as error:
        return str(error)
    return ""


def _second_derivative(operator, x, weight):
    x.requires_grad_()
    (gradient,) = torch.autograd.grad(operator(x, weight).tanh().sum(), x, create_graph=True)
    gradient.sum().backward()


def compiled_model(mode: str) -> list[Any]:
    """The exit code and the last line of compiled.py."""
    arguments, output = sys.argv, io.StringIO()
    sys.argv = ["compiled.py", "--mode", mode]
    try:
        with contextlib.redirect_stdout(output):
            code = compiled.main()
    finally:
        sys.argv = arguments
    return [code, output.getvalue().splitlines()[-1]]
