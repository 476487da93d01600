// The functions of the operators that torchair's tests compile: each adds its other inputs to x, in place; an
// output is a copy of the second input.
#include <opweld/launch.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <opweld/kernel.hpp>
#include <opweld/vendor.hpp>

namespace {

namespace vendor = opweld::vendor;

constexpr size_t kX = 0;
constexpr size_t kY = 1;
constexpr size_t kOptional = 2;
constexpr size_t kFirstState = 3;
constexpr size_t kSecondState = 4;

void add(const opweld::MutableTensorView& x, const opweld::TensorView& other) {
    const auto sum = x.as<float>();
    opweld::elementwise(
        sum, [](float a, float b) { return a + b; }, opweld::TensorView(x).as<float>(), other.as<float>());
}

template <size_t Inputs, size_t Attributes, size_t Outputs>
int32_t run(const OpweldCall* call, char* error, size_t error_size) {
    return opweld::guarded(call, error, error_size, [](const OpweldCall& raw) {
        const opweld::CallReader reader(raw, Inputs, Attributes, Outputs);
        add(reader.mutable_input(kX), reader.input(kY));
        if constexpr (Inputs > kOptional) {
            if (const auto more = reader.optional_input(kOptional)) {
                add(reader.mutable_input(kX), *more);
            }
        }
        if constexpr (Outputs > 0) {
            opweld::elementwise(
                reader.output(0).as<float>(), [](float y) { return y; }, reader.input(kY).as<float>());
        }
    });
}

// Doubles both states, in place; the output is a copy of the first input.
int32_t run_two_states(const OpweldCall* call, char* error, size_t error_size) {
    return opweld::guarded(call, error, error_size, [](const OpweldCall& raw) {
        const opweld::CallReader reader(raw, 9, 0, 1);
        add(reader.mutable_input(kFirstState), reader.input(kFirstState));
        add(reader.mutable_input(kSecondState), reader.input(kSecondState));
        opweld::elementwise(
            reader.output(0).as<float>(), [](float x) { return x; }, reader.input(kX).as<float>());
    });
}

template <size_t Inputs, size_t Attributes, size_t Outputs>
constexpr OpweldOperator operator_of(const char* name) {
    return {OPWELD_KERNEL_ABI, 0, name, run<Inputs, Attributes, Outputs>, nullptr};
}

OpweldArgument number(const char* name, const aclTensor* value) {
    return vendor::tensor(name, value, {OPWELD_FLOAT32});
}

int32_t prepare_copy(const OpweldOperator& op, const aclTensor* x, const aclTensor* y, const aclTensor* z,
                     uint64_t* workspace_size, aclOpExecutor** executor) {
    const std::array inputs{number("x", x), number("y", y)};
    const std::array outputs{number("z", z)};
    return opweldPrepare(&op, inputs.data(), inputs.size(), nullptr, 0, outputs.data(), outputs.size(),
                         workspace_size, executor);
}

constexpr OpweldOperator kNoOutput = operator_of<2, 0, 0>("aclnnMyInplaceAutoNoOutput");
constexpr OpweldOperator kInt = operator_of<2, 1, 0>("aclnnMyInplaceAutoKwargsInt");
constexpr OpweldOperator kStr = operator_of<2, 1, 0>("aclnnMyInplaceAutoKwargsStr");
constexpr OpweldOperator kOption = operator_of<3, 1, 0>("aclnnMyInplaceAutoOptionInput");

constexpr OpweldOperator kTwo = {OPWELD_KERNEL_ABI, 0, "aclnnMyTwoInplace", run_two_states, nullptr};

}  // namespace

// The second phase is the same for all.
#define SECOND_PHASE(name)                                                                               \
    OPWELD_VENDOR_EXPORT int32_t name(void* workspace, uint64_t workspace_size, aclOpExecutor* executor, \
                                      void* stream) {                                                    \
        return opweldLaunch(workspace, workspace_size, executor, stream);                                \
    }

