#include "npu/aclnn/call/function_executor.h"

#include <c10/util/Exception.h>
#include <c10/util/SmallVector.h>

#include <algorithm>

#include "npu/aclnn/call/arguments.h"
#include "npu/aclnn/objects/boundary.h"
#include "npu/kernels/kernel.h"
#include "npu/kernels/scope.h"
#include "npu/kernels/tensor.h"

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

// An input that shares memory with an output is copied before the kernel runs, unless each element is read
// before its own place is written.
void separate(const Function& function, at::Tensor& input, const at::Tensor& output) {
    if (kernels::overlap(input, output) && !(function.pointwise && kernels::same_view(input, output))) {
        input = input.clone(at::MemoryFormat::Contiguous);
    }
}

// Lists are compared item by item with lists of outputs: a list is as good as disjoint from itself.
void separate(const Function& function, Values& values) {
    for (size_t out = 0; out < values.size(); ++out) {
        if (!function.parameters[out].written) {
            continue;
        }
        at::Tensor* output = single_tensor(values[out]);
        auto* outputs = std::get_if<std::vector<at::Tensor>>(&values[out].content());
        for (size_t in = 0; in < values.size(); ++in) {
            if (function.parameters[in].written) {
                continue;
            }
            if (at::Tensor* input = single_tensor(values[in]); input != nullptr && output != nullptr) {
                separate(function, *input, *output);
            } else if (auto* inputs = std::get_if<std::vector<at::Tensor>>(&values[in].content());
                       inputs != nullptr) {
                for (size_t i = 0; i < inputs->size(); ++i) {
                    if (output != nullptr) {
                        separate(function, (*inputs)[i], *output);
                    } else if (outputs != nullptr && i < outputs->size()) {
                        separate(function, (*inputs)[i], (*outputs)[i]);
                    }
                }
            }
        }
    }
}

class FunctionExecutor final : public aclOpExecutor {
  public:
    FunctionExecutor(const Function& function, std::span<const Slot> slots)
        : function_(function), slots_(slots.begin(), slots.end()) {
        strings_.reserve(
            static_cast<size_t>(std::count_if(function.parameters.begin(), function.parameters.end(),
                                              [](const auto& p) { return p.kind == Kind::String; })));
        for (size_t i = 0; i < slots_.size(); ++i) {
            const Parameter& parameter = function_.parameters[i];
            if (parameter.kind == Kind::String && slots_[i].string != nullptr) {
                slots_[i] = Slot(strings_.emplace_back(slots_[i].string).c_str());
            } else if (is_object(parameter.kind) && slots_[i].object != nullptr) {
                slots_[i].object->retain();
            }
        }
    }

    ~FunctionExecutor() override {
        for (size_t i = 0; i < slots_.size(); ++i) {
            if (is_object(function_.parameters[i].kind) && slots_[i].object != nullptr) {
                slots_[i].object->release();
            }
        }
    }

    std::string_view name() const noexcept override { return function_.name; }

    void run() const override {
        try {
            const kernels::KernelScope scope;
            Values values(slots_.size());
            const Arguments arguments(function_, slots_);
            for (size_t i = 0; i < slots_.size(); ++i) {
                fill(values[i], function_.parameters[i], arguments, i);
            }
            separate(function_, values);
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
    void publish_shapes(Values& values) const {
        for (size_t i = 0; i < values.size(); ++i) {
            if (const at::Tensor* tensor =
                    function_.parameters[i].written ? single_tensor(values[i]) : nullptr) {
                // The one change an object sees after creation; the program waits for the stream before it
                // looks.
                auto* described = const_cast<aclTensor*>(static_cast<const aclTensor*>(slots_[i].object));
                described->set_shape({tensor->sizes().data(), tensor->sizes().size()});
            }
        }
    }

    const Function& function_;
    std::vector<Slot> slots_;
    std::vector<std::string> strings_;
};

}  // namespace

aclOpExecutor* make_function_executor(const Function& function, std::span<const Slot> slots) {
    return new FunctionExecutor(function, slots);
}

}  // namespace opweld::npu::aclnn
