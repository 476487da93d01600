#include "npu/aclnn/call/function_executor.h"

#include <c10/util/Exception.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <new>

#include "npu/aclnn/call/arguments.h"
#include "npu/aclnn/objects/boundary.h"
#include "npu/aclnn/objects/details.h"
#include "npu/kernels/kernel.h"
#include "npu/kernels/scope.h"
#include "npu/kernels/tensor.h"
#include "npu/runtime/operators.h"

namespace opweld::npu::aclnn {
namespace {

using kernels::Value;
using Values = c10::SmallVector<Value, 8>;

constexpr int kDeviceException =
    507015;  // ACL_ERROR_RT_AICORE_EXCEPTION: what a failing kernel gives on the device
constexpr int kDeviceMemory = 207001;  // ACL_ERROR_RT_MEMORY_ALLOCATION

bool is_object(Kind kind) noexcept { return kind <= Kind::BoolArray; }

at::Tensor tensor_of(const aclTensor& tensor) {
    void* first = nullptr;
    if (tensor.extent() != 0) {
        first = host_address_unchecked(tensor.first());
        if (first == nullptr) {
            throw AclException(kInvalid, "a tensor's address is no device memory");
        }
    }
    return kernels::borrow(first, kernels::scalar_type(tensor.dtype()), tensor.shape(), tensor.strides());
}

at::Scalar scalar_of(const aclScalar& scalar) {
    switch (scalar.value.dtype) {
        case OPWELD_BOOL:
            return {scalar.value.integer != 0};
        case OPWELD_INT64:
            return {scalar.value.integer};
        case OPWELD_FLOAT64:
            return {scalar.value.real};
        default:
            return {c10::complex<double>(scalar.value.real, scalar.value.imaginary)};
    }
}

template <class T>
c10::ArrayRef<T> array_of(std::span<const T> values) {
    return c10::ArrayRef<T>(values.data(), values.size());
}

void fill(Value& value, const Parameter& parameter, const Arguments& arguments, size_t i) {
    switch (parameter.kind) {
        case Kind::Tensor: {
            const auto* tensor = arguments.object<aclTensor>(i);
            if (parameter.optional) {
                auto& holder = value.emplace<std::optional<at::Tensor>>();
                if (tensor != nullptr) {
                    holder = tensor_of(*tensor);
                }
            } else {
                value.emplace<at::Tensor>(tensor_of(*tensor));
            }
            return;
        }
        case Kind::TensorList: {
            auto& list = value.emplace<std::vector<at::Tensor>>();
            if (const auto* items = arguments.object<aclTensorList>(i); items != nullptr) {
                list.reserve(items->items().size());
                for (const aclTensor* item : items->items()) {
                    list.push_back(tensor_of(*item));
                }
            }
            return;
        }
        case Kind::Scalar: {
            const auto* scalar = arguments.object<aclScalar>(i);
            if (parameter.optional) {
                auto& holder = value.emplace<std::optional<at::Scalar>>();
                if (scalar != nullptr) {
                    holder = scalar_of(*scalar);
                }
            } else {
                value.emplace<at::Scalar>(scalar_of(*scalar));
            }
            return;
        }
        case Kind::ScalarList: {
            auto& list = value.emplace<std::vector<at::Scalar>>();
            for (const aclScalar* item : arguments.scalars(i)) {
                list.push_back(scalar_of(*item));
            }
            return;
        }
        case Kind::IntArray:
            if (!parameter.optional) {
                value.emplace<at::IntArrayRef>(array_of(arguments.integers(i)));
            } else if (arguments.object<aclIntArray>(i) != nullptr) {
                value.emplace<at::OptionalIntArrayRef>(array_of(arguments.integers(i)));
            } else {
                value.emplace<at::OptionalIntArrayRef>();
            }
            return;
        case Kind::FloatArray:
            value.emplace<c10::ArrayRef<float>>(array_of(arguments.floats(i)));
            return;
        case Kind::BoolArray:
            value.emplace<c10::ArrayRef<bool>>(array_of(arguments.bools(i)));
            return;
        case Kind::Integer:
            value.emplace<int64_t>(arguments.integer(i));
            return;
        case Kind::Real:
            value.emplace<double>(arguments.real(i));
            return;
        case Kind::Bool:
            value.emplace<bool>(arguments.boolean(i));
            return;
        case Kind::DType:
            value.emplace<at::ScalarType>(kernels::scalar_type(static_cast<int32_t>(arguments.integer(i))));
            return;
        case Kind::String:
            value.emplace<std::string_view>(arguments.string(i));
            return;
    }
}

// The one tensor in a value, or null.
at::Tensor* single_tensor(Value& value) {
    if (auto* tensor = std::get_if<at::Tensor>(&value.content()); tensor != nullptr) {
        return tensor;
    }
    auto* holder = std::get_if<std::optional<at::Tensor>>(&value.content());
    return holder != nullptr && holder->has_value() ? &**holder : nullptr;
}

bool overlap(const aclTensor& a, const aclTensor& b) noexcept {
    const auto* first = static_cast<const char*>(a.first());
    const auto* second = static_cast<const char*>(b.first());
    return first < second + b.extent() && second < first + a.extent();
}

bool same_view(const aclTensor& a, const aclTensor& b) noexcept {
    return a.first() == b.first() && a.dtype() == b.dtype() && std::ranges::equal(a.shape(), b.shape()) &&
           std::ranges::equal(a.strides(), b.strides());
}

// An input that shares memory with an output is copied before the kernel runs, unless each element is read
// before its own place is written.
void separate(const Function& function, const aclTensor& input, at::Tensor& value, const aclTensor& output) {
    if (overlap(input, output) && !(function.pointwise && same_view(input, output))) {
        value = value.clone(at::MemoryFormat::Contiguous);
    }
}

at::Tensor& item(Value& value, size_t i) {
    at::Tensor* single = single_tensor(value);
    return single != nullptr ? *single : value.tensors()[i];
}

// Two lists are compared item by item.
void separate(const Function& function, const Arguments& arguments, Values& values) {
    for (size_t out = 0; out < values.size(); ++out) {
        if (!function.parameters[out].written) {
            continue;
        }
        const Operands outputs = arguments.all_tensors(out);
        for (size_t in = 0; in < values.size() && outputs.size() != 0; ++in) {
            if (function.parameters[in].written) {
                continue;
            }
            const Operands inputs = arguments.all_tensors(in);
            const bool pairs = inputs.size() > 1 && outputs.size() > 1;
            for (size_t i = 0; i < inputs.size(); ++i) {
                const size_t end = pairs ? std::min(i + 1, outputs.size()) : outputs.size();
                for (size_t j = pairs ? i : 0; j < end; ++j) {
                    separate(function, inputs[i].tensor(), item(values[in], i), outputs[j].tensor());
                }
            }
        }
    }
}

std::string in_words(const Parameter& parameter, const Slot& slot) {
    switch (parameter.kind) {
        case Kind::Tensor:
            return aclnn::in_words(static_cast<const aclTensor*>(slot.object));
        case Kind::TensorList:
            return aclnn::in_words(static_cast<const aclTensorList*>(slot.object));
        case Kind::Scalar:
            return aclnn::in_words(static_cast<const aclScalar*>(slot.object));
        case Kind::IntArray: {
            const auto* array = static_cast<const aclIntArray*>(slot.object);
            return array == nullptr ? "none" : aclnn::in_words(array->values());
        }
        case Kind::Integer:
            return std::to_string(slot.integer);
        case Kind::Real:
            return std::to_string(slot.real);
        case Kind::Bool:
            return slot.integer != 0 ? "true" : "false";
        case Kind::DType:
            return dtype_name(static_cast<int32_t>(slot.integer));
        case Kind::String:
            return slot.string == nullptr ? "none" : slot.string;
        case Kind::ScalarList:
        case Kind::FloatArray:
        case Kind::BoolArray:
            break;
    }
    return slot.object == nullptr ? "none" : "a list";
}

// The slots lie behind the object, in the same allocation.
class FunctionExecutor final : public aclOpExecutor, public OperatorTask {
  public:
    static FunctionExecutor* make(const Function& function, std::span<const Slot> slots, int device) {
        void* memory = ::operator new(sizeof(FunctionExecutor) + slots.size_bytes());
        try {
            return new (memory) FunctionExecutor(function, slots, device);
        } catch (...) {
            ::operator delete(memory);
            throw;
        }
    }
    static void operator delete(void* memory) { ::operator delete(memory); }

