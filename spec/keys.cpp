#include "spec/keys.h"

#include <algorithm>
#include <array>

namespace opweld::spec {
namespace {

constexpr std::array<std::string_view, 3> kInputParamTypes = {"required", "optional", "dynamic"};
constexpr std::array<std::string_view, 2> kAttrParamTypes = {"required", "optional"};
constexpr std::array<std::string_view, 2> kOutputParamTypes = {"required", "dynamic"};
constexpr std::array<std::string_view, 2> kOptionalWhat = {"list", "elements"};
constexpr std::array<std::string_view, 4> kAutocast = {"none", "lower", "fp32", "promote"};
constexpr std::array<std::string_view, 4> kLanguages = {"cpp", "ascendc", "compose", "aclnn"};
constexpr std::array<std::string_view, 3> kMemoryFormats = {"contiguous_format", "channels_last",
                                                            "channels_last_3d"};
constexpr std::array<std::string_view, 14> kFormats = {
    "ND",    "NCHW",    "NHWC",      "HWCN",       "NCL",      "NCDHW",        "NDHWC",
    "DHWCN", "NC1HWC0", "FRACTAL_Z", "FRACTAL_NZ", "NDC1HWC0", "FRACTAL_Z_3D", "FRACTAL_NZ_C0_16"};
constexpr std::array<std::string_view, 17> kTags = {
    "core",
    "cudagraph_unsafe",
    "data_dependent_output",
    "dynamic_output_shape",
    "flexible_layout",
    "generated",
    "inplace_view",
    "maybe_aliasing_or_mutating",
    "needs_contiguous_strides",
    "needs_exact_strides",
    "needs_fixed_stride_order",
    "nondeterministic_bitwise",
    "nondeterministic_seeded",
    "pointwise",
    "pt2_compliant_tag",
    "reduction",
    "view_copy",
};

constexpr std::array kConstraintKeys = {
    KeyInfo{"expr", Form::Expression, true, "What must hold: an expression of type bool.", "\"x.ndim == 2\""},
    KeyInfo{"message", Form::Text, false, "What the caller reads where it doesn't hold.",
            "x must be a matrix"},
};

constexpr std::array kInputKeys = {
    KeyInfo{"name", Form::Name, true, "The input's name.", "x"},
    KeyInfo{"param_type", Form::Word, false,
            "required (the default): Tensor; optional: Tensor?; dynamic: Tensor[].", "required",
            kInputParamTypes},
    KeyInfo{"optional", Form::Word, false,
            "Of a dynamic input: list: the list may be absent, Tensor[]?; elements: each tensor may be, "
            "Tensor?[].",
            "elements", kOptionalWhat},
    KeyInfo{"type", Form::InputTypes, false,
            "Dtypes. Lists of the inputs pair up by position; one dtype without brackets is always that; "
            "any_of(...) is "
            "independent of the others. Absent: any dtype.",
            "[float32, float16]"},
    KeyInfo{"format", Form::Formats, false, "The graph engine's formats, parallel to `type`, or one for all.",
            "[ND]"},
    KeyInfo{"mutates", Form::Flag, false, "The operator writes into this input: Tensor(a!).", "true"},
    KeyInfo{"doc", Form::Text, false, "A sentence for the documentation.", "the matrix"},
};

constexpr std::array kAttrKeys = {
    KeyInfo{"name", Form::Name, true, "The attribute's name.", "alpha"},
    KeyInfo{"param_type", Form::Word, false,
            "required, or optional (the default where there is a default_value).", "optional",
            kAttrParamTypes},
    KeyInfo{"type", Form::AttrType, true,
            "bool, int, float, str, Scalar, ScalarType, Device, Layout, MemoryFormat, Generator or SymInt; "
            "with `?`, "
            "`[]`, `[][]` (int and float), `[N]`. msopgen's list_int etc. are accepted.",
            "\"int[]\""},
    KeyInfo{"default_value", Form::Any, false, "The value where the caller gives none.", "1"},
    KeyInfo{"doc", Form::Text, false, "A sentence for the documentation.", "the scale"},
};

constexpr std::array kOutputKeys = {
    KeyInfo{"name", Form::Name, true, "The output's name.", "y"},
    KeyInfo{"param_type", Form::Word, false,
            "required (the default), or dynamic: a list of tensors, with `count`.", "required",
            kOutputParamTypes},
    KeyInfo{"type", Form::OutputType, false,
            "The dtype: an expression (x.dtype), one dtype, or a list that pairs up with the inputs'. int, "
            "float, bool or "
            "SymInt together with `value`: a plain value.",
            "x.dtype"},
    KeyInfo{"shape", Form::Shape, false,
            "The sizes, an expression; in a list that of element `i`. data_dependent(max=[...]) where they "
            "are known only "
            "after the kernel ran.",
            "\"x.shape[:-1] + [4]\""},
    KeyInfo{"count", Form::Expression, false, "How many tensors the output list has.", "len(xs)"},
    KeyInfo{"present", Form::Expression, false, "False: the output is left undefined.", "bias is not None"},
    KeyInfo{"strides", Form::Expression, false, "Strides in elements.", "\"[1, x.shape[0]]\""},
    KeyInfo{"memory_format", Form::Word, false, "The memory format of the output.", "channels_last",
            kMemoryFormats},
    KeyInfo{"format", Form::Formats, false,
            "The graph engine's formats; a private one is the storage format.", "[ND]"},
    KeyInfo{"alias", Form::Name, false, "The output is this input (if it mutates) or a view of it.", "x"},
    KeyInfo{"value", Form::Expression, false, "Of an output of type int, float, bool or SymInt: its value.",
            "x.ndim"},
    KeyInfo{"doc", Form::Text, false, "A sentence for the documentation.", "the result"},
};

constexpr std::array kBackwardKeys = {
    KeyInfo{"op", Form::OperatorName, true, "The operator of this file that computes the gradients.",
            "npu_scale_backward"},
    KeyInfo{"args", Form::NameList, true,
            "What it is called with, in its schema's order: grad_<output>, inputs, attributes, outputs.",
            "[grad_y, x]"},
    KeyInfo{"gives", Form::NameList, true, "The inputs whose gradients its outputs are, in order.", "[x]"},
};

constexpr std::array kKernelKeys = {
    KeyInfo{
        "language", Form::Word, false,
        "cpp: the software NPU and CPU; ascendc: Ascend C; compose: an ATen expression; aclnn: CANN has it.",
        "cpp", kLanguages},
    KeyInfo{"source", Form::Path, false, "The source file, relative to the spec (cpp, ascendc).",
            "kernels/scale.cpp"},
    KeyInfo{"function", Form::Name, false, "The kernel function, if not named by convention (cpp, ascendc).",
            "scale"},
    KeyInfo{"formula", Form::Formula, false, "The ATen expression (compose).", "\"x * alpha\""},
    KeyInfo{"aclnn", Form::Name, false, "The function of CANN (aclnn).", "aclnnAdd"},
    KeyInfo{
        "args", Form::ExpressionList, false,
        "What the aclnn function takes before workspace and executor; default: inputs, attributes, outputs.",
        "[x, alpha, y]"},
};

constexpr KeyTable kConstraintTable{"a constraint", kConstraintKeys};
constexpr KeyTable kInputTable{"an input", kInputKeys};
constexpr KeyTable kAttrTable{"an attribute", kAttrKeys};
constexpr KeyTable kOutputTable{"an output", kOutputKeys};
constexpr KeyTable kBackwardTable{"backward", kBackwardKeys};
constexpr KeyTable kKernelTable{"a kernel", kKernelKeys};

constexpr std::array kOperatorKeys = {
    KeyInfo{
        "op", Form::OperatorName, true,
        "The operator's name: torch.ops.npu.<name>; `ns::name` for another namespace, `name.overload` for an "
        "overload.",
        "npu_scale"},
    KeyInfo{"doc", Form::Text, false, "What the operator computes, for the documentation.",
            "\"y = x * alpha\""},
    KeyInfo{"ge_op", Form::Name, false, "The graph-engine type; default: the name in CamelCase without npu_.",
            "Scale"},
    KeyInfo{"prototype_of", Form::OperatorName, false,
            "An operator of this file whose graph type, kernel and rules this one shares; only what differs "
            "is given.",
            "npu_scale"},
    KeyInfo{"bind", Form::ValueMap, false, "Attributes with a fixed value, which are then no arguments.",
            "{alpha: 2.0}"},
    KeyInfo{"input_desc",
            Form::Mappings,
            false,
            "The inputs, in the order of the prototype.",
            "[{name: x, param_type: required, type: [float32]}]",
            {},
            &kInputTable},
    KeyInfo{"attr",
            Form::Mappings,
            false,
            "The attributes, in the order of the prototype.",
            "[{name: alpha, type: float, default_value: 1.0}]",
            {},
            &kAttrTable},
    KeyInfo{"output_desc",
            Form::Mappings,
            false,
            "The outputs, in the order of the prototype.",
            "[{name: y, type: x.dtype, shape: x.shape}]",
            {},
            &kOutputTable},
    KeyInfo{"let", Form::ExpressionMap, false, "Named intermediate values; each may use those before it.",
            "{n: \"x.shape[0]\"}"},
    KeyInfo{"constraints",
            Form::Constraints,
            false,
            "What must hold for a call; checked wherever it is called.",
            "[{expr: x.ndim == 2, message: x must be a matrix}]",
            {},
            &kConstraintTable},
    KeyInfo{"reference", Form::Python, false, "A Python expression with the same result, for checks only.",
            "\"x * alpha\""},
    KeyInfo{"backward",
            Form::Backward,
            false,
            "none; an operator of this file; or an ATen expression for each input.",
            "{op: npu_scale_backward, args: [grad_y, alpha], gives: [x]}",
            {},
            &kBackwardTable},
    KeyInfo{"autocast", Form::Word, false,
            "lower: inputs are cast to the autocast dtype; fp32: to float32; promote: to the widest; none "
            "(the default).",
            "lower", kAutocast},
    KeyInfo{"kernel",
            Form::Kernels,
            false,
            "The kernels, in order of preference.",
            "[{language: cpp, source: kernels/scale.cpp}]",
            {},
            &kKernelTable},
    KeyInfo{"converter", Form::Converter, false,
            "auto (the default), decompose (into the formula of compose), or a Python file.", "auto"},
    KeyInfo{"batching", Form::IntegerMap, false,
            "vmap: input and its batch dimension; the others are unbatched.", "{x: 0}"},
    KeyInfo{"schema", Form::Schema, false,
            "The PyTorch schema stated outright: order of arguments and `*`; checked against the rest.",
            "\"npu_scale(Tensor x, float alpha=1.0) -> Tensor\""},
    KeyInfo{"tags", Form::WordList, false, "Tags of torch.Tag.", "[pointwise]", kTags},
};

constexpr KeyTable kOperatorTable{"an operator", kOperatorKeys};

constexpr std::array kPackageKeys = {
    KeyInfo{"version", Form::Integer, true, "The version of the spec format: 1.", "1"},
    KeyInfo{"package", Form::Name, true, "The name of the Python package and the vendor package.",
            "custom_linear"},
    KeyInfo{"doc", Form::Text, false, "What the package is for.", "Operators of my model"},
    KeyInfo{"ops", Form::Mappings, true, "The operators.", "[{op: npu_scale}]", {}, &kOperatorTable},
};

constexpr KeyTable kPackageTable{"a spec", kPackageKeys};

}  // namespace

const KeyInfo* KeyTable::find(std::string_view key) const {
    const auto found =
        std::find_if(keys.begin(), keys.end(), [&](const KeyInfo& info) { return info.name == key; });
    return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> KeyTable::names() const {
    std::vector<std::string> result;
    result.reserve(keys.size());
    for (const KeyInfo& info : keys) {
        result.emplace_back(info.name);
    }
    return result;
}

const KeyTable& package_keys() { return kPackageTable; }
const KeyTable& operator_keys() { return kOperatorTable; }
const KeyTable& input_keys() { return kInputTable; }
const KeyTable& attr_keys() { return kAttrTable; }
const KeyTable& output_keys() { return kOutputTable; }
const KeyTable& constraint_keys() { return kConstraintTable; }
const KeyTable& backward_keys() { return kBackwardTable; }
const KeyTable& kernel_keys() { return kKernelTable; }

std::string_view form_name(Form form) {
    switch (form) {
        case Form::Text:
        case Form::Python:
            return "a text";
        case Form::Name:
        case Form::OperatorName:
            return "a name";
        case Form::Flag:
            return "true or false";
        case Form::Integer:
            return "a whole number";
        case Form::Any:
            return "a value";
        case Form::Word:
            return "a word";
        case Form::Expression:
        case Form::Shape:
            return "an expression";
        case Form::Schema:
            return "a PyTorch schema";
        case Form::InputTypes:
        case Form::OutputType:
            return "a dtype or a list of dtypes";
        case Form::Formats:
            return "a format or a list of formats";
        case Form::AttrType:
            return "the name of a type";
        case Form::WordList:
        case Form::NameList:
            return "a list of names";
        case Form::ExpressionList:
            return "a list of expressions";
        case Form::ExpressionMap:
            return "a mapping from names to expressions";
        case Form::ValueMap:
            return "a mapping from names to values";
        case Form::IntegerMap:
            return "a mapping from names to numbers";
        case Form::Mappings:
        case Form::Constraints:
        case Form::Kernels:
            return "a list of mappings";
        case Form::Backward:
            return "none or a mapping";
        case Form::Converter:
            return "auto, decompose or a Python file";
        case Form::Formula:
            return "a formula";
        case Form::Path:
            return "a path";
    }
    return "a value";
}

std::span<const std::string_view> graph_formats() { return kFormats; }
std::span<const std::string_view> torch_tags() { return kTags; }
std::span<const std::string_view> memory_formats() { return kMemoryFormats; }

bool is_private_format(std::string_view format) {
    return format == "NC1HWC0" || format == "NDC1HWC0" || format.starts_with("FRACTAL_");
}

}  // namespace opweld::spec
