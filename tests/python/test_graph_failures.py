"""The failures that torchair's trouble-shooting pages list: each appears, with cause and fix."""

import re

import pytest

pytestmark = pytest.mark.npu

# Name: what the error says, the doctor's rule, what its message says, and what the doctor says beforehand.
SIGNATURES = {
    "dtypes": (
        r"node 'FloorDiv' of type FloorDiv: op dtype is not same: x1 is float32, x2 is int64",
        "OW850",
        r"op dtype is not same",
    ),
    "size": (
        r"The dtype in num\[0\] net output of Ascend output: \[DT_FLOAT\] is not equal to FX graph NetOutput",
        "OW846",
        r"float32\[4, 4\] in a graph, but Meta says float16\[4, 4\]",
    ),
    "size-dynamic": (
        r"Check output size failed: output 0, .* is float32\[4, 3\], but Meta promises float16",
        "OW846",
        r"float32\[4, 4\] in a graph, but Meta says float16\[4, 4\]",
    ),
    "shape": (
        r"The dim of Ascend GE graph NetOutput: \[4, 3\] is not equal to FX graph NetOutput: \[2, 3\]",
        "OW849",
        r"graph_failure::shape",
    ),
    "rank": (
        r"'Transpose' of type Transpose: perm \[2, 0\] .* should be less than input shape size \[2\]",
        "OW850",
        r"less than input shape size \[2\]",
    ),
    "count": (
        r"meta_output must be one of following instances",
        "OW849",
        r"the converter of graph_failure::count returns 1 tensors, and Meta 2",
    ),
    "device": (r"tensor's device must be `meta`, got cpu instead", "OW805", r"must be `meta`, got cpu"),
    "no-meta": (
        r"(?i)no (fake|meta)|unsupported operator",
        "OW801",
        r"graph_failure::no_meta has no Meta kernel",
    ),
    "no-converter": (r"this op has scalar input: factor", "OW841", r"scalar input: factor"),
    "aten-no-converter": (
        r"torch.ops.aten._fft_r2c.default ge_converter is not implemented!",
        "OW841",
        r"ge_converter is not implemented!",
    ),
    "nothing": (r"No AscendIR Nothing was found to be registered", "OW841", r"No AscendIR Nothing was found"),
    "no-prototype": (
        r"No AscendIR GraphFailureNoPrototype was found to be registered",
        "OW861",
        r"emits GraphFailureNoPrototype, which no prototype library registers",
    ),
    "type": (r"input '\w+' of the graph: unsupported type: aclDataType 37", "OW850", r"unsupported type"),
    "passes": (
        r"OPWELD_GRAPH_PASSES: '-fuse-chain' is no pass",
        "OW958",
        r"write 'none', or a list of '-name' with the names .*fuse-chains",
    ),
    "torch-type": (r"Unsupported convert torch type", "OW848", r"Unsupported convert torch type"),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_failure_with_its_cause_and_fix(npu, name):
    error, rule, message = SIGNATURES[name]
    told = npu.call("graph_failure_programs:failure", name=name)
    assert re.search(error, told["error"]), told["error"][:600]
    assert told["rule"] == rule
    assert re.search(message, told["message"]) or re.search(message, told["place"])
    assert told["cause"]
    assert told["fix"]


PREDICTED = {
    "size": r"OW846 the result of .*size is float32\[4, 4\] in a graph, but Meta says float16\[4, 4\]",
    "shape": r"OW849 the result of .*shape is float32\[4, 4\] in a graph, but Meta says float32\[2, 4\]",
    "rank": r"OW850 graph_failure::rank in a graph .*: node 'Transpose'.* less than input shape size \[2\]",
    "count": r"OW849 the converter of graph_failure::count returns 1 tensors, and Meta 2",
    "device": r"OW805 tensor's device must be meta, got cpu",
    "no_meta": r"OW801 graph_failure::no_meta has no Meta kernel",
    "no_converter": r"OW841 .*this op has scalar input: factor, not support auto-generate converter",
    "nothing": r"OW841 .*No AscendIR Nothing was found to be registered",
    "no_prototype": r"OW861 .*emits GraphFailureNoPrototype",
}


@pytest.mark.parametrize("name", PREDICTED)
def test_the_doctor_tells_it_before_a_graph_is_compiled(npu, name):
    told = npu.call("graph_failure_programs:predicted", name=f"graph_failure::{name}")
    assert any(re.match(PREDICTED[name], line) for line in told), told


def test_a_graph_in_a_forked_child_says_why_it_does_not_run(npu):
    assert re.search(
        r"graph cannot be put on the stream: .*fork", npu.call("graph_failure_programs:run_in_a_forked_child")
    )
