"""What `opweld run` shows after the traceback of a program that fails: chain, NPU error, cause and fix."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from npu_process import OPWELD
from opweld.explain.failures import Failure, Failures
from opweld.explain.findings import Evidence, find

HERE = Path(__file__).parent
pytestmark = pytest.mark.npu


def start(*command: str | Path, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [OPWELD, "run", "--software", "-q", "--", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | variables,
    )


def explained(name: str, **variables: str) -> tuple[str, str]:
    """The traceback of a program and its explanation ("" where there is none)."""
    process = start("python", HERE / "failing_programs.py", name, **variables)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == (0 if name == "thread" else 1), stderr
    trace, _, explanation = stderr.partition("opweld: why it failed\n")
    assert "Traceback (most recent call last)" in trace
    return trace, explanation


def test_a_kernel_that_fails_on_the_device():
    """The error shows where the program reads; the operator that caused it is named."""
    trace, told = explained("kernel", OPWELD_FAULTS="kernel@1:aclnnMuls")
    assert "print(y.cpu())" in trace
    assert "NPU: 507015 ACL_ERROR_RT_AICORE_EXCEPTION: aclnnMuls: the kernel failed with an exception" in told
    chain = told.partition("calls:")[2].partition("note:")[0]
    assert re.search(
        r"failing::scale .*NPU: .*aten::mul .*aclnnMuls  \(self float32\[2, 3\], other 2", chain, re.DOTALL
    )
    assert "the kernel failed earlier than the traceback's last line" in told
    assert "error[OW911]: failing::scale fails on the NPU" in told
    assert "cause: OPWELD_FAULTS or opweld.inject_faults has this task fail on purpose." in told


def test_a_kernel_that_refuses_values():
    _, told = explained("index")
    assert re.search(r"NPU: 507015 \S+: aclnnEmbedding: .*9", told)
    assert "aten::embedding" in told
    assert re.search(r"error\[OW911\]: aten::\w+ fails on the NPU: aclnnEmbedding: ", told)
    assert "  cause: The kernel itself says: aclnnEmbedding" in told


def test_a_kernel_of_a_backward_pass():
    _, told = explained("backward", OPWELD_FAULTS="kernel@1:aclnnTanhBackward")
    assert re.search(r"TanhBackward0 .*aten::tanh_backward .*aclnnTanhBackward", told, re.DOTALL)


def test_an_argument_that_is_refused():
    _, told = explained("argument")
    assert "NPU: 161002" in told
    assert "aten::matmul" in told
    assert "the kernel failed earlier" not in told
    assert "fails on the NPU before its kernel ran: aclnnMatmul: 'self' [2, 3] and 'other' [4, 4]" in told


@pytest.mark.parametrize("name", ["graph", "graph_of_open_sizes"])
def test_a_node_of_a_compiled_graph(name):
    """The node is named, and the operator of PyTorch that it was made of."""
    _, told = explained(name)
    chain = told.partition("calls:")[2].partition("note:")[0]
    assert re.search(
        r"graph \S+.*\w+ 'GatherV2'  \[graph node of aten.index_select.default\]",
        chain,
        re.DOTALL,
    ), told
    assert "error[OW911]: aten::index_select fails on the NPU: node 'GatherV2' of type GatherV2" in told


def test_no_meta_kernel_under_compile():
    _, told = explained("meta")
    assert re.search(r"failing::scale .*Meta: none", told)
    assert "error[OW801]: failing::scale has no Meta kernel" in told
    assert "fix: " in told


def test_no_autograd_kernel():
    _, told = explained("autograd")
    assert "warning[OW821]: failing::shift has no autograd kernel, but the program takes gradients" in told
    assert "failing::scale" not in told  # the program does not call it


def test_an_aclnn_function_that_is_nowhere():
    _, told = explained("aclnn")
    assert "failing::nowhere" in told
    assert "error[OW901]: aclnnAddd is in no vendor package" in told
    assert "fix: Write aclnnAdd." in told


def test_no_device_memory():
    _, told = explained("memory")
    assert "error[OW913]: 64.00 GiB more do not fit into the device's " in told
    assert "aten::constant_pad_nd" in told


def test_an_error_in_a_thread():
    _, told = explained("thread")
    assert "error[OW911]" in told


def test_what_is_none_of_the_npus_business():
    trace, told = explained("plain")
    assert "ValueError: no config file" in trace
    assert told == ""


def test_it_can_be_switched_off():
    _, told = explained("aclnn", OPWELD_EXPLAIN="0")
    assert told == ""


def test_programs_are_started_as_without_it(tmp_path):
    """Scripts, modules, `-c`, children, and a sitecustomize of the user's own."""
    (tmp_path / "sitecustomize.py").write_text("import builtins\n\nbuiltins.mine = 'customized'\n")
    (tmp_path / "module.py").write_text(
        "import sys\n\nprint(mine, sys.argv[1:], [p for p in sys.path if 'startup' in p])\n"
    )
    child = "import subprocess, sys; subprocess.run([sys.executable, '-m', 'module', 'from', 'child'])"
    for command, want in (
        (["python", tmp_path / "module.py", "a"], "customized ['a'] []\n"),
        (["python", "-m", "module", "b"], "customized ['b'] []\n"),
        (["python", "-c", child], "customized ['from', 'child'] []\n"),
    ):
        process = start(*command, PYTHONPATH=str(tmp_path))
        out, err = process.communicate(timeout=60)
        assert (out, err) == (want, "")
    process = start("python", "-c", "1 / 0")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.endswith("ZeroDivisionError: division by zero\n")


