"""torch without torch_npu, for tests whose own process is not on the NPU: `from cpu_torch import torch`."""

import os

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
import torch

del os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"]

__all__ = ["torch"]
