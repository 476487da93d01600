"""PyTorch's modules on the NPU against the CPU, forward and backward; runs in an NPU process.

Each public function here that gives programs is a family. A program is (name, function or module, input sizes
or tensors); it runs on dense, strided, transposed and channels-last inputs and on an empty batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
import torch_npu
from torch import Tensor, nn

from nn_checks import compare_module

ALL = ("dense", "strided", "transposed", "channels_last", "empty")
PLAIN = ("dense",)
FULL = ("dense", "strided", "transposed", "channels_last")  # for what the CPU refuses on an empty batch


class Program(NamedTuple):
    name: str
    function: Callable[..., Any]
    inputs: tuple[Any, ...]  # sizes of a random tensor, or a tensor that gets no gradient
    layouts: tuple[str, ...] = ALL
    scale: float = 1.0  # widens the tolerance
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")


def _laid_out(tensor: Tensor, layout: str) -> Tensor:
    """The tensor's values with the strides of a layout; differentiable."""
    if layout == "strided":
        return torch.stack([tensor, tensor], -1)[..., 0]
    if layout == "transposed" and tensor.dim() > 1:
        return tensor.transpose(0, -1).contiguous().transpose(0, -1)
    if layout == "channels_last" and tensor.dim() in (4, 5):
        return tensor.movedim(1, -1).contiguous().movedim(-1, 1)
    return tensor


def _made(value: Any, layout: str) -> Tensor:
    if isinstance(value, Tensor):
        return value[:0] if layout == "empty" else value
    sizes = (0, *value[1:]) if layout == "empty" else value
    return torch.randn(sizes)


def _layouts(program: Program) -> Iterator[str]:
    ranks = [v.dim() if isinstance(v, Tensor) else len(v) for v in program.inputs]
    for layout in program.layouts:
        if layout != "channels_last" or ranks[0] in (4, 5):
            yield layout


class _Wrapped(nn.Module):
    """A program as a module that lays out its inputs; tensors given as such get no gradient."""

    def __init__(self, program: Program, layout: str) -> None:
        super().__init__()
        self.function = program.function
        self.fixed = [isinstance(value, Tensor) for value in program.inputs]
        self.layout = layout

    def forward(self, *inputs: Tensor) -> Any:
        tensors = [t.detach() if fixed else t for t, fixed in zip(inputs, self.fixed, strict=True)]
        return self.function(*(_laid_out(t, self.layout) for t in tensors))