def test_pytest_shows_it_below_a_test(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import torch\n\n\ndef test_it():\n    torch.ones(2, 3).npu() @ torch.ones(4, 4).npu()\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "opweld", "-p", "no:cacheprovider", "-q", tmp_path]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env=os.environ | {"OPWELD_EXPLAIN": "1"}
    )
    assert "opweld: why it failed" in result.stdout
    assert "error[OW911]: aten::matmul fails on the NPU before its kernel ran" in result.stdout


class TestWithoutMemoryOfTheNpu:
    """On a real NPU only the error's text is there."""

    @pytest.mark.parametrize(
        ("kind", "text", "rule"),
        [
            (RuntimeError, "derivative for my::op is not implemented", "OW821"),
            (
                RuntimeError,
                "Trying to backward through my.op.default but no autograd formula was registered. Please use "
                "register_autograd to add one.",
                "OW821",
            ),
            (
                RuntimeError,
                "function ScaleBackward returned an incorrect number of gradients (expected 2, got 1)",
                "OW822",
            ),
            (
                RuntimeError,
                "a variable needed for gradient computation has been modified by an inplace operation",
                "OW823",
            ),
            (
                RuntimeError,
                "Function ScaleBackward returned an invalid gradient at index 0 - got [2]",
                "OW827",
            ),
            (NotImplementedError, "Could not run 'my::op' with arguments from the 'Meta' backend.", "OW801"),
            (NotImplementedError, "Could not run 'my::op' with arguments from the 'NPU' backend.", "OW706"),
            (RuntimeError, "Tensor's device must be `meta`, got cpu instead", "OW805"),
            (RuntimeError, "aclnnErfinv: the software NPU does not implement it", "OW912"),
            (RuntimeError, "ACL stream synchronize failed, error code:507015", "OW911"),
            (KeyError, "'weight'", None),
            (
                AssertionError,
                "expected size 2==2, stride 1728==48 at dim=0; expected size 9==4, stride 64==4 at dim=2",
                "OW802",
            ),
            (AssertionError, "expected size 2==2, stride 8==1 at dim=0", "OW804"),
            (
                NotImplementedError,
                "matmul_backward currently only support mask == [True, True]",
                "OW851",
            ),
            (
                RuntimeError,
                "ge::Session::CompileGraph: node 'T_3' of type Transpose: perm [1, 0] has 2 numbers, but "
                "x, [5, 8, 8], has 3 dimensions (aten.t.default of results of aten.matmul_backward.default)",
                "OW851",
            ),
            (
                RuntimeError,
                "npu.draw.default has no converter: 'rng' is a Generator; call it outside of the compiled "
                "function, or after torch._dynamo.graph_break()",
                "OW852",
            ),
            (
                RuntimeError,
                "NameError: name 'slop' is not defined\n"
                '  File "torchair/fx2ge_converter.py", line 433, in wrapped_converter\n'
                "    ge_outputs = converter(*args, **kwargs)\n                 ^^^^^^^^^^\n"
                '  File "my_ops/converter_files/scale.py", line 7, in convert\n    return x * slop\n'
                "               ^^^^\nNameError: name 'slop' is not defined\n",
                "OW848",
            ),
            (RuntimeError, "mat1 and mat2 shapes cannot be multiplied", None),
        ],
    )
    def test_rules(self, kind, text, rule):
        finding = find(Evidence.of(kind(text), None))
        assert (finding.rule_id if finding else None) == rule

    def test_the_cause_of_an_error_counts(self):
        error = ValueError("training failed")
        error.__cause__ = RuntimeError("derivative for my::op is not implemented")
        assert find(Evidence.of(error, None)).rule_id == "OW821"

    def test_the_latest_failure_with_the_errors_code_is_meant(self):
        first = Failure(507015, "", "aclnnAdd: old", ("aten::add",), "aclnnAdd")
        second = Failure(507053, "", "aclnnMul: memory", ("my::mul",), "aclnnMul")
        failures = Failures((first, second), (), (), 0, ())
        evidence = Evidence.of(RuntimeError("ACL stream synchronize failed, error code:507015"), failures)
        assert evidence.failure is first
        assert Evidence.of(RuntimeError("stream failed: aclnnMul: memory"), failures).failure is second
        assert Evidence.of(RuntimeError("507014"), failures).failure is None
