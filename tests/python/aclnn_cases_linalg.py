"""What the linear algebra functions must give; see aclnn_cases."""

from collections.abc import Iterable
from typing import Any

import torch

from aclnn_cases import Case, Shape

CLOSE = 1e-5


def vectors() -> Iterable[Case]:
    for n in (4, 1, 0):
        yield Case("Dot", (Shape((n,)), Shape((n,))), torch.dot, CLOSE)
    for n, m in ((3, 4), (1, 1), (0, 2), (2, 0)):
        matrix = Shape((n, m))
        yield Case("Mv", (matrix, Shape((m,)), 0), lambda x, y, _: x @ y, CLOSE)
        # Without products PyTorch's CPU gives what is added its own shape, and bools a result.
        for added in ((n,), (1,), ()) if n * m else ():
            yield Case(
                "Addmv", (Shape(added), matrix, Shape((m,)), 2, 3, 0),
_addmv, CLOSE,
            )  # fmt: skip
        for added in ((n, m), (m,), ()):
            yield Case("Addr", (Shape(added), Shape((n,)), Shape((m,)), 2, 3), _addr, CLOSE)
        yield Case(
            "InplaceAddr", (matrix, Shape((n,)), Shape((m,)), 2, 3),
            lambda s, x, y, beta, alpha: s.addr_(x, y, beta=beta, alpha=alpha), CLOSE,
        )  # fmt: skip
    for added in ((3, 5), (5,), ()):
        yield Case("Addbmm", (Shape(added), Shape((2, 3, 4)), Shape((2, 4, 5)), 2, 0.5, 0), _addbmm, CLOSE)
        yield Case(
            "InplaceAddmm", (Shape((3, 5)), Shape((3, 4)), Shape((4, 5)), 2, 0.5, 0),
            lambda s, x, y, beta, alpha, _: s.addmm_(x, y, beta=beta, alpha=alpha), CLOSE,
        )  # fmt: skip
    for sizes, dim in (((4, 3), 1), ((3, 4), 0), ((3,), -1), ((2, 3, 2), 1)):
        yield Case("LinalgCross", (Shape(sizes), Shape(sizes), dim), _cross, CLOSE)


def _wide(x: torch.Tensor) -> torch.Tensor:
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def _cross(x: Any, y: Any, dim: int) -> torch.Tensor:
    return torch.linalg.cross(x, y, dim=dim)


def _addmv(s: Any, x: Any, y: Any, alpha: Any, beta: Any, _: int) -> torch.Tensor:
    return torch.addmv(_wide(s), _wide(x), _wide(y), beta=beta, alpha=alpha).to(s.dtype)


def _addr(s: Any, x: Any, y: Any, beta: Any, alpha: Any) -> torch.Tensor:
    return torch.addr(s, x, y, beta=beta, alpha=alpha)


def _addbmm(s: Any, x: Any, y: Any, beta: Any, alpha: Any, _: int) -> torch.Tensor:
    return torch.addbmm(s.float(), x.float(), y.float(), beta=beta, alpha=alpha).to(s.dtype)


def decompositions() -> Iterable[Case]:
    def solve(b: Any, a: Any, upper: bool, transpose: bool, unit: bool) -> tuple[torch.Tensor, torch.Tensor]:
        matrix = a.mT if transpose else a
        return torch.linalg.solve_triangular(
            matrix, b, upper=upper != transpose, unitriangular=unit
        ), a.clone()

    def solve_broadcast(b: Any, a: Any, *flags: bool) -> tuple[torch.Tensor, torch.Tensor]:
        batch = torch.broadcast_shapes(b.shape[:-2], a.shape[:-2])
        return solve(b.expand(*batch, *b.shape[-2:]), a.expand(*batch, *a.shape[-2:]), *flags)

    def svd(x: Any, full: bool, vectors: bool) -> tuple[torch.Tensor, ...]:
        if not vectors:
            return torch.linalg.svdvals(x), x.new_empty(0), x.new_empty(0)
        u, s, vh = torch.linalg.svd(x, full)
        return s, u, vh.mT

    for sizes in ((3, 3), (5, 3), (3, 5), (2, 4, 3)):
        for mode, name in enumerate(("reduced", "complete", "r")):
            yield Case(
                "LinalgQr", (Shape(sizes), mode), lambda x, _, m=name: tuple(torch.linalg.qr(x, m)), 1e-4
            )
        for full in (False, True):
            yield Case("Svd", (Shape(sizes), full, True), svd, 1e-4)
        yield Case("Svd", (Shape(sizes), False, False), svd, 1e-4)
    for sizes in ((3, 3), (2, 4, 4), (1, 1)):
        a = Shape(sizes)
        yield Case("Inverse", (a,), lambda x: torch.linalg.inv(_wide(x)).to(x.dtype), 1e-4)
        yield Case("Slogdet", (a,), lambda x: tuple(t.to(x.dtype) for t in torch.linalg.slogdet(x)), 1e-4)
        for flags in ((False, False, False), (True, False, False), (True, True, False), (False, False, True)):
            yield Case("TriangularSolve", (Shape((*sizes[:-1], 2)), a, *flags), solve, 1e-4)
    for batch, matrices in (((4, 2), ()), ((), (4,)), ((3, 1), (2,))):
        sides = (Shape((*batch, 3, 2)), Shape((*matrices, 3, 3)))
        yield Case("TriangularSolve", (*sides, True, False, False), solve_broadcast, 1e-4)


def distances() -> Iterable[Case]:
    def wide(function: Any) -> Any:
        return lambda x, *rest: function(
            *(t.float() if isinstance(t, torch.Tensor) and t.itemsize == 2 else t for t in (x, *rest))
        ).to(x.dtype)

    aten = torch.ops.aten
    for first, second in (((3, 4), (5, 4)), ((2, 3, 4), (2, 5, 4)), ((1, 4), (1, 4))):
        a, b = Shape(first), Shape(second)
        between = Shape((*first[:-1], second[-2]))
        for p in (2.0, 1.0, 0.0, 3.0, float("inf")):
            yield Case("Cdist", (a, b, p, 2), wide(aten._cdist_forward), CLOSE)
            if p > 0:
                yield Case(
                    "CdistBackward", (between, a, b, between, -1.0 if p == float("inf") else p),
                    wide(lambda g, x, y, c, q: aten._cdist_backward(
                        *(t.contiguous() for t in (g, x, y)), q if q > 0 else float("inf"), c.contiguous())),
                    CLOSE,
                )  # fmt: skip
    for p in (2.0, 1.0, 0.0, 2.5):
        yield Case(
            "Pdist", (Shape((4, 3)), p), wide(lambda x, q: aten._pdist_forward(x.contiguous(), q)), CLOSE
        )
        for sizes, dim in (((3, 4), 0), ((2, 3, 4), -1)):
            yield Case("Renorm", (Shape(sizes), p, dim, 1.5), _renorm, CLOSE)
            yield Case(
                "InplaceRenorm", (Shape(sizes), p, dim, 1.5), lambda x, *a: x.copy_(_renorm(x, *a)), CLOSE
            )


def _renorm(x: torch.Tensor, p: float, dim: int, largest: float) -> torch.Tensor:
    """PyTorch's CPU has none for p = 0, whose norm counts the elements other than zero."""
    if p > 0:
        return torch.renorm(x, p, dim, largest)
    norm = (x != 0).sum([d for d in range(x.dim()) if d != dim % x.dim()], keepdim=True)
    return (_wide(x) * torch.where(norm > largest, largest / (norm + 1e-7), 1.0)).to(x.dtype)
