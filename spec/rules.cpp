#include "spec/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "spec/rules_table.h"

namespace opweld::spec {
namespace {

constexpr std::array kGroups = {
    std::pair<char, std::string_view>{'1', "YAML and structure"},
    std::pair<char, std::string_view>{'2', "Names, types and schema"},
    std::pair<char, std::string_view>{'3', "Expressions and outputs"},
    std::pair<char, std::string_view>{'4', "Backward, kernel, converter and batching"},
    std::pair<char, std::string_view>{'5', "Imports"},
    std::pair<char, std::string_view>{'6', "Generation"},
};

void append_example(std::string& page, std::string_view title, std::string_view text) {
    if (!text.empty()) {
        page += fmt::format("\n## {}\n```yaml\n{}\n```\n", title, text);
    }
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
    const auto found =
        std::lower_bound(std::begin(kRules), std::end(kRules), id,
                         [](const Rule& rule, std::string_view wanted) { return rule.id < wanted; });
    return found != std::end(kRules) && found->id == id ? &*found : nullptr;
}

std::string_view rule_group(std::string_view id) {
    for (const auto& [digit, title] : kGroups) {
        if (id.size() > 2 && id[2] == digit) {
            return title;
        }
    }
    return "";
}

std::string rule_markdown(const Rule& rule) {
    std::string page =
        fmt::format("# {}: {}\n{} · {}\n\n{}\n\n**Usual cause.** {}\n\n**Fix.** {}\n", rule.id, rule.name,
                    rule_group(rule.id), name(rule.severity), rule.explanation, rule.cause, rule.fix);
    append_example(page, "Wrong", rule.wrong);
    append_example(page, "Right", rule.right);
    return page;
}

std::string rule_index_markdown() {
    std::string page =
        "# Rules of `opweld check`\nEvery fault that `opweld check` reports carries one of these ids. Those "
        "of `opweld doctor` "
        "are on\n[a page of their own](doctor.md).\n";
    std::string_view group;
    for (const Rule& rule : kRules) {
        if (rule_group(rule.id) != group) {
            group = rule_group(rule.id);
            page += fmt::format("\n## {}\n| rule | name | severity |\n| --- | --- | --- |\n", group);
        }
        page += fmt::format("| [{0}]({0}.md) | {1} | {2} |\n", rule.id, rule.name, name(rule.severity));
    }
    return page;
}

}  // namespace opweld::spec
