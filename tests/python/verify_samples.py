"""Samples and the reference for verify_wrong_operators.py."""

import torch

import verify_wrong_operators

REFERENCES = {name: lambda x: x * 2 for name in verify_wrong_operators.FOUND_BY}
SAMPLES = {
    name: lambda dtype: [((torch.randn(shape).to(dtype),), {}) for shape in ((3, 4), (5,), (2, 3, 4))]
    for name in verify_wrong_operators.FOUND_BY
}
DTYPES = (torch.float32, torch.float16)
