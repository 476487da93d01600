#include "npu/runtime/direct.h"

namespace opweld::npu {
namespace {

thread_local int scopes = 0;

}  // namespace

DirectScope::DirectScope() noexcept { ++scopes; }

DirectScope::~DirectScope() { --scopes; }

bool DirectScope::active() noexcept { return scopes > 0; }

}  // namespace opweld::npu
