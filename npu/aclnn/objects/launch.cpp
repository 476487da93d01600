// The two functions by which a vendor's library hands its own operators to the software NPU
// (opweld/launch.h).
#include "opweld/launch.h"

#include <fmt/format.h>

#include <cstring>
#include <deque>

#include "npu/aclnn/objects/boundary.h"
#include "npu/aclnn/objects/details.h"
#include "npu/aclnn/objects/device_check.h"
#include "npu/aclnn/objects/executor.h"
#include "npu/aclnn/objects/objects.h"
#include "npu/aclnn/objects/poison.h"
#include "npu/runtime/operators.h"

namespace opweld::npu::aclnn {
namespace {

// opweldLaunch isn't told the function's name, so there is one for all vendor functions.
LastFailure vendor_failure;

constexpr int kKernelFailed =
    507015;  // ACL_ERROR_RT_AICORE_EXCEPTION: what a failing kernel gives on the device
constexpr size_t kErrorSize = 1024;

const char* kind_name(int32_t kind) noexcept {
    constexpr const char* kNames[] = {"tensor",           "list of tensors", "bool",   "integer",
                                      "number",           "string",          "scalar", "list of bools",
                                      "list of integers", "list of numbers", "dtype",  "absent"};
    return kind >= 0 && kind <= OPWELD_KIND_NONE ? kNames[kind] : "unknown";
}

// Arguments of one kernel call, with all they point to. `with_data` is false in the first phase.
class Values {
  public:
    const OpweldValue* data() const noexcept { return values_.data(); }
    size_t size() const noexcept { return values_.size(); }

    void add(const OpweldArgument& argument, bool with_data) {
        OpweldValue value{};
        value.kind = argument.kind;
        switch (argument.kind) {
            case OPWELD_KIND_TENSOR:
                value.as.tensor = tensor(argument.as.tensor, with_data);
                break;
            case OPWELD_KIND_TENSOR_LIST: {
                if (argument.as.tensors == nullptr) {
                    value.kind = OPWELD_KIND_NONE;
                    break;
                }
                auto& list = lists_.emplace_back();
                for (const aclTensor* item : argument.as.tensors->items()) {
                    list.push_back(tensor(item, with_data));
                }
                value.as.tensors = {list.data(), static_cast<int64_t>(list.size())};
                break;
            }
            case OPWELD_KIND_SCALAR:
                if (argument.as.scalar == nullptr) {
                    value.kind = OPWELD_KIND_NONE;
                } else {
                    value.as.scalar = argument.as.scalar->value;
                }
                break;
            case OPWELD_KIND_INT_LIST:
                set_list(value, argument.as.integers);
                break;
            case OPWELD_KIND_FLOAT_LIST:
                set_doubles(value, argument.as.floats);
                break;
            case OPWELD_KIND_BOOL_LIST:
                set_list(value, argument.as.bools);
                break;
            case OPWELD_KIND_FLOAT:
                value.as.real = argument.as.real;
                break;
            case OPWELD_KIND_STRING:
                value.as.string = argument.as.string;
                value.kind = argument.as.string == nullptr ? OPWELD_KIND_NONE : OPWELD_KIND_STRING;
                break;
            default:
                value.as.integer = argument.as.integer;
                break;
        }
        values_.push_back(value);
    }

  private:
    static OpweldTensor tensor(const aclTensor* from, bool with_data) {
        OpweldTensor to{};
        if (from == nullptr) {
            return to;
        }
        to.shape = from->shape().data();
        to.strides = from->strides().data();
        to.ndim = static_cast<int32_t>(from->shape().size());
        to.dtype = from->dtype();
        to.defined = 1;
        if (const size_t bytes = from->extent(); with_data && bytes != 0) {
            to.data = host_address(from->first(), bytes);
        }
        return to;
    }

    template <class A>
    static void set_list(OpweldValue& value, const A* array) {
        if (array == nullptr) {
            value.kind = OPWELD_KIND_NONE;
        } else {
            value.as.list = {array->values().data(), static_cast<int64_t>(array->values().size())};
        }
    }

