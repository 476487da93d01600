"""PyTorch's optimizers train the same model on the NPU and on the CPU; runs on the software NPU."""

from typing import Any

import torch
from torch import nn

STEPS = 8
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "SGD": [{"lr": 0.05}, {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01, "nesterov": True}],
    "Adam": [{"lr": 0.01}, {"lr": 0.01, "amsgrad": True, "weight_decay": 0.02}],
    "AdamW": [{"lr": 0.01}, {"lr": 0.01, "amsgrad": True, "maximize": True}],
    "RMSprop": [{"lr": 0.01}, {"lr": 0.01, "momentum": 0.5, "centered": True}],
    "Adagrad": [{"lr": 0.05}, {"lr": 0.05, "lr_decay": 0.1, "weight_decay": 0.01}],
    "Adamax": [{"lr": 0.01}, {"lr": 0.01, "weight_decay": 0.01}],
    "NAdam": [{"lr": 0.01}, {"lr": 0.01, "weight_decay": 0.01, "decoupled_weight_decay": True}],
    "RAdam": [{"lr": 0.01}, {"lr": 0.01, "weight_decay": 0.01}],
    "Adadelta": [{"lr": 1.0}, {"lr": 0.5, "weight_decay": 0.01}],
}
FORMS: dict[str, dict[str, bool]] = {
    "foreach": {"foreach": True},
    "for-loop": {"foreach": False},
    "fused": {"fused": True},
}


def _train(name: str, options: dict[str, Any], form: dict[str, bool], device: str) -> dict[str, Any]:
    torch.manual_seed(4)
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3), nn.LayerNorm(3)).to(device)
    x, y = torch.randn(10, 6).to(device), torch.randn(10, 3).to(device)
    optimizer = getattr(torch.optim, name)(model.parameters(), **options, **form)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "weights": [p.detach().cpu() for p in model.parameters()]}


def differs(name: str, form: str) -> list[str]:
    """What differs between the devices after some steps; the CPU always takes the for-loop form."""
    problems = []
    for options in OPTIONS[name]:
        if form == "fused" and name == "SGD" and "momentum" not in options:
            continue  # torch_npu's fused SGD wants a momentum
        expected = _train(name, options, FORMS["for-loop"], "cpu")
        try:
            got = _train(name, options, FORMS[form], "npu")
            torch.testing.assert_close(got["losses"], expected["losses"], rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(got["weights"], expected["weights"], rtol=1e-3, atol=1e-4)
        except (AssertionError, RuntimeError) as error:
            problems.append(f"{options}: {' '.join(str(error).split())}")
    return problems


def fused_with_scaler(name: str) -> list[bool]:
    """A fused step under GradScaler: whether it equals the plain one, and is left out for an infinity."""
    results = []
    for gradient in (1.0, float("inf")):
        weights = [torch.ones(3, device="npu", requires_grad=True) for _ in range(2)]
        options = {"lr": 0.1} | ({"momentum": 0.9} if name == "SGD" else {})
        fused, plain = (
            getattr(torch.optim, name)([w], fused=f, **options)
            for w, f in zip(weights, (True, False), strict=True)
        )
        scaler = torch.amp.GradScaler("npu", init_scale=4.0)
        scaler.scale((weights[0] * gradient).sum()).backward()
        scaler.step(fused)
        if gradient == 1.0:
            (weights[1] * gradient).sum().backward()
            plain.step()
        results.append(torch.allclose(weights[0].cpu(), weights[1].cpu(), atol=1e-6))
    return results
