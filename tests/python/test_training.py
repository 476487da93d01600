"""Training on the software NPU gives the losses of training on the CPU, from the same seed, over 30 steps."""

import math

import pytest

TOLERANCE = {"float32": 1e-4, "bfloat16": 3e-2, "float16": 2e-2}


@pytest.mark.parametrize("precision", list(TOLERANCE))
@pytest.mark.parametrize(
    ("model", "optimizer"),
    [("mlp", "sgd"), ("mlp", "adamw"), ("resnet", "sgd"), ("transformer", "adamw")],
)
def test_losses_are_those_of_the_cpu(npu, model, optimizer, precision):
    arguments = {"model": model, "optimizer": optimizer, "precision": precision}
    on_npu = npu.call("training:losses", device="npu", **arguments)
    on_cpu = npu.call("training:losses", device="cpu", **arguments)
    assert all(math.isfinite(loss) for loss in on_cpu)
    assert on_cpu[-1] < 0.9 * on_cpu[0]
    assert on_npu == pytest.approx(on_cpu, rel=TOLERANCE[precision])


def test_losses_are_those_of_the_cpu_on_the_other_soc(npu950):
    on_npu = npu950.call("training:losses", model="transformer", device="npu", optimizer="adamw")
    on_cpu = npu950.call("training:losses", model="transformer", device="cpu", optimizer="adamw")
    assert on_npu == pytest.approx(on_cpu, rel=TOLERANCE["float32"])