    void set_doubles(OpweldValue& value, const aclFloatArray* array) {
        if (array == nullptr) {
            value.kind = OPWELD_KIND_NONE;
        } else {
            const auto& numbers = doubles_.emplace_back(array->values().begin(), array->values().end());
            value.as.list = {numbers.data(), static_cast<int64_t>(numbers.size())};
        }
    }

    std::vector<OpweldValue> values_;
    std::deque<std::vector<OpweldTensor>> lists_;
    std::deque<std::vector<double>> doubles_;
};

struct Group {
    std::vector<OpweldArgument> items;
    Values values(bool with_data) const {
        Values result;
        for (const OpweldArgument& item : items) {
            result.add(item, with_data);
        }
        return result;
    }
};

bool is_object(const OpweldArgument& argument) noexcept {
    switch (argument.kind) {
        case OPWELD_KIND_TENSOR:
        case OPWELD_KIND_TENSOR_LIST:
        case OPWELD_KIND_SCALAR:
        case OPWELD_KIND_INT_LIST:
        case OPWELD_KIND_FLOAT_LIST:
        case OPWELD_KIND_BOOL_LIST:
            return true;
        default:
            return false;
    }
}

const Object* object_of(const OpweldArgument& argument) noexcept {
    switch (argument.kind) {
        case OPWELD_KIND_TENSOR:
            return argument.as.tensor;
        case OPWELD_KIND_TENSOR_LIST:
            return argument.as.tensors;
        case OPWELD_KIND_SCALAR:
            return argument.as.scalar;
        case OPWELD_KIND_INT_LIST:
            return argument.as.integers;
        case OPWELD_KIND_FLOAT_LIST:
            return argument.as.floats;
        case OPWELD_KIND_BOOL_LIST:
            return argument.as.bools;
        default:
            return nullptr;
    }
}

void call(OpweldKernelFunction kernel, const char* name, const Values& inputs, const Values& attributes,
          const Values& outputs, int code) {
    const OpweldCall call{OPWELD_KERNEL_ABI,
                          0,
                          name,
                          inputs.data(),
                          inputs.size(),
                          attributes.data(),
                          attributes.size(),
                          outputs.data(),
                          outputs.size()};
    std::string error(kErrorSize, '\0');
    if (kernel(&call, error.data(), error.size()) != 0) {
        error.back() = '\0';
        throw AclException(code, error.substr(0, error.find('\0')));
    }
}

std::string in_words(const OpweldArgument& argument) {
    switch (argument.kind) {
        case OPWELD_KIND_TENSOR:
            return aclnn::in_words(argument.as.tensor);
        case OPWELD_KIND_TENSOR_LIST:
            return aclnn::in_words(argument.as.tensors);
        case OPWELD_KIND_SCALAR:
            return aclnn::in_words(argument.as.scalar);
        case OPWELD_KIND_INT_LIST:
            return argument.as.integers == nullptr ? "none" : aclnn::in_words(argument.as.integers->values());
        case OPWELD_KIND_BOOL:
            return argument.as.integer != 0 ? "true" : "false";
        case OPWELD_KIND_FLOAT:
            return std::to_string(argument.as.real);
        case OPWELD_KIND_STRING:
            return argument.as.string == nullptr ? "none" : argument.as.string;
        case OPWELD_KIND_INT:
            return std::to_string(argument.as.integer);
        default:
            return std::string("a ") + kind_name(argument.kind);
    }
}

class VendorExecutor final : public aclOpExecutor, public OperatorTask {
  public:
    VendorExecutor(const OpweldOperator& op, Group inputs, Group attributes, Group outputs, int device)
        : name_(op.aclnn_name),
          device_(device),
          kernel_(op.kernel),
          inputs_(std::move(inputs)),
          attributes_(std::move(attributes)),
          outputs_(std::move(outputs)) {
        for (Group* group : {&inputs_, &attributes_, &outputs_}) {
            for (OpweldArgument& argument : group->items) {
                if (const Object* object = object_of(argument); object != nullptr) {
                    object->retain();
                } else if (argument.kind == OPWELD_KIND_STRING && argument.as.string != nullptr) {
                    argument.as.string = strings_.emplace_back(argument.as.string).c_str();
                }
            }
        }
    }

