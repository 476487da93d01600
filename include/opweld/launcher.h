// Calls an aclnn function from a PrivateUse1 kernel, through functions that torch_npu exports: host time,
// task queue, allocator and determinism are those of torch_npu's own operators. Generated code is its only
// user.
//
// Needs torch_npu at link time (libtorch_npu.so) but none of its headers: the functions used are declared
// below, with the names and signatures that the wheel exports. Everything may be called from any thread that
// may call torch.
#ifndef OPWELD_LAUNCHER_H
#define OPWELD_LAUNCHER_H

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GeneratorImpl.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/core/Stream.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "opweld/kernel/random.hpp"
#include "opweld/launch.h"
#include "opweld/torch/arguments.hpp"
#include "opweld/torch/tensors.hpp"
#include "opweld/torch/types.hpp"

// ---------------------------------------------------------------------------------------------------------------
// Exported by libtorch_npu.so, and by libascendcl.so below it.

void* GetOpApiFuncAddr(const char* name);
aclTensor* ConvertType(const at::Tensor& tensor);
aclTensorList* ConvertType(const at::TensorList& tensors);
aclScalar* ConvertType(const at::Scalar& scalar);
aclIntArray* ConvertType(const at::IntArrayRef& integers);
aclBoolArray* ConvertType(const at::ArrayRef<bool>& flags);
void InitExecCommonCtx();
void UnInitExecCommonCtx();
void ReleaseExecCommonCtx();
void* GetAclStream();
void* GetWorkSpaceAddr(uint64_t size);
void InitExecSubTheadCtx(void* stream);
int ExecuteApiFunc(const void* function, void* stream, void* workspace, uint64_t size,
                   aclOpExecutor* executor);
void RunAclCall(const std::string& name, const std::function<int()>& call);

namespace at_npu {
namespace detail {
const at::Generator& getDefaultNPUGenerator(c10::DeviceIndex device);
}
// Only the member that is called; objects of this class come from torch_npu alone.
class NPUGeneratorImpl : public c10::GeneratorImpl {
  public:
    std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t increment);
};
}  // namespace at_npu

namespace c10_npu {
// As large as torch_npu's; only the member that is called. A destructor of its own, as torch_npu's has: it
// decides how a stream is returned from a function.
class NPUStream {
  public:
    ~NPUStream() {}  // NOLINT(modernize-use-equals-default): see above
    void* stream(bool wait_for_queue) const;

  private:
    c10::Stream stream_;
};
NPUStream getCurrentNPUStream(c10::DeviceIndex device);
uint32_t GetDeterministicLevel();
}  // namespace c10_npu

namespace at_npu::native {
void ApplyDeterministicLevel(int64_t level, bool deterministic, bool aclnn);
}

extern "C" const char* aclGetRecentErrMsg();

