"""check_operator_registration, on operators made here and, with the NPU, on built-in ones."""

import logging
import re
import sys
import types

import pytest

from cpu_torch import torch
from npu_process import NpuProcess
from opweld import check_operator_registration, vendor
from opweld.aclnn import function_names


@pytest.fixture(scope="module")
def library():
    """A namespace with operators right and wrong."""
    lib = torch.library.Library("opweld_test", "DEF")
    lib.define("whole(Tensor x, float scale=2.0) -> Tensor")
    lib.impl("whole", lambda x, scale=2.0: x * scale, "CompositeImplicitAutograd")
    lib.define("no_meta(Tensor x) -> Tensor")
    lib.impl("no_meta", lambda x: x.clone(), "CPU")
    lib.define("wrong_meta(Tensor x) -> Tensor")
    lib.impl("wrong_meta", lambda x: x.sum(0), "CPU")
    lib.impl("wrong_meta", lambda x: torch.empty_like(x), "Meta")
    lib.define("picky(Tensor x, Tensor y) -> Tensor")
    lib.impl("picky", _picky, "CompositeExplicitAutograd")
    lib.define("only_declared(Tensor x) -> Tensor")
    yield lib
    lib._destroy()


def _picky(x, y):
    if x.shape != (3, 7) or y.dtype != torch.int64:
        raise ValueError("x must be [3, 7] and y int64")
    return x.clone()


def _statuses(report):
    return {finding.check: finding.status for finding in report.findings}


def test_a_complete_operator(library):
    report = check_operator_registration("opweld_test::whole")
    assert report.ok, str(report)
    statuses = _statuses(report)
    for check in ("schema", "NPU kernel", "CPU kernel", "Meta kernel", "Meta run", "device run", "autograd"):
        assert statuses[check] == "ok", str(report)
    assert report.finding("Meta run").detail == "gives float32[4, 4] strides [4, 1]"
    assert "whole(Tensor x, float scale=2.) -> Tensor" in str(report)


def test_missing_kernels_are_faults(library):
    report = check_operator_registration("opweld_test::no_meta")
    assert not report.ok
    wanted = {"NPU kernel": "fault", "Meta kernel": "fault", "CPU kernel": "ok"}
    assert wanted.items() <= _statuses(report).items()
    assert "torch.compile" in report.finding("Meta kernel").detail
    assert "schema" in _statuses(check_operator_registration("opweld_test::only_declared"))


def test_a_meta_kernel_that_disagrees_is_a_fault(library):
    found = check_operator_registration("opweld_test::wrong_meta").finding("device run")
    assert found.status == "fault"
    assert found.detail.startswith("output 0 on cpu is float32[4] strides [1], but Meta says float32[4, 4]")


def test_samples_can_be_given(library):
    guessed = check_operator_registration("opweld_test::picky").finding("Meta run")
    assert guessed.status == "note"
    assert "x must be [3, 7]" in guessed.detail
    sample = ((torch.randn(3, 7), torch.zeros(2, dtype=torch.int64)), {})
    given = check_operator_registration("opweld_test::picky", samples=[sample])
    assert given.finding("Meta run").status == "ok"
    assert given.finding("device run").status == "ok"
    refused = check_operator_registration(
        "opweld_test::picky", samples=[((torch.randn(2), torch.zeros(2)), {})]
    )
    assert refused.finding("Meta run").status == "fault"


def test_an_operator_without_autograd_is_noted(library):
    sample = ((torch.randn(3, 7), torch.zeros(2).long()), {})
    report = check_operator_registration("opweld_test::picky", samples=[sample])
    assert report.finding("autograd kernel").status == "note"
    assert "autograd" not in _statuses(report)


