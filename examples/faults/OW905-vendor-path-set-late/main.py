import os

import torch
import torch_npu  # noqa: F401

os.environ["ASCEND_CUSTOM_OPP_PATH"] = "/opt/vendors/my_ops"
x = torch.ones(4, device="npu")
