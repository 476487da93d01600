// What a spec says, after it was read, checked and resolved: the model that generators work from.
//
// A `Package` comes from `load_package` (api.h) and is read-only from then on; it owns everything and may be
// copied and read from any thread. What the model holds is consistent: every index points to something, names
// are unique, `prototype_of` and `bind` are resolved, every expression was parsed and type-checked. So
// generators check nothing again, except what a spec may leave open: `OutputDesc::shape` of kind Unknown is a
// fault of generation (the loader reports it when asked to load for generation).
//
// Order. `inputs`, `attrs` and `outputs` stand in the order of the prototype: that of the kernel, the aclnn
// function and the graph-engine operator, the same for an operator and for all that are `prototype_of` it,
// bound ones included. `arguments` is the order of the PyTorch schema and leaves out what is bound.
#ifndef OPWELD_SPEC_MODEL_H
#define OPWELD_SPEC_MODEL_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "spec/dtypes.h"
#include "spec/position.h"

namespace opweld::spec {

// ---------------------------------------------------------------------------------------------------------------
// Values

struct None {
    bool operator==(const None&) const = default;
};

// A default or bound value. Which alternative holds follows from the attribute's type:
// bool -> bool; int, SymInt -> int64_t; float -> double; str -> string; Scalar -> bool, int64_t or double;
// ScalarType -> DType; Device, Layout, MemoryFormat -> string ("npu:0", "strided", "contiguous_format");
// lists -> Items, of the element's kind; an absent optional -> None.
struct Value {
    using Items = std::vector<Value>;
    std::variant<None, bool, std::int64_t, double, std::string, DType, Items> data;

    [[nodiscard]] bool is_none() const { return std::holds_alternative<None>(data); }
    bool operator==(const Value&) const = default;
};

// ---------------------------------------------------------------------------------------------------------------
// Expressions

// The checked syntax tree of an expression; defined in expression.h, which generators include to walk it.
struct CheckedExpression;
// The checked syntax tree of a formula (ATen expression); defined in expression.h likewise.
struct CheckedFormula;

// An expression of the small language (shapes, dtypes, counts, presence, constraints, `let`).
// Names it may use: inputs, attributes (bound ones are constants), `let` values that come before it,
// and, within an output list, the index `i`.
struct Expression {
    std::string text;
    Position at;  // where the text starts
    // Set in every package that loaded without errors. Null only in a package that was put together by hand.
    std::shared_ptr<const CheckedExpression> checked;
};

// An ATen expression in the manner of PyTorch's derivatives file; it becomes C++ and Python.
// In `compose` it may use inputs, attributes, `let` values; in `backward` besides these outputs by name,
// `grad_<output>`, and `grad` where there is one differentiable output.
struct Formula {
    std::string text;
    Position at;
    std::shared_ptr<const CheckedFormula> checked;  // null as for Expression
};

// ---------------------------------------------------------------------------------------------------------------
// Inputs

// What `param_type`, and for lists `optional`, say.
enum class InputKind {
    Tensor,           // required:                      Tensor
    OptionalTensor,   // optional:                      Tensor?
    TensorList,       // dynamic:                       Tensor[]
    OptionalList,     // dynamic, `optional: list`:     Tensor[]?
    ListOfOptionals,  // dynamic, `optional: elements`: Tensor?[]
};

inline bool is_list(InputKind kind) { return kind >= InputKind::TensorList; }
// Whether the whole argument may be absent (elements of a list are another matter).
inline bool is_optional(InputKind kind) {
    return kind == InputKind::OptionalTensor || kind == InputKind::OptionalList;
}

struct TypeSet {
    enum class Kind {
        Any,          // not stated: every dtype is taken
        Fixed,        // one dtype, whatever the others have
        Paired,       // a list: position k goes together with position k of every other paired list of the
                      // operator
        Independent,  // any_of(...): any of these, whatever the others have
    };
    Kind kind = Kind::Any;
    std::vector<DType> dtypes;  // empty for Any, one for Fixed
    Position at;
};

struct InputDesc {
    std::string name;
    Position at;  // of the name
    std::string doc;
    InputKind kind = InputKind::Tensor;
    // The kind in the prototype. It differs from `kind` where an operator with `prototype_of` narrows an
    // input (optional there, required here). Kernel and graph engine see this kind, and so do all expressions
    // and formulas of this operator: there a narrowed tensor is an optional one that happens to be present.
    InputKind prototype_kind = InputKind::Tensor;
    TypeSet types;
    // Graph-engine formats ("ND", "NCHW"), parallel to `types.dtypes`, or one for all, or empty (ND).
    std::vector<std::string> formats;
    bool mutates = false;  // Tensor(a!): the kernel writes into it, also in lists
    // Set by `bind: {name: null}`: an optional input that this operator never passes; no argument of it.
    bool bound_to_none = false;
    // "a", "b" ... of the schema for an input that is mutated or that an output aliases; else empty.
    std::string alias_set;
};

// ---------------------------------------------------------------------------------------------------------------
// Attributes

enum class AttrKind {
    Bool,
    Int,
    Float,
    Str,
    Scalar,
    ScalarType,
    Device,
    Layout,
    MemoryFormat,
    Generator,  // becomes seed and offset in the aclnn call
    SymInt,
};

// bool, int?, float[], int[][], bool[3], SymInt[]? ...
struct AttrType {
    AttrKind kind = AttrKind::Int;
    int list_depth = 0;                      // 0 plain, 1 list, 2 list of lists (int and float only)
    std::optional<std::int64_t> fixed_size;  // int[2]; only with list_depth 1
    bool optional = false;                   // the whole may be None
    bool operator==(const AttrType&) const = default;
};

struct AttrDesc {
    std::string name;
    Position at;  // of the name
    std::string doc;
    AttrType type;
    Position type_at;
    std::optional<Value>
        default_value;  // absent: required. None{} for an optional one without another default
    Position default_at;
    // Set by `bind`: the constant that this operator passes; the attribute is then no argument of it.
    std::optional<Value> bound;
    Position bound_at;
};

// ---------------------------------------------------------------------------------------------------------------
// Outputs

enum class OutputKind { Tensor, TensorList, Int, Float, Bool, SymInt };

struct ShapeRule {
    enum class Kind {
        Unknown,        // not stated: allowed for a check, a fault of generation
        Expression,     // `expression` is a list of sizes (for a TensorList: of the element `i`)
        DataDependent,  // known only after the kernel ran; `expression` is the upper bound to allocate, same
                        // rank
        Alias,          // an output that is an input or a view of one and states no shape: the input's shape
    };
    Kind kind = Kind::Unknown;
    Expression expression;  // for Expression and DataDependent
};

struct OutputDesc {
    std::string name;
    Position at;  // of the name
    std::string doc;
    OutputKind kind = OutputKind::Tensor;

