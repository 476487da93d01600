"""Whole models compiled through torchair and npugraph_ex beside eager mode; runs on the software NPU.

Each is compared in inference at two sizes, and in training steps (forward, loss, backward, optimizer), with
the same model in eager mode on the NPU and with one on the CPU.
"""

from __future__ import annotations

import copy
import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
import torch_npu  # noqa: F401
from torch import Tensor, nn
from torch._dynamo.utils import counters

from decoder import TOKENS, VOCABULARY, Block, Decoder
from graph_programs import CausalEncoder, OnlyLogits, ResNetBlock

ROOT = Path(__file__).parents[2]
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
SIZES = (4, 6)
STEPS = 3


@dataclass
class Case:
    """A model on the CPU, and batches for it."""

    model: nn.Module
    batch: Callable[[int], Tensor]
    classes: int


def _mlp() -> Case:
    model = nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 10))
    return Case(model, lambda n: torch.randn(n, 16), 10)


def _resnet() -> Case:
    return Case(ResNetBlock(), lambda n: torch.randn(n, 3, 8, 8), 10)


def _transformer() -> Case:
    return Case(CausalEncoder(), lambda n: torch.randint(0, 32, (n, 12)), 32)


def _decoder(written_attention: bool = False) -> Case:
    model = Decoder()
    model.blocks = model.blocks[:1]
    for part in model.modules():
        if isinstance(part, Block):
            part.written_attention = written_attention
            part.contiguous_heads = True  # torch_npu's are, whatever its Meta functions say
    return Case(OnlyLogits(model), lambda n: torch.randint(0, VOCABULARY, (n, TOKENS)), VOCABULARY)


def _tutorial() -> Case:
    sys.path.insert(0, str(ROOT / "examples" / "custom_linear"))
    model = importlib.import_module("custom_linear_model").CustomLinearModel()
    return Case(model, lambda n: torch.randn(n, 32), 10)


MODELS = {
    "mlp": _mlp,
    "resnet": _resnet,
    "transformer": _transformer,
    "decoder": _decoder,
    "written decoder": lambda: _decoder(written_attention=True),
    "tutorial": _tutorial,
}


def backend(name: str) -> Any:
    """`graph` is torchair with the graph engine, `reduce-overhead` its captured graphs, else a name."""
    from torch_npu.dynamo import torchair

    # After npugraph_ex has defined its collectives, torchair fails to define the same ones: it goes first.
    torchair.get_npu_backend()
    if name == "npugraph_ex":
        return name
    config = torchair.CompilerConfig()
    if name != "graph":
        config.mode = name
        # What graphs of two sizes share, torchair can't share where a gradient is None.
        config.debug.aclgraph.disable_mempool_reuse_in_same_fx = True
    return torchair.get_npu_backend(compiler_config=config)


def _loss(out: Tensor, classes: int) -> Tensor:
    rows = out.float().reshape(-1, classes)
    return F.cross_entropy(rows, torch.arange(rows.shape[0], device=rows.device) % classes)


def difference(left: Tensor, right: Tensor) -> float:
    """The largest, beside the largest value."""
    left, right = left.detach().float().cpu(), right.detach().float().cpu()
    return float((left - right).abs().max() / right.abs().max().clamp_min(1e-3))


def _graphs() -> int:
    return counters["stats"]["unique_graphs"]


