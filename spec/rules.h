// The rules that specs are checked against: one table, from which reports, documentation and SARIF are made.
// An id never changes its meaning and is never used again.
#ifndef OPWELD_SPEC_RULES_H
#define OPWELD_SPEC_RULES_H

#include <span>
#include <string>
#include <string_view>

#include "spec/diagnostics.h"

namespace opweld::spec {

struct Rule {
    std::string_view id;    // "OW101"
    std::string_view name;  // "yaml-syntax"
    Severity severity;      // unless a check says otherwise (OW304 and OW305 are errors for generation)
    std::string_view explanation;  // what the rule demands and why
    std::string_view cause;        // what usually leads to the fault
    std::string_view fix;          // what to do
    std::string_view wrong;        // a piece of a spec that breaks it; may be empty
    std::string_view right;        // the same, mended; may be empty
};

// In the order of the ids.
std::span<const Rule> rules();

// Null if there is no such rule.
const Rule* find_rule(std::string_view id);

// "YAML and structure" ...: the group that an id belongs to.
std::string_view rule_group(std::string_view id);

// The rule's page in docs/rules, and the page that lists them all.
std::string rule_markdown(const Rule& rule);
std::string rule_index_markdown();

}  // namespace opweld::spec

#endif
