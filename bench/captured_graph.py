"""P10: what the host pays for the replay of a captured graph, against the same operators called one by one.

Run under `opweld run -- python bench/captured_graph.py [--whole] [--json FILE]`. Measured is the time until
the call returns, with nothing waiting on the device; with `--whole`, until the device is done.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch_npu
from ratio import Ratio, report
from torch import nn
from training_step import BasicBlock, GptBlock, mlp

MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "MLP, batch 64": (mlp, (64, 784)),
    "GPT block, 2 x 32 tokens": (GptBlock, (2, 32, 256)),
    "ResNet block, 4 x 16 x 16 x 16": (lambda: BasicBlock(16, 16, 1), (4, 16, 16, 16)),
}
ROUNDS = 31


def forward(module: nn.Module, inputs: torch.Tensor) -> Callable[[], object]:
    """A pass without gradients."""
    module.eval()

    def one() -> object:
        with torch.no_grad():
            return module(inputs)

    return one


def training(module: nn.Module, inputs: torch.Tensor) -> Callable[[], object]:
    """Forward, backward and optimizer."""
    optimizer = torch.optim.SGD(module.parameters(), lr=1e-3)

    def one() -> object:
        optimizer.zero_grad()
        module(inputs).square().mean().backward()
        optimizer.step()
        return None

    return one


def captured(work: Callable[[], object]) -> Callable[[], object]:
    """The replay of a graph that holds the work, which ran on the stream of the capture before."""
    stream = torch.npu.Stream()
    stream.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(stream):
        for _ in range(2):
            work()
    torch.npu.synchronize()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, stream=stream):
        work()
    return graph.replay


def measure(name: str, ours: Callable[[], object], other: Callable[[], object], whole: bool) -> Ratio:
    """Both in turn, each on an idle device, after one round that doesn't count."""
    times: tuple[list[float], list[float]] = ([], [])
    for index in range(ROUNDS + 1):
        for way, taken in zip((ours, other), times, strict=True):
            torch.npu.synchronize()
            start = time.perf_counter()
            way()
            if whole:
                torch.npu.synchronize()
            if index:
                taken.append(time.perf_counter() - start)
    return Ratio(name, statistics.median(times[0]), statistics.median(times[1]))


def main() -> None:
    """Measures all models, forward and whole training steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true", help="until the device is done")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    assert torch_npu
    torch.set_num_threads(os.cpu_count() or 1)
    ratios = []
    for name, (make, shape) in MODELS.items():
        for kind, work in (("forward", forward), ("training step", training)):
            torch.manual_seed(0)
            eager = work(make().npu(), torch.randn(shape).npu())
            torch.manual_seed(0)
            replay = captured(work(make().npu(), torch.randn(shape).npu()))
            ratios.append(measure(f"{name}, {kind}", replay, eager, arguments.whole))
    report("P10", ratios, "1.0" if arguments.whole else "0.2", arguments.json)


if __name__ == "__main__":
    main()
