// Kernels and the converter.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "spec/expression.h"
#include "spec/names.h"
#include "spec/sections.h"

namespace opweld::spec {
namespace {

// A file of the project: there, and found from the spec's folder, wherever that is copied.
void check_file(OperatorContext& context, std::string_view rule, Span span, const std::string& path,
                std::string expected, std::string hint) {
    if (!context.options.check_files) {
        return;
    }
    std::error_code fault;
    if (std::filesystem::path(path).is_absolute()) {
        context.out().report(rule, span, fmt::format("'{}' is an absolute path", path), std::move(expected),
                             "copy the file into the project, which could not be built elsewhere");
    } else if (!std::filesystem::is_regular_file(std::filesystem::path(context.options.directory) / path,
                                                 fault)) {
        context.out().report(rule, span, fmt::format("there is no file '{}'", path), std::move(expected),
                             std::move(hint));
    }
}

std::optional<KernelLanguage> language_of(OperatorContext& context, const Node& map) {
    if (map.find("language") == nullptr) {
        if (map.find("aclnn") != nullptr) {
            return KernelLanguage::Aclnn;
        }
        context.out().report("OW107", {map.at, 1}, "a kernel has no 'language'",
                             "cpp, ascendc, compose or aclnn", "add 'language: cpp', for instance");
        return std::nullopt;
    }
    const auto word = context.reader.word(map, kernel_keys(), "language");
    if (!word) {
        return std::nullopt;
    }
    return word->value == "cpp"       ? KernelLanguage::Cpp
           : word->value == "ascendc" ? KernelLanguage::AscendC
           : word->value == "compose" ? KernelLanguage::Compose
                                      : KernelLanguage::Aclnn;
}

// Keys of other languages, and the key that this one needs.
void check_keys(OperatorContext& context, const Node& map, KernelLanguage language) {
    struct Row {
        std::string_view key;
        std::array<KernelLanguage, 2> languages;
    };
    static constexpr std::array kRows = {
        Row{"source", {KernelLanguage::Cpp, KernelLanguage::AscendC}},
        Row{"function", {KernelLanguage::Cpp, KernelLanguage::AscendC}},
        Row{"formula", {KernelLanguage::Compose, KernelLanguage::Compose}},
        Row{"aclnn", {KernelLanguage::Aclnn, KernelLanguage::Aclnn}},
        Row{"args", {KernelLanguage::Aclnn, KernelLanguage::Aclnn}},
    };
    for (const Row& row : kRows) {
        const MapEntry* entry = map.find(row.key);
        const bool fits =
            std::find(row.languages.begin(), row.languages.end(), language) != row.languages.end();
        if (entry != nullptr && !fits) {
            context.out().report("OW412", {entry->at, row.key.size()},
                                 fmt::format("a kernel of language {} has no '{}'", name(language), row.key),
                                 fmt::format("'{}' with {}", row.key, name(row.languages.front())),
                                 "give the other kernel an entry of its own");
        }
        const bool needed = fits && row.key != "function" && row.key != "args";
        if (entry == nullptr && needed) {
            context.out().report(
                "OW412", {map.at, 1},
                fmt::format("a kernel of language {} needs '{}'", name(language), row.key),
                fmt::format("'{}': {}", row.key, form_name(kernel_keys().find(row.key)->form)),
                fmt::format("add '{}: {}'", row.key, kernel_keys().find(row.key)->example));
        }
    }
}

void read_source(OperatorContext& context, const Node& map, Kernel& kernel) {
    if (const auto source = context.reader.text(map, kernel_keys(), "source")) {
        kernel.source = source->value;
        check_file(context, "OW411", map.find("source")->value->span(), kernel.source,
                   "a file, relative to the spec's folder",
                   "create it, or mend the path; 'opweld new' writes a kernel to start from");
    }
    if (const auto function = context.reader.text(map, kernel_keys(), "function")) {
        check_name(context.out(), *function, "a function");
        kernel.function = function->value;
    }
}

void read_aclnn(OperatorContext& context, const Node& map, Kernel& kernel, const expr::Scope& scope) {
    if (const auto function = context.reader.text(map, kernel_keys(), "aclnn")) {
        kernel.aclnn = function->value;
        if (!is_identifier(kernel.aclnn) || !kernel.aclnn.starts_with("aclnn") || kernel.aclnn.size() < 6) {
            context.out().report(
                "OW413", map.find("aclnn")->value->span(),
                fmt::format("'{}' is no function of CANN", kernel.aclnn), "aclnn and a CamelCase name",
                is_identifier(kernel.aclnn) ? fmt::format("write 'aclnn{}'", kernel.aclnn) : "");
        }
    }
    const NodePtr args = context.reader.sequence(map, kernel_keys(), "args");
    if (!args) {
        return;
    }
    expr::Scope inner = scope;
    for (const OutputDesc& output : context.op.outputs) {
        inner.emplace(output.name, expression_type(output));
    }
    for (const NodePtr& item : args->items) {
        if (!item->is_scalar()) {
            context.reader.wrong_kind(*item, "args", "a list of expressions");
            continue;
        }
        Expression argument{item->text, item->position_of(0), nullptr};
        compile(argument, item.get(), inner, std::nullopt, context.out());
        kernel.args.push_back(std::move(argument));
    }
}

void add_kernel(OperatorContext& context, const Node& map, const expr::Scope& scope) {
    if (!context.reader.check_map(map, kernel_keys(), map.at)) {
        return;
    }
    const auto language = language_of(context, map);
    if (!language) {
        return;
    }
    Kernel kernel;
    kernel.at = map.at;
    kernel.language = *language;
    check_keys(context, map, *language);
    if (*language == KernelLanguage::Compose) {
        if (const auto text = context.reader.text(map, kernel_keys(), "formula")) {
            kernel.formula = Formula{text->value, text->at, nullptr};
            compile(*kernel.formula, map.find("formula")->value.get(), scope, context.out());
        }
    } else if (*language == KernelLanguage::Aclnn) {
        read_aclnn(context, map, kernel, scope);
    } else {
        read_source(context, map, kernel);
    }
    context.op.kernels.push_back(std::move(kernel));
}

}  // namespace

void read_kernels(OperatorContext& context, const expr::Scope& scope) {
    const MapEntry* entry = context.node.find("kernel");
    if (entry == nullptr) {
        if (!context.options.msopgen && !context.cut_off && !context.op.name.empty() &&
            context.node.find("prototype_of") == nullptr) {
            context.out().report("OW410", {context.op.at, std::max<std::size_t>(context.op.name.size(), 1)},
                                 fmt::format("'{}' has no kernel", context.op.name),
                                 "'kernel': a list of kernels");
        }
        return;
    }
    if (entry->value->is_map()) {
        add_kernel(context, *entry->value, scope);
        return;
    }
    const NodePtr list = context.reader.sequence(context.node, operator_keys(), "kernel");
    if (!list) {
        return;
    }
    for (const NodePtr& item : list->items) {
        add_kernel(context, *item, scope);
    }
}

void read_converter(OperatorContext& context) {
    const auto text = context.reader.text(context.node, operator_keys(), "converter");
    if (!text) {
        return;
    }
    const Span span = context.node.find("converter")->value->span();
    Converter& converter = context.op.converter;
    converter.at = text->at;
    if (text->value == "auto") {
        converter.kind = Converter::Kind::Auto;
    } else if (text->value == "decompose") {
        converter.kind = Converter::Kind::Decompose;
        const bool composed =
            std::any_of(context.op.kernels.begin(), context.op.kernels.end(),
                        [](const Kernel& kernel) { return kernel.language == KernelLanguage::Compose; });
        if (!composed) {
            context.out().report("OW415", span, "there is no formula to decompose into",
                                 "a kernel of language compose",
                                 "add '{language: compose, formula: ...}' to 'kernel'");
        } else if (context.op.mutates()) {
            context.out().report("OW415", span, "an operator that writes into an input cannot be decomposed",
                                 "an operator whose results are tensors of its own",
                                 "use auto, or write a converter in a Python file");
        }
    } else if (text->value.ends_with(".py")) {
        converter.kind = Converter::Kind::File;
        converter.file = text->value;
        check_file(context, "OW414", span, converter.file, "a Python file, relative to the spec's folder",
                   "");
    } else {
        context.out().report("OW414", span, fmt::format("'converter' can't be '{}'", text->value),
                             "auto, decompose or a file that ends in .py",
                             suggestion(text->value, {"auto", "decompose"}));
    }
}

}  // namespace opweld::spec
