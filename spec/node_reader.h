// Typed access to the tree of a spec. Everything that is not as its key's table says is reported and then
// left out, so that reading goes on.
#ifndef OPWELD_SPEC_NODE_READER_H
#define OPWELD_SPEC_NODE_READER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/diagnostics.h"
#include "spec/keys.h"
#include "spec/model.h"
#include "spec/yaml_tree.h"

namespace opweld::spec {

class NodeReader {
  public:
    explicit NodeReader(Diagnostics& out) : out_(out) {}

    Diagnostics& out() { return out_; }

    // The tree below `node`, a mapping or a list of mappings, with each misspelt key that was reported
    // replaced by the one that was meant, so that nothing else is missed on its account.
    NodePtr with_right_keys(const NodePtr& node, const KeyTable& table);

    // Whether the node is a mapping; reports unknown and missing keys. `where` is the place for missing keys.
    bool check_map(const Node& node, const KeyTable& table, Position where);

    // The values of a mapping's keys; nothing if the key is absent or its value is of another form.
    std::optional<Located<std::string>> text(const Node& map, const KeyTable& table, std::string_view key);
    std::optional<Located<std::string>> word(const Node& map, const KeyTable& table, std::string_view key);
    std::optional<Located<bool>> flag(const Node& map, const KeyTable& table, std::string_view key);
    // The node of a key whose value is a list or a mapping; `Null` counts as absent after it was reported.
    NodePtr sequence(const Node& map, const KeyTable& table, std::string_view key);
    NodePtr mapping(const Node& map, const KeyTable& table, std::string_view key);
    // A scalar that holds an expression or a formula.
    std::optional<Expression> expression(const Node& map, const KeyTable& table, std::string_view key);
    // The items of a list of names.
    std::vector<Located<std::string>> names(const Node& map, const KeyTable& table, std::string_view key);

    std::optional<std::int64_t> integer(const Node& node);
    // Reports OW106 for a node of the wrong kind under `key`.
    void wrong_kind(const Node& node, std::string_view key, std::string_view expected, std::string hint = {});

  private:
    const Node* value(const Node& map, std::string_view key);
    void report_unknown_key(const MapEntry& entry, const KeyTable& table, const std::string& meant);

    Diagnostics& out_;
};

}  // namespace opweld::spec

#endif