    // Tensor and TensorList:
    // The dtype. Where the spec gives a list that pairs up with the inputs' (`type_list`), this expression
    // was made from it: `x.dtype` or a chain of conditional expressions. Absent with an alias: the input's
    // dtype. Absent without one: not stated, treated like an unknown shape.
    std::optional<Expression> dtype;
    std::vector<DType> type_list;  // the list as written, parallel to the inputs' paired lists; else empty
    ShapeRule shape;
    std::optional<Expression> count;    // TensorList: how many tensors
    std::optional<Expression> present;  // a bool: false leaves the output undefined. Absent: always present
    std::optional<Expression> strides;  // a list of strides in elements
    std::optional<std::string> memory_format;  // contiguous_format, channels_last, channels_last_3d
    // Graph-engine formats as for inputs; a private one (FRACTAL_NZ ...) is the storage format to allocate.
    std::vector<std::string> formats;
    // Index of the input that this output is (the input mutates: `Tensor(a!)`) or is a view of (`Tensor(a)`).
    std::optional<std::size_t> alias_of;

    // Int, Float, Bool, SymInt:
    std::optional<Expression> value;

    [[nodiscard]] bool is_tensor() const {
        return kind == OutputKind::Tensor || kind == OutputKind::TensorList;
    }
};

// ---------------------------------------------------------------------------------------------------------------
// Rules and names of an operator

struct Constraint {
    Expression expr;      // a bool
    std::string message;  // never empty: without one in the spec, it is made of the expression
    bool message_given = false;
};

struct Let {
    std::string name;
    Position at;
    Expression expr;
};

// ---------------------------------------------------------------------------------------------------------------
// Backward

// One argument of the backward operator's call.
struct BackwardArg {
    enum class From { Gradient, Input, Attr, Output };
    From from = From::Input;
    std::size_t index = 0;     // into outputs (Gradient, Output), inputs or attrs of the forward operator
    std::size_t argument = 0;  // into `arguments` of the backward operator: what it is passed as
    std::string name;          // as written: "grad_y", "x"
    Position at;
};

// backward: {op: ..., args: [...], gives: [...]}
struct BackwardOp {
    std::string op;            // full name, as Operator::qualified_name
    std::size_t op_index = 0;  // into Package::ops
    std::vector<BackwardArg> args;
    // gives[k]: the forward input whose gradient output k of the backward operator is. As many as it has
    // outputs.
    std::vector<std::size_t> gives;
    Position at;
};

// backward: {x: "grad * 2", weight: "..."}; inputs that are not named get no gradient.
struct BackwardFormulas {
    struct Entry {
        std::size_t input = 0;  // into inputs
        Formula formula;
    };
    std::vector<Entry> entries;
    Position at;
};

// backward: none, or nothing said
struct BackwardNone {
    bool stated = false;
    Position at;
};

using Backward = std::variant<BackwardNone, BackwardOp, BackwardFormulas>;

// ---------------------------------------------------------------------------------------------------------------
// Autocast, kernel, converter, batching

enum class Autocast { None, Lower, Fp32, Promote };

enum class KernelLanguage { Cpp, AscendC, Compose, Aclnn };

struct Kernel {
    KernelLanguage language = KernelLanguage::Cpp;
    Position at;
    // Cpp, AscendC: as written, relative to the spec's folder (`Package::directory`).
    std::string source;
    // Cpp, AscendC: name of the kernel function; empty: the generators' convention from `ge_op`.
    std::string function;
    // Compose.
    std::optional<Formula> formula;
    // Aclnn: the function that CANN has already, "aclnnXxx".
    std::string aclnn;
    // Aclnn: the arguments before workspace and executor, each the name of an input, attribute, `let` value
    // or output. Empty: inputs, attributes, outputs in the prototype's order.
    std::vector<Expression> args;
};

struct Converter {
    enum class Kind { Auto, Decompose, File };
    Kind kind = Kind::Auto;
    std::string file;  // File: Python, relative to the spec's folder
    Position at;
};

struct BatchedInput {
    std::size_t input = 0;
    std::int64_t dim = 0;
    Position at;
};

// ---------------------------------------------------------------------------------------------------------------
// Operator and package

// An argument of the PyTorch schema, in its order.
struct Argument {
    enum class From { Input, Attr };
    From from = From::Input;
    std::size_t index = 0;  // into inputs or attrs
    bool keyword_only = false;
    // What the schema carries: `=None` of an optional input, an attribute's default. Absent: the caller must
    // pass it.
    std::optional<Value> default_value;
};

struct PrototypeOf {
    std::string name;       // full name of the operator named in the spec
    std::size_t index = 0;  // into Package::ops
    std::size_t root = 0;   // the operator at the end of the chain, which has no prototype_of itself
    Position at;
};

struct Operator {
    std::string ns;        // "npu"
    std::string name;      // "npu_custom_linear"
    std::string overload;  // "" or "out": npu::abs.out
    Position at;           // of the name
    std::string doc;

