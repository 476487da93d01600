#include "spec/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "spec/yaml_hints.h"
#include "spec/yaml_source.h"

namespace opweld::spec {
namespace {

Position position(const YAML::Mark& mark) {
    return {static_cast<std::size_t>(std::max(mark.line, 0)) + 1,
            static_cast<std::size_t>(std::max(mark.column, 0)) + 1};
}

// Thrown to leave yaml-cpp's parser once a limit is reached; the report has been made.
struct Stop {};

class Builder : public YAML::EventHandler {
  public:
    Builder(std::string_view source, Diagnostics& out) : source_(source), out_(out) {
        line_starts_.push_back(0);
        for (std::size_t at = source.find('\n'); at != std::string_view::npos;
             at = source.find('\n', at + 1)) {
            line_starts_.push_back(at + 1);
        }
    }

    void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        auto node = std::make_shared<Node>();
        // A value that is missing is reported where its key stands.
        node->at = !open_.empty() && open_.back().key ? open_.back().key_at : position(mark);
        add(std::move(node), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            out_.report("OW109", {position(mark), 1}, "an alias inside the value that it repeats",
                        "an alias of a value that is complete");
            auto node = std::make_shared<Node>();
            node->at = position(mark);
            add(std::move(node), 0);
            return;
        }
        add(found->second, 0);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        auto node = std::make_shared<Node>();
        node->kind = Node::Kind::Scalar;
        node->at = position(mark);
        node->text = value;
        node->quoted = tag == "!";
        if (!node->quoted) {
            check_tag(tag, node->at);
        }
        node->offsets = scalar_offsets(from(node->at), node->at, value);
        add(std::move(node), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) override {
        open(Node::Kind::Sequence, mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /*style*/) override {
        open(Node::Kind::Map, mark, tag, anchor);
    }
    void OnMapEnd() override { close(); }

    // After a syntax error: closes what is open, so that what was complete can be checked. `drop_last`: the
    // last item of the list of operators ended at the error, perhaps too early.
    void abandon(bool drop_last) {
        if (drop_last && open_.size() == 2 && !open_.back().node->items.empty()) {
            open_.back().node->items.pop_back();
        }
        while (!open_.empty()) {
            // A half-read value would be reported for what it lacks; the containers around it are kept.
            const bool container = open_.size() <= 2;
            if (container) {
                close();
            } else {
                open_.pop_back();
            }
        }
    }

    // Keys that are no texts. After a syntax error they are its consequences, and not reported.
    void report_keys() {
        for (const auto& [at, what] : bad_keys_) {
            out_.report("OW106", {at, 1}, "a key is " + what, "a text as the key");
        }
    }

    NodePtr root;

  private:
    struct Frame {
        std::shared_ptr<Node> node;
        YAML::anchor_t anchor = 0;
        std::optional<std::string> key;  // Map: the key whose value is awaited
        Position key_at;
        bool ignored_key = false;
        std::map<std::string, Position, std::less<>> seen;
    };

    std::string_view from(Position at) const {
        if (at.line > line_starts_.size()) {
            return {};
        }
        return source_.substr(std::min(line_starts_[at.line - 1] + at.column - 1, source_.size()));
    }

    void report_key(const Node& node) { bad_keys_.emplace_back(node.at, std::string(node.kind_name())); }

    void check_tag(const std::string& tag, Position at) {
        if (!tag.empty() && tag != "?" && tag != "!" && !tag.starts_with("tag:yaml.org,2002:")) {
            out_.report("OW114", {at, 1}, fmt::format("the tag '{}' means nothing here", tag),
                        "a value without a tag", "if it is part of a text, put the text in quotes");
        }
    }

    void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        if (open_.size() >= kMaxDepth) {
            out_.report("OW112", {position(mark), 1},
                        fmt::format("more than {} levels of nesting", kMaxDepth), "a flatter structure");
            throw Stop{};
        }
        auto node = std::make_shared<Node>();
        node->kind = kind;
        node->at = position(mark);
        check_tag(tag, node->at);
        if (!open_.empty() && open_.back().node->kind == Node::Kind::Map && !open_.back().key) {
            report_key(*node);
            open_.back().key = "";
            open_.back().key_at = node->at;
            open_.back().ignored_key = true;
            key_frames_.insert(open_.size());
        }
        open_.push_back(Frame{std::move(node), anchor, std::nullopt, {}, false, {}});
    }

