"""Recurrent layers on the software NPU against the CPU, forward and backward."""

import copy
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

STEPS, BATCH, FEATURES, HIDDEN = 5, 3, 4, 6
LENGTHS = torch.tensor([5, 3, 2])
TOLERANCE = {torch.float32: 2e-6, torch.float16: 2e-2, torch.bfloat16: 1e-1}


def _tensors(value: Any) -> Iterable[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, PackedSequence):
        yield pad_packed_sequence(value)[0]
    else:
        for item in value:
            yield from _tensors(item)


def _run(
    module: nn.Module, inputs: list[Any], device: str, packed: bool, first_only: bool
) -> list[torch.Tensor]:
    """Outputs and all gradients."""
    on = copy.deepcopy(module).to(device)
    moved = [
        [t.clone().to(device) for t in i] if isinstance(i, list) else i.clone().to(device) for i in inputs
    ]
    x = moved[0].requires_grad_()
    given = pack_padded_sequence(x, LENGTHS, batch_first=getattr(on, "batch_first", False)) if packed else x
    outputs = list(_tensors(on(given, *(tuple(m) if isinstance(m, list) else m for m in moved[1:]))))
    total = torch.zeros((), device=device)
    for output in outputs[:1] if first_only else outputs:
        weights = torch.linspace(-1, 1, output.numel()).reshape(output.shape).to(device)
        total = total + (output.float() * weights).sum()
    total.backward()
    # torch_npu packs sequences with their padding, but takes the gradient as if it had not.
    of_input = [] if packed else [x.grad]
    return [t.detach().cpu().float() for t in [*outputs, *of_input, *(p.grad for p in on.parameters())]]


def _modules() -> Iterable[tuple[str, Callable[[], nn.Module], list[Any], dict[str, Any]]]:
    x = torch.randn(STEPS, BATCH, FEATURES)
    h, c = torch.randn(1, BATCH, HIDDEN), torch.randn(1, BATCH, HIDDEN)
    sizes = (FEATURES, HIDDEN)
    for name in ("LSTM", "GRU", "RNN"):
        layer = getattr(nn, name)
        yield name, lambda m=layer: m(*sizes), [x], {}
        yield f"{name} with a state", lambda m=layer: m(*sizes), [x, [h, c] if name == "LSTM" else h], {}
        yield f"{name} batch first", lambda m=layer: m(*sizes, batch_first=True), [x], {}
        yield f"{name} two layers", lambda m=layer: m(*sizes, num_layers=2), [x], {}
        yield f"{name} both directions", lambda m=layer: m(*sizes, bidirectional=True), [x], {}
        yield (
            f"{name} two layers, both directions, batch first",
            lambda m=layer: m(*sizes, num_layers=2, bidirectional=True, batch_first=True),
            [x],
            {},
        )
        yield f"{name} without bias", lambda m=layer: m(*sizes, bias=False), [x], {}
        yield f"{name} without batch", lambda m=layer: m(*sizes), [x[:, 0]], {}
    yield "RNN with relu", lambda: nn.RNN(*sizes, nonlinearity="relu"), [x], {}
    yield "LSTM packed", lambda: nn.LSTM(*sizes), [x], {"packed": True}
    # torch_npu takes the gradient of the last states of the second direction from the wrong time.
    both = {"packed": True, "first_only": True}
    yield "LSTM packed, both directions", lambda: nn.LSTM(*sizes, bidirectional=True), [x], both
    yield (
        "LSTM packed, two layers, both directions",
        lambda: nn.LSTM(*sizes, num_layers=2, bidirectional=True),
        [x],
        both,
    )
    for name in ("LSTMCell", "GRUCell", "RNNCell"):
        cell = getattr(nn, name)
        state = [h[0], c[0]] if name == "LSTMCell" else h[0]
        yield name, lambda m=cell: m(*sizes), [x[0]], {}
        yield f"{name} with a state", lambda m=cell: m(*sizes), [x[0], state], {}
        yield f"{name} without bias", lambda m=cell: m(*sizes, bias=False), [x[0]], {}


def different(dtype: str) -> dict[str, Any]:
    """What was compared; results that aren't the CPU's; what torch_npu refuses, by its message."""
    wanted = getattr(torch, dtype)
    torch.manual_seed(3)
    compared, problems, refused = [], [], []
    for name, make, inputs, options in _modules():
        module = make().to(wanted)
        cast = [[t.to(wanted) for t in i] if isinstance(i, list) else i.to(wanted) for i in inputs]
        arguments = (options.get("packed", False), options.get("first_only", False))
        # What the CPU rounds after each step, the NPU computes in float32: so does the reference.
        wide = [[t.float() for t in i] if isinstance(i, list) else i.float() for i in cast]
        want = _run(copy.deepcopy(module).float(), wide, "cpu", *arguments)
        try:
            got = _run(module, cast, "npu", *arguments)
        except RuntimeError as error:
            if "only support aclnn operator" not in str(error):
                problems.append(f"{name}: {' '.join(str(error).split())[:300]}")
            refused.append(name)
            continue
        compared.append(name)
        for a, b in zip(got, want, strict=True):
            scale = max(1.0, float(b.abs().max()))
            if a.shape != b.shape or float((a - b).abs().max()) > TOLERANCE[wanted] * scale:
                problems.append(
                    f"{name}: {a.shape} {b.shape} {(a - b).abs().max() if a.shape == b.shape else ''}"
                )
                break
    return {"compared": compared, "problems": problems, "refused": refused}


def evaluated() -> dict[str, float]:
    """Differences to the CPU of layers that don't train: torch_npu passes placeholders for what is kept."""
    found = {}
    for kind in (nn.LSTM, nn.GRU):
        for layers, both in ((1, False), (2, False), (1, True)):
            torch.manual_seed(0)
            model = kind(4, 5, layers, batch_first=True, bidirectional=both).eval()
            x = torch.randn(2, 3, 4)
            right = model(x)[0]
            with torch.no_grad():
                found[f"{kind.__name__} {layers} {both}"] = (
                    (model.npu()(x.npu())[0].cpu() - right).abs().max().item()
                )
    return found


def dropout_is_refused() -> str:
    """GRU's function takes no seed for the dropout between layers."""
    layer = nn.GRU(FEATURES, HIDDEN, num_layers=2, dropout=0.5).npu()
    try:
        layer(torch.ones(STEPS, BATCH, FEATURES).npu())
        torch.npu.synchronize()
    except RuntimeError as error:
        return str(error)
    return ""
