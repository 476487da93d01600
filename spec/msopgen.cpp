#include "spec/msopgen.h"

#include <fmt/format.h>

#include <cctype>
#include <memory>
#include <utility>

#include "spec/api.h"
#include "spec/load.h"
#include "spec/names.h"

namespace opweld::spec {
namespace {

NodePtr scalar(std::string text, Position at) {
    auto node = std::make_shared<Node>();
    node->kind = Node::Kind::Scalar;
    node->text = std::move(text);
    node->at = at;
    return node;
}

// {op: CustomLinear, ...} -> {op: npu_custom_linear, ge_op: CustomLinear, ...}
NodePtr operator_node(const Node& source) {
    auto node = std::make_shared<Node>(source);
    node->entries.clear();
    for (const MapEntry& entry : source.entries) {
        if (entry.key == "language") {
            continue;
        }
        if (entry.key != "op" || !entry.value->is_scalar()) {
            node->entries.push_back(entry);
            continue;
        }
        MapEntry name = entry;
        const std::string& type = entry.value->text;
        name.value = scalar(is_identifier(type) ? operator_name_of_ge_op(type) : type, entry.value->at);
        node->entries.push_back(std::move(name));
        node->entries.push_back({"ge_op", entry.at, entry.value});
    }
    return node;
}

}  // namespace

std::string package_name_of(std::string_view stem) {
    std::string name;
    for (const char c : stem) {
        const auto byte = static_cast<unsigned char>(c);
        name += std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_';
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
        !keyword_of(name).empty()) {
        name = "op_" + name;
    }
    return name;
}

Tree msopgen_tree(const Tree& json, const std::string& package, Diagnostics& out) {
    if (!json.root) {
        return json;
    }
    auto ops = std::make_shared<Node>();
    ops->kind = Node::Kind::Sequence;
    ops->at = json.root->at;
    if (json.root->is_sequence()) {
        for (const NodePtr& item : json.root->items) {
            ops->items.push_back(item->is_map() ? operator_node(*item) : item);
        }
    } else if (json.root->is_map()) {
        ops->items.push_back(operator_node(*json.root));
    } else {
        out.report("OW501", {json.root->at, 1}, fmt::format("the file is {}", json.root->kind_name()),
                   "a list of operators");
        return {nullptr, json.complete};
    }
    auto root = std::make_shared<Node>();
    root->kind = Node::Kind::Map;
    root->at = json.root->at;
    root->entries = {{"version", root->at, scalar("1", root->at)},
                     {"package", root->at, scalar(package, root->at)},
                     {"ops", root->at, std::move(ops)}};
    return {std::move(root), json.complete};
}

ImportResult import_msopgen(std::string_view text, const std::string& package, const std::string& file) {
    Diagnostics out(file, text);
    LoadOptions options;
    options.msopgen = true;
    options.check_files = false;
    const Tree tree = msopgen_tree(read_json(text, out), package, out);
    const auto loaded = load_tree(tree, options, out);
    ImportResult result;
    result.diagnostics = out.sorted();
    if (!loaded) {
        return result;
    }
    result.yaml = write_yaml(*loaded);
    for (const Operator& op : loaded->ops) {
        bool whole = true;
        for (const OutputDesc& output : op.outputs) {
            whole = whole && output.shape.kind != ShapeRule::Kind::Unknown;
        }
        result.entries.push_back({whole ? ImportEntry::Outcome::Full : ImportEntry::Outcome::SchemaOnly,
                                  op.ge_op, whole ? "" : "the outputs have no shapes", op.at.line});
    }
    return result;
}

}  // namespace opweld::spec
