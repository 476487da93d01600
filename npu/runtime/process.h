// aclInit and aclFinalize: the state of the process. Safe from any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "npu/runtime/context.h"

namespace opweld::npu {

class Process {
  public:
    static Process& instance();

    // Reads the configuration file (null or empty: none). Raises 100002 where the process is initialised
    // already.
    void initialise(const char* config_path);
    // Raises 100037 after the last time, 100001 where there was none.
    void finalise();

    // "defaultDevice": {"default_device": "0"} in the configuration: the device of threads that chose none.
    std::optional<int> default_device() const;

    void set_option(size_t option, int64_t value);
    std::optional<int64_t> option(size_t option) const;

  private:
    mutable std::mutex mutex_;
    bool initialised_ = false;
    bool finalised_ = false;
    std::optional<int> default_device_;
    OptionValues options_;
};

}  // namespace opweld::npu