    void close() {
        Frame frame = std::move(open_.back());
        open_.pop_back();
        if (key_frames_.erase(open_.size()) != 0) {
            return;  // was the key of the frame below, whose value comes now
        }
        add(std::move(frame.node), frame.anchor);
    }

    void add(std::shared_ptr<const Node> node, YAML::anchor_t anchor) {
        if (anchor != 0) {
            anchors_[anchor] = node;
        }
        if (open_.empty()) {
            root = std::move(node);
            return;
        }
        Frame& frame = open_.back();
        if (frame.node->kind == Node::Kind::Sequence) {
            count(frame, *node);
            frame.node->items.push_back(std::move(node));
            return;
        }
        if (!frame.key) {
            take_key(frame, *node);
            return;
        }
        count(frame, *node);
        if (!frame.ignored_key) {
            frame.node->entries.push_back({std::move(*frame.key), frame.key_at, std::move(node)});
        }
        frame.key.reset();
        frame.ignored_key = false;
    }

    void take_key(Frame& frame, const Node& node) {
        frame.key = node.text;
        frame.key_at = node.at;
        if (!node.is_scalar()) {
            report_key(node);
            frame.ignored_key = true;
            return;
        }
        if (node.text == "<<" && !node.quoted) {
            out_.report("OW109", node.span(), "merge keys are not supported", "the keys themselves",
                        "write the keys out; for operators that are nearly the same use prototype_of");
            frame.ignored_key = true;
            return;
        }
        const auto [first, fresh] = frame.seen.emplace(node.text, node.at);
        if (!fresh) {
            out_.report("OW103", node.span(), fmt::format("the key '{}' is there twice", node.text),
                        fmt::format("each key once; the first is in line {}", first->second.line));
            frame.ignored_key = true;
        }
    }

    void count(Frame& frame, const Node& node) {
        frame.node->weight += node.weight;
        if (frame.node->weight > kMaxWeight) {
            out_.report("OW109", {frame.node->at, 1},
                        fmt::format("aliases repeat values more than {} times", kMaxWeight),
                        "values written out");
            throw Stop{};
        }
    }