def compare(model: str, dtype: str, dynamic: bool, mode: str) -> dict[str, Any]:
    """Largest differences of outputs, and losses of training steps: compiled, eager, and on the CPU."""
    torch._dynamo.reset()
    counters.clear()
    torch.backends.mha.set_fastpath_enabled(False)  # its kernel runs on the CPU
    torch.manual_seed(3)
    case = MODELS[model]()
    kind = DTYPES[dtype]
    on_cpu = case.model.to(kind)
    eager = copy.deepcopy(on_cpu).npu()
    compiled = copy.deepcopy(eager)
    options = {"reuse_graph_pool_in_same_fx": False} if mode == "npugraph_ex" else None
    fast: Any = torch.compile(
        compiled, backend=backend(mode), dynamic=dynamic, fullgraph=True, options=options
    )
    plain: dict[str, Callable[[Tensor], Tensor]] = {"compiled": fast, "eager": eager, "cpu": on_cpu}
    modules = {"compiled": compiled, "eager": eager, "cpu": on_cpu}

    def batch(size: int) -> dict[str, Tensor]:
        x = case.batch(size)
        x = x.to(kind) if x.is_floating_point() else x
        return {"compiled": x.npu(), "eager": x.npu(), "cpu": x}

    found: dict[str, Any] = {"to_eager": 0.0, "to_cpu": 0.0, "recompilations": 0}
    sizes = SIZES if dynamic else SIZES[:1]
    for part in modules.values():
        part.eval()
    graphs = None
    with torch.no_grad():
        for size in sizes:
            x = batch(size)
            y = {name: function(x[name]) for name, function in plain.items()}
            found["to_eager"] = max(found["to_eager"], difference(y["compiled"], y["eager"]))
            found["to_cpu"] = max(found["to_cpu"], difference(y["compiled"], y["cpu"]))
            graphs = graphs or _graphs()
    found["recompilations"] += _graphs() - (graphs or 0)

    optimizers = {}
    for name, part in modules.items():
        part.train()
        optimizers[name] = torch.optim.SGD(part.parameters(), 0.05, momentum=0.9)
    losses: dict[str, list[float]] = {name: [] for name in plain}
    graphs = None
    for size in [*SIZES[:1] * STEPS, *sizes[1:]]:
        x = batch(size)
        for name, function in plain.items():
            optimizers[name].zero_grad()
            loss = _loss(function(x[name]), case.classes)
            loss.backward()
            optimizers[name].step()
            losses[name].append(loss.item())
        graphs = graphs or _graphs()
    found["recompilations"] += _graphs() - (graphs or 0)
    pairs = list(zip(compiled.parameters(), eager.parameters(), strict=True))
    found["parameters"] = max(difference(a, b) for a, b in pairs)
    found["statistics"] = max(
        [difference(a, b) for a, b in zip(compiled.buffers(), eager.buffers(), strict=True)], default=0.0
    )
    return found | {"losses": losses, "graphs": _graphs()}


def first_graph(dropout: float) -> dict[str, float]:
    """Attention in the first graph of a process, and its gradients: differences to eager mode."""
    if "torchair._ge_concrete_graph.custom_op_pre_scan" in sys.modules and dropout > 0:
        raise AssertionError("this process has compiled a graph already")
    torch._dynamo.reset()
    torch.manual_seed(5)
    inputs = [torch.randn(2, 4, 16, 8).npu().requires_grad_() for _ in range(3)]

    def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)

    fast = torch.compile(attention, backend=backend("graph"), dynamic=False, fullgraph=True)
    found: dict[str, list[Tensor]] = {}
    for name, function in (("compiled", fast), ("eager", attention)):
        torch.npu.manual_seed(7)
        outputs = []
        for _ in range(2):
            out = function(*inputs)
            outputs.append(out)
            outputs += torch.autograd.grad((out * out).sum(), inputs)
        found[name] = outputs
    pairs = list(zip(found["compiled"], found["eager"], strict=True))
    return {
        "difference": max(difference(a, b) for a, b in pairs),
        "between_runs": difference(found["compiled"][0], found["compiled"][4]),
    }


def dropout_in_encoder(dynamic: bool) -> dict[str, Any]:
    """Losses of an nn.TransformerEncoderLayer with dropout, compiled and eager from the same seed."""
    torch._dynamo.reset()
    torch.manual_seed(5)
    eager = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.2, batch_first=True).npu()
    compiled = copy.deepcopy(eager)
    fast = torch.compile(compiled, backend=backend("graph"), dynamic=dynamic, fullgraph=True)
    x = torch.randn(3, 8, 16).npu()
    losses: dict[str, list[float]] = {}
    for name, function, module in (("compiled", fast, compiled), ("eager", eager, eager)):
        torch.npu.manual_seed(7)
        optimizer = torch.optim.SGD(module.parameters(), 0.1)
        losses[name] = []
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = function(x).square().mean()
            loss.backward()
            optimizer.step()
            losses[name].append(loss.item())
    return losses