    ~FunctionExecutor() override {
        const auto kept = slots();
        for (size_t i = 0; i < kept.size(); ++i) {
            if (is_object(function_.parameters[i].kind) && kept[i].object != nullptr) {
                kept[i].object->release();
            }
        }
    }

    std::string_view name() const noexcept override { return function_.name; }
    int device() const noexcept override { return device_; }
    OperatorChain operators() const noexcept override { return operators_; }

    std::vector<Detail> details() const override {
        std::vector<Detail> result;
        for (size_t i = 0; i < slots().size(); ++i) {
            const Parameter& parameter = function_.parameters[i];
            result.push_back({std::string(parameter.name), in_words(parameter, slots()[i])});
        }
        return result;
    }

    void run() override {
        try {
            const kernels::KernelScope scope;
            Values values(function_.parameters.size());
            const Arguments arguments(function_, slots());
            for (size_t i = 0; i < values.size(); ++i) {
                fill(values[i], function_.parameters[i], arguments, i);
            }
            separate(function_, arguments, values);
            function_.kernel.run({values.data(), values.size()});
            if (function_.dynamic) {
                publish_shapes(values);
            }
        } catch (const AclException& error) {
            throw AclException(kDeviceException, error.what());
        } catch (const c10::OutOfMemoryError& error) {
            throw AclException(kDeviceMemory, error.what_without_backtrace());
        } catch (const c10::Error& error) {
            throw AclException(kDeviceException, error.what_without_backtrace());
        } catch (const std::bad_alloc&) {
            throw AclException(kDeviceMemory, "no memory for an intermediate result");
        } catch (const std::exception& error) {
            throw AclException(kDeviceException, error.what());
        }
    }

