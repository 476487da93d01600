"""Small programs in plain PyTorch whose functions the table has; runs on the software NPU."""

import torch

# Expressions in `d`, the device. The result on the NPU must be the CPU's.
EXPRESSIONS = """
torch.arange(12, device=d).reshape(3, 4).t().contiguous()
torch.arange(6.0, device=d) + torch.arange(6, device=d)
torch.ones(2, 3, device=d).add_(2).mul_(3)[:, 1]
torch.zeros(2, 3, device=d).fill_(4).to(torch.int32)
torch.full((2, 2), 7, device=d).to(torch.float16) / 3
(torch.arange(5, device=d) > 2) & (torch.arange(5, device=d) < 4)
torch.masked_select(torch.arange(10.0, device=d), torch.arange(10, device=d) > 6)
torch.arange(10.0, device=d).to(torch.bfloat16).sum()
torch.arange(10.0, device=d).mean(0, keepdim=True)
torch.arange(12.0, device=d).reshape(3, 4).sum(1)
torch.arange(12, device=d).reshape(3, 4).float().argmax(1)
torch.isclose(torch.ones(3, device=d), torch.ones(3, device=d) + 1e-9)
torch.isfinite(torch.tensor([1.0, float('inf'), float('nan')]).to(d))
torch.tensor([1 + 2j, 3 - 4j]).to(d).abs()
torch.stack([torch.ones(2, device=d), torch.zeros(2, device=d)], 1)
torch.arange(4.0, device=d).reshape(2, 2) @ torch.ones(2, 3, device=d)
torch.addmm(torch.ones(3, device=d), torch.ones(2, 4, device=d), torch.ones(4, 3, device=d))
torch.nn.functional.gelu(torch.arange(-3.0, 3.0, device=d))
torch.log_softmax(torch.arange(12.0, device=d).reshape(3, 4), 1)
torch.nn.functional.cross_entropy(torch.arange(12.0, device=d).reshape(3, 4), torch.arange(3, device=d))
torch.nn.functional.mse_loss(torch.ones(3, device=d), torch.zeros(3, device=d))
torch.linalg.vector_norm(torch.arange(6.0, device=d))
torch.clamp(torch.arange(6.0, device=d), 1, 4)
torch.ones(3, 3, device=d).triu(1)
torch.empty(0, 3, device=d).sum(0)
torch.tensor(2.5).to(d).reciprocal()
torch.ones(2, 2, device=d).expand(3, 2, 2).contiguous()
torch.arange(6.0, device=d)[1:5:2].clone()
torch.arange(6, device=d).to(torch.uint8).to(torch.bool)
""".strip().splitlines()


def different() -> list[str]:
    """The expressions whose result is not the CPU's, with what they gave."""
    problems = []
    for expression in EXPRESSIONS:
        expected = eval(expression, {"torch": torch, "d": "cpu"})
        try:
            got = eval(expression, {"torch": torch, "d": "npu"})
            if got.device.type != "npu":
                problems.append(f"{expression}: is on {got.device}")
            torch.testing.assert_close(got.cpu(), expected, rtol=0, atol=0, equal_nan=True)
        except (AssertionError, RuntimeError) as error:
            problems.append(f"{expression}: {error}")
    return problems


def lenient_matmul() -> list[float]:
    """A float64 product, which the SoC refuses unless OPWELD_LENIENT=1."""
    return (
        (torch.ones(2, 2, device="npu").to(torch.float64) @ torch.eye(2).to("npu", torch.float64))
        .cpu()
        .tolist()
    )


def survives_errors() -> list[str]:
    """The texts of an error of the first phase and of one of the kernel, and that work goes on afterwards."""
    texts = []
    try:
        torch.ones(3, device="npu").copy_(torch.ones(2, device="npu"))
    except RuntimeError as error:
        texts.append(str(error))
    try:
        loss = torch.nn.functional.nll_loss(
            torch.zeros(1, 2, device="npu"), torch.tensor([7]).to("npu"), reduction="sum"
        )
        loss.item()
    except RuntimeError as error:
        texts.append(str(error))
    texts.append(str(torch.ones(3, device="npu").sum().item()))
    return texts


def two_devices() -> list[str]:
    """What operators say whose tensors, or whose stream, are on another device; and that work goes on."""
    near, far = torch.ones(3, device="npu:0"), torch.ones(3, device="npu:1")
    messages = []
    for failing in (lambda: near + far, lambda: torch.cat([near, far]), lambda: near.add_(far)):
        try:
            failing()
            torch.npu.synchronize()
            messages.append("no error")
        except RuntimeError as error:
            messages.append(str(error))
    near.copy_(far * 4)
    return [*messages, str((near + far.to("npu:0")).cpu().tolist())]


def error_at_an_event() -> list[str]:
    """What an event says behind a kernel that failed, and the device after it."""
    weights = torch.ones(4, 2, device="npu")
    torch.nn.functional.embedding(torch.tensor([9]).npu(), weights)
    event = torch.npu.Event()
    event.record()
    try:
        event.synchronize()
        return ["no error"]
    except RuntimeError as error:
        torch.npu.synchronize()
        return [str(error), str((weights + 1).sum().item())]
