#include "npu/runtime/copy.h"

#include <cstring>

#include "npu/runtime/address_space.h"
#include "npu/runtime/error.h"
#include "npu/runtime/host_memory.h"
#include "npu/runtime/memory.h"

namespace opweld::npu {
namespace {

enum class Side : uint8_t { host, device, either };

struct Sides {
    Side destination;
    Side source;
};

Sides sides_of(MemcpyKind kind) {
    switch (kind) {
        case MemcpyKind::host_to_host:
            return {Side::host, Side::host};
        case MemcpyKind::host_to_device:
        case MemcpyKind::host_buffer_to_device:
            return {Side::device, Side::host};
        case MemcpyKind::device_to_host:
            return {Side::host, Side::device};
        case MemcpyKind::device_to_device:
        case MemcpyKind::inner_device:
        case MemcpyKind::inter_device:
            return {Side::device, Side::device};
        case MemcpyKind::by_address:
            return {Side::either, Side::either};
    }
    raise(kInvalidParam, "{} is no kind of copy: 0 to 7 are", static_cast<int>(kind));
}

struct Resolved {
    void* host;
    bool device;
};

Resolved resolve(const void* address, uint64_t bytes, Side side, const char* argument, MemcpyKind kind) {
    const bool on_device = AddressSpace::contains(address);
    if (side == Side::host && on_device) {
        raise(kRtParamInvalid, "`{}` is NPU memory, but the kind of copy is {}", argument, kind_name(kind));
    }
    if (side == Side::device && !on_device && !HostMemory::instance().device_visible(address, bytes)) {
        raise(kRtParamInvalid, "`{}` is no NPU memory, but the kind of copy is {}: {}", argument,
              kind_name(kind), HostMemory::instance().explain(address));
    }
    if (on_device) {
        return {Memory::instance().checked(address, bytes), true};
    }
    return {const_cast<void*>(address), false};
}

// Bytes from the first to the last that a 2-D copy touches.
uint64_t span(uint64_t pitch, uint64_t width, uint64_t height) {
    uint64_t bytes = 0;
    if (height == 0) {
        return 0;
    }
    if (__builtin_mul_overflow(pitch, height - 1, &bytes) || __builtin_add_overflow(bytes, width, &bytes)) {
        raise(kInvalidParam, "{} rows of {} bytes, {} apart, are more than fits in an address space", height,
              width, pitch);
    }
    return bytes;
}

}  // namespace

void Copy::run() const noexcept {
    if (height == 1) {
        std::memmove(destination, source, width);
        return;
    }
    for (uint64_t row = 0; row < height; ++row) {
        std::memmove(static_cast<char*>(destination) + row * destination_pitch,
                     static_cast<const char*>(source) + row * source_pitch, width);
    }
}

void Fill::run() const noexcept { std::memset(destination, value, bytes); }

Copy describe_copy(void* destination, uint64_t room, const void* source, uint64_t bytes, MemcpyKind kind) {
    if (bytes > room) {
        raise(kInvalidParam, "{} bytes don't fit into a destination of {} bytes", bytes, room);
    }
    return describe_copy_2d(destination, bytes, source, bytes, bytes, 1, kind);
}

Copy describe_copy_2d(void* destination, uint64_t destination_pitch, const void* source,
                      uint64_t source_pitch, uint64_t width, uint64_t height, MemcpyKind kind) {
    const Sides sides = sides_of(kind);
    if (width == 0 || height == 0) {
        return {.destination = destination,
                .source = source,
                .width = 0,
                .height = 0,
                .destination_pitch = 0,
                .source_pitch = 0,
                .pageable = false,
                .reads_device = true};
    }
    required(destination, "dst");
    required(source, "src");
    if (width > destination_pitch || width > source_pitch) {
        raise(kInvalidParam, "rows of {} bytes don't fit into pitches of {} (dst) and {} (src) bytes", width,
              destination_pitch, source_pitch);
    }
    const Resolved to =
        resolve(destination, span(destination_pitch, width, height), sides.destination, "dst", kind);
    const Resolved from = resolve(source, span(source_pitch, width, height), sides.source, "src", kind);
    const HostMemory& host = HostMemory::instance();
    return {.destination = to.host,
            .source = from.host,
            .width = width,
            .height = height,
            .destination_pitch = destination_pitch,
            .source_pitch = source_pitch,
            .pageable = (!to.device && !host.known(to.host)) || (!from.device && !host.known(from.host)),
            .reads_device = !to.device};
}

Fill describe_fill(void* device, uint64_t room, int32_t value, uint64_t bytes) {
    if (bytes > room) {
        raise(kInvalidParam, "{} bytes don't fit into a destination of {} bytes", bytes, room);
    }
    if (bytes == 0) {
        return {.destination = nullptr, .value = 0, .bytes = 0};
    }
    required(device, "devPtr");
    void* host = AddressSpace::contains(device) ? Memory::instance().checked(device, bytes) : device;
    if (host == device && !HostMemory::instance().known(device)) {
        raise(kRtParamInvalid, "{} is no device memory: {}", fmt::ptr(device),
              HostMemory::instance().explain(device));
    }
    return {.destination = host, .value = static_cast<uint8_t>(value), .bytes = bytes};
}

}  // namespace opweld::npu
