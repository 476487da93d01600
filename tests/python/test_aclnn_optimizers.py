"""The optimizers of PyTorch train equally on the NPU and on the CPU, in each of their forms."""

import pytest

pytestmark = pytest.mark.npu

NAMES = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adamax", "NAdam", "RAdam", "Adadelta"]
FUSED = [("SGD", "fused"), ("Adam", "fused"), ("AdamW", "fused"), ("Adagrad", "fused")]
FORMS = [(name, form) for name in NAMES for form in ("foreach", "for-loop")]


@pytest.mark.parametrize("soc", ["npu", "npu950"])
@pytest.mark.parametrize(("name", "form"), [*FORMS, *FUSED])
def test_trains_as_on_the_cpu(name: str, form: str, soc: str, request: pytest.FixtureRequest) -> None:
    process = request.getfixturevalue(soc)
    assert process.call("aclnn_optimizers:differs", name=name, form=form) == []


# torch_npu's fused AdamW passes on neither the scale nor the infinity.
@pytest.mark.parametrize("soc", ["npu", "npu950"])
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_a_fused_step_obeys_the_scaler(name: str, soc: str, request: pytest.FixtureRequest) -> None:
    process = request.getfixturevalue(soc)
    assert process.call("aclnn_optimizers:fused_with_scaler", name=name) == [True, True]
