from pathlib import Path

import torch

torch.ops.load_library(Path(__file__).with_name("libmy_ops.so"))


def scale(x, factor):
    return torch.ops.my_ops.scales(x, factor)
