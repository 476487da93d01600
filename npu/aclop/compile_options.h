// The options of the operator compiler. The software NPU compiles nothing; it keeps what it is told, because
// programs ask for it again and torch_npu chooses its path by JIT_COMPILE.
#pragma once

#include <string>

namespace opweld::npu::aclop {

constexpr int kJitCompile = 10;
constexpr int kCompileOptionCount = 17;  // options 0 ... 16

// The value of an option; what was not set is empty, but JIT_COMPILE is "disable". Throws AclException for an
// option that does not exist. Both are safe from any thread.
std::string compile_option(int option);
void set_compile_option(int option, std::string value);

}  // namespace opweld::npu::aclop
