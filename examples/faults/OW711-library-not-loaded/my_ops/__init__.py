import torch


def scale(x, factor):
    return torch.ops.my_ops.scale(x, factor)
