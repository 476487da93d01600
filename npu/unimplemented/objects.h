// What the generated functions need beside fail(): C++ objects of which only the size is known.
//
// The graph engine's classes hold one shared_ptr (or a vector, or a function and a pointer); all-zero bytes
// are an empty one, which the caller's inline destructor releases without touching anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "npu/runtime/interface.h"

namespace opweld::npu {

// An empty object of Bytes bytes. Its destructor is what makes the compiler return it through hidden memory,
// as it does for the class that the caller expects.
template <size_t Bytes>
class EmptyObject {
  public:
    EmptyObject() { std::memset(bytes_, 0, Bytes); }
    EmptyObject(const EmptyObject& other) { std::memcpy(bytes_, other.bytes_, Bytes); }
    EmptyObject& operator=(const EmptyObject&) = delete;
    ~EmptyObject() {}  // not defaulted: a trivial one would change how the object is returned

  private:
    alignas(8) unsigned char bytes_[Bytes];
};

// Makes the memory under construction an empty object.
template <size_t Bytes>
void clear_object(void* object) noexcept {
    std::memset(object, 0, Bytes);
}

}  // namespace opweld::npu