    std::string ge_op;  // "CustomLinear": graph-engine type; the aclnn function is "aclnn" + ge_op
    bool ge_op_given = false;
    std::string schema;             // "npu_custom_linear(Tensor x, ...) -> Tensor": without namespace
    bool schema_given = false;      // the spec states it; it then agrees with the rest
    std::vector<std::string> tags;  // torch.Tag names

    std::vector<InputDesc> inputs;
    std::vector<AttrDesc> attrs;
    std::vector<OutputDesc> outputs;
    std::vector<Argument> arguments;

    std::vector<Let> lets;  // each may use those before it
    std::vector<Constraint> constraints;

    std::string reference;  // Python expression for checks; may be empty. Bound attributes are names in it
    Position reference_at;
    Backward backward;
    Autocast autocast = Autocast::None;
    std::vector<Kernel> kernels;  // in order of preference; may be empty
    Converter converter;
    std::vector<BatchedInput> batching;  // inputs not named are not batched; empty: no vmap rule
    bool batching_given = false;

    std::optional<PrototypeOf> prototype_of;

    // "npu::npu_custom_linear", with ".overload" where there is one.
    [[nodiscard]] std::string qualified_name() const {
        return ns + "::" + name + (overload.empty() ? "" : "." + overload);
    }
    [[nodiscard]] std::optional<std::size_t> find_input(std::string_view wanted) const;
    [[nodiscard]] std::optional<std::size_t> find_attr(std::string_view wanted) const;
    [[nodiscard]] std::optional<std::size_t> find_output(std::string_view wanted) const;
    // Whether an argument of the schema is a tensor or a list of them; if not, a BackendSelect kernel is
    // needed.
    [[nodiscard]] bool has_tensor_argument() const;
    [[nodiscard]] bool mutates() const;
    // The dtype combinations of the paired lists: their common length, 0 if no input has a list.
    [[nodiscard]] std::size_t paired_length() const;
};

struct Package {
    enum class Origin { Yaml, Msopgen };

    std::int64_t version = 1;
    std::string name;  // Python package and vendor package: "custom_linear"
    Position name_at;
    std::string doc;
    std::vector<Operator> ops;  // in the order of the file

    std::string file;       // as it was given
    std::string directory;  // of the file: paths in the spec are relative to it; "" for text without a file
    Origin origin = Origin::Yaml;

    // By "npu::npu_custom_linear" or "npu_custom_linear" (namespace npu), with ".overload" where there is
    // one.
    [[nodiscard]] const Operator* find(std::string_view name) const;
};

// Schema text of types: "Tensor?", "Tensor(a!)[]", "int[2]?", "ScalarType".
std::string schema_type(const InputDesc& input);
std::string schema_type(const AttrType& type);
std::string schema_type(const OutputDesc& output, const Operator& op);
std::string_view name(AttrKind kind);  // as in a spec and a schema: "bool", "SymInt"
std::string_view name(Autocast autocast);
std::string_view name(KernelLanguage language);

}  // namespace opweld::spec

#endif
