#include "npu/aclnn/objects/boundary.h"

#include "npu/aclnn/objects/executor.h"

namespace opweld::npu::aclnn {
namespace {

int report(int code, std::string_view function, std::string_view text, LastFailure* last) noexcept {
    try {
        std::string message(function);
        message += ": ";
        message += text;
        if (last != nullptr) {
            last->remember(code, message);
        }
        return fail(code, message);
    } catch (...) {
        return fail(code, text);
    }
}

}  // namespace

int fail_with_current(std::string_view function, LastFailure* last) noexcept {
    try {
        throw;
    } catch (const AclException& error) {
        return report(error.code(), function, error.what(), last);
    } catch (const std::bad_alloc&) {
        return report(kInner, function, "the host is out of memory", last);
    } catch (const std::exception& error) {
        return report(kInner, function, error.what(), last);
    } catch (...) {
        return report(kInner, function, "unknown error", last);
    }
}

}  // namespace opweld::npu::aclnn
