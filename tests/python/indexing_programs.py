"""Indexing, ordering and scattering in plain PyTorch, on the software NPU and on the CPU."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F

# Expressions of `x`, a tensor in several dtypes and layouts, and of the tensors of _fixed. What the CPU
# refuses, the NPU must refuse.
EXPRESSIONS = """
x[i]
x[i, j]
x[:, j]
x[..., i]
x[None, i]
x[i, None]
x[i[:, None], j[None, :]]
x[-1]
x[m]
x[x.float() > 0]
x[e]
x[i.int()]
x[[0, 2]]
x[torch.tensor(1, device=d)]
x[:, m2]
x[i, 1:3]
x.t()[j]
put(x, i, v[:4])
put(x, (i, j), 3)
put(x, (slice(None), j), 2)
put(x, m, 1)
put(x, e, 5)
put(x, m2s, x[m2s].flip(0))
put(x.t(), j, 7)
x.clone().index_put_((i, j), v[:4, 0], accumulate=True)
x.clone().index_put_((i,), v[:4], accumulate=True)
x.index_put((None, j), v[:1, :1], accumulate=False)
x.clone().index_put_((m,), v[0, 0])
torch.gather(x, 0, g)
torch.gather(x, 1, g)
x.take(i)
x.clone().put_(j, v[:4, 0])
x.clone().put_(i, v[:4, 0], accumulate=True)
torch.index_select(x, 0, i)
torch.index_select(x, 1, j)
x.index_add(0, i, v[:4])
x.index_add(0, i, v[:4], alpha=2)
x.index_copy(0, p, v)
x.index_fill(1, j, 3)
x.index_fill(1, j, v[0, 0])
x.masked_fill(m, 2)
x.masked_fill(m[:1], v[0, 0])
x.clone().masked_scatter_(m, v)
torch.masked_select(x, m)
torch.nonzero(x)
torch.nonzero(x, as_tuple=True)
torch.where(m)
torch.argwhere(x)
x.scatter(0, g, 2)
x.scatter(1, q, v)
x.scatter_add(0, g, v)
x.scatter(0, g, v, reduce="add")
x.scatter(0, g, 3, reduce="multiply")
x.scatter_reduce(0, g, v, "sum")
x.scatter_reduce(0, g, v, "prod")
x.scatter_reduce(0, g, v, "amax", include_self=False)
x.scatter_reduce(1, g, v, "amin")
x.scatter_reduce(0, g, v, "mean")
torch.sort(x)
torch.sort(x, dim=0, descending=True, stable=True)
torch.argsort(x, dim=1, stable=True)
torch.msort(x)
torch.topk(x, 2).values
torch.topk(x, 3, dim=0, largest=False).values
torch.kthvalue(x, 2, dim=1).values
torch.unique(x)
torch.unique(x, return_inverse=True, return_counts=True)
torch.unique(x, dim=0, return_inverse=True, return_counts=True)
torch.unique_consecutive(x.sort(1)[0].flatten(), return_inverse=True, return_counts=True)
torch.searchsorted(x.sort(1)[0], v)
torch.searchsorted(x.sort(1)[0], v, right=True, out_int32=True)
torch.bucketize(x, x.flatten().unique())
torch.isin(x.int(), v.int())
torch.isin(x.float(), v.float(), invert=True)
torch.flip(x, (0, 1))
x.fliplr()
x.rot90()
torch.roll(x, 1)
torch.roll(x, (1, -1), (0, 1))
x.repeat(2, 1, 3)
x.tile(2)
x.repeat_interleave(2)
x.repeat_interleave(2, dim=1)
x.repeat_interleave(r, dim=0)
x.flatten()[:3].repeat_interleave(r)
F.one_hot(i, 5)
F.one_hot(i)
torch.split(x, [1, 2])
torch.chunk(x, 2, 1)
torch.tril(x, -1)
torch.diag(x[:, 0])
torch.diagonal(x)
torch.tril_indices(3, 3, device=d)
torch.combinations(x[:, 0])
torch.cartesian_prod(x[:, 0], x[0])
torch.block_diag(x, x)
x.unfold(1, 2, 1)
torch.narrow(x, 1, 1, 2).contiguous()
x.movedim(0, 1).contiguous()
x[x.shape[0] - 1, x.shape[1] - 1]
torch.swapaxes(x, 0, 1).clone()
torch.stack([x, x]).flip(2)[0]
torch.scatter(x, 0, e[None].expand(0, 4), v[:0])
torch.channel_shuffle(x.reshape(1, 4, 3), 2)
x.select_scatter(v[0], 0, 1)
x.slice_scatter(v[:2], 0, 1)
x.diagonal_scatter(v[0, :3])
""".strip().splitlines()

DTYPES = (
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
)


def put(x: torch.Tensor, key: Any, value: Any) -> torch.Tensor:
    """What `x[key] = value` makes of a copy."""
    result = x.clone()
    result[key] = value
    return result


def _fixed(device: str, dtype: torch.dtype) -> dict[str, Any]:
    torch.manual_seed(5)
    values = (torch.randn(3, 4) * 3).to(dtype)
    mask = torch.tensor([[1, 0, 1, 1], [0, 0, 1, 0], [1, 0, 0, 0]], dtype=torch.bool)
    fixed = {
        "v": values,
        "i": torch.tensor([2, 0, 1, 0]),
        "j": torch.tensor([1, 3, -1, 0]),
        "p": torch.tensor([2, 0, 1]),
        "e": torch.empty(0, dtype=torch.int64),
        "g": torch.tensor([[0, 1, 2, 0], [2, 1, 0, 1], [0, 0, 2, 2]]),
        "q": torch.tensor([[0, 1, 2, 3], [2, 1, 0, 3], [3, 0, 2, 1]]),
        "m": mask,
        "m2": mask[0],
        "m2s": mask,
        "r": torch.tensor([2, 0, 1]),
    }
    return {"d": device, "torch": torch, "F": F, "put": put} | {
        name: value.to(device) for name, value in fixed.items()
    }


def _layouts(dtype: torch.dtype, device: str) -> dict[str, torch.Tensor]:
    torch.manual_seed(7)
    plain = (torch.randn(3, 4) * 3).to(dtype)
    wide = torch.zeros(3, 9, dtype=dtype)
    wide[:, 1::2] = plain
    return {
        "contiguous": plain.to(device),
        "strided": wide.to(device)[:, 1::2],
        "transposed": plain.t().contiguous().to(device).t(),
    }


def _parts(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [part for item in value for part in _parts(item)]
    return [value]


def _evaluate(expression: str, names: dict[str, Any]) -> list[torch.Tensor] | Exception:
    try:
        return [part.cpu() for part in _parts(eval(expression, names))]
    except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError) as error:
        return error


def _problem(got: list[torch.Tensor] | Exception, want: list[torch.Tensor] | Exception) -> str:
    if isinstance(want, Exception):
        return "" if isinstance(got, Exception) else f"gives {got} where the CPU raises {want}"
    if isinstance(got, Exception):
        return f"raises {got}"
    if len(got) != len(want):
        return f"gives {len(got)} tensors, not {len(want)}"
    for a, b in zip(got, want, strict=True):
        try:
            torch.testing.assert_close(a, b, equal_nan=True)
        except AssertionError as error:
            return " ".join(str(error).split())
    return ""


def different() -> dict[str, Any]:
    """How many expressions were compared, and those whose result on the NPU isn't the CPU's."""
    warnings.simplefilter("ignore")
    problems, count = [], 0
    for dtype in DTYPES:
        names = {device: _fixed(device, dtype) for device in ("cpu", "npu")}
        layouts = {device: _layouts(dtype, device) for device in ("cpu", "npu")}
        for layout in layouts["cpu"]:
            for expression in EXPRESSIONS:
                results = [
                    _evaluate(expression, names[device] | {"x": layouts[device][layout]})
                    for device in ("npu", "cpu")
                ]
                count += 1
                if problem := _problem(results[0], results[1]):
                    problems.append(f"{expression} ({dtype}, {layout}): {problem}"[:400])
    return {"count": count, "problems": problems}


class Sizes(NamedTuple):
    name: str
    run: Callable[[str], Any]


def _edges() -> Iterable[Sizes]:
    """Tensors without dimensions or elements."""
    yield Sizes("0-d gather", lambda d: torch.tensor(3.0, device=d).gather(0, torch.tensor(0, device=d)))
    yield Sizes("0-d sort", lambda d: torch.tensor(3.0, device=d).sort())
    yield Sizes("0-d topk", lambda d: torch.tensor(3.0, device=d).topk(1))
    yield Sizes("0-d mask", lambda d: torch.tensor(3.0, device=d)[torch.tensor(True, device=d)])
    yield Sizes("0-d nonzero", lambda d: torch.tensor(3.0, device=d).nonzero())
    yield Sizes("0-d unique", lambda d: torch.tensor(3.0, device=d).unique(return_inverse=True))
    yield Sizes("0-d roll", lambda d: torch.tensor(3.0, device=d).roll(1))
    yield Sizes(
        "0-d index_select",
        lambda d: torch.tensor(3.0, device=d).index_select(0, torch.zeros(1, device=d).int()),
    )
    for name in ("sort", "nonzero", "unique", "flatten", "argsort"):
        yield Sizes(f"empty {name}", lambda d, n=name: getattr(torch.empty(0, 3, device=d), n)())
    yield Sizes("empty topk", lambda d: torch.empty(0, 3, device=d).topk(2))
    yield Sizes("empty flip", lambda d: torch.empty(0, 3, device=d).flip(0))
    yield Sizes("empty repeat", lambda d: torch.ones(2, device=d).repeat(0, 2))
    yield Sizes("all false", lambda d: torch.ones(2, 3, device=d)[torch.zeros(2, 3, device=d).bool()])
    yield Sizes("all false rows", lambda d: torch.ones(2, 3, device=d)[torch.zeros(2, device=d).bool()])
    yield Sizes(
        "empty searchsorted", lambda d: torch.searchsorted(torch.empty(0, device=d), torch.ones(2, device=d))
    )
    yield Sizes("no index", lambda d: torch.ones(3, 4, device=d)[torch.empty(0, device=d).long()])


def different_edges() -> list[str]:
    problems = []
    for name, run in _edges():
        results = []
        for device in ("npu", "cpu"):
            try:
                results.append([part.cpu() for part in _parts(run(device))])
            except (RuntimeError, IndexError) as error:
                results.append(error)
        if problem := _problem(results[0], results[1]):
            problems.append(f"{name}: {problem}"[:300])
    return problems


def bags() -> list[str]:
    """Embedding bags in all modes, forward and backward."""
    problems = []
    indices = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9])
    offsets = torch.tensor([0, 3, 3, 5])
    for mode in ("sum", "mean", "max"):
        for padding in (None, 4):
            for last in (False, True):
                for weighted in (False, True) if mode == "sum" else (False,):
                    got = [
                        _bag(device, indices, offsets, mode, padding, last, weighted)
                        for device in ("npu", "cpu")
                    ]
                    if problem := _problem(got[0], got[1]):
                        problems.append(
                            f"{mode}, padding {padding}, last {last}, weighted {weighted}: {problem}"
                        )
    return problems


def _bag(
    device: str,
    indices: torch.Tensor,
    offsets: torch.Tensor,
    mode: str,
    padding: int | None,
    last: bool,
    weighted: bool,
) -> list[torch.Tensor] | Exception:
    torch.manual_seed(3)
    weight = torch.randn(10, 3).to(device).requires_grad_()
    factors = torch.rand(8).to(device).requires_grad_() if weighted else None
    ends = torch.cat([offsets, torch.tensor([8])]) if last else offsets
    try:
        result = F.embedding_bag(
            indices.to(device),
            weight,
            ends.to(device),
            mode=mode,
            padding_idx=padding,
            include_last_offset=last,
            per_sample_weights=factors,
        )
        (result * torch.arange(12.0).reshape(4, 3).to(device)).sum().backward()
    except RuntimeError as error:
        return error
    grads = [weight.grad] if factors is None else [weight.grad, factors.grad]
    return [part.cpu() for part in [result.detach(), *grads]]


# Each must raise an error that names the function and the argument.
OUTSIDE = {
    "Gather": ("index", "x.gather(0, torch.full((1, 4), 3, device=d))"),
    "Index": ("indices[0]", "x[torch.tensor([5], device=d)]"),
    "IndexSelect": ("index", "x.index_select(0, torch.tensor([-1], device=d))"),
    "IndexPutImpl": ("indices[1]", "put(x, (slice(None), torch.tensor([-5], device=d)), 1.0)"),
    "IndexAdd": ("index", "x.index_add(0, torch.tensor([3], device=d), x[:1])"),
    "IndexCopy": ("index", "x.index_copy(0, torch.tensor([3], device=d), x[:1])"),
    "Take": ("index", "x.take(torch.tensor([12], device=d))"),
    "InplacePut": ("index", "x.clone().put_(torch.tensor([12], device=d), x[0, :1])"),
    "ScatterAdd": ("index", "x.scatter_add(0, torch.full((1, 4), -1, device=d), x)"),
    "Scatter": ("index", "x.scatter(0, torch.full((1, 4), 7, device=d), x)"),
    "EmbeddingBag": (
        "indices",
        "F.embedding_bag(torch.tensor([9], device=d), x, torch.tensor([0], device=d))",
    ),
    "OneHot": ("self", "F.one_hot(torch.tensor([9], device=d), 4)"),
}


def outside() -> list[str]:
    """The functions whose error for an index outside doesn't name what it should; work goes on after each."""
    problems = []
    for function, (argument, expression) in OUTSIDE.items():
        x = torch.arange(12.0, device="npu").reshape(3, 4)
        try:
            eval(expression, _fixed("npu", torch.float32) | {"x": x})
            torch.npu.synchronize()
            problems.append(f"{function}: no error")
        except RuntimeError as error:
            if f"aclnn{function}" not in str(error) or f"'{argument}'" not in str(error):
                problems.append(f"{function}: {error}")
        if (torch.ones(2, device="npu") + 1).tolist() != [2.0, 2.0]:
            problems.append(f"{function}: wrong afterwards")
    return problems