def test_a_backward_that_raises_is_noted(library):
    class Refuses(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x.clone()

        @staticmethod
        def backward(context, gradient):
            raise NotImplementedError("refused, clearly")

    library.define("refusing(Tensor x) -> Tensor")
    library.impl("refusing", lambda x: Refuses.apply(x), "CompositeImplicitAutograd")
    found = check_operator_registration("opweld_test::refusing").finding("autograd")
    assert (found.status, found.detail) == ("note", "no gradient: NotImplementedError: refused, clearly")


class _Affine(torch.autograd.Function):
    """x + bias where `use_bias`, with a gradient of bias whose shape is right only if `right`."""

    @staticmethod
    def forward(context, x, bias, use_bias, right):
        context.use_bias, context.right = use_bias, right
        return x + bias if use_bias else x.clone()

    @staticmethod
    def backward(context, gradient):
        if not context.use_bias:
            return gradient, None, None, None
        if context.right is None:
            raise NotImplementedError("no gradient of bias")
        return gradient, gradient.sum(0) if context.right else gradient.sum(), None, None


@pytest.mark.parametrize(
    ("right", "status", "detail"),
    [
        (True, "ok", "gradients for 2 of 2 inputs on cpu"),
        (False, "note", "with its optional tensors given: no gradient: .*invalid gradient at index 1"),
        (None, "note", "with its optional tensors given: no gradient: .*no gradient of bias"),
    ],
)
def test_gradients_of_optional_tensors_are_tried(library, right, status, detail):
    def affine(x, bias=None, *, use_bias=False):
        if bias is not None and bias.shape != x.shape[-1:]:
            raise ValueError("bias must be [columns]")
        if use_bias and bias is None:
            raise ValueError("use_bias needs a bias")
        return _Affine.apply(x, bias, use_bias, right)

    name = f"affine_{right}".lower()
    library.define(f"{name}(Tensor x, Tensor? bias=None, *, bool use_bias=False) -> Tensor")
    library.impl(name, affine, "CompositeImplicitAutograd")
    found = check_operator_registration(f"opweld_test::{name}").finding("autograd")
    assert found.status == status
    assert re.fullmatch(f"{detail}.*", found.detail, re.DOTALL), found.detail
    x, bias = torch.ones(4, 4), torch.ones(4)
    given = check_operator_registration(f"opweld_test::{name}", samples=[((x, bias), {"use_bias": False})])
    assert given.finding("autograd").detail == "gradients for 1 of 2 inputs on cpu"


@pytest.mark.parametrize("name", ["aten::mm", "torch.ops.aten.mm.default", "aten.mm", "aten::mm.default"])
def test_names_in_any_usual_way(name):
    assert check_operator_registration(name).operator == "aten::mm"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("aten::reluu", "did you mean aten::relu"),
        ("relu", "did you mean aten::relu"),
        ("opweld_nowhere::zq", "no operator has a similar name"),
        ("aten::add", "has overloads; name one of aten::add.Scalar"),
    ],
)
def test_unknown_names_get_near_misses(name, told):
    report = check_operator_registration(name)
    assert not report.ok
    assert report.finding("schema").status == "fault"
    assert told in str(report)
    assert len(str(report).splitlines()) == 1  # a sentence, no traceback


def test_the_doctors_rules_are_named(library):
    report = check_operator_registration("opweld_test::no_meta")
    assert report.finding("Meta kernel").rule == "OW801"
    assert report.finding("NPU kernel").rule == "OW706"
    assert "[OW801]" in str(report)
    assert check_operator_registration("opweld_test::wrong_meta").finding("device run").rule == "OW802"


def test_dynamic_shapes(library):
    library.define("fixed(Tensor x) -> Tensor")
    library.impl("fixed", lambda x: x.clone(), "CPU")
    library.impl("fixed", lambda x: x.new_empty([int(size) for size in x.shape]), "Meta")
    found = check_operator_registration("opweld_test::fixed").finding("dynamic shapes")
    assert (found.status, found.rule) == ("note", "OW807")
    healthy = check_operator_registration("opweld_test::whole").finding("dynamic shapes")
    assert healthy.status == "ok"


def test_a_backward_with_the_wrong_gradients_is_a_fault(library):
    class Short(torch.autograd.Function):
        @staticmethod
        def forward(context, x, y):
            return x + y

        @staticmethod
        def backward(context, gradient):
            return gradient

    library.define("short(Tensor x, Tensor y) -> Tensor")
    library.impl("short", lambda x, y: Short.apply(x, y), "CompositeImplicitAutograd")
    report = check_operator_registration("opweld_test::short")
    assert report.finding("backward").rule == "OW822"
    assert not report.ok


def test_findings_are_seen_where_logging_is_not_configured(python):
    code = """
import opweld
assert not opweld.check_operator_registration("aten::reluu").ok
import logging
assert not logging.getLogger("opweld.registration").handlers  # put back as it was
"""
    environ = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "OPWELD_AUTOLOAD": "0"}
    result = python(code, env=environ)
    assert result.returncode == 0, result.stderr
    assert result.stderr.startswith("ERROR aten::reluu: schema: operator 'aten::reluu' is not registered")


