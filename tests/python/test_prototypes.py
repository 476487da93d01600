"""The reader of standard prototypes: npu/ge/prototypes/standard_prototypes.py."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "npu/ge/prototypes"


def load(name):
    """Imports a module of the build."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


standard = load("standard_prototypes")


@pytest.fixture(scope="module")
def torchair_file():
    return load("generate").installed_file()


@pytest.fixture(scope="module")
def prototypes(torchair_file):
    return standard.read_prototypes(torchair_file)


def test_every_text_is_read(torchair_file, prototypes):
    source = torchair_file.read_text(encoding="utf-8")
    assert set(re.findall(r"REG_OP\((\w+)\)", source)) <= set(prototypes)
    assert {"Data", "Const", "Cast", "NetOutput"} <= set(prototypes)


def test_attributes_are_those_that_torchair_sets(torchair_file, prototypes):
    """Each function sets its attributes below the text, in a field that tells their types."""
    fields = {
        "i": {"VT_INT"},
        "b": {"VT_BOOL"},
        "s": {"VT_STRING"},
        "f": {"VT_FLOAT"},
        "dt": {"VT_DATA_TYPE", "VT_INT"},
        "list.i": {"VT_LIST_INT"},
        "list.f": {"VT_LIST_FLOAT"},
        "list.dt": {"VT_LIST_DATA_TYPE"},
        "list.s": {"VT_LIST_STRING"},
        "list.b": {"VT_LIST_BOOL"},
        "list_list_int.CopyFrom": {"VT_LIST_LIST_INT"},
    }
    compared = 0
    for block in re.split(r"\n(?=def )", torchair_file.read_text(encoding="utf-8")):
        operator = re.search(r'op\.type = "(\w+)"', block)
        if not operator:
            continue
        by_name = {attribute.name: attribute.type for attribute in prototypes[operator[1]].attributes}
        body = re.findall(r'op\.attr\["(\w+)"\]\.(list_list_int\.CopyFrom|list\.\w+|\w+)', block)
        for name, place in body:
            if place != "list.val_type" and not name.startswith("_"):
                assert by_name[name] in fields[place], (operator[1], name)
                compared += 1
    assert compared > 2000


def test_data_types_are_known_or_any(prototypes):
    for prototype in prototypes.values():
        for port in prototype.inputs + prototype.outputs:
            assert set(port.dtypes) <= standard.DATA_TYPES
    anything = [
        (prototype.type, port.name)
        for prototype in prototypes.values()
        for port in prototype.inputs + prototype.outputs
        if not port.dtypes and not port.symbol
    ]
    assert len(anything) < 10, anything


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("{1, 2}", "ListInt", [1, 2]),
        ("{}", "ListInt", []),
        ("{{}, {}}", "ListListInt", [[], []]),
        ("{ 0.75f, 1.f / 4 }", "ListFloat", [0.75, 0.25]),
        ("1e-5f", "Float", 1e-5),
        ("False", "Bool", False),
        ('"ND"', "String", "ND"),
        ("DT_INT32", "Type", "DT_INT32"),
        ("DT_INT8", "Int", "DT_INT8"),
    ],
)
def test_defaults(text, kind, value):
    assert standard.read_value(text, kind) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".INPUT(x, TensorType({DT_FLOAT}))", "INPUT stands before REG_OP"),
        ("REG_OP(A)\n.ATTR(n, Int, many)", "'many' is no Int"),
        ("REG_OP(A)\n.ATTR(n, Matrix, 1)", "attribute n has the unknown type Matrix"),
        ("REG_OP(A)\n.IMPUT(x, TensorType({DT_FLOAT}))", "IMPUT is no part of a prototype"),
        ("REG_OP(A)\nnonsense", "'nonsense' is no part of a prototype"),
    ],
)
def test_faults_are_named(text, message):
    with pytest.raises(standard.PrototypeError, match=re.escape(message)):
        standard.read_prototype(text)


def test_a_file_without_texts_is_refused(tmp_path):
    path = tmp_path / "empty.py"
    path.write_text("x = 1\n")
    with pytest.raises(standard.PrototypeError, match="has no REG_OP text"):
        standard.read_prototypes(path)


def test_symbols_get_their_types():
    prototype = standard.read_prototype(
        'REG_OP(A)\n.INPUT(x, "T")\n.OUTPUT(y, "T")\n.DATATYPE(T, TensorType({DT_BF16, DT_HALF}))'
    )
    assert prototype.inputs[0] == standard.Port("x", "required", ("DT_BF16", "DT_FLOAT16"), "T")
    assert prototype.outputs[0].dtypes == ("DT_BF16", "DT_FLOAT16")


def test_attributes_that_a_text_forgot_are_added(prototypes):
    by_name = {attribute.name: attribute for attribute in prototypes["TopKV2"].attributes}
    assert by_name["sort_policy"].type == "VT_INT"
    assert not by_name["sort_policy"].required
