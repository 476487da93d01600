"""Captured graphs through torch.npu and npugraph_ex; runs in a process on the software NPU."""

from __future__ import annotations

import copy
import gc
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from decoder import TOKENS, VOCABULARY, Block, Decoder
from training import Encoder

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


class ResNetBlock(nn.Module):
    """Convolutions with batch norm and a skip connection, then a classifier."""

    def __init__(self, channels: int = 8) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, channels, 3, 2, 1, bias=False), nn.BatchNorm2d(channels))
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )
        self.head = nn.Linear(channels, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.stem(x))
        return self.head(torch.relu(self.body(x) + x).mean((2, 3)))


class CausalEncoder(Encoder):
    """Says that its mask is causal: the encoder else looks into it, which a capture can't."""

    def forward(self, tokens: Tensor) -> Tensor:
        hidden = self.embedding(tokens) + self.position
        return self.head(self.encoder(hidden, mask=self.mask, is_causal=True)).flatten(0, 1)


class OnlyLogits(nn.Module):
    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, tokens: Tensor) -> Tensor:
        out = self.model(tokens)
        return out[0] if isinstance(out, tuple) else out


def _model(name: str, dtype: str) -> tuple[nn.Module, Callable[[int], Tensor], int]:
    """A model on the device, a function that makes a batch of some size for it, and its classes."""
    torch.manual_seed(3)
    torch.backends.mha.set_fastpath_enabled(False)  # its kernel runs on the CPU
    kind = DTYPES[dtype]
    if name == "mlp":
        model: nn.Module = nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 10))
        return model.npu().to(kind), lambda n: torch.randn(n, 16).npu().to(kind), 10
    if name == "resnet":
        return ResNetBlock().npu().to(kind), lambda n: torch.randn(n, 3, 8, 8).npu().to(kind), 10
    if name == "transformer":
        return CausalEncoder().npu().to(kind), lambda n: torch.randint(0, 32, (n, 12)).npu(), 32
    tokens = lambda n: torch.randint(0, VOCABULARY, (n, TOKENS)).npu()  # noqa: E731
    return OnlyLogits(Decoder()).npu().to(kind), tokens, VOCABULARY


def _loss(out: Tensor, classes: int) -> Tensor:
    rows = out.float().reshape(-1, classes)
    return F.cross_entropy(rows, torch.arange(rows.shape[0], device=rows.device) % classes)


def _difference(left: Tensor, right: Tensor) -> float:
    return (left.float() - right.float()).abs().max().item()


def replays(model: str, dtype: str) -> float:
    """A captured inference with new inputs written in place: the largest difference to eager."""
    module, batch, _ = _model(model, dtype)
    module.eval()
    worst = 0.0
    with torch.no_grad():
        x = batch(4)
        module(x)
        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph):
            y = module(x)
        for _ in range(3):
            x.copy_(batch(4))
            graph.replay()
            worst = max(worst, _difference(y, module(x)))
    graph.reset()
    return worst


def whole_training_step(model: str, dtype: str) -> dict[str, list[float]]:
    """Forward, backward and optimizer in one graph beside the same steps in eager mode."""
    captured, batch, classes = _model(model, dtype)
    eager = copy.deepcopy(captured)
    optimizers = [torch.optim.SGD(m.parameters(), 0.05, momentum=0.9) for m in (captured, eager)]
    x = batch(4)

    def step(module: nn.Module, optimizer: torch.optim.Optimizer) -> Tensor:
        optimizer.zero_grad(set_to_none=True)
        loss = _loss(module(x), classes)
        loss.backward()
        optimizer.step()
        return loss

    stream = torch.npu.Stream()
    stream.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(stream):
        for _ in range(2):
            step(captured, optimizers[0])
    torch.npu.current_stream().wait_stream(stream)
    for _ in range(2):
        step(eager, optimizers[1])
    graph = torch.npu.NPUGraph()
    optimizers[0].zero_grad(set_to_none=True)
    with torch.npu.graph(graph, stream=stream):
        loss = step(captured, optimizers[0])
    found: dict[str, list[float]] = {"captured": [], "eager": []}
    for _ in range(4):
        x.copy_(batch(4))
        graph.replay()
        found["captured"].append(loss.item())
        found["eager"].append(step(eager, optimizers[1]).item())
    return found


def graphed_callables(model: str) -> dict[str, list[float]]:
    """make_graphed_callables in a training loop beside eager."""
    module, batch, classes = _model(model, "float32")
    modules = {"eager": copy.deepcopy(module)}
    sample = batch(4)
    if sample.is_floating_point():
        sample.requires_grad_()
    modules["graphed"] = torch.npu.make_graphed_callables(module, (sample,))
    optimizers = {name: torch.optim.SGD(m.parameters(), 0.05) for name, m in modules.items()}
    losses: dict[str, list[float]] = {name: [] for name in modules}
    for _ in range(4):
        x = batch(4)
        for name, each in modules.items():
            optimizers[name].zero_grad(set_to_none=True)
            loss = _loss(each(x), classes)
            loss.backward()
            optimizers[name].step()
            losses[name].append(loss.item())
    return losses