def _run(program: Program, layout: str, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    inputs = [_made(value, layout) for value in program.inputs]
    compare_module(_Wrapped(program, layout), *inputs, dtype=dtype, scale=program.scale)


def different(family: str, dtype: str) -> list[str]:
    """Runs a family; gives what differs between the devices."""
    problems = []
    for program in globals()[family]():
        if dtype not in program.dtypes:
            continue
        for layout in _layouts(program):
            try:
                _run(program, layout, getattr(torch, dtype))
            except (AssertionError, RuntimeError) as error:
                text = " ".join(str(error).split())
                problems.append(f"{program.name}, {layout}: {text[:300]}")
    return problems


def activations() -> Iterable[Program]:
    modules = [
        nn.ELU(1.5), nn.CELU(0.7), nn.SELU(), nn.LeakyReLU(0.2), nn.PReLU(), nn.PReLU(4), nn.ReLU(),
        nn.ReLU6(), nn.RReLU().eval(), nn.Hardshrink(), nn.Softshrink(0.3), nn.Hardsigmoid(), nn.Hardswish(),
        nn.Hardtanh(-0.5, 2), nn.Threshold(0.1, 2), nn.SiLU(), nn.Mish(),
        nn.Sigmoid(), nn.LogSigmoid(), nn.Softplus(2, 3), nn.Softsign(), nn.Tanh(), nn.Tanhshrink(),
        nn.GLU(1), nn.Softmin(1), nn.Softmax(1), nn.LogSoftmax(-1),
    ]  # fmt: skip
    for module in modules:
        yield Program(repr(module), module, ((3, 4, 5),))
        yield Program(repr(module), module, ((2, 4, 3, 2),))
    # torch_npu gives the result of GELU the input's strides and refuses to make a tensor with some. On the
    # Ascend910B it calls one function for both modes.
    yield Program("GELU", nn.GELU(), ((2, 4, 3, 2),), ("dense", "strided", "empty"))
    yield Program("GELU tanh", nn.GELU("tanh"), ((2, 4, 3, 2),), ("dense", "empty"), 100, ("float32",))
    yield Program("Softmax2d", nn.Softmax2d(), ((2, 4, 3, 2),))
    in_place = (F.elu_, F.celu_, F.leaky_relu_, F.hardtanh_, F.selu_, F.relu_)
    for function in in_place:
        name = getattr(function, "__name__", str(function))
        yield Program(name, lambda x, f=function: f(x * 2), ((3, 4),))
    for name in ("hardswish", "hardsigmoid", "mish", "silu", "relu6"):
        yield Program(f"{name}_", lambda x, n=name: getattr(F, n)(x * 2, inplace=True), ((3, 4),))
    yield Program("threshold_", lambda x: F.threshold_(x * 2, 0.1, 3.0), ((3, 4),))
    yield Program("logit", lambda x: torch.logit(torch.sigmoid(x), 0.01), ((3, 4),), scale=3)


def losses() -> Iterable[Program]:
    x, y = (6, 5), torch.rand(6, 5).clamp(0.05, 0.95)
    classes, signs = torch.randint(0, 5, (6,)), torch.randint(0, 2, (6,)).float() * 2 - 1
    probabilities = torch.softmax(torch.randn(6, 5), 1)
    labels = torch.tensor([[1, 3, -1, 0, 2], [0, -1, 1, 2, 3]]).repeat(3, 1)
    pixels = torch.randint(0, 5, (2, 3, 4))
    weight = torch.rand(5) + 0.5
    for reduction in ("none", "mean", "sum"):

        def program(module: nn.Module, *inputs: Any, **options: Any) -> Program:
            options.setdefault("layouts", ("dense", "strided", "transposed"))
            return Program(f"{module!r} {module.reduction}", module, inputs, **options)

        options = {"reduction": reduction}
        yield program(nn.L1Loss(**options), x, x)
        yield program(nn.MSELoss(**options), x, x)
        yield program(nn.SmoothL1Loss(beta=0.5, **options), x, x)
        yield program(nn.HuberLoss(delta=0.5, **options), x, x)
        yield program(nn.KLDivLoss(**options), x, probabilities)
        yield program(nn.KLDivLoss(log_target=True, **options), x, x)
        yield program(nn.BCEWithLogitsLoss(**options), x, y)
        yield Program(
            f"weighted BCEWithLogits {reduction}",
            lambda t, c, w, r=reduction: F.binary_cross_entropy_with_logits(
                t, c, w, reduction=r, pos_weight=w
            ),
            (x, y, weight),
            ("dense", "strided", "transposed"),
        )
        yield program(nn.SoftMarginLoss(**options), x, torch.sign(torch.randn(6, 5)))
        yield program(nn.PoissonNLLLoss(**options), x, y)
        yield program(nn.GaussianNLLLoss(**options), x, x, torch.rand(6, 5) + 0.5)
        yield program(nn.MarginRankingLoss(margin=0.2, **options), (6,), (6,), signs)
        yield program(nn.HingeEmbeddingLoss(**options), (6,), signs)
        yield program(nn.CosineEmbeddingLoss(**options), x, x, signs)
        yield program(nn.TripletMarginLoss(**options), x, x, x, scale=2)
        yield program(nn.MultiLabelSoftMarginLoss(**options), x, y)
        # Their gradients are PyTorch's for the CPU, which take no 16-bit numbers.
        yield program(nn.MultiLabelMarginLoss(**options), x, labels, dtypes=("float32",))
        yield program(nn.MultiMarginLoss(**options), x, classes, dtypes=("float32",))
        yield program(nn.CrossEntropyLoss(label_smoothing=0.1, ignore_index=2, **options), x, classes)
        yield program(nn.CrossEntropyLoss(**options), x, probabilities)
        for name, scores, target in (("1d", x, classes), ("2d", (2, 5, 3, 4), pixels)):
            yield Program(
                f"cross entropy {name} {reduction}",
                lambda t, c, w, r=reduction: F.cross_entropy(t, c, w, reduction=r),
                (scores, target, weight),
                ("dense", "strided", "transposed"),
            )
        yield Program(
            f"NLLLoss {reduction}",
            lambda t, c, r=reduction: F.nll_loss(F.log_softmax(t, 1), c, ignore_index=1, reduction=r),
            (x, classes),
            ("dense", "strided", "transposed"),
        )
        yield Program(
            f"BCELoss {reduction}",
            lambda t, c, r=reduction: F.binary_cross_entropy(torch.sigmoid(t), c, c, reduction=r),
            (x, y),
            ("dense", "strided", "transposed"),
            scale=3,
        )
        for smoothing in (0.0, 0.2):
            function = _npu_cross_entropy(reduction=reduction, label_smoothing=smoothing, ignore_index=1)
            name = f"npu_cross_entropy_loss {reduction} {smoothing}"
            yield Program(name, function, (x, classes), ("dense", "strided"))
        # PyTorch's mean makes a tensor of lengths that can't be of 16 bits.
        dtypes = ("float32",) if reduction == "mean" else ("float32", "float16", "bfloat16")
        yield Program(f"CTCLoss {reduction}", _ctc(reduction), ((7, 2, 5),), PLAIN, 10, dtypes)
    # More pixels than float16 can count; the factor makes the gradients large enough to be seen.
    image, target = (1, 2, 260, 260), torch.randint(0, 2, (1, 260, 260))
    yield Program(
        "large image", lambda t, c: F.cross_entropy(t, c) * 1e4, (image, target), PLAIN, 4, ("float16",)
    )
    yield Program("KLDivLoss batchmean", nn.KLDivLoss(reduction="batchmean"), (x, probabilities), PLAIN)


def _npu_cross_entropy(**options: Any) -> Callable[[Tensor, Tensor], Tensor]:
    def function(scores: Tensor, target: Tensor) -> Tensor:
        if scores.device.type == "npu":
            return torch_npu.npu_cross_entropy_loss(scores, target, **options)[0]
        return F.cross_entropy(scores, target, **options).reshape(-1)

    return function


def _ctc(reduction: str) -> Callable[[Tensor], Tensor]:
    targets = torch.tensor([[1, 2, 2], [3, 4, 1]])

    def function(scores: Tensor) -> Tensor:
        return F.ctc_loss(
            F.log_softmax(scores, 2), targets.to(scores.device), (7, 6), (3, 2), reduction=reduction
        )

    return function


def resizing() -> Iterable[Program]:
    sizes = {3: (2, 3, 7), 4: (2, 3, 6, 5), 5: (2, 3, 4, 5, 3)}
    modes = {3: ("nearest", "nearest-exact", "linear"), 5: ("nearest", "nearest-exact", "trilinear")}
    modes[4] = ("nearest", "nearest-exact", "bilinear", "bicubic", "area")
    for rank, names in modes.items():
        for mode in names:
            smooth = mode.endswith(("linear", "cubic"))
            for align in (False, True) if smooth else (None,):
                for how in ({"scale_factor": 2.0}, {"scale_factor": 1.5}, {"size": 4}):
                    function = _resize(mode=mode, align_corners=align, **how)
                    yield Program(f"{mode} {rank - 2}d {how} {align}", function, (sizes[rank],), scale=3)
    for mode in ("bilinear", "bicubic"):
        for size in (3, 9):
            function = _resize(mode=mode, size=size, antialias=True)
            yield Program(f"{mode} antialias {size}", function, (sizes[4],), scale=3)
    yield Program("pixel_shuffle", nn.PixelShuffle(2), ((2, 8, 3, 2),), FULL)
    yield Program("upsample", nn.Upsample(scale_factor=2, mode="bilinear"), (sizes[4],))


def _resize(**options: Any) -> Callable[[Tensor], Tensor]:
    return lambda x: F.interpolate(x, **options)


def padding() -> Iterable[Program]:
    sizes = {1: (2, 3, 7), 2: (2, 3, 6, 5), 3: (2, 3, 4, 5, 3)}
    for dims, shape in sizes.items():
        for kind in ("Reflection", "Replication", "Circular", "Zero", "Constant"):
            module = getattr(nn, f"{kind}Pad{dims}d")
            for pads in (1, tuple([1, 2] * dims), tuple([2, 0] * dims)):
                arguments = (pads, 0.5) if kind == "Constant" else (pads,)
                yield Program(f"{kind}Pad{dims}d{pads}", module(*arguments), (shape,))
    yield Program("negative", lambda x: F.pad(x, (-1, 2, 1, -2), value=3.0), ((2, 3, 6, 5),))


def pooling() -> Iterable[Program]:
    sizes = {1: (2, 3, 11), 2: (2, 3, 9, 8), 3: (2, 3, 6, 7, 5)}
    for dims, shape in sizes.items():
        maximum, average = getattr(nn, f"MaxPool{dims}d"), getattr(nn, f"AvgPool{dims}d")
        modules = [
            maximum(3),
            maximum(3, stride=2, padding=1, ceil_mode=True),
            maximum(2, stride=1, dilation=2),
            average(3),
            average(3, stride=2, padding=1, ceil_mode=True),
            average(3, padding=1, count_include_pad=False),
            getattr(nn, f"AdaptiveAvgPool{dims}d")(3),
            getattr(nn, f"AdaptiveAvgPool{dims}d")(1),
            getattr(nn, f"AdaptiveMaxPool{dims}d")(3),
        ]
        if dims > 1:
            modules.append(average(2, divisor_override=3))
            modules.append(getattr(nn, f"LPPool{dims}d")(2, 2) if dims == 2 else nn.MaxPool3d((1, 2, 3)))
        for module in modules:
            yield Program(repr(module), module, (shape,), FULL)
        # The Ascend910B's pooling gives a mask in the place of indices, so that these are the CPU's.
        pool, unpool = getattr(F, f"max_pool{dims}d"), getattr(nn, f"MaxUnpool{dims}d")(2)
        values, places = pool(torch.randn(shape), 2, return_indices=True)
        yield Program(
            repr(unpool),
            lambda x, i, f=unpool, s=shape: f(x, i, output_size=s),
            (tuple(values.shape), places),
            ("dense", "strided"),
        )
    yield Program("AvgPool2d, empty batch", nn.AvgPool2d(2), ((2, 3, 4, 4),), ("empty",))
    yield Program("MaxPool2d, empty batch", nn.MaxPool2d(2), ((2, 3, 4, 4),), ("empty",))


def convolutions() -> Iterable[Program]:
    sizes = {1: (2, 4, 11), 2: (2, 4, 9, 8), 3: (2, 4, 6, 7, 5)}
    for dims, shape in sizes.items():
        plain, transposed = getattr(nn, f"Conv{dims}d"), getattr(nn, f"ConvTranspose{dims}d")
        for module in (
            plain(4, 6, 3, padding=1),
            plain(4, 8, 2, stride=2, groups=2, bias=False),
            plain(4, 8, 3, dilation=2, groups=4),
            plain(4, 6, 3, padding="same", padding_mode="reflect" if dims < 3 else "zeros"),
            transposed(4, 6, 3, stride=2, padding=1, output_padding=1),
            transposed(4, 6, 2, groups=2, bias=False),
            transposed(4, 4, 3, groups=4, dilation=2),
        ):
            yield Program(repr(module), module, (shape,), scale=10)


def sampling() -> Iterable[Program]:
    for align in (False, True):
        for border in ("zeros", "border", "reflection"):
            for mode in ("bilinear", "nearest", "bicubic"):
                function = _sample(mode, border, align)
                # Of 16-bit points the nearest pixel is as good as random: no gradient, and few places.
                yield Program(f"{mode} {border} {align}", function, ((2, 3, 5, 4), (2, 3, 2, 2)), FULL, 10)
            function = _sample("bilinear", border, align)
            yield Program(f"3d {border} {align}", function, ((2, 3, 4, 5, 3), (2, 2, 3, 2, 3)), FULL, 10)
        for size in ([2, 3, 4, 5], [2, 3, 4, 5, 3]):
            dims = len(size) - 2
            yield Program(
                f"affine_grid {size} {align}",
                lambda t, s=size, a=align: F.affine_grid(t, s, align_corners=a),
                # torch_npu has no gradient for three dimensions.
                ((2, dims, dims + 1) if dims == 2 else torch.randn(2, dims, dims + 1),),
                ("dense", "strided", "transposed"),
                scale=3,
            )


def _sample(mode: str, border: str, align: bool) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda x, grid: F.grid_sample(x, grid, mode, border, align)


def normalizations() -> Iterable[Program]:
    for dims in (1, 2, 3):
        shape = (3, 4, 5, 3, 2)[: dims + 2]
        for training in (True, False):
            for kind in ("BatchNorm", "InstanceNorm"):
                module = getattr(nn, f"{kind}{dims}d")(4, affine=True, track_running_stats=True)
                yield Program(f"{module!r} {training}", module.train(training), (shape,), FULL, 4)
        yield Program(f"GroupNorm {dims}", nn.GroupNorm(2, 4), (shape,), scale=4)
    yield Program("LayerNorm", nn.LayerNorm((4, 5)), ((3, 4, 5),), scale=4)
    yield Program("LocalResponseNorm", nn.LocalResponseNorm(2), ((3, 4, 5, 2),), FULL)
    yield Program("RMSNorm", nn.RMSNorm(5), ((3, 4, 5),), scale=4)
    yield Program("normalize", lambda x: F.normalize(x, dim=1), ((3, 4, 5),), scale=2)


def folding() -> Iterable[Program]:
    options: list[dict[str, int]] = [{"kernel_size": 2}, {"kernel_size": 3, "padding": 1, "stride": 2}]
    for option in options:
        yield Program(f"unfold {option}", nn.Unfold(**option), ((2, 3, 6, 5),), FULL)  # type: ignore[arg-type]
    yield Program("fold", nn.Fold((4, 5), 2), ((2, 12, 12),), ("dense", "strided", "transposed"), scale=2)


def networks() -> Iterable[Program]:
    lenet = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.Sigmoid(), nn.AvgPool2d(2, 2),
        nn.Conv2d(6, 16, 5), nn.Sigmoid(), nn.AvgPool2d(2, 2), nn.Flatten(),
        nn.Linear(400, 120), nn.Sigmoid(), nn.Linear(120, 84), nn.Sigmoid(), nn.Linear(84, 10),
    )  # fmt: skip
    yield Program("LeNet", lenet, ((4, 1, 28, 28),), ("dense", "channels_last"), scale=10)