  private:
    FunctionExecutor(const Function& function, std::span<const Slot> arguments, int device)
        : function_(function), device_(device) {
        const std::span<Slot> kept = slots();
        strings_.reserve(static_cast<size_t>(
            std::ranges::count(function.parameters, Kind::String, [](const auto& p) { return p.kind; })));
        for (size_t i = 0; i < kept.size(); ++i) {
            const Parameter& parameter = function.parameters[i];
            new (&kept[i]) Slot(arguments[i]);
            if (parameter.kind == Kind::String && arguments[i].string != nullptr) {
                kept[i] = Slot(strings_.emplace_back(arguments[i].string).c_str());
            } else if (is_object(parameter.kind) && arguments[i].object != nullptr) {
                arguments[i].object->retain();
            }
        }
    }

    std::span<Slot> slots() noexcept {
        return {reinterpret_cast<Slot*>(this + 1), function_.parameters.size()};
    }
    std::span<const Slot> slots() const noexcept {
        return {reinterpret_cast<const Slot*>(this + 1), function_.parameters.size()};
    }

    void publish_shapes(Values& values) {
        for (size_t i = 0; i < values.size(); ++i) {
            if (const at::Tensor* tensor =
                    function_.parameters[i].written ? single_tensor(values[i]) : nullptr) {
                // The one change an object sees after creation; the program waits for the stream before it
                // looks.
                auto* described = const_cast<aclTensor*>(static_cast<const aclTensor*>(slots()[i].object));
                described->set_shape({tensor->sizes().data(), tensor->sizes().size()});
            }
        }
    }

    const Function& function_;
    const int device_;
    const OperatorChain operators_ = running_operators();
    std::vector<std::string> strings_;
};

}  // namespace

aclOpExecutor* make_function_executor(const Function& function, std::span<const Slot> slots, int device) {
    return FunctionExecutor::make(function, slots, device);
}

}  // namespace opweld::npu::aclnn
