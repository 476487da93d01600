"""Programs that fail, each in one way, for test_explain.py: `opweld run python failing_programs.py NAME`."""

import contextlib
import sys
import threading

import torch

library = torch.library.Library("failing", "DEF")
library.define("scale(Tensor x, float factor) -> Tensor")
library.define("shift(Tensor x, float by) -> Tensor")
library.define("nowhere(Tensor x) -> Tensor")


def scale(x, factor):
    return x * factor


def shift(x, by):
    with torch._C._AutoDispatchBelowAutograd():
        return x + by


library.impl("scale", scale, "PrivateUse1")
library.impl("shift", shift, "PrivateUse1")
library.impl("shift", lambda x, by: torch.empty_like(x), "Meta")
library.impl("shift", torch.library.fallthrough_kernel, "Autograd")


def kernel():
    """The kernel of aclnnMul fails on the device; the program goes on, and meets the error where it reads."""
    x = torch.ones(2, 3, device="npu")
    y = torch.ops.failing.scale(x, 2.0)
    z = torch.ones(4, device="npu") + 1
    print(z.shape)
    print(y.cpu())


def index():
    """An index that is out of range: only the kernel can see it."""
    table = torch.ones(4, 2, device="npu")
    rows = torch.nn.functional.embedding(torch.tensor([1, 9], device="npu"), table)
    print(rows.cpu())


def backward():
    """A kernel of a backward pass fails."""
    x = torch.ones(2, 3, device="npu", requires_grad=True)
    torch.tanh(x).sum().backward()
    print(x.grad.cpu())


def argument():
    """The first phase refuses an argument."""
    x = torch.ones(2, 3, device="npu")
    print(x @ torch.ones(4, 4, device="npu"))


def graph_rows(dynamic):
    """A node of a compiled graph fails on the device: an index that is out of range."""
    from torch_npu.dynamo import torchair

    def rows(x, which):
        return torch.sigmoid(x).index_select(0, which) * 2

    compiled = torch.compile(rows, backend=torchair.get_npu_backend(), dynamic=dynamic, fullgraph=True)
    print(compiled(torch.ones(4, 2, device="npu"), torch.tensor([1, 9], device="npu")).cpu())


def graph():
    graph_rows(False)


def graph_of_open_sizes():
    graph_rows(True)


def meta():
    @torch.compile(backend="aot_eager", fullgraph=True)
    def model(x):
        return torch.ops.failing.scale(x, 2.0) + 1

    print(model(torch.ones(4, device="npu")))


def autograd():
    weight = torch.ones(4, device="npu", requires_grad=True)
    torch.ops.failing.shift(weight, 2.0).sum().backward()


def aclnn():
    """What a kernel says that calls a function which is nowhere."""

    def missing(x):
        raise RuntimeError(
            "aclnnAddd or aclnnAdddGetWorkspaceSize not in libopapi.so, or libopapi.so not found."
        )

    library.impl("nowhere", missing, "PrivateUse1")
    torch.ops.failing.nowhere(torch.ones(4, device="npu"))


def memory():
    kept = [torch.empty(1 << 20, device="npu")]
    kept.append(torch.nn.functional.pad(torch.ones(1, device="npu"), (0, 1 << 34)))


def unregistered():
    torch.ops.failing.shfit(torch.ones(4, device="npu"))


def thread():
    worker = threading.Thread(target=index)
    worker.start()
    worker.join()


def plain():
    """An error that has nothing to do with operators, after one that was handled."""
    with contextlib.suppress(RuntimeError):
        argument()
    raise ValueError("no config file")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
