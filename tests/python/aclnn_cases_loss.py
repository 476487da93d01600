"""Cases of the loss functions; the form is described in aclnn_cases."""

from collections.abc import Callable, Iterable
from typing import Any

import torch

from aclnn_cases import Case, Shape
from aclnn_cases_activation import widened

aten = torch.ops.aten
PAIRS = (((3, 4), (3, 4)), ((3, 4), (4,)), ((), ()), ((0, 3), (0, 3)))


def rounded_once(function: Callable[..., Any], model: int = 0) -> Callable[..., Any]:
    """The function computed in float32 for 16-bit tensors; results have the dtype of argument `model`."""

    def wrapper(*arguments: Any) -> Any:
        dtype = arguments[model].dtype
        result = function(*(widened(a) for a in arguments))
        return tuple(r.to(dtype) for r in result) if isinstance(result, tuple) else result.to(dtype)

    return wrapper


def gradient_of(function: Callable[..., torch.Tensor], wanted: int = 0) -> Callable[..., Any]:
    """(grad_output, *inputs) -> the gradient of input `wanted`, by autograd."""

    def wrapper(gradient: torch.Tensor, *arguments: Any) -> torch.Tensor:
        inputs = [widened(a) for a in arguments]
        leaf = inputs[wanted].detach().requires_grad_()
        inputs[wanted] = leaf
        output = function(*inputs)
        result = torch.autograd.grad(output, leaf, widened(gradient).expand(output.shape))[0]
        return result.to(arguments[wanted].dtype)

    return wrapper


def elementwise_loss() -> Iterable[Case]:
    for reduction in (0, 1, 2):
        for first, second in PAIRS:
            a, b = Shape(first), Shape(second)
            g = a if reduction == 0 else Shape(())
            yield Case("L1Loss", (a, b, reduction), rounded_once(aten.l1_loss))
            yield Case("L1LossBackward", (g, a, b, reduction), gradient_of(aten.l1_loss), 1e-6)
            yield Case("SoftMarginLoss", (a, b, reduction), rounded_once(aten.soft_margin_loss))
            yield Case(
                "SoftMarginLossBackward", (g, a, b, reduction), gradient_of(aten.soft_margin_loss), 1e-5
            )
            for beta in (1.0, 0.25, 0.0):
                yield Case("SmoothL1Loss", (a, b, reduction, beta), rounded_once(aten.smooth_l1_loss))
                yield Case("SmoothL1LossBackward", (g, a, b, reduction, beta), aten.smooth_l1_loss_backward)
            for log_target in (False, True):
                arguments = (a, b, reduction, log_target)
                yield Case("KlDiv", arguments, rounded_once(_kl_div))
                yield Case("KlDivBackward", (g, *arguments), gradient_of(_kl_div), 1e-6)
                if first == second:
                    yield Case("KlDivTargetBackward", (g, *arguments), gradient_of(_kl_div, 1), 1e-5)


def _kl_div(x: torch.Tensor, target: torch.Tensor, reduction: int, log_target: bool) -> torch.Tensor:
    return aten.kl_div(x, target, reduction, log_target=log_target)


def binary_cross_entropy() -> Iterable[Case]:
    for reduction in (0, 1, 2):
        for sizes in ((3, 4), (5,), (), (0, 3)):
            a = Shape(sizes)
            g = a if reduction == 0 else Shape(())
            for weight in (None, a, Shape(sizes[1:]), Shape(())):
                # Scores outside [0, 1] are refused by both; sigmoid makes them fit for the other direction.
                yield Case("BinaryCrossEntropy", (a, a, weight, reduction), rounded_once(_bce))
                yield Case(
                    "BinaryCrossEntropyBackward",
                    (g, a, a, weight, reduction),
                    rounded_once(aten.binary_cross_entropy_backward, 1),
                )
                for positive in (None, Shape(sizes[-1:])):
                    arguments = (a, a, weight, positive, reduction)
                    function = aten.binary_cross_entropy_with_logits
                    yield Case("BinaryCrossEntropyWithLogits", arguments, rounded_once(function))
                    yield Case(
                        "BinaryCrossEntropyWithLogitsBackward", (g, *arguments), gradient_of(function), 1e-5
                    )


