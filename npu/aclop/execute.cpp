// Entry points that run an operator. Those that are not implemented fail and say which operator it was.
#include <array>
#include <utility>

#include "npu/aclop/acl_op.h"
#include "npu/aclop/boundary.h"
#include "npu/aclop/call.h"
#include "npu/aclop/compile_options.h"

namespace opweld::npu::aclop {
namespace {

constexpr std::array<std::pair<std::string_view, Operator>, 12> kOperators{{{"Identity", identity},
                                                                            {"Fill", plain},
                                                                            {"Transpose", plain},
                                                                            {"MatMul", plain},
                                                                            {"DropOutGenMaskV3", plain},
                                                                            {"DropOutDoMaskV3", plain},
                                                                            {"DynamicGRUV2", recurrent},
                                                                            {"DynamicGRUV2Grad", recurrent},
                                                                            {"DynamicRNN", recurrent},
                                                                            {"DynamicRNNGrad", recurrent},
                                                                            {"DynamicRNNV2", recurrent},
                                                                            {"DynamicRNNV2Grad", recurrent}}};

std::string tensors(std::span<const aclTensorDesc* const> list) {
    std::string text;
    for (const aclTensorDesc* tensor : list) {
        text += text.empty() ? "" : ", ";
        text += tensor == nullptr ? "null" : describe(*tensor);
    }
    return text;
}

// What brought torch_npu here, as far as can be told.
std::string advice() {
    if (compile_option(kJitCompile) == "enable") {
        return "jit_compile is on, which leads here; leave out torch.npu.set_compile_mode(jit_compile=True)";
    }
    return "torch_npu comes here where it finds no aclnn function for an operator; `opweld abi torch_npu` "
           "lists those "
           "that are missing, and ASCEND_GLOBAL_LOG_LEVEL=1 shows which one it looked for; run the operator "
           "on CPU "
           "tensors instead";
}

template <class T>
std::span<const T* const> list_of(int size, const T* const* items) {
    if (size <= 0 || items == nullptr) {
        return {};
    }
    return {items, static_cast<size_t>(size)};
}

int execute(const char* function, const Call& call) noexcept {
    return entry(function, [&] {
        required(call.op_type, "opType");
        const Operator known = find_operator(call.op_type);
        if (known == nullptr) {
            raise(kNotSupported,
                  "operator {} was sent to the older single-operator interface, which opweld's software NPU "
                  "does "
                  "not implement: {} ({})",
                  call.op_type, story(call), advice());
        }
        try {
            known(call);
        } catch (const AclException& error) {
            raise(error.code(), "operator {}: {}", call.op_type, error.what());
        }
    });
}

}  // namespace

std::string story(const Call& call) {
    std::string text = fmt::format("{}({}", call.op_type, tensors(call.inputs));
    if (call.attributes != nullptr) {
        for (const auto& [name, value] : call.attributes->values) {
            text += text.back() == '(' ? "" : ", ";
            text += describe(name, value);
        }
    }
    return text + ") -> " + tensors(call.outputs);
}

Operator find_operator(std::string_view op_type) noexcept {
    for (const auto& [name, known] : kOperators) {
        if (name == op_type) {
            return known;
        }
    }
    return nullptr;
}

}  // namespace opweld::npu::aclop

extern "C" {

int aclopCompileAndExecute(const char* op_type, int input_count, const aclTensorDesc* const inputs[],
                           const aclDataBuffer* const input_buffers[], int output_count,
                           const aclTensorDesc* const outputs[], aclDataBuffer* const output_buffers[],
                           const aclopAttr* attributes, int /*engine*/, int /*compile*/, const char* /*path*/,
                           void* stream) {
    using namespace opweld::npu::aclop;
    return execute("aclopCompileAndExecute",
                   {op_type, list_of(input_count, inputs), list_of(output_count, outputs),
                    list_of(input_count, input_buffers), list_of<aclDataBuffer>(output_count, output_buffers),
                    attributes, stream});
}

int aclopCompileAndExecuteV2(const char* op_type, int input_count, aclTensorDesc* inputs[],
                             aclDataBuffer* input_buffers[], int output_count, aclTensorDesc* outputs[],
                             aclDataBuffer* output_buffers[], aclopAttr* attributes, int /*engine*/,
                             int /*compile*/, const char* /*path*/, void* stream) {
    using namespace opweld::npu::aclop;
    return execute(
        "aclopCompileAndExecuteV2",
        {op_type, list_of<aclTensorDesc>(input_count, inputs), list_of<aclTensorDesc>(output_count, outputs),
         list_of<aclDataBuffer>(input_count, input_buffers),
         list_of<aclDataBuffer>(output_count, output_buffers), attributes, stream});
}
}
