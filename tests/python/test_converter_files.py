"""A converter file that fails, or registers nothing, is told, and leaves the other operators alone."""

from __future__ import annotations

import textwrap

import pytest

from npu_process import NpuProcess

pytestmark = pytest.mark.npu
SPEC = """
version: 1
package: {package}
ops:
  - op: {package}::twice
    input_desc: [{{name: x, type: [float32]}}]
    output_desc: [{{name: y, type: x.dtype, shape: x.shape}}]
    backward: none
    converter: converters/twice.py
    kernel: [{{language: cpp, source: kernels/twice.cpp}}]
  - op: {package}::twice_more
    prototype_of: {package}::twice
"""
RIGHT = """
    import torch, torchair

    @torchair.register_fx_node_ge_converter(torch.ops.{package}.twice.default)
    def convert(x, *, meta_outputs=None):
        return torchair.ge.custom_op("Add", inputs={{"x1": x, "x2": x}}, outputs=["y"])
"""


@pytest.mark.parametrize(
    ("package", "text", "faulty", "told"),
    [
        ("converts_one", RIGHT, ["twice_more"], "registers none for it: put @torchair"),
        (
            "imports_nothing",
            "import torch\nimport torchairr\n",
            ["twice", "twice_more"],
            ":2 fails: ModuleNotFound",
        ),
        ("is_no_python", "import torch\n\ndef convert(:\n", ["twice", "twice_more"], ":3 fails: SyntaxError"),
    ],
)
def test_faults_of_a_converter_file(opweld, npu: NpuProcess, tmp_path, package, text, faulty, told):
    for folder in ("converters", "kernels"):
        (tmp_path / folder).mkdir()
    (tmp_path / "spec.yaml").write_text(SPEC.format(package=package))
    (tmp_path / "kernels/twice.cpp").touch()
    source = textwrap.dedent(text.format(package=package)) if text is RIGHT else text
    (tmp_path / "converters/twice.py").write_text(source)
    generated = opweld("gen", tmp_path / "spec.yaml", "--output", tmp_path / "out")
    assert generated.returncode == 0, generated.stderr
    python = tmp_path / "out/python" / package
    (python / "__init__.py").write_text("")
    (python / "converter_files").mkdir()
    (python / "converter_files/converters_twice.py").write_text(source)
    found = npu.call("converter_files:register", folder=str(python.parent), package=package)
    assert [name for name, findings in found["findings"].items() if findings] == faulty
    for name in faulty:
        (finding,) = found["findings"][name]
        assert finding.startswith("OW848 ")
        assert "its converter file converters/twice.py" in finding
        assert told in finding
    assert len(found["warnings"]) == len(faulty)
    assert told in found["warnings"][0]
    assert f"{package}.twice_more.default has no converter: its converter file" in found["error"]
