#include "spec/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

#include "spec/names.h"
#include "spec/node_reader.h"
#include "spec/prototype.h"
#include "spec/sections.h"

namespace opweld::spec {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::size_t kMostOperators = 5000;
constexpr std::array<std::string_view, 6> kForeignNamespaces = {"aten",      "prim",  "prims",
                                                                "quantized", "torch", "c10d"};

// Names that generated code has for itself, beside the operators' functions: in C++, then in Python.
constexpr std::array<std::string_view, 12> kReservedOperators = {
    "at",      "c10",   "expr",   "launcher", "outputs",          "std",
    "support", "torch", "Tensor", "load",     "load_npu_kernels", "VENDOR_FOLDER"};

class Loader {
  public:
    Loader(const LoadOptions& options, Diagnostics& out) : options_(options), out_(out), reader_(out) {}

    std::optional<Package> run(const Tree& tree) {
        if (!tree.root) {
            return std::nullopt;
        }
        const NodePtr root = reader_.with_right_keys(tree.root, package_keys());
        read_head(*root, tree.complete);
        if (root->is_map()) {
            collect(*root, tree.complete);
        }
        read_all();
        if (out_.has_errors()) {
            return std::nullopt;
        }
        return std::move(package_);
    }

  private:
    void read_head(const Node& root, bool complete) {
        if (complete) {
            if (!reader_.check_map(root, package_keys(), root.at)) {
                return;
            }
        } else if (!root.is_map()) {
            return;
        }
        if (const MapEntry* version = root.find("version"); version != nullptr) {
            const auto number = reader_.integer(*version->value);
            package_.version = number.value_or(0);
            if (!number || *number != kVersion) {
                out_.report("OW108", version->value->span(),
                            version->value->is_scalar()
                                ? fmt::format("there is no version {0}{1}{0}",
                                              version->value->quoted ? "\"" : "", version->value->text)
                                : fmt::format("'version' is {}", version->value->kind_name()),
                            fmt::format("version: {}", kVersion));
            }
        }
        if (const auto name = reader_.text(root, package_keys(), "package")) {
            check_name(out_, *name, "a package");
            package_.name = name->value;
            package_.name_at = name->at;
        }
        if (const auto doc = reader_.text(root, package_keys(), "doc")) {
            package_.doc = doc->value;
        }
    }

    void collect(const Node& root, bool complete) {
        const NodePtr list = reader_.sequence(root, package_keys(), "ops");
        if (!list) {
            return;
        }
        if (list->items.empty() && complete) {
            out_.report("OW111", {list->at, 1}, "'ops' is empty", "at least one operator");
        }
        if (list->items.size() > kMostOperators) {
            out_.report("OW112", {list->at, 1}, fmt::format("{} operators", list->items.size()),
                        fmt::format("at most {}", kMostOperators));
            return;
        }
        for (const NodePtr& item : list->items) {
            if (!reader_.check_map(*item, operator_keys(), item->at)) {
                continue;
            }
            OperatorNode op;
            op.node = item;
            op.at = item->at;
            op.cut_off = !complete && item == list->items.back();
            if (const auto name = reader_.text(*item, operator_keys(), "op")) {
                op.at = name->at;
                op.name = split_operator_name(name->value);
                check_operator_name(op);
            }
            ops_.push_back(std::move(op));
        }
        check_duplicates();
    }

