import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor):
        ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return (2 * ctx.x * grad,)
