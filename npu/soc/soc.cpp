#include "npu/soc/soc.h"

#include <algorithm>
#include <array>

namespace opweld::npu {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;

constexpr uint64_t kFloats =
    dtype_bit(OPWELD_FLOAT32) | dtype_bit(OPWELD_FLOAT16) | dtype_bit(OPWELD_BFLOAT16);
constexpr uint64_t kIntegers = dtype_bit(OPWELD_INT8) | dtype_bit(OPWELD_UINT8) | dtype_bit(OPWELD_INT16) |
                               dtype_bit(OPWELD_INT32) | dtype_bit(OPWELD_INT64);
constexpr uint64_t kWide =
    dtype_bit(OPWELD_FLOAT64) | dtype_bit(OPWELD_COMPLEX64) | dtype_bit(OPWELD_COMPLEX128);
constexpr uint64_t kCompute = kFloats | kIntegers | kWide | dtype_bit(OPWELD_BOOL);

constexpr std::array<Soc, 2> kSocs{{
    {.name = "Ascend910B1",
     .ai_cores = 24,
     .vector_cores = 48,
     .ai_cpus = 6,
     .hbm_bytes = 64 * kGiB,
     .l2_bytes = 192 * kMiB,
     .ub_bytes = 192 * 1024,
     .npu_arch = 2201,
     .compute_dtypes = kCompute,
     .matmul_dtypes = kFloats | dtype_bit(OPWELD_INT8),
     .adds_padding = true,
     .falls_back_to_aclop = true},
    {.name = "Ascend950PR",
     .ai_cores = 32,
     .vector_cores = 64,
     .ai_cpus = 6,
     .hbm_bytes = 128 * kGiB,
     .l2_bytes = 128 * kMiB,
     .ub_bytes = 248 * 1024,
     .npu_arch = 3510,
     .compute_dtypes = kCompute,
     .matmul_dtypes = kFloats | dtype_bit(OPWELD_INT8),
     .adds_padding = false,
     .falls_back_to_aclop = false},
}};

}  // namespace

const Soc* find_soc(std::string_view name) noexcept {
    const auto* found =
        std::find_if(kSocs.begin(), kSocs.end(), [&](const Soc& soc) { return name == soc.name; });
    return found == kSocs.end() ? nullptr : found;
}

const Soc& default_soc() noexcept { return kSocs.front(); }

std::span<const Soc> all_socs() noexcept { return kSocs; }

std::string soc_names() {
    std::string names;
    for (const Soc& soc : kSocs) {
        names += names.empty() ? "" : ", ";
        names += soc.name;
    }
    return names;
}

}  // namespace opweld::npu
