from setuptools import setup
from torch_npu.utils.cpp_extension import NpuExtension

setup(
    name="faulty_ops",
    packages=["faulty_ops"],
    ext_modules=[NpuExtension(name="faulty_ops._C", sources=["ops.cpp"])],
)
