"""Expressions in plain PyTorch on the NPU against the CPU; runs on the software NPU.

An expression sees tensors of the dtype under test: a and b (3 x 4), t (4 x 3, transposed), w (every second
column), p (positive), q (from 0 to 1), r (2 x 3 x 4), v (5), s (a number), e (0 x 3), m (3 x 3), k (its
product with itself and the identity); i and j (integers, 3 x 4), c (bools), z (complex); and `d`, the device.
"""

from typing import Any

import torch

TOLERANCE = {
    torch.float32: {"rtol": 1e-5, "atol": 1e-5},
    torch.float16: {"rtol": 2e-3, "atol": 2e-3},
    torch.bfloat16: {"rtol": 2e-2, "atol": 2e-2},
}

GROUPS = {
    "powers": """
torch.pow(a, 2)
torch.pow(p, 0.5)
torch.pow(2, a)
torch.pow(p, b)
torch.pow(i.abs(), 3)
torch.pow(p, s)
torch.pow(torch.tensor(2.0), a)
a ** 2 + 3 ** t.t()
p.clone().pow_(0.5)
p.clone().pow_(b)
torch.pow(e, 2)
torch.pow(i, 2.0)
torch.float_power(p, 2).to(torch.float32)
p.sqrt() + p.rsqrt() + p.square()
""",
    "division": """
torch.floor_divide(a, 2)
torch.floor_divide(i, 4)
torch.floor_divide(a, p)
torch.floor_divide(i, j.abs() + 1)
a // 0.75
i // 3
a % 2
i % 4
a % p
i % (j.abs() + 1)
torch.remainder(5, p)
torch.fmod(a, 2)
torch.fmod(a, p)
torch.fmod(i, 3)
torch.div(a, p, rounding_mode="floor")
torch.div(a, 3, rounding_mode="trunc")
torch.div(i, 2, rounding_mode="trunc")
torch.div(i, 2, rounding_mode="floor")
torch.div(i, 2)
torch.true_divide(i, j.abs() + 1)
a.clone().div_(p, rounding_mode="floor")
a.clone().remainder_(0.5)
a.clone().fmod_(p)
a.clone().floor_divide_(2)
1 / p
2 - a
torch.rsub(a, b, alpha=2)
torch.rsub(i, 3)
a.addcdiv(b, p, value=2).addcmul(b, p)
""",
    "limits": """
torch.clamp(a, -0.5, 0.5)
torch.clamp(a, min=0.1)
torch.clamp(a, max=0.1)
torch.clamp(a, b, b + 1)
torch.clamp(a, min=b)
torch.clamp(i, 0, 3)
torch.clamp_min(a, 0.2)
torch.clamp_max(i, 2)
a.clone().clamp_(-1, 1)
a.clone().clamp_(min=0)
a.clone().clamp_min_(b)
torch.maximum(a, b)
torch.minimum(t, a.t())
torch.fmax(a, b)
torch.fmin(a, b)
torch.lerp(a, b, 0.25)
torch.lerp(a, b, q)
a.clone().lerp_(b, 0.75)
a.clone().lerp_(b, q)
torch.nan_to_num(a / 0)
torch.nan_to_num(a / 0, 1.0, 2.0, -2.0)
a.clone().div_(0).nan_to_num_()
torch.relu(a) + torch.nn.functional.relu6(a * 10)
""",
    "choices": """
torch.where(a > 0, a, b)
torch.where(c, a, 0)
torch.where(c, 1.0, a)
torch.where(c, i, j)
torch.where(c, i, a)
torch.where(c[0], a, b)
torch.where(a > s, s, b)
torch.where(e > 0, e, e)
torch.where(c, t.t(), 2.5)
torch.heaviside(a, b)
torch.logical_and(a > 0, b > 0)
torch.logical_or(c, i > 2)
torch.logical_xor(c, a)
torch.logical_not(i)
c.clone().logical_and_(a)
c & (a > 0) | ~c ^ c
i & 3
i | 8
i ^ j
i.clone().bitwise_and_(6)
c & True
i << 2
i >> 1
torch.bitwise_left_shift(i, j.abs())
torch.bitwise_right_shift(i, 1)
a.clone().eq_(b)
a.clone().gt_(0)
i.clone().le_(j)
torch.isin(i, 3)
torch.isposinf(a / 0)
torch.isneginf(a / 0)
torch.signbit(a)
torch.isnan(a / 0 * 0)
torch.isinf(a / 0)
""",
    "functions": """
torch.atan2(a, b)
torch.atan2(i, j)
torch.atan2(a, torch.tensor(2.0))
torch.logaddexp(a, b)
torch.logaddexp2(a, b)
torch.xlogy(a, p)
torch.xlogy(a, 2)
torch.xlogy(3, p)
torch.special.xlog1py(a, p)
torch.frac(a * 3)
torch.sinc(a)
torch.round(a, decimals=1)
torch.round(a * 100, decimals=-1)
a.clone().round_(decimals=2)
torch.logit(q)
torch.logit(q, eps=0.3)
torch.gcd(i, j)
torch.angle(a)
torch.angle(z)
torch.hypot(a, b)
torch.sigmoid(a) + torch.tanh(b)
torch.nn.functional.silu(a)
torch.nn.functional.silu(t)
torch.copysign(a, b)
torch.deg2rad(a) + torch.rad2deg(b)
torch.sgn(a) + torch.positive(b)
torch.special.expit(a) + torch.special.log1p(p)
torch.trunc(a) + torch.ceil(b) + torch.floor(a)
torch.erf(a) + torch.erfc(b)
torch.exp2(a) + torch.expm1(b) + torch.log2(p) + torch.log10(p)
torch.square(i) + torch.abs(j)
torch.diff(a)
torch.cross(a[:, :3], b[:, :3], dim=1)
""",
    "reductions": """
a.amax(1)
a.amin((0, 1), keepdim=True)
a.max()
a.max(1)
i.max(0, keepdim=True)
r.min(-1)
t.min(0)
torch.aminmax(a)
torch.aminmax(a, dim=1)
i.prod()
a.prod(1)
p.prod()
i.prod(0)
a.std()
a.std(1)
a.std(1, correction=0)
a.std((0, 1), keepdim=True)
a.var()
t.var(1)
r.var((0, 2), unbiased=False)
torch.var_mean(a, 1)
torch.std_mean(a)
torch.std_mean(r, (0, 1), correction=0)
torch.logsumexp(a, 1)
torch.logsumexp(r, (0, 2), keepdim=True)
torch.logsumexp(i.float(), 0)
torch.norm(a)
torch.norm(a, 1, 0)
torch.norm(r, float("inf"), (0, 1))
torch.norm(a, 3)
a.norm(dim=1, keepdim=True)
torch.linalg.vector_norm(a, 2, 1)
torch.linalg.norm(m)
torch.nansum(a / a.clamp(min=0))
torch.nansum(a, 1)
torch.nanmean(a, 1)
torch.count_nonzero(i)
torch.argmax(a, 1) + torch.argmin(b, 1)
a.sum((0, 1)) + a.mean()
s.std(correction=0)
s.max() + s.amin()
e.sum(0)
e.prod(0)
""",
    "orders": """
torch.median(a)
torch.median(v)
torch.median(a, 1)
torch.median(r, 0, keepdim=True)
torch.nanmedian(a / a.clamp(min=0))
torch.nanmedian(a, 1)
torch.median(i)
torch.median(t, 0)
torch.cumsum(a, 0)
torch.cumsum(i, 1)
torch.cumsum(c, 1)
torch.cumsum(t, 1)
torch.cumsum(r, -1, dtype=torch.float32)
a.clone().cumsum_(0)
torch.cumprod(a, 1)
torch.cumprod(i, 0)
a.clone().cumprod_(1)
torch.cummax(a, 0)
torch.cummin(r, 1)
torch.cummax(i, 1)
torch.cummax(s, 0)
torch.cumsum(e, 0)
torch.histc(a, 5, -1, 1)
torch.histc(a, 4)
torch.bincount(i.abs().flatten())
torch.bincount(i.abs().flatten(), minlength=20)
torch.bincount(i.abs().flatten(), q.flatten().float())
torch.trace(m)
torch.trace(m.long())
""",
    "matrices": """
torch.dot(v, v.flip(0))
torch.mv(a, b[0])
a @ b[0]
torch.addmv(v[:3], a, b[0], beta=0.5, alpha=2)
v[:3].clone().addmv_(a, b[0])
torch.addr(a, v[:3], b[0])
torch.outer(v, a[0])
torch.addbmm(m, r, r.transpose(1, 2), beta=2, alpha=0.5)
torch.addmm(m, a, t, beta=0.5)
m.clone().addmm_(a, t)
torch.baddbmm(r @ r.mT, r, r.mT)
torch.tensordot(a, b, dims=2)
torch.einsum("ij,ik->jk", a, b)
torch.renorm(a, 2, 0, 1.0)
a.clone().renorm_(2, 1, 0.5)
torch.eye(3, device=d, dtype=a.dtype) @ m
torch.matrix_power(m, 3)
torch.kron(m, m)
torch.tril(m) + torch.triu(m, 1)
m.clone().tril_().fill_diagonal_(2)
torch.cdist(a, b)
torch.cdist(a, b, p=1.0)
torch.cdist(r, r, p=3.0)
torch.pdist(a)
torch.nn.functional.pairwise_distance(a, b)
torch.cosine_similarity(a, b)
""",
    "decompositions": """
torch.linalg.cholesky(k)
torch.linalg.cholesky(k, upper=True)
torch.linalg.qr(a)
torch.linalg.qr(t, mode="complete")
torch.linalg.qr(a, mode="r")[1]
torch.linalg.svdvals(r)
torch.linalg.svd(a, full_matrices=False)
torch.linalg.svd(a)[1]
torch.linalg.matrix_norm(a, "nuc")
torch.linalg.inv(k)
torch.inverse(k)
torch.linalg.solve_triangular(k.tril(), a, upper=False)
torch.linalg.solve_triangular(k.triu(), a.t(), upper=True, left=False)
torch.triangular_solve(a, k)
torch.slogdet(k)
torch.linalg.det(k)
torch.linalg.cross(a[:, :3], b[:, :3])
torch.linalg.matrix_rank(k)
torch.linalg.pinv(a)
""",
    "factories": """
torch.linspace(0, 1, 5, device=d, dtype=a.dtype)
torch.linspace(-3, 8, 4, device=d)
torch.logspace(0, 2, 3, device=d)
torch.arange(0, 5, 2, device=d)
torch.eye(3, device=d)
torch.eye(2, 4, device=d, dtype=a.dtype)
torch.full((2, 3), 2.5, device=d, dtype=a.dtype)
torch.complex(a.float(), b.float())
torch.polar(p.float(), a.float())
a.new_ones(3).fill_(s)
a.clone().fill_diagonal_(3)
torch.zeros_like(a).fill_(torch.tensor(4.0, device=d))
torch.ones(2, 2, device=d).triu_(1)
""",
    "lists": """
torch._foreach_add([a, b], 2)
torch._foreach_add([a, b], [b, a], alpha=2)
torch._foreach_sub([a, b], 0.5)
torch._foreach_mul([a, b], [2.0, 3.0])
torch._foreach_div([a, b], 4)
torch._foreach_div([a, b], [p, q + 1])
torch._foreach_pow([p, q], 2)
torch._foreach_pow([p, q], [2.0, 3.0])
torch._foreach_pow([p, q], [a, b])
torch._foreach_pow(2, [a, b])
torch._foreach_maximum([a, b], 0.25)
torch._foreach_minimum([a, b], [b, a])
torch._foreach_clamp_max([a, b], 0.5)
torch._foreach_addcmul([a, b], [p, q], [b, a], 0.5)
torch._foreach_addcdiv([a, b], [a, b], [p, p], [0.5, 2.0])
torch._foreach_addcdiv([a, b], [a, b], [p, p], torch.tensor([0.5, 2.0]))
torch._foreach_lerp([a, b], [b, a], 0.25)
torch._foreach_floor([a, b])
torch._foreach_ceil([a, b])
torch._foreach_round([a, b])
torch._foreach_trunc([a, b])
torch._foreach_frac([a, b])
torch._foreach_norm([a, b])
torch._foreach_sqrt([p, q])
torch._foreach_neg([a, e])
torch._foreach_add([i, j], 2)
torch._foreach_zero_([a.clone(), b.clone()])
""",
}


