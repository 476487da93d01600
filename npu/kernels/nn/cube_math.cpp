#include "npu/kernels/nn/cube_math.h"

#include <ATen/Parallel.h>

#include <bit>
#include <cstdlib>
#include <string_view>

namespace opweld::npu::kernels {
namespace {

constexpr int64_t kFloat16 = 2;
constexpr int64_t kHf32 = 3;
constexpr int kDropped = 23 - 11;  // bits of mantissa that HF32 doesn't have
constexpr int64_t kGrain = 32768;

bool reduced_by_default() {
    static const bool kOn = [] {
        const char* value = std::getenv("OPWELD_HF32");
        return value != nullptr && std::string_view(value) == "1";
    }();
    return kOn;
}

// To the nearest, ties to even. Infinities and NaNs stay what they are.
float round_to_hf32(float value) noexcept {
    const auto bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7f800000U) == 0x7f800000U) {
        return value;
    }
    const uint32_t half = (1U << (kDropped - 1)) - 1 + ((bits >> kDropped) & 1U);
    return std::bit_cast<float>((bits + half) & ~((1U << kDropped) - 1));
}

at::Tensor to_hf32(const at::Tensor& operand) {
    at::Tensor result = operand.clone();  // dense, in whatever order
    auto* data = static_cast<float*>(result.mutable_data_ptr());
    at::parallel_for(0, result.numel(), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            data[i] = round_to_hf32(data[i]);
        }
    });
    return result;
}

}  // namespace

at::Tensor cube_operand(const at::Tensor& operand, int64_t cube_math_type, CubeDefault by_default) {
    const bool reduces = cube_math_type == kFloat16 || cube_math_type == kHf32;
    if (!reduces || operand.scalar_type() != at::kFloat || operand.numel() == 0 ||
        (by_default == CubeDefault::reduced && !reduced_by_default())) {
        return operand;
    }
    return cube_math_type == kFloat16 ? operand.to(at::kHalf).to(at::kFloat) : to_hf32(operand);
}

}  // namespace opweld::npu::kernels
