// What the environment says about the software NPU. Read once, at the first question; constant afterwards.
//
//   OPWELD_SOC       name of the SoC (Ascend910B1)
//   OPWELD_DEVICES   number of devices (1)
//   OPWELD_HBM_GIB   memory per device in GiB, fractions allowed (the SoC's, or 80 % of the host's memory
//   over the
//                    number of devices, whichever is less)
//   OPWELD_STREAMS   inline: an idle stream runs a task on the calling thread; async: always on the stream's
//   thread OPWELD_CANN_VERSION       the version reported to version queries (8.5.0)
//   OPWELD_FAULTS    faults on purpose, see faults.h
//   OPWELD_LOG       level of the log, see log.h (checked here, read there)
//   ASCEND_RT_VISIBLE_DEVICES which devices the process sees, in which order
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npu/runtime/faults.h"
#include "npu/soc/soc.h"

namespace opweld::npu {

enum class StreamMode { inline_when_idle, always_async };

struct Config {
    const Soc* soc = nullptr;
    std::vector<int> visible;  // physical device of each logical device
    uint64_t hbm_bytes = 0;    // per device
    StreamMode streams = StreamMode::inline_when_idle;
    std::string cann_version;
    std::vector<Fault> faults;
};

// The configuration. Throws AclException (ACL_ERROR_INVALID_PARAM) that names the faulty variable, its value
// and what was expected, each time it is asked.
const Config& config();

// The name in OPWELD_SOC or the default one, whether known or not.
const char* requested_soc() noexcept;

// The parsing alone, from a function that gives a variable's value or null; `host_bytes` is the host's
// memory. For tests.
Config parse_config(const char* (*variable)(const char* name), uint64_t host_bytes);

}  // namespace opweld::npu