def _bce(x: torch.Tensor, target: torch.Tensor, weight: Any, reduction: int) -> torch.Tensor:
    return aten.binary_cross_entropy(x, target, weight, reduction)


def class_loss() -> Iterable[Case]:
    for reduction in (0, 1, 2):
        for batch, height, width in ((2, 3, 4), (1, 1, 1), (0, 2, 2)):
            scores, target = Shape((batch, 5, height, width)), Shape((batch, height, width), torch.int64, 5)
            g = Shape((batch, height, width) if reduction == 0 else ())
            arguments = (scores, target, Shape((5,)), reduction)
            yield Case("NLLLoss2d", (*arguments, 2), rounded_once(aten.nll_loss2d_forward))
            yield Case(
                "NLLLoss2dBackward",
                (g, *arguments, -100, Shape(())),
                rounded_once(aten.nll_loss2d_backward, 1),
            )
        for sizes in ((3, 4), (4,)):
            yield Case(
                "MultilabelMarginLoss",
                (Shape(sizes), Shape(sizes, torch.int64, 4), reduction),
                rounded_once(aten.multilabel_margin_loss_forward),
            )


def cross_entropy() -> Iterable[Case]:
    scores, target = Shape((6, 5)), Shape((6,), torch.int64, 5)
    for reduction in ("none", "mean", "sum"):
        for weight in (None, Shape((5,), torch.float32)):
            for smoothing in (0.0, 0.2):
                for ignored in (-100, 2):
                    arguments = (scores, target, weight, reduction, ignored, smoothing, 0.0, False)
                    yield Case("CrossEntropyLoss", arguments, _cross_entropy, 1e-5)


def _cross_entropy(x: torch.Tensor, target: torch.Tensor, *options: Any) -> tuple[torch.Tensor, ...]:
    weight, reduction, ignored, smoothing, *_ = options
    loss = torch.nn.functional.cross_entropy(
        widened(x), target, weight, ignore_index=ignored, reduction=reduction, label_smoothing=smoothing
    )
    logs, empty = torch.log_softmax(widened(x), 1), x.new_empty(0)
    return loss.reshape(-1).to(x.dtype), logs.to(x.dtype), empty, empty


def ctc_loss() -> Iterable[Case]:
    for targets, lengths, target_lengths in (
        ((2, 3), (7, 6), (3, 2)),
        ((5,), (7, 7), (3, 2)),
        ((2, 3), (7, 2), (1, 3)),
    ):
        scores, labels = Shape((7, 2, 5)), Shape(targets, torch.int64, 4)
        for zero_infinity in (False, True):
            arguments = (scores, labels, lengths, target_lengths, 4, zero_infinity)
            yield Case("CtcLoss", arguments, _ctc_loss)
            yield Case("CtcLoss", arguments, _padded_ctc_loss)
            longest = 2 * max(target_lengths) + 1
            yield Case(
                "CtcLossBackward",
                (
                    Shape((2,)),
                    scores,
                    labels,
                    lengths,
                    target_lengths,
                    Shape((2,)),
                    Shape((2, 7, longest)),
                    4,
                    zero_infinity,
                ),
                _ctc_loss_backward,
            )


def _ctc_loss(scores: torch.Tensor, labels: torch.Tensor, *rest: Any) -> tuple[torch.Tensor, torch.Tensor]:
    loss, alpha = rounded_once(aten._ctc_loss)(scores, labels.contiguous(), *rest)
    for i, (time, length) in enumerate(zip(rest[0], rest[1], strict=True)):
        alpha[i, time:] = -torch.inf
        alpha[i, :, 2 * length + 1 :] = -torch.inf
    return loss, alpha


def _padded_ctc_loss(scores: torch.Tensor, *rest: Any) -> tuple[torch.Tensor, torch.Tensor]:
    loss, alpha = _ctc_loss(scores, *rest)
    return loss, torch.nn.functional.pad(alpha, (0, 3), value=-torch.inf)


def _ctc_loss_backward(
    gradient: torch.Tensor, scores: torch.Tensor, labels: torch.Tensor, *rest: Any
) -> torch.Tensor:
    backward = rounded_once(aten._ctc_loss_backward, 1)
    result: torch.Tensor = backward(gradient, scores, labels.contiguous(), *rest)
    return result
