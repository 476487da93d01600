#include <fstream>

#include "npu/runtime/acl_api.h"
#include "npu/runtime/capture.h"
#include "npu/runtime/captured_graph.h"
#include "npu/runtime/context.h"
#include "npu/runtime/error.h"
#include "npu/runtime/stream.h"

using namespace opweld::npu;

namespace {

void run_on(Stream& stream, void* graph) {
    auto known = whole_graph_of(required(graph, "modelRI"));
    if (stream.recorder() != nullptr) {
        refuse_wait_for(stream, "given a graph to run");
    }
    if (known->device() != stream.device()) {
        raise(kRtParamInvalid, "graph {} was captured on device {}, but the stream belongs to device {}",
              known->id(), known->device(), stream.device());
    }
    stream.run_graph(make_run(std::move(known)));
}

}  // namespace

int aclmdlRIExecuteAsync(void* graph, void* stream) {
    return entry(__func__, [&] { run_on(*stream_of(stream), graph); }, fmt::ptr(graph), fmt::ptr(stream));
}

int aclmdlRIExecute(void* graph, int32_t timeout) {
    return entry(
        __func__,
        [&] {
            constexpr int32_t kNoLimit = -1;
            if (timeout < kNoLimit || timeout == 0) {
                raise(kRtParamInvalid,
                      "a timeout of {} ms is not possible: -1 (no limit) or more than 0 is expected",
                      timeout);
            }
            refuse_in_capture("aclmdlRIExecute");
            const auto stream = stream_of(nullptr);
            run_on(*stream, graph);
            stream->synchronise(timeout);
        },
        fmt::ptr(graph), timeout);
}

int aclmdlRIDestroy(void* graph) {
    return entry<InChild::allowed>(
        __func__,
        [&] {
            required(graph, "modelRI");
            if (!forked_child()) {
                whole_graph_of(graph);
                graphs().remove(graph);
            }
        },
        fmt::ptr(graph));
}

int aclmdlRIGetId(void* graph, uint32_t* id) {
    return entry<InChild::allowed>(
        __func__, [&] { *required(id, "modelRIId") = graph_of(required(graph, "modelRI"))->id(); },
        fmt::ptr(graph));
}

int aclmdlRIDebugPrint(void* graph) {
    return entry(
        __func__, [&] { write_always(whole_graph_of(required(graph, "modelRI"))->text()); }, fmt::ptr(graph));
}

int aclmdlRIDebugJsonPrint(void* graph, const char* path, uint32_t flags) {
    return entry(
        __func__,
        [&] {
            required(path, "path");
            constexpr uint32_t kVerbose = 1;
            if ((flags & ~kVerbose) != 0) {
                raise(kRtParamInvalid, "{:#x} are no flags of this function: 0 and 1 (verbose) are", flags);
            }
            const std::string text = whole_graph_of(required(graph, "modelRI"))->json();
            std::ofstream file(path);
            file << text;
            file.close();
            if (!file) {
                raise(kInvalidFile, "the file {} can't be written", path);
            }
        },
        fmt::ptr(graph), path == nullptr ? "null" : path, flags);
}