    std::string_view source_;
    Diagnostics& out_;
    std::vector<std::size_t> line_starts_;
    std::vector<Frame> open_;
    std::set<std::size_t> key_frames_;  // depths whose frame is a key, not a value
    std::map<YAML::anchor_t, NodePtr> anchors_;
    std::vector<std::pair<Position, std::string>> bad_keys_;
};

// What yaml-cpp's commonest messages mean.
struct SyntaxText {
    std::string_view theirs;
    std::string_view ours;
    std::string_view hint;
};
constexpr std::array kSyntaxTexts = {
    SyntaxText{"end of sequence flow not found", "a '[' is not closed",
               "add the ']', or put the text in double quotes"},
    SyntaxText{"end of map flow not found", "a '{' is not closed",
               "add the '}', or put the text in double quotes"},
    SyntaxText{"end of sequence not found", "this line doesn't fit the list above it",
               "indent it like the other lines of its block"},
    SyntaxText{"end of map not found", "this line doesn't fit the mapping above it",
               "indent it like the other lines of its block; a text with ': ' needs quotes"},
    SyntaxText{"illegal map value", "a ':' where no key can be", "put a text with ': ' in double quotes"},
};

void report_syntax(const YAML::Exception& fault, std::string_view source, std::string_view rule,
                   Diagnostics& out) {
    const Position at = fault.mark.is_null() ? Position{} : position(fault.mark);
    if (out.reported_in_line("OW105", at.line)) {
        return;  // a consequence of the tab
    }
    if (const std::optional<SyntaxCause> cause = syntax_cause(source, at)) {
        out.report(rule, cause->span, cause->message, "well-formed YAML", cause->hint);
        return;
    }
    for (const SyntaxText& text : kSyntaxTexts) {
        if (text.theirs == fault.msg) {
            out.report(rule, {at, 1}, std::string(text.ours), "well-formed YAML", std::string(text.hint));
            return;
        }
    }
    out.report(rule, {at, 1}, fault.msg.empty() ? "not well-formed YAML" : fault.msg, "well-formed YAML");
}

Tree build(std::string_view text, Diagnostics& out) {
    Tree tree;
    Builder builder(text, out);
    std::istringstream stream{std::string(text)};
    try {
        YAML::Parser parser(stream);
        if (!parser.HandleNextDocument(builder)) {
            return tree;
        }
        builder.report_keys();
        Diagnostics ignored(out.file(), {});
        Builder rest({}, ignored);
        if (parser.HandleNextDocument(rest)) {
            const Position at = rest.root ? rest.root->at : Position{};
            out.report("OW104", {at, 1}, "a second document begins before this line",
                       "one document in the file",
                       "remove the line '---' and put all operators under one 'ops'");
        }
    } catch (const YAML::Exception& fault) {
        report_syntax(fault, text, "OW101", out);
        builder.abandon(fault.msg == "end of sequence not found");
        tree.complete = false;
    } catch (const Stop&) {
        builder.abandon(false);
        tree.complete = false;
    }
    tree.root = std::move(builder.root);
    return tree;
}

}  // namespace

const MapEntry* Node::find(std::string_view key) const {
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const MapEntry& entry) { return entry.key == key; });
    return found == entries.end() ? nullptr : &*found;
}

Position Node::position_of(std::size_t offset) const {
    if (offsets.empty()) {
        return {at.line, at.column + std::min(offset, text.size())};
    }
    return offsets[std::min(offset, offsets.size() - 1)];
}

Span Node::span() const {
    if (kind != Kind::Scalar || text.empty()) {
        return {at, 1};
    }
    if (!offsets.empty()) {
        const Position end = offsets.back();
        return {at, end.line == at.line && end.column > at.column ? end.column - at.column + (quoted ? 1 : 0)
                                                                  : 1};
    }
    return {at, text.size()};
}

std::string_view Node::kind_name() const {
    switch (kind) {
        case Kind::Null:
            return "nothing";
        case Kind::Scalar:
            return "a single value";
        case Kind::Sequence:
            return "a list";
        case Kind::Map:
            return "a mapping";
    }
    return "nothing";
}

Tree read_yaml(std::string_view text, Diagnostics& out) {
    if (!check_text(text, out)) {
        return {nullptr, false};
    }
    Tree tree = build(text, out);
    if (tree.complete && (!tree.root || tree.root->is_null())) {
        out.report("OW111", {}, "the file is empty", "the keys version, package and ops");
        tree.root = nullptr;
    }
    return tree;
}

Tree read_json(std::string_view text, Diagnostics& out) {
    if (text.size() > kMaxFileBytes) {
        check_text(text, out);
        return {nullptr, false};
    }
    try {
        [[maybe_unused]] const nlohmann::json parsed = nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& fault) {
        const std::size_t offset = fault.byte == 0 ? 0 : std::min(fault.byte - 1, text.size());
        const std::string_view read = text.substr(0, offset);
        const std::size_t last = read.rfind('\n');
        const std::size_t column = last == std::string_view::npos ? offset + 1 : offset - last;
        const auto line = static_cast<std::size_t>(std::count(read.begin(), read.end(), '\n')) + 1;
        std::string message = fault.what();
        const std::size_t cut = message.rfind("; expected");
        const std::size_t start = message.find("syntax error");
        message = start == std::string::npos ? "not well-formed JSON" : message.substr(start, cut - start);
        out.report("OW501", {{line, column}, 1}, message, "JSON");
        return {nullptr, false};
    }
    // JSON is YAML but for tabs between the tokens (none can be inside a string).
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '\t', ' ');
    return build(spaced, out);
}

}  // namespace opweld::spec
