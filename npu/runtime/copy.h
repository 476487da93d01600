// Copies and fills, between any two of host and devices. Addresses are checked when a copy is described, so a
// wrong pointer is the error of the call and not of a stream; running it then can't fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "npu/runtime/acl_types.h"

namespace opweld::npu {

// `height` rows of `width` bytes; plain copies have one row.
struct Copy {
    void* destination;  // host addresses
    const void* source;
    uint64_t width;
    uint64_t height;
    uint64_t destination_pitch;
    uint64_t source_pitch;
    bool pageable;      // a side is host memory that is not pinned: the call returns after the copy only
    bool reads_device;  // and does not write it: allowed in a forked child

    void run() const noexcept;
};

// A copy of `bytes` bytes to `destination`, which has room for `room` bytes. Raises AclException.
Copy describe_copy(void* destination, uint64_t room, const void* source, uint64_t bytes, MemcpyKind kind);

Copy describe_copy_2d(void* destination, uint64_t destination_pitch, const void* source,
                      uint64_t source_pitch, uint64_t width, uint64_t height, MemcpyKind kind);

struct Fill {
    void* destination;
    uint8_t value;
    uint64_t bytes;

    void run() const noexcept;
};

// Fills device memory with a byte; `room` bytes are there.
Fill describe_fill(void* device, uint64_t room, int32_t value, uint64_t bytes);

}  // namespace opweld::npu