#define IN_PLACE_AND_COPY(type)                                                                              \
    OPWELD_VENDOR_EXPORT int32_t aclnn##type##GetWorkspaceSize(const aclTensor* x, const aclTensor* y,       \
                                                               const aclTensor* z, uint64_t* workspace_size, \
                                                               aclOpExecutor** executor) {                   \
        static constexpr OpweldOperator kOperator = operator_of<2, 0, 1>("aclnn" #type);                     \
        return prepare_copy(kOperator, x, y, z, workspace_size, executor);                                   \
    }                                                                                                        \
    SECOND_PHASE(aclnn##type)

extern "C" {

IN_PLACE_AND_COPY(MyInplaceAuto1)
IN_PLACE_AND_COPY(MyInplaceAuto2)
IN_PLACE_AND_COPY(MultiInplace1)
IN_PLACE_AND_COPY(MultiInplace2)

OPWELD_VENDOR_EXPORT int32_t aclnnMyInplaceAutoNoOutputGetWorkspaceSize(const aclTensor* x,
                                                                        const aclTensor* y,
                                                                        uint64_t* workspace_size,
                                                                        aclOpExecutor** executor) {
    const std::array inputs{number("x", x), number("y", y)};
    return opweldPrepare(&kNoOutput, inputs.data(), inputs.size(), nullptr, 0, nullptr, 0, workspace_size,
                         executor);
}
SECOND_PHASE(aclnnMyInplaceAutoNoOutput)

OPWELD_VENDOR_EXPORT int32_t aclnnMyInplaceAutoKwargsIntGetWorkspaceSize(const aclTensor* x,
                                                                         const aclTensor* y, int64_t alpha,
                                                                         uint64_t* workspace_size,
                                                                         aclOpExecutor** executor) {
    const std::array inputs{number("x", x), number("y", y)};
    const std::array attributes{vendor::integer("alpha", alpha)};
    return opweldPrepare(&kInt, inputs.data(), inputs.size(), attributes.data(), attributes.size(), nullptr,
                         0, workspace_size, executor);
}
SECOND_PHASE(aclnnMyInplaceAutoKwargsInt)

OPWELD_VENDOR_EXPORT int32_t aclnnMyInplaceAutoKwargsStrGetWorkspaceSize(const aclTensor* x,
                                                                         const aclTensor* y,
                                                                         const char* alpha,
                                                                         uint64_t* workspace_size,
                                                                         aclOpExecutor** executor) {
    const std::array inputs{number("x", x), number("y", y)};
    const std::array attributes{vendor::string("alpha", alpha)};
    return opweldPrepare(&kStr, inputs.data(), inputs.size(), attributes.data(), attributes.size(), nullptr,
                         0, workspace_size, executor);
}
SECOND_PHASE(aclnnMyInplaceAutoKwargsStr)

OPWELD_VENDOR_EXPORT int32_t aclnnMyInplaceAutoOptionInputGetWorkspaceSize(
    const aclTensor* x, const aclTensor* y, const aclTensor* z, const char* alpha, uint64_t* workspace_size,
    aclOpExecutor** executor) {
    const std::array inputs{number("x", x), number("y", y),
                            vendor::optional_tensor("z", z, {OPWELD_FLOAT32})};
    const std::array attributes{vendor::string("alpha", alpha)};
    return opweldPrepare(&kOption, inputs.data(), inputs.size(), attributes.data(), attributes.size(),
                         nullptr, 0, workspace_size, executor);
}
SECOND_PHASE(aclnnMyInplaceAutoOptionInput)

OPWELD_VENDOR_EXPORT int32_t aclnnMyTwoInplaceGetWorkspaceSize(
    const aclTensor* x, const aclTensor* wkv, const aclTensor* wgate, const aclTensor* kv_state,
    const aclTensor* score_state, const aclTensor* ape, const aclTensor* norm_weight,
    const aclTensor* rope_sin, const aclTensor* rope_cos, const aclTensor* cmp_kv, uint64_t* workspace_size,
    aclOpExecutor** executor) {
    const std::array inputs{number("x", x),
                            number("wkv", wkv),
                            number("wgate", wgate),
                            number("kv_state", kv_state),
                            number("score_state", score_state),
                            number("ape", ape),
                            number("norm_weight", norm_weight),
                            number("rope_sin", rope_sin),
                            number("rope_cos", rope_cos)};
    const std::array outputs{number("cmp_kv", cmp_kv)};
    return opweldPrepare(&kTwo, inputs.data(), inputs.size(), nullptr, 0, outputs.data(), outputs.size(),
                         workspace_size, executor);
}
SECOND_PHASE(aclnnMyTwoInplace)

}  // extern "C"
