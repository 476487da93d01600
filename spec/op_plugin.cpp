#include "spec/op_plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "spec/api.h"
#include "spec/names.h"
#include "spec/writer.h"

namespace opweld::spec {
namespace {

constexpr std::array<std::string_view, 5> kSections = {"official", "custom", "symint", "quant", "autograd"};

std::string lowercase(std::string text) {
    for (char& c : text) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

std::string trim(std::string_view text) {
    const std::size_t from = text.find_first_not_of(' ');
    return from == std::string_view::npos
               ? ""
               : std::string(text.substr(from, text.find_last_not_of(' ') - from + 1));
}

class Importer {
  public:
    Importer(std::string_view text, const std::string& version, const std::string& package,
             const std::string& file, Take take)
        : out_(file, text), take_(take), version_(version.starts_with('v') ? version : "v" + version) {
        package_.name = package;
        package_.doc = fmt::format("Operators of op-plugin for PyTorch {}", version_.substr(1));
        const Tree tree = read_yaml(text, out_);
        if (!tree.root || !tree.complete || !read_versions(*tree.root)) {
            return;
        }
        for (const std::string_view section : kSections) {
            read_section(*tree.root, section);
        }
        for (const OpPluginEntry& entry : entries_) {
            by_name_.emplace(entry.name, &entry);
        }
        for (const OpPluginEntry& entry : entries_) {
            add(entry);
        }
    }

    ImportResult result() {
        if (moved_ != 0) {
            out_.report("OW515", {},
                        fmt::format("{} operators are in the namespaces npu_import and aten_import", moved_));
        }
        ImportResult result;
        result.yaml = package_.ops.empty() ? "" : write_package(package_, comments_);
        std::stable_sort(
            outcomes_.begin(), outcomes_.end(),
            [](const ImportEntry& left, const ImportEntry& right) { return left.line < right.line; });
        result.entries = std::move(outcomes_);
        result.diagnostics = out_.sorted();
        return result;
    }

  private:
    bool read_versions(const Node& root) {
        const MapEntry* all = root.find("all_version");
        if (all == nullptr || !all->value->is_sequence()) {
            out_.report("OW511", {root.at, 1}, "the file has no list 'all_version'",
                        "op-plugin's operator YAML, which lists its versions at the top",
                        "add the list that 'op_api: all_version' stands for, for instance "
                        "'all_version: [v2.13]'");
            return false;
        }
        for (const NodePtr& item : all->value->items) {
            versions_.push_back(item->text);
        }
        if (std::find(versions_.begin(), versions_.end(), version_) == versions_.end()) {
            out_.report("OW512", {all->value->at, 1},
                        fmt::format("there is no version '{}' in the file", version_),
                        join_words(versions_, "or"));
            return false;
        }
        return true;
    }

    void skip(const std::string& name, Position at, std::string reason) {
        out_.report("OW514", {at, 1}, fmt::format("{}: {}", name, reason));
        outcomes_.push_back({ImportEntry::Outcome::Skipped, name, std::move(reason), at.line});
    }

    void read_section(const Node& root, std::string_view section) {
        const MapEntry* list = root.find(section);
        if (list == nullptr || list->value->is_null()) {
            return;
        }
        if (!list->value->is_sequence()) {
            out_.report("OW511", {list->at, section.size()},
                        fmt::format("'{}' is {}", section, list->value->kind_name()), "a list of entries");
            return;
        }
        for (const NodePtr& item : list->value->items) {
            const MapEntry* func = item->is_map() ? item->find("func") : nullptr;
            if (func == nullptr || !func->value->is_scalar()) {
                out_.report("OW511", {item->at, 1}, "an entry has no 'func'", "'func': a PyTorch schema");
                continue;
            }
            read_entry(item, *func->value, std::string(section));
        }
    }

    void read_entry(const NodePtr& item, const Node& func, std::string section) {
        SchemaResult parsed = parse_schema(func.text);
        if (!parsed.schema) {
            out_.report("OW511", {func.position_of(parsed.offset), 1}, parsed.fault, "a PyTorch schema");
            return;
        }
        const Schema& schema = *parsed.schema;
        const std::string name = schema.name + (schema.overload.empty() ? "" : "." + schema.overload);
        const auto in_version = [&](std::string_view key) {
            const MapEntry* entry = item->find(key);
            return entry != nullptr && covers(*entry->value, version_, versions_);
        };
        const bool aclnn = in_version("op_api");
        const bool stated = item->find("op_api") != nullptr || item->find("acl_op") != nullptr;
        if (stated && !aclnn && !in_version("acl_op")) {
            skip(name, func.at, fmt::format("not in {}", version_));
            return;
        }
        if (!seen_.insert(lowercase(name)).second) {
            skip(name, func.at, "the file has it already");
            return;
        }
        entries_.push_back(
            {item, std::move(section), func.at, func.text, std::move(*parsed.schema), name, aclnn});
    }

    void add(const OpPluginEntry& entry) {
        OpPluginOperator made = op_plugin_operator(entry, by_name_);
        if (!made.op) {
            skip(entry.name, entry.at, made.reason);
            return;
        }
        Operator& op = *made.op;
        const bool custom = entry.section == "custom";
        op.ns = !custom ? "aten_import" : is_torch_npu_operator(op.name) ? "npu_import" : "npu";
        op.ge_op = graph_type(op);
        op.ge_op_given = op.ge_op != default_ge_op({op.ns, op.name, op.overload});
        Package alone;
        alone.name = package_.name;
        alone.ops = {op};
        const LoadResult loaded = load_text(write_package(alone, {}), entry.name, {false, false});
        if (!loaded.package) {
            const auto error =
                std::find_if(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                             [](const Diagnostic& item) { return item.severity == Severity::Error; });
            skip(entry.name, entry.at, fmt::format("the spec of it has a fault: {}", error->message));
            return;
        }
        outcomes_.push_back({made.complete ? ImportEntry::Outcome::Full : ImportEntry::Outcome::SchemaOnly,
                             entry.name, made.reason, entry.at.line});
        if (!made.complete && take_ == Take::complete) {
            return;
        }
        types_.insert(lowercase(op.ge_op));
        moved_ += op.ns == "npu" ? 0 : 1;
        if (!made.complete) {
            out_.report("OW513", {entry.at, 1}, fmt::format("{}: {}", entry.name, made.reason));
        }
        comments_.push_back(made.complete ? "" : "schema only: " + made.reason);
        package_.ops.push_back(std::move(op));
    }

    // The usual graph type, or the first variation of it that no other operator has.
    std::string graph_type(const Operator& op) const {
        const std::string usual = default_ge_op({op.ns, op.name, op.overload});
        std::string type = usual;
        for (int round = 1; types_.contains(lowercase(type)); ++round) {
            type = usual + "Import" + (round == 1 ? "" : std::to_string(round));
        }
        return type;
    }

    Diagnostics out_;
    Take take_;
    std::string version_;
    Package package_;
    std::vector<std::string> comments_;
    std::vector<std::string> versions_;
    std::vector<OpPluginEntry> entries_;
    std::set<std::string> seen_;
    std::set<std::string> types_;
    OpPluginIndex by_name_;
    std::vector<ImportEntry> outcomes_;
    std::size_t moved_ = 0;
};

}  // namespace

bool covers(const Node& value, const std::string& version, const std::vector<std::string>& versions) {
    const auto place = [&](const std::string& name) {
        return name == "newest" ? versions.end() - 1 : std::find(versions.begin(), versions.end(), name);
    };
    if (versions.empty()) {
        return false;
    }
    if (value.is_sequence()) {  // from, to: both included
        if (value.items.size() != 2) {
            return false;
        }
        const auto from = place(value.items[0]->text);
        const auto to = place(value.items[1]->text);
        const auto wanted = place(version);
        // A version older than all that the file knows begins with the first.
        return (from == versions.end() || from <= wanted) && wanted <= to && wanted != versions.end();
    }
    if (value.text == "all_version") {
        return true;
    }
    std::string_view rest = value.text;
    while (!rest.empty()) {
        const std::size_t end = rest.find(',');
        const std::string word = trim(rest.substr(0, end));
        if (word == version || (word == "newest" && version == versions.back())) {
            return true;
        }
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    return false;
}

ImportResult import_op_plugin(std::string_view text, const std::string& version, const std::string& package,
                              const std::string& file, Take take) {
    return Importer(text, version, package, file, take).result();
}

}  // namespace opweld::spec
