#include "npu/kernels/scope.h"

namespace opweld::npu::kernels {
namespace {

// Everything a CPU kernel may need below the dispatcher, and nothing above it.
constexpr c10::DispatchKeySet kKept({c10::DispatchKey::Dense, c10::DispatchKey::Quantized,
                                     c10::DispatchKey::Sparse, c10::DispatchKey::SparseCsr,
                                     c10::DispatchKey::NestedTensor, c10::DispatchKey::BackendSelect,
                                     c10::DispatchKey::Conjugate, c10::DispatchKey::Negative,
                                     c10::DispatchKey::ZeroTensor});
constexpr c10::DispatchKeySet kExcluded = c10::DispatchKeySet(c10::DispatchKeySet::FULL) - kKept;
constexpr c10::DispatchKeySet kIncluded(c10::DispatchKey::BackendSelect);

}  // namespace

KernelScope::KernelScope() : guard_(kIncluded, kExcluded) {
    [[maybe_unused]] static const bool kAsked = (keep_freed_memory(), true);
}

}  // namespace opweld::npu::kernels
