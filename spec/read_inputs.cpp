// Inputs: names, kinds, dtypes, formats.
#include <fmt/format.h>

#include <algorithm>

#include "spec/names.h"
#include "spec/sections.h"

namespace opweld::spec {
namespace {

constexpr std::string_view kAnyOf = "any_of(";

std::string_view trim(std::string_view text) {
    while (text.starts_with(' ')) {
        text.remove_prefix(1);
    }
    while (text.ends_with(' ')) {
        text.remove_suffix(1);
    }
    return text;
}

std::optional<DType> known_dtype(NodeReader& reader, std::string_view text, Span span) {
    if (const auto dtype = parse_dtype(text)) {
        return dtype;
    }
    const std::span<const DTypeInfo> table = dtype_table();
    std::vector<std::string> names;
    for (const std::string_view spelling : dtype_spellings()) {
        names.emplace_back(spelling);
    }
    reader.out().report(
        "OW206", span, fmt::format("there is no dtype '{}'", text),
        fmt::format("a dtype such as {}, {} or {}", table[0].name, table[1].name, table[2].name),
        suggestion(text, names));
    return std::nullopt;
}

TypeSet read_any_of(NodeReader& reader, const Node& node) {
    TypeSet types;
    types.kind = TypeSet::Kind::Independent;
    types.at = node.at;
    if (!node.text.ends_with(')')) {
        reader.out().report("OW206", node.span(), fmt::format("'{}' is cut off", node.text),
                            "any_of(float32, float16)",
                            "put it in double quotes: a comma in { } begins the next key");
        return types;
    }
    std::size_t start = kAnyOf.size();
    while (start < node.text.size()) {
        const std::size_t end = std::min(node.text.find(',', start), node.text.size() - 1);
        const std::string_view raw = std::string_view(node.text).substr(start, end - start);
        const std::string_view word = trim(raw);
        const std::size_t offset = word.empty() ? start : start + (raw.find(word.front()));
        if (const auto dtype = known_dtype(
                reader, word, {node.position_of(offset), std::max<std::size_t>(word.size(), 1)})) {
            types.dtypes.push_back(*dtype);
        }
        start = end + 1;
    }
    return types;
}

InputKind read_kind(OperatorContext& context, const Node& map) {
    NodeReader& reader = context.reader;
    const auto param = reader.word(map, input_keys(), "param_type");
    const auto what = reader.word(map, input_keys(), "optional");
    const bool dynamic = param && param->value == "dynamic";
    if (what && !dynamic) {
        reader.out().report("OW212", {what->at, what->value.size()},
                            fmt::format("'optional: {}' is for lists of tensors", what->value),
                            "param_type: dynamic",
                            "write 'param_type: optional' for a tensor that may be absent");
    }
    if (dynamic) {
        return !what                   ? InputKind::TensorList
               : what->value == "list" ? InputKind::OptionalList
                                       : InputKind::ListOfOptionals;
    }
    return param && param->value == "optional" ? InputKind::OptionalTensor : InputKind::Tensor;
}

void check_paired_lengths(OperatorContext& context) {
    const InputDesc* longest = nullptr;
    for (const InputDesc& input : context.op.inputs) {
        if (input.types.kind == TypeSet::Kind::Paired &&
            (longest == nullptr || input.types.dtypes.size() > longest->types.dtypes.size())) {
            longest = &input;
        }
    }
    for (const InputDesc& input : context.op.inputs) {
        if (input.types.kind != TypeSet::Kind::Paired ||
            input.types.dtypes.size() == longest->types.dtypes.size() || input.types.dtypes.empty()) {
            continue;
        }
        const std::string hint =
            input.types.dtypes.size() == 1
                ? fmt::format("write 'type: {}' if it is always that", name(input.types.dtypes[0]))
                : "lists pair up by position; 'type: any_of(...)' makes one independent";
        context.out().report(
            "OW207", {input.types.at, 1},
            fmt::format("'{}' has {} dtypes and '{}' has {}", input.name, input.types.dtypes.size(),
                        longest->name, longest->types.dtypes.size()),
            count_of(longest->types.dtypes.size(), "dtype"), hint);
    }
}

}  // namespace

bool check_name(Diagnostics& out, const Located<std::string>& name, std::string_view what) {
    const Span span{name.at, std::max<std::size_t>(name.value.size(), 1)};
    if (!is_identifier(name.value)) {
        out.report("OW201", span, fmt::format("'{}' is no name for {}", name.value, what),
                   "a letter, then letters, digits and underscores");
        return false;
    }
    if (const std::string_view language = keyword_of(name.value); !language.empty()) {
        out.report("OW202", span, fmt::format("'{}' is a keyword of {}", name.value, language),
                   "another name", fmt::format("'{}_', for instance", name.value));
        return false;
    }
    const bool reserved = name.value.starts_with("opweld") || name.value.find("__") != std::string::npos ||
                          name.value == "torch" || name.value == "torch_npu" ||
                          (what == "a package" && is_reserved_package(name.value));
    if (reserved && what != "an operator") {
        out.report("OW203", span, fmt::format("'{}' is reserved for generated code", name.value),
                   "another name");
    }
    return true;
}

std::optional<DType> read_dtype(NodeReader& reader, const Node& node) {
    if (!node.is_scalar()) {
        reader.wrong_kind(node, "type", "a dtype");
        return std::nullopt;
    }
    return known_dtype(reader, node.text, node.span());
}

TypeSet read_types(NodeReader& reader, const Node& node) {
    TypeSet types;
    types.at = node.at;
    if (node.is_scalar() && node.text.starts_with(kAnyOf)) {
        return read_any_of(reader, node);
    }
    if (node.is_scalar()) {
        if (const auto dtype = read_dtype(reader, node)) {
            types.kind = TypeSet::Kind::Fixed;
            types.dtypes = {*dtype};
        }
        return types;
    }
    const MapEntry* any_of = node.is_map() && node.entries.size() == 1 ? node.find("any_of") : nullptr;
    const Node& list = any_of != nullptr ? *any_of->value : node;
    if (!list.is_sequence() || list.items.empty()) {
        reader.wrong_kind(list, "type", "a dtype, a list of dtypes, or any_of(float32, float16)");
        return types;
    }
    types.kind = any_of != nullptr ? TypeSet::Kind::Independent : TypeSet::Kind::Paired;
    for (const NodePtr& item : list.items) {
        // A placeholder for what was reported keeps the positions of the list.
        types.dtypes.push_back(read_dtype(reader, *item).value_or(DType::Float32));
    }
    return types;
}

std::vector<std::string> read_formats(NodeReader& reader, const Node& map, const KeyTable& table,
                                      std::size_t count) {
    const MapEntry* entry = map.find("format");
    if (entry == nullptr) {
        return {};
    }
    const std::vector<std::string> known(graph_formats().begin(), graph_formats().end());
    std::vector<std::string> formats;
    const auto add = [&](const Node& node) {
        if (!node.is_scalar()) {
            reader.wrong_kind(node, "format", form_name(table.find("format")->form));
        } else if (std::find(known.begin(), known.end(), node.text) == known.end()) {
            reader.out().report("OW208", node.span(), fmt::format("there is no format '{}'", node.text),
                                join_words(known, "or"), suggestion(node.text, known));
        }
        formats.push_back(node.text);
    };
    if (!entry->value->is_sequence()) {
        add(*entry->value);
        return formats;
    }
    for (const NodePtr& item : entry->value->items) {
        add(*item);
    }
    if (formats.size() > 1 && formats.size() != count) {
        reader.out().report(
            "OW208", {entry->value->at, 1},
            fmt::format("{} for {}", count_of(formats.size(), "format"), count_of(count, "dtype")),
            count > 1 ? fmt::format("{} formats, or one for all", count) : "one format");
    }
    return formats;
}

void read_inputs(OperatorContext& context) {
    NodeReader& reader = context.reader;
    const NodePtr list = reader.sequence(context.node, operator_keys(), "input_desc");
    if (!list) {
        return;
    }
    for (const NodePtr& item : list->items) {
        if (!reader.check_map(*item, input_keys(), item->at)) {
            continue;
        }
        InputDesc input;
        input.at = item->at;
        if (const auto given = reader.text(*item, input_keys(), "name")) {
            check_name(reader.out(), *given, "an input");
            input.name = given->value;
            input.at = given->at;
        }
        input.kind = read_kind(context, *item);
        if (const MapEntry* types = item->find("type"); types != nullptr) {
            input.types = read_types(reader, *types->value);
        }
        input.formats = read_formats(reader, *item, input_keys(), input.types.dtypes.size());
        if (const auto mutates = reader.flag(*item, input_keys(), "mutates")) {
            input.mutates = mutates->value;
        }
        if (const auto doc = reader.text(*item, input_keys(), "doc")) {
            input.doc = doc->value;
        }
        context.op.inputs.push_back(std::move(input));
    }
    check_paired_lengths(context);
}

}  // namespace opweld::spec
