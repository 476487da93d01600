#include "npu/ge/session/options.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {
namespace {

struct Refused {
    std::string_view option;
    std::string_view harmless;  // the value that asks for nothing
    std::string_view advice;
};

constexpr std::array kRefused{
    Refused{.option = "ge.exec.enableDump",
            .harmless = "0",
            .advice = "the data of nodes is not dumped; OPWELD_TRACE shows calls, DUMP_GE_GRAPH the graph"},
    Refused{.option = "ge.exec.enableDumpDebug", .harmless = "0", .advice = "overflow is not detected"},
    Refused{.option = "ge.exec.profilingMode", .harmless = "0", .advice = "use OPWELD_TRACE"},
};

}  // namespace

void check_options(const Options& options) {
    for (const Refused& refused : kRefused) {
        const auto found = options.find(refused.option);
        if (found != options.end() && !found->second.empty() && found->second != refused.harmless) {
            throw GraphError(fmt::format("the software NPU does not implement option {}={}: {}",
                                         refused.option, found->second, refused.advice));
        }
    }
}

}  // namespace opweld::npu::graph