def places_of_dropout(dtype: str, attention: bool) -> dict[str, int]:
    """How many elements a compiled dropout drops, and how many of them eager mode doesn't, or the reverse."""
    torch._dynamo.reset()
    torch.manual_seed(5)
    kind = DTYPES[dtype]
    if attention:  # the values are the unit matrix, so that the result is what is left of the probabilities
        x = torch.randn(1, 16, 64, 64).to(kind).npu()
        unit = torch.eye(64).to(kind).npu().expand(1, 16, 64, 64).contiguous()

        def dropped(x: Tensor) -> Tensor:
            return F.scaled_dot_product_attention(x * 0, x, unit, dropout_p=0.1)
    else:
        x = torch.ones(64, 1024).to(kind).npu()

        def dropped(x: Tensor) -> Tensor:
            return F.dropout(x, 0.1)

    fast = torch.compile(dropped, backend=backend("graph"), dynamic=False, fullgraph=True)
    zeros = []
    for function in (fast, dropped):
        torch.npu.manual_seed(7)
        zeros.append(function(x.clone().requires_grad_()).cpu() == 0)
    return {"dropped": int(zeros[0].sum()), "unlike": int((zeros[0] != zeros[1]).sum())}


def random_numbers_with_new_sizes() -> int:
    """Draws of dynamic graphs at two sizes, beside those of eager mode from the same seed."""
    functions: dict[str, Callable[[Tensor], Tensor]] = {
        "rand": lambda x: torch.rand(x.shape, device=x.device) + x,
        "dropout": lambda x: F.dropout(x + 1, 0.4),
    }
    for name, function in functions.items():
        torch._dynamo.reset()
        fast = torch.compile(function, backend=backend("graph"), dynamic=True, fullgraph=True)
        draws = {}
        for mode, draw in (("compiled", fast), ("eager", function)):
            torch.npu.manual_seed(3)
            draws[mode] = [draw(torch.zeros(n, 9).npu()).cpu() for n in (5, 5, 7, 5)]
        for one, other in zip(draws["compiled"], draws["eager"], strict=True):
            if not torch.equal(one, other):
                raise AssertionError(f"{name}: {one} is not {other}")
        if torch.equal(draws["compiled"][0], draws["compiled"][1]):
            raise AssertionError(f"{name} draws the same twice")
    return len(functions)


def torchair_alone(case: str) -> dict[str, str]:
    """What a gradient says that torchair's own converters refuse, and its rule."""
    from opweld.explain import explain

    torch._dynamo.reset()
    kind, refused, narrow = {
        "matmul": (nn.Linear(8, 8, bias=False), torch.ops.aten.matmul_backward, False),
        "matmul of one": (nn.Linear(8, 8, bias=False), torch.ops.aten.matmul_backward, False),
        "silu": (nn.SiLU(), torch.ops.aten.silu_backward, False),
        "batch norm": (nn.BatchNorm1d(5), torch.ops.aten.native_batch_norm_backward, True),
    }[case]
    compiled = kind.bfloat16() if narrow else kind
    x = torch.randn(2, 5, 8, dtype=torch.bfloat16 if narrow else torch.float32).npu()
    x.requires_grad_(case != "matmul of one")
    ours = refused.default._ge_converter
    try:
        refused.default._ge_converter = _register_again(refused.default, ours.__wrapped__.__wrapped__)
        torch.compile(compiled.npu(), backend=backend("graph"), fullgraph=True)(x).sum().backward()
    except Exception as error:  # its text is what is tested
        told = explain(error)
        finding = told.finding if told is not None else None
        return {"error": str(error), "rule": finding.rule_id if finding is not None else ""}
    finally:
        refused.default._ge_converter = ours
    return {"error": "", "rule": ""}


def _register_again(operator: Any, converter: Callable[..., Any]) -> Any:
    from torch_npu.dynamo import torchair

    torchair.register_fx_node_ge_converter(operator)(converter)
    return operator._ge_converter


def pooling(mode: str) -> dict[str, Any]:
    """Compiled training of max_pool2d: the difference of the gradients, or the error and its rule."""
    from opweld.explain import explain

    torch._dynamo.reset()
    x = torch.randn(2, 3, 8, 8).npu().requires_grad_()

    def pool(x: Tensor) -> Tensor:
        return F.max_pool2d(x, 3, 2, 1)

    fast = torch.compile(pool, backend=backend(mode), dynamic=False, fullgraph=True)
    try:
        (compiled,) = torch.autograd.grad(fast(x).square().sum(), x)
    except Exception as error:  # its text is what is tested
        told = explain(error)
        finding = told.finding if told is not None else None
        return {"error": str(error), "rule": finding.rule_id if finding is not None else ""}
    (eager,) = torch.autograd.grad(pool(x).square().sum(), x)
    return {"difference": difference(compiled, eager)}
