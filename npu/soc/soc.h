// What each SoC offers: the facts a program can ask for, and the ones that decide which operators take which
// dtypes.
//
// Everything here is constant and safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "opweld/kernel.h"

namespace opweld::npu {

struct Soc {
    const char* name;          // as aclrtGetSocName gives it
    uint32_t ai_cores;         // AI cores; each holds one cube core
    uint32_t vector_cores;     // vector cores of the whole chip
    uint32_t ai_cpus;          // AI CPU cores
    uint64_t hbm_bytes;        // device memory
    uint64_t l2_bytes;         // level-2 cache
    uint64_t ub_bytes;         // unified buffer of one vector core
    uint32_t npu_arch;         // value of the device attribute NPU_ARCH
    uint64_t compute_dtypes;   // bit n: element-wise and reduction operators take OpweldDType n
    uint64_t matmul_dtypes;    // bit n: the cube unit takes OpweldDType n
    bool adds_padding;         // the allocator of torch_npu pads each block by 32 bytes
    bool falls_back_to_aclop;  // torch_npu may use the older single-operator interface
};

// The SoC of that name, or null.
const Soc* find_soc(std::string_view name) noexcept;

// The SoC a process gets without asking for one.
const Soc& default_soc() noexcept;

std::span<const Soc> all_socs() noexcept;

// "Ascend910B1, Ascend950PR": for messages.
std::string soc_names();

constexpr uint64_t dtype_bit(OpweldDType dtype) noexcept {
    return uint64_t{1} << static_cast<unsigned>(dtype);
}

}  // namespace opweld::npu
