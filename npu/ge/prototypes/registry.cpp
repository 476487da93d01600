#include "npu/ge/prototypes/registry.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "npu/ge/prototypes/parse.h"
#include "npu/ge/prototypes/standard.h"

namespace opweld::npu::prototypes {

namespace {

using Prototypes = std::map<std::string, std::unique_ptr<Prototype>, std::less<>>;

struct Registry {
    std::mutex mutex;
    Prototypes registered;
    Prototypes standard;  // those that somebody asked for
};

// Never destroyed: libraries register and ask until the process ends.
Registry& registry() {
    static auto* const instance = new Registry;
    return *instance;
}

std::span<const standard::TypeRow> rows() { return {standard::kTypes, standard::kTypeCount}; }

Port make_port(const standard::PortRow& row) {
    return {row.name, row.kind, parse_port_types(row.dtypes).dtypes, row.symbol};
}

Attribute make_attribute(const standard::AttributeRow& row) {
    return {row.name, row.type, row.required ? AttributeValue() : parse_value(row.type, row.value),
            row.required};
}

Prototype make(const standard::TypeRow& row) {
    Prototype prototype;
    prototype.type = row.type;
    std::transform(standard::kPorts + row.first_input, standard::kPorts + row.first_output,
                   std::back_inserter(prototype.inputs), make_port);
    std::transform(standard::kPorts + row.first_output, standard::kPorts + row.last_output,
                   std::back_inserter(prototype.outputs), make_port);
    std::transform(standard::kAttributes + row.first_attribute, standard::kAttributes + row.last_attribute,
                   std::back_inserter(prototype.attributes), make_attribute);
    return prototype;
}

const Prototype* find_in(const Prototypes& prototypes, std::string_view type) {
    const auto found = prototypes.find(type);
    return found == prototypes.end() ? nullptr : found->second.get();
}

const Prototype* find_standard_locked(Registry& all, std::string_view type) {
    if (const Prototype* known = find_in(all.standard, type)) {
        return known;
    }
    const auto row = std::ranges::lower_bound(
        rows(), type, {}, [](const auto& candidate) { return std::string_view(candidate.type); });
    if (row == rows().end() || row->type != type) {
        return nullptr;
    }
    return all.standard.emplace(type, std::make_unique<Prototype>(make(*row))).first->second.get();
}

}  // namespace

const Prototype* find(std::string_view type) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const Prototype* registered = find_in(all.registered, type);
    return registered != nullptr ? registered : find_standard_locked(all, type);
}

const Prototype* find_standard(std::string_view type) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    return find_standard_locked(all, type);
}

const Prototype* add(Prototype prototype) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto [place, added] = all.registered.try_emplace(prototype.type);
    if (!added) {
        return place->second.get();
    }
    place->second = std::make_unique<Prototype>(std::move(prototype));
    return nullptr;
}

std::vector<std::string_view> types() {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    std::vector<std::string_view> result;
    for (const standard::TypeRow& row : rows()) {
        result.emplace_back(row.type);
    }
    for (const auto& [type, prototype] : all.registered) {
        result.emplace_back(type);
    }
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

}  // namespace opweld::npu::prototypes
