#include "library.h"

#include <dlfcn.h>

#include <mutex>
#include <stdexcept>

extern "C" {
int aclInit(const char*);
int aclrtSetDevice(int32_t);
int aclrtMalloc(void**, size_t, int);
int aclrtFree(void*);
int aclrtMemcpy(void*, size_t, const void*, size_t, int);
int aclrtSynchronizeStream(void*);
const char* aclGetRecentErrMsg();
}

namespace opweld::npu::aclnn::test {
namespace {

constexpr int kToDevice = 1;
constexpr int kToHost = 2;

void check(int code, const char* what) {
    if (code != 0) {
        throw std::runtime_error(std::string(what) + " failed: " + std::to_string(code) + " " + message());
    }
}

void* library() {
    static void* handle = dlopen(OPWELD_OPAPI, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) {
        throw std::runtime_error(dlerror());
    }
    return handle;
}

void ready() {
    static std::once_flag once;
    std::call_once(once, [] { check(aclInit(nullptr), "aclInit"); });
    check(aclrtSetDevice(0), "aclrtSetDevice");
}

std::shared_ptr<void> allocate(size_t bytes) {
    ready();
    void* memory = nullptr;
    check(aclrtMalloc(&memory, bytes == 0 ? 1 : bytes, 0), "aclrtMalloc");
    return {memory, aclrtFree};
}

}  // namespace

void* symbol(const char* name) {
    void* found = dlsym(library(), name);
    if (found == nullptr) {
        throw std::runtime_error(std::string("not exported: ") + name);
    }
    return found;
}

bool has_symbol(const char* name) { return dlsym(library(), name) != nullptr; }

std::string message() {
    const char* text = aclGetRecentErrMsg();
    return text == nullptr ? "" : text;
}

template <class T>
Device<T>::Device(const std::vector<T>& values)
    : count_(values.size()), memory_(allocate(count_ * sizeof(T))) {
    check(aclrtMemcpy(memory_.get(), count_ * sizeof(T), values.data(), count_ * sizeof(T), kToDevice),
          "aclrtMemcpy");
}

template <class T>
std::vector<T> Device<T>::read() const {
    std::vector<T> values(count_);
    check(aclrtMemcpy(values.data(), count_ * sizeof(T), memory_.get(), count_ * sizeof(T), kToHost),
          "aclrtMemcpy");
    return values;
}

template class Device<float>;
template class Device<uint8_t>;

int synchronize() { return aclrtSynchronizeStream(nullptr); }

void DestroyTensor::operator()(aclTensor* tensor) const { call<int>("aclDestroyTensor", tensor); }
void DestroyScalar::operator()(aclScalar* scalar) const { call<int>("aclDestroyScalar", scalar); }

Tensor tensor(void* data, const std::vector<int64_t>& shape, int32_t dtype,
              const std::vector<int64_t>& strides, int64_t offset) {
    const int64_t elements = 1 << 10;
    const int32_t kNd = 2;
    return Tensor(call<aclTensor*>("aclCreateTensor", shape.data(), static_cast<uint64_t>(shape.size()),
                                   dtype, strides.empty() ? nullptr : strides.data(), offset, kNd, &elements,
                                   uint64_t{1}, data));
}

Scalar scalar(double value) {
    return Scalar(call<aclScalar*>("aclCreateScalar", static_cast<void*>(&value), int32_t{OPWELD_FLOAT64}));
}

}  // namespace opweld::npu::aclnn::test
