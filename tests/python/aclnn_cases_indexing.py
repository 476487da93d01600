"""Cases of the functions that read, write and order by indices; see aclnn_cases."""

from collections.abc import Callable, Iterable
from typing import Any

import torch

from aclnn_cases import Case, Shape

# self, dimension, shape of the index, numbers below which indices lie
PLACES: list[tuple[tuple[int, ...], int, tuple[int, ...], int]] = [
    ((3, 4), 0, (2, 4), 3),
    ((3, 4), -1, (3, 2), 4),
    ((2, 3, 4), 1, (2, 5, 3), 3),
    ((5,), 0, (7,), 5),
    ((), 0, (), 1),
    ((3, 4), 0, (0, 4), 3),
]
LISTS: list[tuple[tuple[int, ...], int, tuple[int, ...], int]] = [
    ((3, 4), 0, (2,), 3),
    ((3, 4), 1, (5,), 4),
    ((2, 3, 4), -2, (2,), 3),
    ((5,), 0, (3,), 5),
    ((3, 4), 0, (0,), 3),
]


def _index(sizes: tuple[int, ...], high: int, dtype: torch.dtype = torch.int64) -> Shape:
    return Shape(sizes, dtype, high)


def gather() -> Iterable[Case]:
    for sizes, dim, places, high in PLACES:
        yield Case("Gather", (Shape(sizes), dim, _index(places, high)), torch.gather)
    for sizes, dim, places, high in LISTS:
        for dtype in (torch.int64, torch.int32):
            yield Case("IndexSelect", (Shape(sizes), dim, _index(places, high, dtype)), torch.index_select)
    yield Case("IndexSelect", (Shape((3, 4)), 1, _index((), 4)), torch.index_select)
    yield Case("IndexSelect", (Shape(()), 0, _index((1,), 1)), torch.index_select)
    for sizes, places in (((3, 4), (2, 5)), ((5,), ()), ((2, 3, 4), (0,))):
        yield Case("Take", (Shape(sizes), _index(places, 5)), torch.take)


def _indexed(dims: tuple[int | None, ...], sizes: tuple[int, ...]) -> list[torch.Tensor | None]:
    """Fixed index tensors of a shape; None where a dimension isn't indexed."""
    made: list[torch.Tensor | None] = []
    for number, limit in enumerate(dims):
        if limit is None:
            made.append(None)
        else:
            count = max(1, torch.Size(sizes).numel())
            made.append((torch.arange(count) * (number + 2) % (2 * limit) - limit).reshape(sizes))
    return made


INDEXED: list[tuple[tuple[int, ...], tuple[int | None, ...], tuple[int, ...]]] = [
    ((3, 4), (3,), (5,)),
    ((3, 4), (3, 4), (2, 2)),
    ((3, 4), (None, 4), (3,)),
    ((2, 3, 4), (2, None, 4), (5,)),
    ((2, 3, 4), (None, 3, 4), (2, 2)),
    ((5,), (5,), (1,)),
]


def _key(indices: list[torch.Tensor]) -> tuple[Any, ...]:
    return tuple(i if i.numel() else slice(None) for i in indices)


def index() -> Iterable[Case]:
    def put(x: torch.Tensor, i: Any, v: torch.Tensor, accumulate: bool, unsafe: bool) -> torch.Tensor:
        places = [None if isinstance(k, slice) else k for k in _key(i)]
        if accumulate and x.itemsize == 2 and x.is_floating_point():  # each sum is rounded once
            return x.copy_(torch.ops.aten.index_put(x.float(), places, v.float(), True))
        return torch.ops.aten.index_put_(x, places, v, accumulate)

    for sizes, dims, places in INDEXED:
        indices = _indexed(dims, places)
        yield Case("Index", (Shape(sizes), indices), lambda x, i: x[_key(i)])
        named = torch.empty(sizes)[tuple(slice(None) if i is None else i for i in indices)].shape
        yield Case("IndexPutImpl", (Shape(sizes), indices, Shape(tuple(named)), True, False), put)
        yield Case("IndexPutImpl", (Shape(sizes), indices, Shape(()), False, False), put)
    one_place = [torch.zeros(50, dtype=torch.int64)]
    yield Case("IndexPutImpl", (Shape((2, 3)), one_place, Shape((50, 3)), True, False), put)


def along() -> Iterable[Case]:
    def fill(x: torch.Tensor, dim: int, i: Any, v: Any, method: Callable[..., Any]) -> Any:
        return method(x, dim, torch.as_tensor(i), v)

    for sizes, dim, places, high in LISTS:
        source = list(sizes)
        source[dim] = places[0]
        a, i, s = Shape(sizes), _index(places, high), Shape(tuple(source))
        yield Case("IndexAdd", (a, dim, i, s, 2), lambda x, d, j, y, v: torch.index_add(x, d, j, y, alpha=v))
        ordered = list(range(places[0]))
        for name, method in (("", torch.index_fill), ("Inplace", torch.Tensor.index_fill_)):
            yield Case(f"{name}IndexFill", (a, dim, i, 3), lambda x, d, j, v, m=method: fill(x, d, j, v, m))
            if not ordered:
                continue
            yield Case(
                f"{name}IndexFillTensor",
                (a, dim, [n % high for n in ordered], 3),
                lambda x, d, j, v, m=method: fill(x, d, j, v, m),
            )
        if high >= places[0]:
            once = torch.randperm(high)[: places[0]]
            yield Case("IndexCopy", (a, dim, once, s), torch.index_copy)
            yield Case("InplaceIndexCopy", (a, dim, once, s), torch.Tensor.index_copy_)
    for accumulate in (False, True):
        yield Case(
            "InplacePut",
            (Shape((3, 4)), torch.tensor([[0, 5], [-1, 7]]), Shape((2, 2)), accumulate),
            torch.Tensor.put_,
        )
    one_place = torch.zeros(50, dtype=torch.int64)
    yield Case("InplacePut", (Shape((3, 4)), one_place, Shape((50,)), True), _sum_up)


