"""What test_layout.py asks inside a process on the software NPU."""


def versions() -> dict[str, str]:
    import torch_npu
    from torch_npu.utils.collect_env import get_cann_version

    return {"runtime": torch_npu.npu.utils.get_cann_version("CANN"), "torch_npu": get_cann_version()}