    ~VendorExecutor() override {
        for (const Group* group : {&inputs_, &attributes_, &outputs_}) {
            for (const OpweldArgument& argument : group->items) {
                if (const Object* object = object_of(argument); object != nullptr) {
                    object->release();
                }
            }
        }
    }

    std::string_view name() const noexcept override { return name_; }
    int device() const noexcept override { return device_; }
    OperatorChain operators() const noexcept override { return operators_; }

    std::vector<Detail> details() const override {
        std::vector<Detail> result;
        for (const Group* group : {&inputs_, &attributes_, &outputs_}) {
            for (const OpweldArgument& argument : group->items) {
                result.push_back({argument.name == nullptr ? "" : argument.name, in_words(argument)});
            }
        }
        return result;
    }

    // The runtime puts the name before an error's text.
    void run() override {
        const Values inputs = inputs_.values(true);
        const Values outputs = outputs_.values(true);
        if (poisoning()) {
            poison({outputs.data(), outputs.size()}, {inputs.data(), inputs.size()});
        }
        call(kernel_, name_.c_str(), inputs, attributes_.values(true), outputs, kKernelFailed);
    }

  private:
    std::string name_;
    int device_;
    const OperatorChain operators_ = running_operators();
    OpweldKernelFunction kernel_;
    Group inputs_;
    Group attributes_;
    Group outputs_;
    std::deque<std::string> strings_;
};

void check_dtype(const OpweldArgument& argument, const aclTensor& tensor) {
    const int32_t dtype = tensor.dtype();
    if (argument.dtypes == 0 || (dtype < 64 && (argument.dtypes >> static_cast<unsigned>(dtype) & 1U) != 0)) {
        return;
    }
    std::string expected;
    for (int32_t each = 0; each < 64; ++each) {
        if ((argument.dtypes >> static_cast<unsigned>(each) & 1U) != 0) {
            expected = fmt::format("{}{}{}", expected, expected.empty() ? "" : ", ", dtype_name(each));
        }
    }
    throw AclException(kInvalid, fmt::format("argument '{}' has dtype {}, expected one of {}", argument.name,
                                             dtype_name(dtype), expected));
}

void check_tensor(const OpweldArgument& argument, const aclTensor& tensor) {
    check_dtype(argument, tensor);
    if (const size_t bytes = tensor.extent(); bytes != 0) {
        try {
            host_address(tensor.first(), bytes);
        } catch (const AclException& error) {
            throw AclException(kInvalid, fmt::format("argument '{}': {}", argument.name, error.what()));
        }
    }
}

ObjectType object_type(int32_t kind) noexcept {
    switch (kind) {
        case OPWELD_KIND_TENSOR_LIST:
            return ObjectType::tensor_list;
        case OPWELD_KIND_SCALAR:
            return ObjectType::scalar;
        case OPWELD_KIND_INT_LIST:
            return ObjectType::int_array;
        case OPWELD_KIND_FLOAT_LIST:
            return ObjectType::float_array;
        case OPWELD_KIND_BOOL_LIST:
            return ObjectType::bool_array;
        default:
            return ObjectType::tensor;
    }
}

void check_argument(const OpweldArgument& argument, DeviceCheck& devices) {
    if (argument.kind == OPWELD_KIND_NONE && argument.optional != 0) {
        return;  // an absent plain value
    }
    if (argument.kind < 0 || argument.kind >= OPWELD_KIND_NONE) {
        throw AclException(
            kInvalid, fmt::format("argument '{}' has the unknown kind {}", argument.name, argument.kind));
    }
    const bool absent = is_object(argument)                   ? object_of(argument) == nullptr
                        : argument.kind == OPWELD_KIND_STRING ? argument.as.string == nullptr
                                                              : false;
    if (absent) {
        if (argument.optional == 0) {
            throw AclException(kNullPointer, fmt::format("argument '{}' ({}) is null", argument.name,
                                                         kind_name(argument.kind)));
        }
        return;
    }
    if (is_object(argument)) {
        check_handle(object_of(argument), object_type(argument.kind), argument.name);
    }
    if (argument.kind == OPWELD_KIND_TENSOR) {
        check_tensor(argument, *argument.as.tensor);
        devices.add(*argument.as.tensor, argument.name);
    } else if (argument.kind == OPWELD_KIND_TENSOR_LIST) {
        for (const aclTensor* item : argument.as.tensors->items()) {
            if (item == nullptr && argument.optional != 0) {
                continue;
            }
            if (item == nullptr) {
                throw AclException(kNullPointer, fmt::format("list '{}' has a null tensor", argument.name));
            }
            check_tensor(argument, *item);
            devices.add(*item, argument.name);
        }
    }
}

Group group_of(const OpweldArgument* arguments, size_t count, DeviceCheck& devices) {
    Group group{{arguments, arguments + count}};
    for (const OpweldArgument& argument : group.items) {
        check_argument(argument, devices);
    }
    return group;
}

void refuse_overlapping(const Group& outputs) {
    const auto check = [](const aclTensor* tensor, const char* name) {
        if (tensor != nullptr && tensor->overlaps_itself()) {
            throw AclException(kInvalid,
                               fmt::format("output '{}' has several elements in one place (a dimension "
                                           "of stride 0); expected a place for each element",
                                           name));
        }
    };
    for (const OpweldArgument& output : outputs.items) {
        if (output.kind == OPWELD_KIND_TENSOR) {
            check(output.as.tensor, output.name);
        } else if (output.kind == OPWELD_KIND_TENSOR_LIST && output.as.tensors != nullptr) {
            for (const aclTensor* item : output.as.tensors->items()) {
                check(item, output.name);
            }
        }
    }
}

}  // namespace
}  // namespace opweld::npu::aclnn

