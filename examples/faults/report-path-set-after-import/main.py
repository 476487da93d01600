import os

import torch

if "MY_OPS" in os.environ:
    os.environ["ASCEND_CUSTOM_OPP_PATH"] = os.environ["MY_OPS"]

print(torch.ops.npu.npu_custom_scale(torch.ones(4, device="npu")))