def test_a_module_that_cannot_be_imported_is_one_sentence(capsys):
    from opweld import registration

    assert registration.main(["--import", "no_such_module", "aten::mm"]) == 2
    assert capsys.readouterr().err == (
        "opweld: error: no_such_module cannot be imported: "
        "ModuleNotFoundError: No module named 'no_such_module'\n"
    )


def test_an_operator_of_an_installed_package_names_the_package(library, monkeypatch, tmp_path):
    folder = tmp_path / "their_ops" / "vendors" / "their_ops"
    folder.mkdir(parents=True)
    (tmp_path / "their_ops" / "__init__.py").write_text("scale = torch.ops.theirs.scale.default\n")
    package = vendor.VendorPackage("their_ops", "their-ops", "1.0", folder)
    monkeypatch.setattr(vendor, "installed", lambda: [package])
    (found,) = check_operator_registration("theirs::scale").findings
    assert "the installed package their_ops has it: import their_ops first" in found.detail
    (found,) = check_operator_registration("theirs::scal").findings
    assert "is its package imported?" in found.detail


def test_numbers_of_a_schema_are_short():
    from opweld.registration import schema_text

    written = (
        "a::b(Tensor x, float eps=9.9999999999999995e-07, int n=3, float s=1., bool[2] f=[True, False]) -> T"
    )
    assert schema_text(written) == (
        "a::b(Tensor x, float eps=1e-06, int n=3, float s=1., bool[2] f=[True, False]) -> T"
    )


def test_a_configured_log_is_left_alone(python):
    code = """
import logging, sys
logging.basicConfig(stream=sys.stdout, level=logging.ERROR, format="own %(message)s")
import opweld
opweld.check_operator_registration("aten::mm")
opweld.check_operator_registration("aten::reluu")
"""
    result = python(code, env={"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "OPWELD_AUTOLOAD": "0"})
    assert (result.returncode, result.stderr) == (0, "")
    assert all(line.startswith("own ") for line in result.stdout.splitlines())
    assert "own aten::reluu: schema:" in result.stdout


def test_findings_are_logged(library, caplog):
    with caplog.at_level(logging.INFO, logger="opweld.registration"):
        check_operator_registration("opweld_test::no_meta")
    levels = {record.levelno for record in caplog.records}
    assert {logging.INFO, logging.ERROR} <= levels
    assert any("Meta kernel: none" in record.getMessage() for record in caplog.records)


def test_a_named_vendor_function_that_is_missing_is_a_fault(library):
    report = check_operator_registration("opweld_test::whole", vendor_function="aclnnNowhere")
    assert report.finding("vendor function").status == "fault"


@pytest.mark.parametrize(
    ("function", "status", "told"),
    [("aclnnOther", "fault", "no aclnnOther in"), (None, "ok", "none is needed")],
)
def test_what_a_package_declares_goes_before_the_guess(library, monkeypatch, function, status, told):
    package = types.ModuleType("some_ops._loader")
    package.ACLNN_FUNCTIONS = {"opweld_test::whole": function}
    monkeypatch.setitem(sys.modules, "some_ops._loader", package)
    found = check_operator_registration("opweld_test::whole").finding("vendor function")
    assert found.status == status
    assert told in found.detail


@pytest.mark.parametrize(
    ("operator", "functions"),
    [
        ("npu::npu_custom_linear", ["aclnnCustomLinear"]),
        ("aten::add.Tensor", ["aclnnAdd"]),
        ("aten::add_.Tensor", ["aclnnInplaceAdd"]),
        ("my_ops::fast_gelu_v2", ["aclnnMyOpsFastGeluV2", "aclnnFastGeluV2"]),
    ],
)
def test_aclnn_names(operator, functions):
    assert function_names(operator) == functions


def test_built_in_operator_on_the_npu(npu):
    statuses = npu.call("registration_probe:statuses", name="aten::add.Tensor")
    assert set(statuses.values()) == {"ok"}
    assert {"NPU kernel", "Meta run", "device run", "autograd", "vendor function"} <= set(statuses)


def test_a_kernel_that_fails_on_the_device_is_a_fault_with_its_reason():
    process = NpuProcess()  # of its own: what a failed stream leaves behind is nobody else's
    try:
        status, detail = process.call("registration_probe:late_fault")
    finally:
        process.close()
    assert status == "fault"
    assert "aclnnEmbedding: argument 'indices' has the value 99, but the table has 4 rows" in detail
