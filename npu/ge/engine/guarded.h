// Errors of kernels with the name of the node that called them.
#pragma once

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "npu/ge/model/reader.h"
#include "npu/ge/operators/call.h"

namespace opweld::npu::graph {

// Runs `action`; whatever it throws becomes a GraphError that names the call's node, unless it does already.
template <class F>
void guarded(const Call& call, F&& action) {
    try {
        action();
    } catch (const ValueUnknown&) {
        throw;
    } catch (const GraphError& error) {
        if (std::string_view(error.what()).starts_with("node '")) {
            throw;
        }
        call.refuse(error.what());
    } catch (const c10::Error& error) {
        call.refuse(error.what_without_backtrace());
    } catch (const std::exception& error) {
        call.refuse(error.what());
    }
}

// The same while the graph runs: what is thrown also says which operator of PyTorch the node stands for.
template <class F>
void guarded_run(const Call& call, F&& action) {
    try {
        guarded(call, std::forward<F>(action));
    } catch (const ValueUnknown&) {
        throw;
    } catch (const GraphError& error) {
        const auto* origin = attribute<std::string>(call.node().attributes, kOrigin);
        throw GraphError(origin == nullptr ? error.what() : fmt::format("{} ({})", error.what(), *origin));
    }
}

}  // namespace opweld::npu::graph
