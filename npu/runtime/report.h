// Host callbacks that a thread of the program runs: streams hand them over, the thread that subscribed to the
// stream takes them one at a time (aclrtSubscribeReport, aclrtProcessReport). Safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "npu/runtime/event.h"

namespace opweld::npu {

using HostCallback = void (*)(void*);

// A queue of callbacks for one thread.
class ReportQueue;

// `thread` is the value of pthread_self() in the thread that will process.
void subscribe(uint64_t thread, const void* stream);
// Raises 107011 where the thread does not serve the stream.
void unsubscribe(uint64_t thread, const void* stream);
// Forgets a stream that ends.
void forget_stream(const void* stream);

// The queue of the thread that serves a stream. Raises 107015 where there is none.
std::shared_ptr<ReportQueue> subscriber_of(const void* stream);

// Hands a callback over; `done` is completed after it ran. Called by the stream's thread.
void hand_over(ReportQueue& queue, HostCallback function, void* data, std::shared_ptr<Mark> done);

// Runs one callback on the calling thread, waiting up to `timeout` milliseconds (negative: no limit) for it.
// Raises 107012 where the thread serves no stream, 507012 where none came in time.
void process_report(int32_t timeout);

}  // namespace opweld::npu