namespace opweld::launcher {

// ---------------------------------------------------------------------------------------------------------------
// Arguments: what each schema type becomes in an aclnn call, and how that is given back

namespace detail {

template <typename Signature>
Signature* symbol(const char* name) {
    auto* address = reinterpret_cast<Signature*>(GetOpApiFuncAddr(name));
    TORCH_CHECK(address != nullptr, name,
                " is in none of the libraries that torch_npu searches: is libopapi.so there?");
    return address;
}

template <typename T>
concept Plain = std::is_arithmetic_v<T> || std::is_same_v<T, const char*>;

}  // namespace detail

inline aclTensor* convert(const at::Tensor& tensor) {
    return tensor.defined() ? ConvertType(tensor) : nullptr;
}
inline aclTensor* convert(const std::optional<at::Tensor>& tensor) {
    return tensor.has_value() ? convert(*tensor) : nullptr;
}
// An empty list is a list, and no null pointer: that would be an absent one.
inline aclTensorList* convert(at::TensorList tensors) {
    if (tensors.empty()) {
        static auto* const create =
            detail::symbol<aclTensorList*(const aclTensor* const*, uint64_t)>("aclCreateTensorList");
        return create(nullptr, 0);
    }
    return ConvertType(tensors);
}
inline aclTensorList* convert(const std::vector<at::Tensor>& tensors) {
    return convert(at::TensorList(tensors));
}
inline aclTensorList* convert(const c10::List<std::optional<at::Tensor>>& tensors) {
    std::vector<at::Tensor> plain;
    plain.reserve(tensors.size());
    for (const std::optional<at::Tensor>& tensor : tensors) {
        plain.push_back(tensor.value_or(at::Tensor()));
    }
    return convert(plain);
}
inline aclScalar* convert(const at::Scalar& scalar) { return ConvertType(scalar); }
inline aclIntArray* convert(at::IntArrayRef integers) { return ConvertType(integers); }
inline aclIntArray* convert(const std::vector<int64_t>& integers) {
    return ConvertType(at::IntArrayRef(integers));
}
inline aclBoolArray* convert(const torch_support::Flags& flags) {
    return ConvertType(at::ArrayRef<bool>(flags.data(), flags.size()));
}
inline aclFloatArray* convert(at::ArrayRef<double> numbers) {
    static auto* const create = detail::symbol<aclFloatArray*(const float*, uint64_t)>("aclCreateFloatArray");
    const std::vector<float> values(numbers.begin(), numbers.end());
    return create(values.data(), values.size());
}
inline aclFloatArray* convert(const std::vector<double>& numbers) {
    return convert(at::ArrayRef<double>(numbers));
}
inline const char* convert(const torch_support::Text& text) { return text.c_str(); }
inline int32_t convert(at::ScalarType type) { return torch_support::to_opweld(type); }
template <typename T>
    requires std::is_arithmetic_v<T>
T convert(T number) {
    return number;
}
// An absent list, tensor list or scalar is a null pointer.
template <typename T>
auto convert(const std::optional<T>& value) -> decltype(convert(*value)) {
    return value.has_value() ? convert(*value) : nullptr;
}
inline aclIntArray* convert(const at::OptionalIntArrayRef& integers) {
    return integers.has_value() ? ConvertType(*integers) : nullptr;
}

inline void release(aclTensor* object) {
    if (object != nullptr) {
        static auto* const destroy = detail::symbol<int(const aclTensor*)>("aclDestroyTensor");
        destroy(object);
    }
}
inline void release(aclTensorList* object) {
    if (object != nullptr) {
        static auto* const destroy = detail::symbol<int(const aclTensorList*)>("aclDestroyTensorList");
        destroy(object);
    }
}
inline void release(aclScalar* object) {
    if (object != nullptr) {
        static auto* const destroy = detail::symbol<int(const aclScalar*)>("aclDestroyScalar");
        destroy(object);
    }
}
inline void release(aclIntArray* object) {
    if (object != nullptr) {
        static auto* const destroy = detail::symbol<int(const aclIntArray*)>("aclDestroyIntArray");
        destroy(object);
    }
}
inline void release(aclBoolArray* object) {
    if (object != nullptr) {
        static auto* const destroy = detail::symbol<int(const aclBoolArray*)>("aclDestroyBoolArray");
        destroy(object);
    }
}
inline void release(aclFloatArray* object) {
    if (object != nullptr) {
        static auto* const destroy = detail::symbol<int(const aclFloatArray*)>("aclDestroyFloatArray");
        destroy(object);
    }
}
template <detail::Plain T>
void release(T /*plain*/) {}

// ---------------------------------------------------------------------------------------------------------------

// The generator's offset moves on by this much for each call: as many numbers may be drawn per index.
inline constexpr uint64_t random_offset_step = 4;

// The state that a Generator argument becomes.
inline RandomState random_state(const std::optional<at::Generator>& generator, c10::DeviceIndex device) {
    const at::Generator& source = generator.has_value() && generator->defined()
                                      ? *generator
                                      : at_npu::detail::getDefaultNPUGenerator(device);
    TORCH_CHECK(source.device().is_privateuseone(), "expected a generator of the NPU, got one of ",
                source.device());
    auto* state = static_cast<at_npu::NPUGeneratorImpl*>(source.unsafeGetGeneratorImpl());
    const std::lock_guard lock(state->mutex_);
    const auto [seed, offset] = state->philox_engine_inputs(random_offset_step);
    return {seed, offset};
}

// Makes a device the current one, and the one before afterwards.
class DeviceGuard {
  public:
    explicit DeviceGuard(const at::Device& device) : guard_(device) {}
    c10::DeviceIndex current_device() const { return guard_.current_device().index(); }

  private:
    c10::DeviceGuard guard_;
};

// What CANN wants told around the two phases, where it has these functions. torch_npu's own helpers for this
// look the functions up on every call, which costs several times as much as the call itself.
class HugeMemory {
  public:
    static void begin() { call(functions().begin); }
    static void end() { call(functions().end); }
    static void release() { call(functions().release); }

  private:
    using Hook = void(void*, bool);
    struct Functions {
        Hook* begin = reinterpret_cast<Hook*>(GetOpApiFuncAddr("InitHugeMemThreadLocal"));
        Hook* end = reinterpret_cast<Hook*>(GetOpApiFuncAddr("UnInitHugeMemThreadLocal"));
        Hook* release = reinterpret_cast<Hook*>(GetOpApiFuncAddr("ReleaseHugeMem"));
    };
    static const Functions& functions() {
        static const Functions found;
        return found;
    }
    static void call(Hook* hook) {
        if (hook != nullptr) {
            hook(nullptr, false);
        }
    }
};

// One aclnn function as one operator calls it. Make it `static` where it is called: its addresses are looked
// up once.
class Function {
  public:
    // `op`: the operator, for messages. `arguments`: the names of what call() is given, in that order.
    Function(const char* op, const char* name, std::initializer_list<const char*> arguments)
        : op_(op),
          name_(name),
          arguments_(arguments),
          first_phase_(GetOpApiFuncAddr((name_ + "GetWorkspaceSize").c_str())),
          second_phase_(reinterpret_cast<SecondPhase*>(GetOpApiFuncAddr(name_.c_str()))) {}

