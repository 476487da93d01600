"""Operators that torch_npu sends to the older single-operator interface; runs in an NPU process."""

import torch
import torch_npu


def transposed() -> bool:
    """Dimensions in another order, of several dtypes."""
    for dtype in (torch.float32, torch.float16, torch.int64):
        x = torch.arange(24).reshape(2, 3, 4).to(dtype)
        for order in ((2, 0, 1), (1, 0, 2)):
            assert torch.equal(torch_npu.npu_transpose(x.npu(), order).cpu(), x.permute(order))
    return True


def compiled_just_in_time() -> dict[str, list[float]]:
    """With jit_compile torch_npu leaves the aclnn functions for these."""
    a, b = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)
    left, right, filled = a.npu(), b.npu(), torch.zeros(3).npu()
    turned = a.T.contiguous().npu().T
    torch.npu.set_compile_mode(jit_compile=True)
    try:
        products = [torch.mm(left, right), torch.mm(turned, right)]
        filled.fill_(2.5)
        torch.npu.synchronize()
    finally:
        torch.npu.set_compile_mode(jit_compile=False)
    expected = (a @ b).flatten().tolist()
    return {
        "products": [product.cpu().flatten().tolist() for product in products],
        "expected": [expected, expected],
        "filled": filled.cpu().tolist(),
    }


def dropped(share: float) -> dict[str, object]:
    """Dropout by a byte for each element, forward and backward."""
    torch.manual_seed(3)
    x = (torch.rand(400, 50) + 1).npu()
    y, mask = torch_npu._dropout_with_byte_mask(x, share)
    gradient = torch_npu._dropout_with_byte_mask_backward(torch.ones_like(x), mask, share)
    kept = mask.cpu().bool()
    wanted = torch.where(kept, x.cpu() / (1 - share), 0.0)
    torch.manual_seed(3)
    return {
        "kept": kept.double().mean().item(),
        "forward": torch.allclose(y.cpu(), wanted),
        "backward": torch.allclose(gradient.cpu(), kept / (1 - share)),
        "again": torch.equal(torch_npu._dropout_with_byte_mask(x, share)[1].cpu(), mask.cpu()),
    }