using opweld::npu::AclException;
using namespace opweld::npu::aclnn;  // NOLINT(google-build-using-namespace): the C functions of this file
                                     // only

extern "C" OPWELD_EXPORT int32_t opweldPrepare(const OpweldOperator* op, const OpweldArgument* inputs,
                                               size_t input_count, const OpweldArgument* attributes,
                                               size_t attribute_count, const OpweldArgument* outputs,
                                               size_t output_count, uint64_t* workspace_size,
                                               aclOpExecutor** executor) {
    const char* name = op != nullptr && op->aclnn_name != nullptr ? op->aclnn_name : "opweldPrepare";
    const auto body = [&] {
        require(op, "op");
        require(op->aclnn_name, "op->aclnn_name");
        if (op->abi != OPWELD_KERNEL_ABI) {
            throw AclException(kInvalid,
                               fmt::format("the operator's library was built for kernel interface {}, this "
                                           "software NPU has {}; build it again",
                                           op->abi, OPWELD_KERNEL_ABI));
        }
        require(reinterpret_cast<const void*>(op->kernel), "op->kernel");
        require(workspace_size, "workspaceSize");
        require(executor, "executor");
        DeviceCheck devices;
        Group in = group_of(inputs, input_count, devices);
        Group attribute = group_of(attributes, attribute_count, devices);
        Group out = group_of(outputs, output_count, devices);
        refuse_overlapping(out);
        if (op->check != nullptr) {
            call(op->check, op->aclnn_name, in.values(false), attribute.values(false), out.values(false),
                 kInvalid);
        }
        *executor =
            new VendorExecutor(*op, std::move(in), std::move(attribute), std::move(out), devices.device());
        *workspace_size = 0;
    };
    if (const int code = opweld::npu::check_process(name); code != kOk) {
        return code;
    }
    const int code = guarded_status(name, body, &vendor_failure);
    if (code == kOk) {
        vendor_failure.forget(name);
    }
    return code;
}

extern "C" OPWELD_EXPORT int32_t opweldLaunch(void*, uint64_t, aclOpExecutor* executor, void* stream) {
    if (executor == nullptr) {
        return vendor_failure.report_again("opweldLaunch");
    }
    return enqueue_executor("opweldLaunch", executor, stream);
}