    // Whether both phases are in a library that torch_npu searches.
    bool found() const { return first_phase_ != nullptr && second_phase_ != nullptr; }

    // Both phases: the first one now, the second one wherever torch_npu runs operators. Throws c10::Error,
    // with the operator's and the argument's name, for what the first phase refuses.
    template <typename... Arguments>
    void call(const Arguments&... arguments) const {
        TORCH_CHECK(found(), missing());
        check_devices(arguments...);
        at_npu::native::ApplyDeterministicLevel(c10_npu::GetDeterministicLevel(),
                                                at::globalContext().deterministicAlgorithms(), true);
        void* const stream = c10_npu::getCurrentNPUStream(-1).stream(false);
        HugeMemory::begin();
        const std::tuple<decltype(convert(arguments))...> converted{convert(arguments)...};
        uint64_t workspace_size = 0;
        aclOpExecutor* executor = nullptr;
        void* workspace = nullptr;
        try {
            const int status = std::apply(
                [&](auto... argument) {
                    using FirstPhase = int(decltype(argument)..., uint64_t*, aclOpExecutor**);
                    return reinterpret_cast<FirstPhase*>(first_phase_)(argument..., &workspace_size,
                                                                       &executor);
                },
                converted);
            TORCH_CHECK(status == 0, refused(status, arguments...));
            workspace = workspace_size == 0 ? nullptr : GetWorkSpaceAddr(workspace_size);
        } catch (...) {
            release_all(converted);
            HugeMemory::release();
            HugeMemory::end();
            throw;
        }
        RunAclCall(name_, [converted, workspace, workspace_size, stream, executor, second = second_phase_] {
            InitExecSubTheadCtx(stream);
            const int status = second(workspace, workspace_size, executor, stream);
            release_all(converted);
            HugeMemory::release();
            return status;
        });
        HugeMemory::end();
    }

  private:
    using SecondPhase = int(void* workspace, uint64_t size, aclOpExecutor* executor, void* stream);

    template <typename Tuple>
    static void release_all(const Tuple& converted) {
        std::apply([](auto... argument) { (release(argument), ...); }, converted);
    }

    const char* argument(size_t i) const { return i < arguments_.size() ? arguments_[i] : "an argument"; }

    template <typename... Arguments>
    void check_devices(const Arguments&... arguments) const {
        size_t position = 0;
        std::optional<at::Device> device;
        const auto check = [&](const at::Tensor& tensor) {
            if (!tensor.defined()) {
                return;
            }
            TORCH_CHECK(
                tensor.device().is_privateuseone() && device.value_or(tensor.device()) == tensor.device(),
                op_, ": ", argument(position), " is on ", tensor.device(), "; expected all tensors on ",
                device.has_value() ? device->str() : "one NPU");
            device = tensor.device();
        };
        ((torch_support::for_each_tensor(arguments, check), ++position), ...);
    }

    std::string missing() const {
        const std::string absent = first_phase_ == nullptr ? name_ + "GetWorkspaceSize" : name_;
        return std::string(op_) + ": " + absent +
               " was not found. Searched: op_api/lib/libcust_opapi.so in each folder of "
               "ASCEND_CUSTOM_OPP_PATH (" +
               environment("ASCEND_CUSTOM_OPP_PATH") + "), then in the vendors of ASCEND_OPP_PATH (" +
               environment("ASCEND_OPP_PATH") +
               "), then libopapi.so. torch_npu reads these variables when it is loaded: start Python with "
               "`opweld run`, or "
               "`import opweld` before torch; as root, the files must belong to root";
    }

    static std::string environment(const char* name) {
        const char* value = std::getenv(name);
        return value == nullptr ? "not set" : value;
    }

    template <typename... Arguments>
    std::string refused(int status, const Arguments&... arguments) const {
        const char* reason = aclGetRecentErrMsg();
        std::ostringstream text;
        text << op_ << ": " << name_ << "GetWorkspaceSize refused the call with " << status << ": "
             << (reason == nullptr ? "no reason given" : reason);
        size_t position = 0;
        const auto describe = [&](const at::Tensor& tensor) {
            text << "\n  " << argument(position) << ": ";
            if (tensor.defined()) {
                text << c10::getDtypeNames(tensor.scalar_type()).first << tensor.sizes();
            } else {
                text << "None";
            }
        };
        ((torch_support::for_each_tensor(arguments, describe), ++position), ...);
        return text.str();
    }

    const char* op_;
    std::string name_;
    std::vector<const char*> arguments_;
    void* first_phase_;
    SecondPhase* second_phase_;
};

}  // namespace opweld::launcher

#endif
