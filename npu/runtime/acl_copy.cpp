#include <utility>
#include <vector>

#include "npu/runtime/acl_api.h"
#include "npu/runtime/capture.h"
#include "npu/runtime/context.h"
#include "npu/runtime/copy.h"
#include "npu/runtime/error.h"
#include "npu/runtime/operators.h"
#include "npu/runtime/stream.h"

using namespace opweld::npu;

namespace {

constexpr int32_t kNoLimit = -1;

uint64_t bytes_of(const Copy& copy) { return copy.width * copy.height; }
uint64_t bytes_of(const Fill& fill) { return fill.bytes; }

// Copies or fills as one task of a stream; `what` says of which kind they are.
template <class Work>
class WorkTask final : public Task, public OperatorTask {
  public:
    WorkTask(std::string_view name, const char* what, std::vector<Work> work)
        : name_(name), what_(what), work_(std::move(work)) {}
    void run() override {
        for (const Work& work : work_) {
            work.run();
        }
    }
    std::string_view name() const noexcept override { return name_; }
    OperatorChain operators() const noexcept override { return operators_; }
    std::vector<Detail> details() const override {
        uint64_t bytes = 0;
        for (const Work& work : work_) {
            bytes += bytes_of(work);
        }
        return {{"bytes", std::to_string(bytes)}, {"what", what_}};
    }

  private:
    OperatorChain operators_ = running_operators();
    std::string_view name_;
    const char* what_;
    std::vector<Work> work_;
};

template <class Work>
void enqueue_work(const char* function, const char* what, std::vector<Work> work, bool returns_after,
                  void* stream) {
    const auto pin = stream_of(stream);
    const auto capture = capture_of(*pin);
    if (returns_after && capture == nullptr) {
        refuse_in_capture(function);
    } else if (returns_after && !capture->takes_pageable(function)) {
        return;
    }
    pin->run(std::make_unique<WorkTask<Work>>(function, what, std::move(work)));
    if (returns_after && capture == nullptr) {
        pin->drain(kNoLimit);
    }
}

void run_now(const char* function, const Copy& copy) {
    refuse_in_capture(function);
    if (!copy.reads_device) {
        refuse_in_child();
    }
    copy.run();
}

std::vector<Copy> describe_batch(void** dsts, const size_t* dst_max, void** srcs, const size_t* sizes,
                                 size_t count, const BatchAttributes* attributes, const size_t* indexes,
                                 size_t attribute_count, size_t* failed) {
    required(failed, "failIndex");
    *failed = SIZE_MAX;
    required(dsts, "dsts");
    required(dst_max, "destMax");
    required(srcs, "srcs");
    required(sizes, "sizes");
    required(attributes, "attrs");
    required(indexes, "attrsIndexes");
    if (count == 0 || attribute_count == 0 || attribute_count > count || indexes[0] != 0) {
        raise(kRtParamInvalid,
              "{} copies with {} attributes whose first index is {}: at least one copy, one attribute and "
              "the first index "
              "0 are expected",
              count, attribute_count, indexes[0]);
    }
    std::vector<Copy> copies;
    copies.reserve(count);
    size_t attribute = 0;
    for (size_t i = 0; i < count; ++i) {
        while (attribute + 1 < attribute_count && indexes[attribute + 1] <= i) {
            ++attribute;
        }
        const bool to_device = attributes[attribute].destination.type == 1;
        const bool from_device = attributes[attribute].source.type == 1;
        const int kind = (from_device ? 2 : 0) + (to_device ? 1 : 0);
        *failed = i;
        copies.push_back(
            describe_copy(dsts[i], dst_max[i], srcs[i], sizes[i], static_cast<MemcpyKind>(kind)));
    }
    *failed = SIZE_MAX;
    return copies;
}

}  // namespace

int aclrtMemcpy(void* dst, size_t dst_max, const void* src, size_t count, int kind) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            run_now("aclrtMemcpy", describe_copy(dst, dst_max, src, count, static_cast<MemcpyKind>(kind)));
        },
        fmt::ptr(dst), dst_max, fmt::ptr(src), count, kind);
}

int aclrtMemcpyAsync(void* dst, size_t dst_max, const void* src, size_t count, int kind, void* stream) {
    return entry(
        __func__,
        [&] {
            const Copy copy = describe_copy(dst, dst_max, src, count, static_cast<MemcpyKind>(kind));
            enqueue_work<Copy>("aclrtMemcpyAsync", kind_name(static_cast<MemcpyKind>(kind)), {copy},
                               copy.pageable, stream);
        },
        fmt::ptr(dst), dst_max, fmt::ptr(src), count, kind, fmt::ptr(stream));
}

int aclrtMemcpy2d(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                  int kind) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            run_now("aclrtMemcpy2d", describe_copy_2d(dst, dst_pitch, src, src_pitch, width, height,
                                                      static_cast<MemcpyKind>(kind)));
        },
        fmt::ptr(dst), dst_pitch, fmt::ptr(src), src_pitch, width, height, kind);
}

int aclrtMemcpy2dAsync(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width,
                       size_t height, int kind, void* stream) {
    return entry(
        __func__,
        [&] {
            const Copy copy = describe_copy_2d(dst, dst_pitch, src, src_pitch, width, height,
                                               static_cast<MemcpyKind>(kind));
            enqueue_work<Copy>("aclrtMemcpy2dAsync", kind_name(static_cast<MemcpyKind>(kind)), {copy},
                               copy.pageable, stream);
        },
        fmt::ptr(dst), dst_pitch, fmt::ptr(src), src_pitch, width, height, kind, fmt::ptr(stream));
}

int aclrtMemcpyBatch(void** dsts, size_t* dst_max, void** srcs, size_t* sizes, size_t count,
                     BatchAttributes* attributes, size_t* indexes, size_t attribute_count, size_t* failed) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            const auto copies = describe_batch(dsts, dst_max, srcs, sizes, count, attributes, indexes,
                                               attribute_count, failed);
            for (const Copy& copy : copies) {
                run_now("aclrtMemcpyBatch", copy);
            }
        },
        count, attribute_count);
}

int aclrtMemcpyBatchAsync(void** dsts, size_t* dst_max, void** srcs, size_t* sizes, size_t count,
                          BatchAttributes* attributes, size_t* indexes, size_t attribute_count,
                          size_t* failed, void* stream) {
    return entry(
        __func__,
        [&] {
            auto copies = describe_batch(dsts, dst_max, srcs, sizes, count, attributes, indexes,
                                         attribute_count, failed);
            bool pageable = false;
            for (const Copy& copy : copies) {
                pageable = pageable || copy.pageable;
            }
            enqueue_work<Copy>("aclrtMemcpyBatchAsync", "batch", std::move(copies), pageable, stream);
        },
        count, attribute_count, fmt::ptr(stream));
}

int aclrtMemset(void* device, size_t max_count, int32_t value, size_t count) {
    return entry(
        __func__,
        [&] {
            refuse_in_capture("aclrtMemset");
            describe_fill(device, max_count, value, count).run();
        },
        fmt::ptr(device), max_count, value, count);
}

int aclrtMemsetAsync(void* device, size_t max_count, int32_t value, size_t count, void* stream) {
    return entry(
        __func__,
        [&] {
            enqueue_work<Fill>("aclrtMemsetAsync", "fill", {describe_fill(device, max_count, value, count)},
                               false, stream);
        },
        fmt::ptr(device), max_count, value, count, fmt::ptr(stream));
}
