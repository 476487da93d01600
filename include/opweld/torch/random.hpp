// The random state that a kernel on the CPU gets for a Generator argument.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>

#include <mutex>
#include <optional>

#include "opweld/kernel/random.hpp"

namespace opweld::torch_support {

// A new seed from the generator, or from torch's default one: a manual seed reproduces it.
inline RandomState random_state(const std::optional<at::Generator>& generator) {
    auto* source =
        at::get_generator_or_default<at::CPUGeneratorImpl>(generator, at::detail::getDefaultCPUGenerator());
    const std::lock_guard lock(source->mutex_);
    return {source->random64(), 0};
}

}  // namespace opweld::torch_support