def several_streams() -> list[float]:
    x = torch.ones(3, device="npu")
    sides = [torch.npu.Stream() for _ in range(3)]
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        doubled = x * 2
        main = torch.npu.current_stream()
        parts = []
        for i, side in enumerate(sides):
            side.wait_stream(main)
            with torch.npu.stream(side):
                parts.append(doubled + i)
        for side in sides:
            main.wait_stream(side)
        total = parts[0] + parts[1] * parts[2]
    found = []
    for value in (1.0, 2.0):
        x.fill_(value)
        graph.replay()
        found.append(total[0].item())
    return found


def unjoined_stream() -> str:
    x = torch.ones(3, device="npu")
    side = torch.npu.Stream()
    graph = torch.npu.NPUGraph()
    try:
        with torch.npu.graph(graph):
            side.wait_stream(torch.npu.current_stream())
            with torch.npu.stream(side):
                x.mul_(2)
    except RuntimeError as error:
        return str(error)
    return "no error"


def shared_pool() -> dict[str, Any]:
    """Two graphs in one pool, the second of which takes what the first gives."""
    x = torch.ones(1 << 20, device="npu")
    first, second = torch.npu.NPUGraph(), torch.npu.NPUGraph()
    with torch.npu.graph(first):
        middle = x + 1
    with torch.npu.graph(second, pool=first.pool()):
        last = middle * 3
    found = []
    for value in (1.0, 5.0):
        x.fill_(value)
        first.replay()
        second.replay()
        found.append([last[0].item(), last[-1].item()])
    return {"found": found, "pools": first.pool() == second.pool()}


def failing_operator() -> dict[str, Any]:
    """An operator that fails when it is replayed, and goes on with right input."""
    table, rows = torch.randn(4, 3, device="npu"), torch.tensor([1, 9], device="npu")
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        found = F.embedding(rows, table)
    message = "no error"
    try:
        graph.replay()
        torch.npu.synchronize()
    except RuntimeError as error:
        message = str(error)
    rows.fill_(2)
    graph.replay()
    torch.npu.synchronize()
    equal = torch.equal(found.cpu(), table.cpu()[[2, 2]])
    graph.reset()
    return {"message": message, "equal": equal}


def refused(what: str) -> dict[str, Any]:
    """What a capture forbids: the errors inside and at its end, and whether the device goes on."""
    x = torch.ones(3, device="npu")
    calls: dict[str, Callable[[], object]] = {
        "item": x.sum().item,
        "synchronize": torch.npu.synchronize,
        "stream": torch.npu.current_stream().synchronize,
        "cpu": x.cpu,
        "npu": torch.ones(3).npu,
        "nonzero": x.nonzero,
        "pageable": lambda: x.copy_(torch.ones(3), non_blocking=True),
    }
    inside = "no error"
    end = "no error"
    graph = torch.npu.NPUGraph()
    try:
        with torch.npu.graph(graph):
            x + 1
            try:
                if what == "stream":
                    torch.npu.current_stream().synchronize()
                else:
                    calls[what]()
            except RuntimeError as error:
                inside = str(error)
    except RuntimeError as error:
        end = str(error)
    return {"inside": inside, "end": end, "after": (x + 1).tolist()}


def random_numbers(operator: str) -> dict[str, Any]:
    """The numbers of replays and of eager mode with the same seed."""
    x = torch.ones(64, device="npu")
    make: dict[str, Callable[[], Tensor]] = {
        "dropout": lambda: F.dropout(x, 0.4),
        "randn": lambda: torch.randn(64, device="npu"),
        "rand": lambda: torch.rand(64, device="npu"),
        "randint": lambda: torch.randint(0, 100, (64,), device="npu"),
        "normal_": lambda: torch.empty(64, device="npu").normal_(1, 2),
        "uniform_": lambda: torch.empty(64, device="npu").uniform_(1, 2),
        "two": lambda: torch.randn(64, device="npu") + torch.rand(64, device="npu"),
    }
    function = make[operator]
    torch.npu.manual_seed(11)
    eager = [function().tolist() for _ in range(3)]
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        y = function()
    torch.npu.manual_seed(11)
    replayed = []
    for _ in range(3):
        graph.replay()
        replayed.append(y.tolist())
    graph.reset()
    return {"equal": eager == replayed, "new": replayed[0] != replayed[1]}


def captures_and_releases(count: int) -> dict[str, int]:
    """Memory of the device, and of the process in KiB, before and after; some rounds warm up."""
    x = torch.ones(1 << 18, device="npu")

    def one() -> None:
        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph):
            y = x
            for _ in range(20):
                y = y + 1
        graph.replay()
        graph.reset()

    def state() -> tuple[int, int]:
        gc.collect()
        torch.npu.synchronize()
        torch.npu.empty_cache()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return torch.npu.memory_reserved(), pages * os.sysconf("SC_PAGE_SIZE") // 1024

    for _ in range(20):
        one()
    before = state()
    for _ in range(count):
        one()
    after = state()
    return {"device": after[0] - before[0], "host": after[1] - before[1]}


