"""Cases of the functions that order, repeat and rearrange elements; see aclnn_cases."""

from collections.abc import Iterable
from typing import Any

import torch
import torch.nn.functional as F

from aclnn_cases import Case, Shape, Shapes

SIZES: list[tuple[int, ...]] = [(3, 4), (2, 3, 4), (), (5,), (4, 0)]


def sorting() -> Iterable[Case]:
    for sizes in SIZES:
        a = Shape(sizes)
        for dim in range(-len(sizes), max(len(sizes), 1)):
            for descending in (False, True):
                yield Case(
                    "Sort",
                    (a, True, dim, descending),
                    lambda x, s, d, r: tuple(torch.sort(x, stable=s, dim=d, descending=r)),
                )
            if 0 in sizes:
                continue
            for k, largest in ((1, True), (min(2, *(*sizes, 1)), False)):
                yield Case(
                    "Topk",
                    (a, k, dim, largest, True),
                    lambda x, n, d, g, s: tuple(torch.topk(x, n, d, g, s)),
                )
                yield Case(
                    "TopkV2",
                    (a, k, dim, largest, True, 1),
                    lambda x, n, d, g, s, _: tuple(torch.topk(x, n, d, g, s)),
                )
            for keep in (False, True):
                yield Case(
                    "Kthvalue", (a, 1, dim, keep), lambda x, k, d, p: tuple(torch.kthvalue(x, k, d, p))
                )


def unique() -> Iterable[Case]:
    whole = 1000  # no dimension
    for sizes in SIZES:
        a = Shape(sizes)
        yield Case("Unique", (a, True, True), lambda x, s, i: torch.unique(x, sorted=s, return_inverse=i))
        yield Case(
            "Unique2",
            (a, True, True, True),
            lambda x, s, i, c: torch.unique(x, sorted=s, return_inverse=i, return_counts=c),
        )
        yield Case(
            "UniqueConsecutive",
            (a, True, True, whole),
            lambda x, i, c, d: torch.unique_consecutive(x, return_inverse=i, return_counts=c),
        )
        if len(sizes) > 0 and 0 not in sizes:
            yield Case(
                "UniqueConsecutive",
                (a, True, True, 0),
                lambda x, i, c, d: torch.unique_consecutive(x, return_inverse=i, return_counts=c, dim=d),
            )
            yield Case(
                "UniqueDim",
                (a, True, True, 0),
                lambda x, s, i, d: torch.unique(x, sorted=s, return_inverse=i, return_counts=True, dim=d),
            )


def searching() -> Iterable[Case]:
    def search(s: Any, x: Any, out_int32: bool, right: bool, sorter: Any) -> torch.Tensor:
        return torch.searchsorted(s, x, out_int32=out_int32, right=right, sorter=sorter)

    for right in (False, True):
        for out_int32 in (False, True):
            for sequence, values in (((5,), (3, 4)), ((3, 5), (3, 4)), ((4,), ())):
                sorter = torch.arange(sequence[-1]).expand(sequence).contiguous()
                yield Case("SearchSorted", (Shape(sequence), Shape(values), out_int32, right, sorter), search)
            yield Case("SearchSorteds", (Shape((5,)), 1.5, out_int32, right, None), search)


def rearranging() -> Iterable[Case]:
    for sizes in SIZES:
        a = Shape(sizes)
        every = list(range(len(sizes)))
        yield Case("Flip", (a, every), torch.flip)
        yield Case("Flip", (a, every[:1]), torch.flip)
        yield Case("Roll", (a, [1], []), torch.roll)
        if sizes:
            yield Case("Roll", (a, [-2] * len(sizes), every), torch.roll)
        yield Case("Repeat", (a, [2] * max(len(sizes), 1)), torch.Tensor.repeat)
        yield Case("Repeat", (a, [2, 0, *[1] * len(sizes)]), torch.Tensor.repeat)
    yield Case("ChannelShuffle", (Shape((2, 6, 3)), 2), torch.channel_shuffle)
    yield Case(
        "SplitWithSize",
        (Shape((5, 4)), [2, 0, 3], 0),
        lambda x, s, d: [part.clone() for part in torch.split(x, s, d)],
    )
    yield Case("ChunkCat", (Shapes(((3, 4), (5, 2))), 0, 2), torch._chunk_cat)


