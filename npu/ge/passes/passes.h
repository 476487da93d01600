// Changes of a program that leave its results alone. Each can be switched off by its name.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npu/ge/engine/program.h"

namespace opweld::npu::graph {

struct Pass {
    std::string_view name;
    std::string_view purpose;
    // Returns how many nodes it changed or removed.
    size_t (*run)(Program& program);
};

// Nodes whose inputs are constants become constants.
size_t fold_constants(Program& program);
// Of nodes that compute the same from the same, one stays.
size_t merge_common_subexpressions(Program& program);
// Transposes of transposes become one, or none.
size_t merge_transposes(Program& program);
// Casts to a wider floating-point type and back go; casts of casts become one where nothing is rounded
// between.
size_t merge_casts(Program& program);
// Gradients of filters that are only read through casts to bfloat16, the dtype of their inputs, are computed
// in it: each sum is rounded once, as by the cast.
size_t round_filter_gradients(Program& program);
// Products with the number 1 and quotients by it go. Of integers a quotient has another dtype, so it stays.
size_t remove_neutral_operations(Program& program);
// Copies of what nobody writes into go.
size_t remove_copies(Program& program);
// Nodes that no output depends on go.
size_t remove_dead_nodes(Program& program);

// All, in the order in which they run.
std::span<const Pass> all_passes() noexcept;

// What OPWELD_GRAPH_PASSES says: "" (all), "none", or names to leave out, "-fold-constants,-merge-casts";
// names of plan steps ("-fuse-chains", "-fuse-epilogues", "-reuse-inputs") belong here, too. Throws
// GraphError for a name that does not exist.
class PassSwitches {
  public:
    PassSwitches() = default;
    explicit PassSwitches(std::string_view text);
    static PassSwitches from_environment();
    bool on(std::string_view name) const;

  private:
    bool none_ = false;
    std::vector<std::string> off_;
};

// Runs the passes that are switched on. `after`, if given, sees the program after each with the number of
// changes.
using AfterPass = std::function<void(const Pass& pass, size_t changes, const Program& program)>;
void run_passes(Program& program, const PassSwitches& switches, const AfterPass& after = {});

}  // namespace opweld::npu::graph
