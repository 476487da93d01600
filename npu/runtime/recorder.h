// What takes the work of a stream instead of running it: the capture of a graph, or the update of a group of
// its tasks.
#pragma once

#include <memory>

#include "npu/runtime/event.h"
#include "npu/runtime/interface.h"

namespace opweld::npu {

class Stream;

// Safe from any thread. Each function raises AclException where the work can't be taken.
class Recorder {
  public:
    virtual ~Recorder() = default;

    virtual void task(Stream& stream, std::unique_ptr<Task> task) = 0;
    // The point at which a record of an event stands now.
    virtual std::shared_ptr<RecordedPoint> record(Stream& stream) = 0;
    // Called for a stream that is recorded; a null mark is that of an event without a record.
    virtual void wait(Stream& stream, const std::shared_ptr<Mark>& mark) = 0;

    // The program waits for the stream or asks whether it is idle: raises.
    [[noreturn]] virtual void refuse_wait(const Stream& stream, const char* action) = 0;

    // The stream ends: it is not touched any more.
    virtual void forget(Stream& stream) noexcept = 0;
};

}  // namespace opweld::npu