def two_threads() -> list[str]:
    """Threads that capture at the same time, each in its own mode, and replay."""
    problems: list[str] = []
    lock = threading.Lock()

    def work(number: int) -> None:
        try:
            torch.npu.set_device(0)
            x = torch.full((128,), float(number), device="npu")
            stream = torch.npu.Stream()
            for turn in range(10):
                graph = torch.npu.NPUGraph()
                # torch_npu waits for the device before a capture.
                with lock, torch.npu.graph(graph, stream=stream, capture_error_mode="thread_local"):
                    y = x * 2 + turn
                for _ in range(5):
                    graph.replay()
                if y.tolist() != [number * 2.0 + turn] * 128:
                    problems.append(f"thread {number}, turn {turn}: {y[0].item()}")
        except Exception as error:
            problems.append(f"thread {number}: {error}")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return problems


def dumped() -> dict[str, Any]:
    x = torch.ones(3, device="npu")
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        x.mul(2).sum()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.json"
        graph.debug_dump(str(path))
        events = json.loads(path.read_text())
        aligned = sorted(p.name for p in Path(folder).iterdir())
    return {"names": [event["name"] for event in events], "files": aligned}


def host_functions() -> dict[str, Any]:
    """Python functions inside a graph, in their order with the operators."""
    import torch_npu

    x = torch.ones(3, device="npu")
    stream = torch.npu.Stream()
    seen: list[int] = []
    torch_npu.npu._subscribe_report(stream)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, stream=stream):
        y = x + 1
        torch_npu.npu._launch_host_func(stream, seen.append, (7,))
        z = y + 1
    for _ in range(3):
        graph.replay()
    torch.npu.synchronize()
    torch_npu.npu._unsubscribe_report(stream)
    return {"seen": seen, "result": z.tolist()}


def conditional(values: list[bool]) -> list[float]:
    """A branch that the device chooses when the graph runs."""
    from torch_npu.npu._npugraph_conditional_nodes import NPUGraphCaptureControlFlowOpDispatchMode

    x = torch.ones(2, device="npu")
    chosen = torch.zeros((), dtype=torch.bool, device="npu")
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph), NPUGraphCaptureControlFlowOpDispatchMode():
        y = torch.cond(chosen, lambda x: x * 3, lambda x: x - 3, (x,)) + 1
    found = []
    for value in values:
        chosen.fill_(value)
        graph.replay()
        found.append(y[0].item())
    return found


def host_times() -> dict[str, float]:
    """Microseconds until a call returns, with the work behind it: eager and replayed, medians."""
    module, batch, _ = _model("transformer", "float32")
    module.eval()

    def median(function: Callable[[], object]) -> float:
        times = []
        for _ in range(15):
            torch.npu.synchronize()
            begin = time.perf_counter()
            function()
            times.append((time.perf_counter() - begin) * 1e6)
        return sorted(times)[7]

    with torch.no_grad():
        x = batch(4)
        eager = median(lambda: module(x))
        graph = torch.npu.NPUGraph()
        with torch.npu.graph(graph):
            module(x)
        return {"eager": eager, "replayed": median(graph.replay)}


def _backend(name: str) -> Any:
    """The backend of that name, or torchair's with "torchair:MODE"."""
    from torch_npu.dynamo import torchair

    # After npugraph_ex has defined its collectives, torchair fails to define the same ones: it goes first.
    torchair.get_npu_backend()
    if not name.startswith("torchair:"):
        return name
    config = torchair.CompilerConfig()
    config.mode = name.removeprefix("torchair:")
    return torchair.get_npu_backend(compiler_config=config)


def compiled(model: str, dtype: str, dynamic: bool, backend: str) -> dict[str, Any]:
    """Inference and training steps, compiled and eager; with `dynamic` at two sizes."""
    torch._dynamo.reset()
    module, batch, classes = _model(model, dtype)
    for part in module.modules():
        if isinstance(part, Block):
            part.contiguous_heads = (
                True  # torch_npu's results are contiguous, whatever Meta functions promise
            )
    eager = copy.deepcopy(module)
    fast = torch.compile(module, backend=_backend(backend), dynamic=dynamic, fullgraph=True)
    worst = 0.0
    for each in (module, eager):
        each.eval()
    with torch.no_grad():
        for size in (4, 4, 6) if dynamic else (4, 4):
            x = batch(size)
            worst = max(worst, _difference(fast(x), eager(x)))
    losses: dict[str, list[float]] = {"compiled": [], "eager": []}
    for each in (module, eager):
        each.train()
    optimizers = [torch.optim.SGD(m.parameters(), 0.05) for m in (module, eager)]
    for _ in range(3):
        x = batch(4)
        for name, function, optimizer in zip(losses, (fast, eager), optimizers, strict=True):
            optimizer.zero_grad()
            loss = _loss(function(x), classes)
            loss.backward()
            optimizer.step()
            losses[name].append(loss.item())
    return {"worst": worst, **losses}
