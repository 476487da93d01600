"""Generated operators in graphs: compiled through torchair, they give what they give in eager mode."""

import os
import subprocess

import pytest

from npu_process import NpuProcess
from opweld.home import software_home

pytestmark = pytest.mark.npu


@pytest.fixture(scope="module")
def operators(all_types):
    """A process on the software NPU that has the package with operators of every kind."""
    process = NpuProcess(environ={"PYTHONPATH": str(all_types / "site")})
    yield process
    process.close()


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_compiled_operators_give_the_eager_result(operators, dynamic):
    assert operators.call("graph_package_checks:compiled", dynamic=dynamic, timeout=600) == {}


def test_graphs_get_formulas_instead_of_operators(operators):
    found = operators.call(
        "graph_package_checks:traced_operators", names=["formula", "decomposed", "default attribute"]
    )
    assert found["formula"] == found["decomposed"] == ["aten.mul.Scalar"]
    assert found["default attribute"] == ["all_types.power.default"]


def test_a_formula_has_its_own_gradient_in_a_graph(operators):
    assert operators.call("graph_package_checks:gradient_of_the_formula")


def test_what_graphs_cannot_have_is_refused(operators):
    found = operators.call("graph_package_checks:refusals")
    told = "all_types.every_input.default has no converter: 'holes' is a list with tensors left out"
    assert told in found["no converter"]
    # torchair ends before it looks for a converter
    assert "GuardOnDataDependentSymNode" in found["data-dependent size"]


def test_the_doctor_says_why_graphs_cannot_have_an_operator(operators):
    ((rule, told),) = operators.call("graph_package_checks:findings_of_a_refusing_converter")
    assert rule == "OW852"
    assert "every_input cannot be a node of a graph: 'holes' is a list with tensors left out" in told


@pytest.fixture(scope="module")
def infer_shape(root, tmp_path_factory):
    """The library through which InferShape functions are called."""
    library = tmp_path_factory.mktemp("infer_shape") / "libinfer_shape.so"
    options = ["-std=c++20", "-O0", "-fPIC", "-shared", f"-I{root}", f"-I{root / 'include'}"]
    graph = software_home() / "lib64" / "libgraph.so"
    source = root / "tests" / "python" / "infer_shape_library.cpp"
    subprocess.run(
        ["g++", *options, source, graph, "-Wl,--allow-shlib-undefined", "-o", library],
        check=True,
        timeout=300,
    )
    return str(library)


def test_meta_converter_and_infer_shape_agree(operators, infer_shape):
    seed = int(os.environ.get("OPWELD_SAMPLE_SEED", "0"))
    assert operators.call("infer_shape_checks:disagreements", library=infer_shape, seed=seed, count=40) == {}
