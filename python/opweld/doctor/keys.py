"""PyTorch's dispatch keys, as far as kernels are registered for them."""

from __future__ import annotations

_BACKENDS = (
    "CPU", "CUDA", "HIP", "XLA", "MPS", "IPU", "XPU", "HPU", "VE", "Lazy", "MTIA", "MAIA",
    "PrivateUse1", "PrivateUse2",
    "PrivateUse3", "Meta",
)  # fmt: skip
_PREFIXES = ("", "Quantized", "Sparse", "SparseCsr", "NestedTensor", "Autograd", "Autocast")
_OTHERS = (
    "FPGA", "Vulkan", "Metal", "MkldnnCPU", "Fake", "Named", "Python", "Tracer", "Batched", "VmapMode",
    "Negative",
    "Conjugate", "Undefined", "CatchAll", "ZeroTensor", "Autograd", "Functionalize", "BackendSelect",
    "PreDispatch",
    "DeferredInit", "AutogradOther", "ADInplaceOrView", "PythonDispatcher", "FuncTorchBatched",
    "FuncTorchVmapMode",
    "PythonTLSSnapshot", "AutogradNestedTensor", "BatchedNestedTensor", "FuncTorchGradWrapper",
    "AutogradFunctionality", "CompositeImplicitAutograd", "CompositeExplicitAutograd",
    "FuncTorchBatchedDecomposition",
    "FuncTorchDynamicLayerBackMode", "FuncTorchDynamicLayerFrontMode",
    "CompositeImplicitAutogradNestedTensor",
    "CompositeExplicitAutogradNonFunctional",
)  # fmt: skip

KNOWN = frozenset(prefix + backend for prefix in _PREFIXES for backend in _BACKENDS) | frozenset(_OTHERS)
NPU_NAMES = {"NPU": "PrivateUse1", "AutogradNPU": "AutogradPrivateUse1", "AutocastNPU": "AutocastPrivateUse1"}
COMPOSITE = frozenset(key for key in KNOWN if key.startswith("Composite"))


def serves_npu(keys: set[str]) -> bool:
    """Whether a call with NPU tensors finds a kernel."""
    return "PrivateUse1" in keys or bool(keys & COMPOSITE) or "CatchAll" in keys


def serves_meta(keys: set[str]) -> bool:
    """Whether a call with meta tensors finds a kernel."""
    return "Meta" in keys or bool(keys & COMPOSITE) or "CatchAll" in keys


def serves_autograd(keys: set[str]) -> bool:
    """Whether gradients of NPU tensors are taken care of."""
    wanted = {
        "Autograd",
        "AutogradPrivateUse1",
        "CompositeImplicitAutograd",
        "AutogradFunctionality",
        "CatchAll",
    }
    return bool(keys & wanted)
