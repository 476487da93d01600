// Tells the runtime which operators run, where something asks for them. torch calls back at the beginning and
// at the end of each operator and of each step of a backward pass.
#include <ATen/record_function.h>

#include <exception>
#include <string_view>

#include "npu/runtime/operators.h"

namespace opweld::npu::aclnn {
namespace {

// Each step of a backward pass is told twice; the engine's frame around it tells nothing.
bool is_told(const at::RecordFunction& function) {
    return !std::string_view(function.name()).starts_with("autograd::engine::");
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    if (is_told(function)) {
        enter_operator(function.name());
    }
    return nullptr;
}

// There is no exception to look at while one unwinds, only their number.
void end(const at::RecordFunction& function, at::ObserverContext*) {
    if (is_told(function)) {
        leave_operator(std::uncaught_exceptions() > 0);
    }
}

struct Watch {
    Watch() {
        if (operators_are_watched()) {
            at::addGlobalCallback(
                at::RecordFunctionCallback(begin, end)
                    .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
        }
    }
};

const Watch watch;

}  // namespace
}  // namespace opweld::npu::aclnn