def repeating() -> Iterable[Case]:
    numbers = torch.tensor([2, 0, 3])
    for repeats in (numbers, numbers.int()):
        a = Shape((3, 4))
        total = 5
        yield Case(
            "RepeatInterleaveWithDim",
            (a, repeats, 0, total),
            lambda x, r, d, n: torch.repeat_interleave(x, r, d, output_size=n),
        )
        yield Case("RepeatInterleaveTensor", (repeats, total), lambda r, n: torch.repeat_interleave(r))

        def backward(grad: torch.Tensor, r: torch.Tensor, dim: int) -> torch.Tensor:
            places = torch.repeat_interleave(r)
            return torch.zeros(3, 4, dtype=grad.dtype).index_add_(dim, places, grad)

        yield Case("RepeatInterleaveGrad", (Shape((total, 4)), repeats, 0), backward)
    yield Case("RepeatInterleave", (Shape((3,)), numbers, 5), lambda x, r, n: torch.repeat_interleave(x, r))
    yield Case(
        "RepeatInterleave",
        (Shape((2, 3)), torch.tensor([2]), 12),
        lambda x, r, n: torch.repeat_interleave(x, r),
    )
    for sizes in ((3, 4), (5,), ()):
        count = 2 * torch.Size(sizes).numel()
        yield Case(
            "RepeatInterleaveInt", (Shape(sizes), 2, count), lambda x, r, n: torch.repeat_interleave(x, r)
        )
    yield Case(
        "RepeatInterleaveIntWithDim",
        (Shape((3, 4)), 2, 1, 8),
        lambda x, r, d, n: torch.repeat_interleave(x, r, d),
    )


def one_hot() -> Iterable[Case]:
    for axis in (-1, 0, 1):

        def reference(x: torch.Tensor, n: int, on: Any, off: Any, axis: int) -> torch.Tensor:
            chosen = F.one_hot(x.long(), n).movedim(-1, axis).bool()
            return torch.where(chosen, on, off)

        yield Case(
            "OneHot",
            (Shape((2, 3), None, 5), 5, torch.tensor([2.5]), torch.tensor([-1.0]), axis),
            reference,
        )


def windows() -> Iterable[Case]:
    for sizes in ((2, 3, 6, 5), (3, 6, 5)):
        for kernel, dilation, padding, stride in (
            ((2, 3), (1, 1), (0, 1), (1, 2)),
            ((3, 2), (2, 1), (1, 0), (1, 1)),
        ):
            yield Case(
                "Im2col",
                (Shape(sizes), kernel, dilation, padding, stride),
                lambda x, k, d, p, s: F.unfold(x, k, d, p, s),
            )
            columns = F.unfold(torch.empty(sizes), kernel, dilation, padding, stride).shape
            yield Case(
                "Im2colBackward",
                (Shape(tuple(columns)), (6, 5), kernel, dilation, padding, stride),
                lambda g, i, k, d, p, s: F.fold(g, i, k, d, p, s),
            )
    yield Case(
        "UnfoldGrad",
        (Shape((3, 4, 2)), [3, 9], 1, 2, 2),
        lambda g, i, d, n, s: torch.ops.aten.unfold_backward(g, i, d, n, s),
    )


def strided_slice() -> Iterable[Case]:
    a = Shape((4, 5, 6))

    def part(key: Any) -> Any:
        return lambda x, *_: x[key].clone()

    yield Case(
        "StridedSlice", (a, [1, 0], [3, 4], [1, 2], 0, 0, 0, 0, 0), part((slice(1, 3), slice(0, 4, 2)))
    )
    yield Case(
        "StridedSlice",
        (a, [0, 0, -3], [0, 0, 9], [1, 1, 1], 1, 1, 2, 0, 0),
        part((slice(None), slice(None), slice(-3, None))),
    )
    yield Case("StridedSlice", (a, [2, 0, 0], [0, 0, 1], [1, 1, 1], 0, 4, 0, 2, 1), part((2, None)))
    yield Case(
        "StridedSlice",
        (a, [-1], [0], [-2], 0, 1, 0, 0, 0),
        lambda x, *_: x.flip(0)[::2].clone(),
    )


def bags() -> Iterable[Case]:
    indices, offsets = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9]), torch.tensor([0, 3, 3, 5])

    def bag(
        w: Any, i: Any, o: Any, scale: bool, mode: int, sparse: bool, p: Any, last: bool, padding: int
    ) -> tuple[torch.Tensor, ...]:
        # The CPU reads offsets and weights without their strides.
        w, i, o, p = (None if t is None else t.contiguous() for t in (w, i, o, p))
        made = torch.ops.aten._embedding_bag(w, i, o, scale, mode, sparse, p, last, padding)
        return made[0], made[1], made[2], made[3] if mode == 2 else torch.zeros_like(made[3])

    for mode in (0, 1, 2):
        for padding in (-1, 4):
            yield Case(
                "EmbeddingBag",
                (Shape((10, 3)), indices, offsets, False, mode, False, None, False, padding),
                bag,
            )
    yield Case(
        "EmbeddingBag", (Shape((10, 3)), indices, offsets, False, 0, False, Shape((8,)), False, -1), bag
    )
    yield Case("EmbeddingRenorm", (Shape((10, 3)), indices, 1.0, 2.0), torch.ops.aten.embedding_renorm_)
