#include "npu/ge/vendor/aclnn_call.h"

#include <dlfcn.h>
#include <ffi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>

#include "npu/ge/operators/call.h"
#include "npu/runtime/direct.h"

extern "C" {
struct aclTensor;
struct aclTensorList;
struct aclScalar;
struct aclIntArray;
struct aclFloatArray;
struct aclBoolArray;
aclTensor* aclCreateTensor(const int64_t* sizes, uint64_t dims, int dtype, const int64_t* strides,
                           int64_t offset, int format, const int64_t* storage_sizes, uint64_t storage_dims,
                           void* data);
aclTensorList* aclCreateTensorList(const aclTensor* const* tensors, uint64_t count);
aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t count);
aclFloatArray* aclCreateFloatArray(const float* values, uint64_t count);
aclBoolArray* aclCreateBoolArray(const bool* values, uint64_t count);
aclScalar* aclCreateScalar(void* value, int dtype);
int aclDestroyScalar(const aclScalar* scalar);
int aclDestroyTensor(const aclTensor* tensor);
int aclDestroyTensorList(const aclTensorList* list);
int aclDestroyIntArray(const aclIntArray* array);
int aclDestroyFloatArray(const aclFloatArray* array);
int aclDestroyBoolArray(const aclBoolArray* array);
const char* aclGetRecentErrMsg();
}

namespace opweld::npu::graph {
namespace {

constexpr int kFormatNd = 2;

// C values of a call, with all they point to; objects end with it.
class Values {
  public:
    Values() = default;
    Values(const Values&) = delete;
    Values& operator=(const Values&) = delete;
    ~Values() {
        for (auto& end : ends_) {
            end();
        }
    }

    void add(const AclnnArgument& argument) {
        std::visit([this](const auto& value) { add_value(value); }, argument);
    }
    void add_pointer(void* pointer) { push(&ffi_type_pointer, pointers_.emplace_back(pointer)); }

    int call(void* function) {
        ffi_cif interface;
        if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()), &ffi_type_sint32,
                         types_.data()) != FFI_OK) {
            throw GraphError("the function's arguments cannot be passed");
        }
        ffi_arg result = 0;
        ffi_call(&interface, FFI_FN(function), &result, values_.data());
        return static_cast<int>(result);
    }

  private:
    template <class T>
    void push(ffi_type& type, T& value) {
        types_.push_back(&type);
        values_.push_back(&value);
    }
    template <class T>
    void push(ffi_type* type, T& value) {
        push(*type, value);
    }

    aclTensor* make_tensor(const at::Tensor& tensor) {
        const int64_t storage = static_cast<int64_t>(tensor.storage().nbytes() / tensor.itemsize());
        auto* first = static_cast<char*>(tensor.storage().mutable_data());
        aclTensor* made = aclCreateTensor(tensor.sizes().data(), tensor.sizes().size(),
                                          dtype_number(tensor.scalar_type()).number, tensor.strides().data(),
                                          tensor.storage_offset(), kFormatNd, &storage, 1, first);
        if (made == nullptr) {
            throw GraphError(aclGetRecentErrMsg());
        }
        return made;
    }

    void add_value(const std::optional<at::Tensor>& tensor) {
        aclTensor* made = nullptr;
        if (tensor) {
            made = make_tensor(*tensor);
            ends_.emplace_back([made] { aclDestroyTensor(made); });
        }
        add_pointer(made);
    }
    void add_value(const std::vector<at::Tensor>& tensors) {
        std::vector<aclTensor*> made;
        for (const at::Tensor& tensor : tensors) {
            made.push_back(make_tensor(tensor));
        }
        aclTensorList* list = aclCreateTensorList(made.data(), made.size());
        ends_.emplace_back([list] { aclDestroyTensorList(list); });
        add_pointer(list);
    }
    void add_value(const at::Scalar& value) {
        double real = value.toDouble();
        int64_t integer = value.isFloatingPoint() ? 0 : value.toLong();
        bool flag = value.isBoolean() && value.toBool();
        void* held = value.isBoolean()         ? static_cast<void*>(&flag)
                     : value.isFloatingPoint() ? static_cast<void*>(&real)
                                               : static_cast<void*>(&integer);
        aclScalar* scalar = aclCreateScalar(held, dtype_number(value.type()).number);
        ends_.emplace_back([scalar] { aclDestroyScalar(scalar); });
        add_pointer(scalar);
    }
    void add_value(int64_t value) { push(ffi_type_sint64, integers_.emplace_back(value)); }
    void add_value(int32_t value) { push(ffi_type_sint32, numbers_.emplace_back(value)); }
    void add_value(double value) { push(ffi_type_double, reals_.emplace_back(value)); }
    void add_value(bool value) { push(ffi_type_uint8, flags_.emplace_back(value ? 1 : 0)); }
    void add_value(const std::string& value) { add_pointer(texts_.emplace_back(value).data()); }
    void add_value(const std::vector<int64_t>& values) {
        aclIntArray* array = aclCreateIntArray(values.data(), values.size());
        ends_.emplace_back([array] { aclDestroyIntArray(array); });
        add_pointer(array);
    }
    void add_value(const std::vector<float>& values) {
        aclFloatArray* array = aclCreateFloatArray(values.data(), values.size());
        ends_.emplace_back([array] { aclDestroyFloatArray(array); });
        add_pointer(array);
    }
    void add_value(const std::vector<bool>& values) {
        const auto plain = std::make_unique<bool[]>(values.size() + 1);
        std::ranges::copy(values, plain.get());
        aclBoolArray* array = aclCreateBoolArray(plain.get(), values.size());
        ends_.emplace_back([array] { aclDestroyBoolArray(array); });
        add_pointer(array);
    }

    std::vector<ffi_type*> types_;
    std::vector<void*> values_;
    std::deque<void*> pointers_;
    std::deque<int64_t> integers_;
    std::deque<int32_t> numbers_;
    std::deque<double> reals_;
    std::deque<uint8_t> flags_;
    std::deque<std::string> texts_;
    std::vector<std::function<void()>> ends_;
};