    void check_operator_name(const OperatorNode& op) {
        const std::size_t length = std::max<std::size_t>(op.node->find("op")->value->text.size(), 1);
        if (!is_identifier(op.name.ns) || std::find(kForeignNamespaces.begin(), kForeignNamespaces.end(),
                                                    op.name.ns) != kForeignNamespaces.end()) {
            out_.report("OW223", {op.at, length},
                        is_identifier(op.name.ns)
                            ? fmt::format("the namespace '{}' is PyTorch's own", op.name.ns)
                            : fmt::format("'{}' is no namespace", op.name.ns),
                        "npu, or a namespace of your own");
        }
        if (!check_name(out_, {op.name.name, op.at}, "an operator")) {
            return;
        }
        const bool reserved = std::find(kReservedOperators.begin(), kReservedOperators.end(), op.name.name) !=
                              kReservedOperators.end();
        if (reserved || op.name.name.starts_with("__") || op.name.name.starts_with("opweld")) {
            out_.report("OW203", {op.at, length},
                        fmt::format("'{}' is reserved for generated code", op.name.name), "another name");
        }
        if (!op.name.overload.empty() || op.node->find("op")->value->text.ends_with('.')) {
            if (!is_identifier(op.name.overload) || op.name.overload == "default") {
                out_.report("OW201", {op.at, length},
                            fmt::format("'{}' is no name for an overload", op.name.overload),
                            "a letter, then letters, digits and underscores");
            }
        }
        if (op.name.ns == "npu" && is_torch_npu_operator(op.name.name)) {
            out_.report("OW220", {op.at, length}, fmt::format("torch_npu has npu::{} already", op.name.name),
                        "a name that torch_npu doesn't have",
                        fmt::format("'my_ns::{}', for instance", op.name.name));
        }
    }