def _inputs(dtype: torch.dtype, device: str) -> dict[str, Any]:
    torch.manual_seed(11)

    def made(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(dtype).to(device)

    m = torch.randn(3, 3)
    names = {
        "a": made(torch.randn(3, 4)),
        "b": made(torch.randn(3, 4)),
        "t": made(torch.randn(3, 4)).t(),
        "w": made(torch.randn(3, 8))[:, ::2],
        "p": made(torch.rand(3, 4) + 0.5),
        "q": made(torch.rand(3, 4) * 0.9 + 0.05),
        "r": made(torch.randn(2, 3, 4)),
        "v": made(torch.randn(5)),
        "s": made(torch.tensor(0.3)),
        "e": made(torch.randn(0, 3)),
        "m": made(m),
        "k": made(m @ m.t() + torch.eye(3)),
        "i": torch.randint(-9, 9, (3, 4)).to(device),
        "j": torch.randint(-5, 5, (3, 4)).to(device),
        "c": (torch.rand(3, 4) > 0.5).to(device),
        "z": torch.randn(3, 4, dtype=torch.complex64).to(device),
    }
    return names | {"torch": torch, "d": device}


def _flat(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [] if value is None else [item for part in value for item in _flat(part)]


def _problem(expression: str, dtype: torch.dtype) -> str:
    try:
        expected = _flat(eval(expression, _inputs(dtype, "cpu")))
    except RuntimeError as error:
        # The CPU knows fewer 16-bit functions than the NPU; what it refuses is not compared.
        return f"raises on the CPU: {error}" if dtype == torch.float32 else ""
    try:
        got = _flat(eval(expression, _inputs(dtype, "npu")))
        places = {tensor.device.type for tensor in got}
        got = [tensor.cpu() for tensor in got]
    except RuntimeError as error:
        return " ".join(str(error).split())
    if places != {"npu"}:
        return f"is on {places}"
    if len(got) != len(expected):
        return f"{len(got)} results instead of {len(expected)}"
    try:
        for mine, theirs in zip(got, expected, strict=True):
            tolerance = TOLERANCE.get(theirs.dtype, TOLERANCE[torch.float32])
            torch.testing.assert_close(mine, theirs, equal_nan=True, **tolerance)
    except AssertionError as error:
        return " ".join(str(error).split())
    return ""


def different(group: str, dtype: str) -> list[str]:
    """The group's expressions whose result is not the CPU's, with what is wrong."""
    problems = []
    for expression in GROUPS[group].strip().splitlines():
        if problem := _problem(expression, getattr(torch, dtype)):
            problems.append(f"{expression}: {problem}")
    return problems
