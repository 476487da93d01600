// YAML text as a tree that keeps what yaml-cpp's own nodes lose: where everything stands, duplicate keys,
// quoting, and that a file has several documents. Built from yaml-cpp's events.
#ifndef OPWELD_SPEC_YAML_TREE_H
#define OPWELD_SPEC_YAML_TREE_H

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spec/diagnostics.h"
#include "spec/position.h"

namespace opweld::spec {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct MapEntry {
    std::string key;
    Position at;  // of the key
    NodePtr value;
};

// Immutable once it was read. Aliases share the node of their anchor.
struct Node {
    enum class Kind { Null, Scalar, Sequence, Map };

    Kind kind = Kind::Null;
    Position at;
    std::string text;     // Scalar
    bool quoted = false;  // Scalar in quotes or as a block: always a text, never a number
    // The text as it stands in the file, from `at` on, spans more than one line or has escapes: `offsets[k]`
    // is then where byte k of `text` stands. Empty where simply column + k.
    std::vector<Position> offsets;
    std::vector<NodePtr> items;     // Sequence
    std::vector<MapEntry> entries;  // Map, in order, each key once
    std::size_t weight = 1;  // number of nodes below and with this one, repeated ones counted each time

    [[nodiscard]] const MapEntry* find(std::string_view key) const;
    [[nodiscard]] bool is_map() const { return kind == Kind::Map; }
    [[nodiscard]] bool is_sequence() const { return kind == Kind::Sequence; }
    [[nodiscard]] bool is_scalar() const { return kind == Kind::Scalar; }
    [[nodiscard]] bool is_null() const { return kind == Kind::Null; }
    // Where byte `offset` of a scalar's text stands in the file.
    [[nodiscard]] Position position_of(std::size_t offset) const;
    // The place to underline: the scalar's text on its first line, one column for everything else.
    [[nodiscard]] Span span() const;
    // "a mapping", "a list", "a text", "nothing": for messages.
    [[nodiscard]] std::string_view kind_name() const;
};

struct Tree {
    NodePtr root;          // null if there is nothing to check
    bool complete = true;  // false: reading stopped at a syntax error; what comes after is missing
};

// Reads one document; reports OW101, OW103, OW104, OW105, OW106 (keys), OW109, OW110, OW111, OW112, OW114.
// Never throws on bad text. After a syntax error the tree holds what was complete before it.
Tree read_yaml(std::string_view text, Diagnostics& out);

// Reads JSON as the same tree; reports OW501.
Tree read_json(std::string_view text, Diagnostics& out);

// Limits of a file.
inline constexpr std::size_t kMaxFileBytes = std::size_t{8} << 20U;
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxWeight = 1'000'000;

}  // namespace opweld::spec

#endif
