#include "npu/ge/passes/passes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace opweld::npu::graph {
namespace {

constexpr std::array kPasses{
    Pass{.name = "fold-constants",
         .purpose = "computes what depends on constants only",
         .run = fold_constants},
    Pass{.name = "merge-casts", .purpose = "takes casts away that change nothing", .run = merge_casts},
    Pass{.name = "round-filter-gradients",
         .purpose = "computes gradients of filters in bfloat16 where they are cast to it",
         .run = round_filter_gradients},
    Pass{.name = "merge-transposes",
         .purpose = "takes transposes away that undo each other",
         .run = merge_transposes},
    Pass{.name = "remove-neutral-operations",
         .purpose = "takes products with 1 away",
         .run = remove_neutral_operations},
    Pass{.name = "remove-copies",
         .purpose = "takes copies away of what nobody writes into",
         .run = remove_copies},
    Pass{.name = "merge-common-subexpressions",
         .purpose = "computes once what is computed twice",
         .run = merge_common_subexpressions},
    Pass{.name = "remove-dead-nodes",
         .purpose = "takes nodes away that no output depends on",
         .run = remove_dead_nodes},
};

constexpr std::array<std::string_view, 3> kPlanSteps{"fuse-chains", "fuse-epilogues", "reuse-inputs"};

bool exists(std::string_view name) {
    return std::ranges::find(kPasses, name, &Pass::name) != kPasses.end() ||
           std::ranges::find(kPlanSteps, name) != kPlanSteps.end();
}

}  // namespace

std::span<const Pass> all_passes() noexcept { return kPasses; }

PassSwitches::PassSwitches(std::string_view text) {
    if (text == "none") {
        none_ = true;
        return;
    }
    while (!text.empty()) {
        const size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
        if (!item.starts_with('-') || !exists(item.substr(1))) {
            std::vector<std::string_view> names(kPlanSteps.begin(), kPlanSteps.end());
            for (const Pass& pass : kPasses) {
                names.push_back(pass.name);
            }
            throw GraphError(
                fmt::format("OPWELD_GRAPH_PASSES: '{}' is no pass to switch off; write 'none', or a list "
                            "of '-name' with the names {}",
                            item, fmt::join(names, ", ")));
        }
        off_.emplace_back(item.substr(1));
    }
}

PassSwitches PassSwitches::from_environment() {
    const char* text = std::getenv("OPWELD_GRAPH_PASSES");
    return PassSwitches(text == nullptr ? "" : text);
}

bool PassSwitches::on(std::string_view name) const {
    return !none_ && std::ranges::find(off_, name) == off_.end();
}

void run_passes(Program& program, const PassSwitches& switches, const AfterPass& after) {
    for (const Pass& pass : kPasses) {
        if (!switches.on(pass.name)) {
            continue;
        }
        const size_t changes = pass.run(program);
        if (after) {
            after(pass, changes, program);
        }
    }
}

}  // namespace opweld::npu::graph
