// Entry points that would run an operator: all of them fail and say which operator it was.
#include <span>

#include "npu/aclop/acl_op.h"
#include "npu/aclop/boundary.h"
#include "npu/aclop/compile_options.h"
#include "npu/aclop/objects.h"

namespace opweld::npu::aclop {
namespace {

struct Call {
    const char* op_type;
    std::span<const aclTensorDesc* const> inputs;
    std::span<const aclTensorDesc* const> outputs;
    const aclopAttr* attributes;
};

std::string tensors(std::span<const aclTensorDesc* const> list) {
    std::string text;
    for (const aclTensorDesc* tensor : list) {
        text += text.empty() ? "" : ", ";
        text += tensor == nullptr ? "null" : describe(*tensor);
    }
    return text;
}

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

std::span<const aclTensorDesc* const> list_of(int size, const aclTensorDesc* const* tensors) {
    if (size <= 0 || tensors == nullptr) {
        return {};
    }
    return {tensors, static_cast<size_t>(size)};
}

int refuse(const char* function, const Call& call) noexcept {
    return entry(function, [&] {
        required(call.op_type, "opType");
        raise(kNotSupported,
              "operator {} was sent to the older single-operator interface, which opweld's software NPU does "
              "not "
              "implement: {} ({})",
              call.op_type, story(call), advice());
    });
}

}  // namespace
}  // namespace opweld::npu::aclop

extern "C" {

int aclopCompileAndExecute(const char* op_type, int input_count, const aclTensorDesc* const inputs[],
                           const aclDataBuffer* const /*input_buffers*/[], int output_count,
                           const aclTensorDesc* const outputs[], aclDataBuffer* const /*output_buffers*/[],
                           const aclopAttr* attributes, int /*engine*/, int /*compile*/, const char* /*path*/,
                           void* /*stream*/) {
    using namespace opweld::npu::aclop;
    return refuse("aclopCompileAndExecute",
                  {op_type, list_of(input_count, inputs), list_of(output_count, outputs), attributes});
}

int aclopCompileAndExecuteV2(const char* op_type, int input_count, aclTensorDesc* inputs[],
                             aclDataBuffer* /*input_buffers*/[], int output_count, aclTensorDesc* outputs[],
                             aclDataBuffer* /*output_buffers*/[], aclopAttr* attributes, int /*engine*/,
                             int /*compile*/, const char* /*path*/, void* /*stream*/) {
    using namespace opweld::npu::aclop;
    return refuse("aclopCompileAndExecuteV2",
                  {op_type, list_of(input_count, inputs), list_of(output_count, outputs), attributes});
}
}
