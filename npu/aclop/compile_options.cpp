#include "npu/aclop/compile_options.h"

#include <array>
#include <cstring>
#include <mutex>
#include <utility>

#include "npu/aclop/acl_op.h"
#include "npu/aclop/boundary.h"

namespace opweld::npu::aclop {
namespace {

struct Options {
    std::mutex mutex;
    std::array<std::string, kCompileOptionCount> values;

    Options() { values[kJitCompile] = "disable"; }

    std::string& at(int option) {
        if (option < 0 || option >= kCompileOptionCount) {
            raise(kInvalidParam, "compile option {} does not exist; they are 0 to {}", option,
                  kCompileOptionCount - 1);
        }
        return values[static_cast<size_t>(option)];
    }
};

Options& options() {
    static Options all;
    return all;
}

}  // namespace

std::string compile_option(int option) {
    const std::lock_guard lock(options().mutex);
    return options().at(option);
}

void set_compile_option(int option, std::string value) {
    const std::lock_guard lock(options().mutex);
    options().at(option) = std::move(value);
}

}  // namespace opweld::npu::aclop

using opweld::npu::aclop::compile_option;
using opweld::npu::aclop::entry;
using opweld::npu::aclop::kInvalidParam;
using opweld::npu::aclop::raise;
using opweld::npu::aclop::required;
using opweld::npu::aclop::set_compile_option;

extern "C" {

int aclSetCompileopt(int option, const char* value) {
    return entry("aclSetCompileopt", [&] { set_compile_option(option, &required(value, "value")); });
}

size_t aclGetCompileoptSize(int option) {
    size_t size = 0;
    entry("aclGetCompileoptSize", [&] { size = compile_option(option).size() + 1; });
    return size;
}

int aclGetCompileopt(int option, char* value, size_t size) {
    return entry("aclGetCompileopt", [&] {
        const std::string text = compile_option(option);
        char* target = &required(value, "value");
        if (size < text.size() + 1) {
            raise(kInvalidParam, "option {} needs {} bytes, {} were given; ask aclGetCompileoptSize", option,
                  text.size() + 1, size);
        }
        std::memcpy(target, text.c_str(), text.size() + 1);
    });
}
}