    void check_duplicates() {
        std::map<std::string, const OperatorNode*, std::less<>> seen;
        for (const OperatorNode& op : ops_) {
            if (op.name.name.empty()) {
                continue;
            }
            std::string key = op.name.qualified();
            std::transform(key.begin(), key.end(), key.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            const auto [known, fresh] = seen.emplace(key, &op);
            const Span span{op.at, op.node->find("op")->value->text.size()};
            if (!fresh && known->second->name.qualified() == op.name.qualified()) {
                out_.report("OW204", span, fmt::format("the operator '{}' is there twice", op.name.name),
                            "a name of its own",
                            fmt::format("the other one is in line {}", known->second->at.line));
            } else if (!fresh) {
                out_.report("OW205", span,
                            fmt::format("'{}' and '{}' differ in upper and lower case only", op.name.name,
                                        known->second->name.name),
                            "names that differ in more than case");
            }
        }
    }

    // Operators and functions that generated code makes beside an operator: another one can't have their
    // names.
    void check_derived_names() {
        std::map<std::string, std::string, std::less<>> derived;  // and of which operator
        for (const Operator& op : package_.ops) {
            derived.emplace("check_" + op.name, op.name);
            bool returns_mutated = false;
            bool depends_on_data = false;
            for (const OutputDesc& output : op.outputs) {
                returns_mutated = returns_mutated || (output.alias_of && op.inputs[*output.alias_of].mutates);
                depends_on_data = depends_on_data || output.shape.kind == ShapeRule::Kind::DataDependent;
            }
            if (returns_mutated) {
                const std::string base =
                    op.name.ends_with('_') ? op.name.substr(0, op.name.size() - 1) : op.name;
                derived.emplace(base + "_functional", op.name);
            }
            if (depends_on_data && !op.mutates()) {
                derived.emplace(op.name + "_largest", op.name);
            }
        }
        for (const Operator& op : package_.ops) {
            if (const auto found = derived.find(op.name); found != derived.end()) {
                out_.report(
                    "OW203", {op.at, op.name.size()},
                    fmt::format("'{}' is reserved for code generated for '{}'", op.name, found->second),
                    "another name");
            }
        }
    }

    void read_all() {
        const std::vector<std::size_t> order = resolve_prototypes(ops_, out_);
        package_.origin = options_.msopgen ? Package::Origin::Msopgen : Package::Origin::Yaml;
        package_.ops.resize(ops_.size());
        std::vector<bool> faulty(ops_.size(), false);
        for (const std::size_t index : order) {
            const std::size_t before = out_.errors_seen();
            const std::optional<std::size_t> parent = ops_[index].parent;
            Operator op =
                read_operator(reader_, options_, ops_[index], parent ? &package_.ops[*parent] : nullptr);
            if (parent) {
                link(op, index, *parent);
            }
            faulty[index] = ops_[index].cut_off || out_.errors_seen() != before;
            package_.ops[index] = std::move(op);
        }
        check_ge_ops();
        check_derived_names();
        for (std::size_t index = 0; index < ops_.size(); ++index) {
            if (names_what_may_come_later(*ops_[index].merged)) {
                continue;
            }
            read_backward(reader_, *ops_[index].merged, package_, index, faulty);
        }
    }

    // A backward operator that isn't there, where a syntax error ends the file too early.
    bool names_what_may_come_later(const Node& op) const {
        const MapEntry* backward = op.find("backward");
        const MapEntry* callee = backward == nullptr ? nullptr : backward->value->find("op");
        const bool cut_off = !ops_.empty() && ops_.back().cut_off;
        return cut_off && callee != nullptr && callee->value->is_scalar() &&
               package_.find(callee->value->text) == nullptr;
    }

    void link(Operator& op, std::size_t index, std::size_t parent) {
        const Operator& base = package_.ops[parent];
        op.prototype_of = PrototypeOf{base.qualified_name(), parent, ops_[index].root, ops_[index].parent_at};
        if (op.ge_op_given && op.ge_op != base.ge_op) {
            out_.report("OW218", ops_[index].node->find("ge_op")->value->span(),
                        fmt::format("'{}' shares the graph type of '{}'", op.name, base.name), base.ge_op,
                        "remove 'ge_op'");
        }
        op.ge_op = base.ge_op;
        op.ge_op_given = false;
        for (std::size_t at = 0; at < std::min(op.attrs.size(), base.attrs.size()); ++at) {
            if (op.attrs[at].type != base.attrs[at].type) {
                out_.report("OW218", {op.attrs[at].type_at, 1},
                            fmt::format("'{}' is {} in the prototype", op.attrs[at].name,
                                        schema_type(base.attrs[at].type)),
                            schema_type(base.attrs[at].type));
            }
        }
        for (std::size_t at = 0; at < std::min(op.inputs.size(), base.inputs.size()); ++at) {
            const bool narrower =
                op.inputs[at].kind == base.inputs[at].kind ||
                (base.inputs[at].kind == InputKind::OptionalTensor &&
                 op.inputs[at].kind == InputKind::Tensor) ||
                (is_list(base.inputs[at].kind) && op.inputs[at].kind == InputKind::TensorList);
            if (!narrower || op.inputs[at].mutates != base.inputs[at].mutates) {
                out_.report("OW218", {op.inputs[at].at, std::max<std::size_t>(op.inputs[at].name.size(), 1)},
                            fmt::format("'{}' is {} in the prototype", op.inputs[at].name,
                                        schema_type(base.inputs[at])),
                            "the same, or narrower");
            }
        }
    }

    void check_ge_ops() {
        std::map<std::string, std::size_t, std::less<>> seen;
        for (std::size_t index = 0; index < package_.ops.size(); ++index) {
            const Operator& op = package_.ops[index];
            if (op.prototype_of || op.name.empty()) {
                continue;
            }
            std::string key = op.ge_op;
            std::transform(key.begin(), key.end(), key.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            const auto [known, fresh] = seen.emplace(key, index);
            const Operator& other = package_.ops[known->second];
            if (!fresh && other.qualified_name() != op.qualified_name() && !out_.reported("OW205", op.at)) {
                out_.report(
                    "OW219", {op.at, op.name.size()},
                    fmt::format("'{}' and '{}' have the same graph type {}", op.name, other.name, op.ge_op),
                    "a graph type of its own",
                    fmt::format("add 'ge_op', or 'prototype_of: {}' if the kernel is the same", other.name));
            }
        }
    }

    const LoadOptions& options_;
    Diagnostics& out_;
    NodeReader reader_;
    Package package_;
    std::vector<OperatorNode> ops_;
};

}  // namespace

std::optional<Package> load(std::string_view text, const LoadOptions& options, Diagnostics& out) {
    return load_tree(read_yaml(text, out), options, out);
}

std::optional<Package> load_tree(const Tree& tree, const LoadOptions& options, Diagnostics& out) {
    std::optional<Package> package = Loader(options, out).run(tree);
    if (package) {
        package->file = out.file();
        package->directory = options.directory;
    }
    return package;
}

}  // namespace opweld::spec