void check(const AclnnFunction& function, const char* phase, int code) {
    if (code != 0) {
        const char* text = aclGetRecentErrMsg();
        throw GraphError(
            fmt::format("{}{} failed with {}: {}", function.name, phase, code, text == nullptr ? "" : text));
    }
}

}  // namespace

AclnnFunction find_vendor_function(const std::string& name, std::vector<std::string>& searched) {
    const char* paths = std::getenv("ASCEND_CUSTOM_OPP_PATH");
    std::string_view rest = paths == nullptr ? "" : paths;
    while (!rest.empty()) {
        const size_t colon = rest.find(':');
        const std::filesystem::path folder(rest.substr(0, colon));
        rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
        const std::filesystem::path library = folder / "op_api" / "lib" / "libcust_opapi.so";
        if (folder.empty() || !std::filesystem::exists(library)) {
            continue;
        }
        searched.push_back(library.string());
        void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
        if (handle == nullptr) {
            searched.back() += fmt::format(" (cannot be loaded: {})", dlerror());
            continue;
        }
        AclnnFunction found{.name = name,
                            .first = dlsym(handle, (name + "GetWorkspaceSize").c_str()),
                            .second = dlsym(handle, name.c_str()),
                            .library = library.string()};
        if (found.first != nullptr && found.second != nullptr) {
            return found;
        }
    }
    return {};
}

void call_aclnn(const AclnnFunction& function, const std::vector<AclnnArgument>& arguments) {
    const DirectScope direct;
    uint64_t workspace_size = 0;
    void* executor = nullptr;
    Values first;
    for (const AclnnArgument& argument : arguments) {
        first.add(argument);
    }
    first.add_pointer(&workspace_size);
    first.add_pointer(&executor);
    check(function, "GetWorkspaceSize", first.call(function.first));
    const std::unique_ptr<void, decltype(&std::free)> workspace(
        workspace_size == 0 ? nullptr : std::malloc(workspace_size), &std::free);
    using Second = int (*)(void*, uint64_t, void*, void*);
    check(function, "",
          reinterpret_cast<Second>(function.second)(workspace.get(), workspace_size, executor, nullptr));
}

}  // namespace opweld::npu::graph
