// Errors of kernels with the name of the node that called them.
#pragma once

#include <c10/util/Exception.h>

#include <string_view>

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

}  // namespace opweld::npu::graph
