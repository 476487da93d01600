"""Living operators: healthy ones raise nothing, and the table over torch_npu's own is right."""

import pytest

# Compared by hand with op-plugin's sources: where a Meta function is registered (its Python files, Composite
# kernels) and where a derivative is (derivatives.yaml, autograd kernels in C++).
BY_HAND = """
operator                  meta  autograd
fast_gelu                 yes   yes
npu_fast_gelu             yes   yes
npu_linear                yes   yes
npu_mhc_pre               yes   yes
npu_swiglu                yes   yes
npu_rms_norm              yes   yes
npu_dtype_cast            yes   yes
npu_rotary_mul            yes   yes
npu_scaled_masked_softmax yes   yes
npu_silu                  yes   yes
npu_softmax_cross_entropy_with_logits yes yes
npu_giou                  no    yes
npu_diou                  no    yes
npu_dropout_do_mask       no    yes
npu_confusion_transpose   no    yes
npu_lstm                  no    yes
npu_gru                   no    yes
npu_ciou                  yes   no
npu_conv2d                yes   no
npu_iou                   yes   no
npu_moe_init_routing_v2   yes   no
npu_quant_matmul          yes   no
npu_grouped_matmul        yes   no
npu_format_cast           no    no
npu_nms_with_mask         no    no
npu_one_hot               no    no
npu_ptiou                 no    no
npu_grid_assign_positive  no    no
npu_stride_add            no    no
npu_anchor_response_flags no    no
npu_bert_apply_adam       no    no
npu_yolo_boxes_encode     no    no
npu_sub_sample            no    no
npu_roi_align             no    no
"""
ROWS = [line.split() for line in BY_HAND.strip().splitlines()[1:]]


@pytest.fixture(scope="module")
def table(npu):
    return {row["operator"]: row for row in npu.call("doctor_probe:rows", namespace="npu")}


def test_the_table_has_all_operators(table):
    assert len(table) > 400
    assert all(row["npu"] for row in table.values())


@pytest.mark.parametrize(("operator", "meta", "autograd"), ROWS)
def test_rows_checked_by_hand(table, operator, meta, autograd):
    row = table[f"npu::{operator}"]
    assert (row["meta"], row["autograd"]) == (meta == "yes", autograd == "yes")


def test_converters_are_those_of_torchair(table):
    assert table["npu::npu_rms_norm"]["converter"]
    assert not table["npu::npu_nms_with_mask"]["converter"]
    assert sum(row["converter"] for row in table.values()) > 100


def test_gaps_are_counted_where_a_gradient_may_be_expected(table):
    assert table["npu::npu_nms_with_mask"]["differentiable"]
    for operator in ("npu::npu_gru_backward", "npu::npu_scatter_nd_update_", "npu::npu_apply_adam.out"):
        assert not table[operator]["differentiable"]


@pytest.mark.parametrize(
    "operator", ["aten::add.Tensor", "aten::mm", "aten::relu", "aten::softmax.int", "aten::sum"]
)
def test_healthy_operators_raise_nothing(npu, operator):
    assert npu.call("doctor_probe:rules", operator=operator) == []


def test_all_overloads_of_a_name_are_examined(npu):
    assert npu.call("doctor_probe:rules", operator="aten.mul") == []


def test_what_the_software_npu_lacks_is_no_fault_of_the_operator(npu):
    found = npu.call("doctor_probe:rules", operator="npu::npu_rms_norm")
    assert set(found) <= {"OW912"}


def test_only_operators_that_stay_in_a_graph_need_a_converter(npu):
    found = npu.call("doctor_probe:graph_rules_of_new_operators")
    assert found == {"bare": ["OW841"], "formula": [], "composite": []}


def test_a_text_table(table):
    from opweld.doctor.table import as_text, findings_of

    text = as_text(list(table.values()))
    assert "npu::npu_nms_with_mask" in text
    columns = ("npu", "meta", "autograd", "converter")
    complete = next(name for name, row in table.items() if all(row[column] for column in columns))
    assert f"{complete} " not in text
    assert f"{len(table)} operators: 0 without NPU kernel" in text
    assert {"OW801", "OW829", "OW841"} == {item.rule_id for item in findings_of(list(table.values()))}


@pytest.mark.parametrize(
    ("got", "wanted", "swapped"),
    [("3, 4", "2, 3", True), ("2, 3", "2, 3", False), ("5", "2, 3", False), ("", "2, 3", False)],
)
def test_gradients_in_another_order_than_the_inputs(got, wanted, swapped, monkeypatch):
    monkeypatch.setenv("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")  # this process has no NPU
    from opweld.doctor.dispatcher import _swapped

    text = (
        f"Function Backward returned an invalid gradient at index 0 - got [{got}] but expected shape "
        f"compatible with [{wanted}]"
    )
    cause, fix = _swapped(text, [[2, 3], [3, 4]])
    assert ("another order" in cause, "gives" in fix) == (swapped, swapped)
