import torch
import torch_npu

library = torch.library.Library("faulty_boxes", "DEF")
library.define("pack(Tensor x) -> Tensor")
library.impl("pack", lambda x: torch_npu.npu_sign_bits_pack(x.flatten(), 1), "PrivateUse1")
library.impl("pack", torch.library.fallthrough_kernel, "Autograd")
library.impl(
    "pack", lambda x: torch.empty(1, (x.numel() + 7) // 8, dtype=torch.uint8, device=x.device), "Meta"
)