def _sum_up(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor, _: bool) -> torch.Tensor:
    half = x.itemsize == 2 and x.is_floating_point()
    return x.copy_(x.float().put_(index, source.float(), True)) if half else x.put_(index, source, True)


def masked() -> Iterable[Case]:
    for sizes in ((3, 4), (2, 3, 4), (5,), ()):
        mask = Shape(sizes, torch.bool)
        yield Case("InplaceMaskedFillTensor", (Shape(sizes), mask, Shape(())), torch.Tensor.masked_fill_)
        yield Case("InplaceMaskedScatter", (Shape(sizes), mask, Shape((30,))), torch.Tensor.masked_scatter_)
        yield Case(
            "MaskedScale",
            (Shape(sizes), Shape(sizes, torch.uint8), 2.0),
            lambda x, m, scale: x * m.to(x.dtype) * scale,
        )


def nonzero() -> Iterable[Case]:
    for sizes in ((3, 4), (2, 3, 4), (5,), (), (0, 3)):
        yield Case("Nonzero", (Shape(sizes),), torch.nonzero)
        yield Case("NonzeroV2", (Shape(sizes),), lambda x: torch.nonzero(x).t().contiguous())


def scatter() -> Iterable[Case]:
    reductions = {0: None, 1: "add", 2: "multiply"}
    modes = {1: "sum", 2: "prod", 3: "amax", 4: "amin", 5: "mean"}
    for sizes, dim, places, high in PLACES:
        a, i, s = Shape(sizes), _index(places, high), Shape(places)
        yield Case("ScatterAdd", (a, dim, i, s), torch.scatter_add)
        for number, reduce in reductions.items():
            options = {} if reduce is None else {"reduce": reduce}
            for name, method in (("", torch.scatter), ("Inplace", torch.Tensor.scatter_)):
                if number != 0:  # equal places: which value stays isn't said

                    def add(x: Any, d: int, j: Any, v: Any, _: int, m: Any = method, o: Any = options) -> Any:
                        return m(x, d, j, v, **o)

                    yield Case(f"{name}Scatter", (a, dim, i, s, number), add)
                yield Case(
                    f"{name}ScatterValue",
                    (a, dim, i, 3, number),
                    lambda x, d, j, v, _, m=method, o=options: m(x, d, j, v, **o),
                )
        for number, mode in modes.items():
            for include in (True, False):
                for name, method in (("", torch.scatter_reduce), ("Inplace", torch.Tensor.scatter_reduce_)):
                    yield Case(
                        f"{name}ScatterReduce",
                        (a, dim, i, s, number, include),
                        lambda x, d, j, v, _, k, m=method, n=mode: m(x, d, j, v, n, include_self=k),
                    )
    once = torch.tensor([[2, 0, 1, 1], [0, 1, 2, 0]])
    yield Case(
        "Scatter", (Shape((3, 4)), 0, once, Shape((2, 4)), 0), lambda x, d, i, v, _: x.scatter(d, i, v)
    )
    rows = torch.tensor([[1], [2]])
    for places, source in (
        (rows.expand(2, 4), (2, 4)),
        (rows.expand(2, 3), (3, 4)),
        (rows[:1].expand(1, 4), (1, 4)),
        (rows.flip(0).expand(2, 4), (2, 4)),
        (rows.expand(2, 0), (2, 4)),
    ):
        yield Case(
            "Scatter", (Shape((3, 4)), 0, places, Shape(source), 0), lambda x, d, i, v, _: x.scatter(d, i, v)
        )

    def update(x: torch.Tensor, i: torch.Tensor, v: torch.Tensor, axis: int) -> torch.Tensor:
        for item, start in enumerate(i.tolist()):
            where, at = start if isinstance(start, list) else (item, start)
            x[where].narrow(axis - 1, at, v.shape[axis]).copy_(v[item])
        return x

    yield Case(
        "InplaceScatterUpdate", (Shape((3, 4, 5)), torch.tensor([1, 3, 0]), Shape((3, 1, 5)), 1), update
    )
    yield Case(
        "InplaceScatterUpdate",
        (Shape((3, 4, 5)), torch.tensor([[2, 1], [0, 2]]), Shape((2, 4, 3)), 2),
        update,
    )
    yield Case(
        "ScatterNdUpdate",
        (Shape((3, 4, 5)), torch.tensor([[2, 1], [0, 3]]), Shape((2, 5))),
        lambda x, i, v: x.index_put_((i[:, 0], i[:, 1]), v),
    )
