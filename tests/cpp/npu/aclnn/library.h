// libopapi.so as torch_npu uses it: opened by name, every function looked up by name; and device memory for
// tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "opweld/launch.h"

namespace opweld::npu::aclnn::test {

// The address of an exported function; throws std::runtime_error if there is none.
void* symbol(const char* name);
bool has_symbol(const char* name);

// Calls a function by name with exactly these argument types.
template <class R = int, class... A>
R call(const char* name, A... arguments) {
    return reinterpret_cast<R (*)(A...)>(symbol(name))(arguments...);
}

// aclGetRecentErrMsg of this thread.
std::string message();

// Device memory with values of type T, made on device 0.
template <class T>
class Device {
  public:
    explicit Device(const std::vector<T>& values);
    explicit Device(size_t count) : Device(std::vector<T>(count)) {}
    void* data() const { return memory_.get(); }
    std::vector<T> read() const;

  private:
    size_t count_;
    std::shared_ptr<void> memory_;
};

// Waits for the default stream; returns its code.
int synchronize();

struct DestroyTensor {
    void operator()(aclTensor* tensor) const;
};
struct DestroyScalar {
    void operator()(aclScalar* scalar) const;
};
using Tensor = std::unique_ptr<aclTensor, DestroyTensor>;
using Scalar = std::unique_ptr<aclScalar, DestroyScalar>;

// A tensor; without strides it is contiguous.
Tensor tensor(void* data, const std::vector<int64_t>& shape, int32_t dtype = OPWELD_FLOAT32,
              const std::vector<int64_t>& strides = {}, int64_t offset = 0);
Scalar scalar(double value);

}  // namespace opweld::npu::aclnn::test
