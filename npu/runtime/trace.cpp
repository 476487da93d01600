#include "npu/runtime/trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "npu/runtime/event.h"
#include "npu/runtime/log.h"
#include "npu/runtime/quietly.h"

namespace opweld::npu {
namespace {

using json = nlohmann::ordered_json;

constexpr int64_t kFirstStream = 1 << 23;  // above every number of a thread

std::string dumped(const json& event) { return event.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    for (char& character : text) {
        character = character == '\0' ? ' ' : character;
    }
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

// The file of this process. Its lock guards all but `generation`.
struct TraceFile {
    std::mutex mutex;
    std::string pattern;
    int descriptor = -1;
    std::set<std::pair<int, int>> streams;
    std::atomic<uint32_t> generation{1};  // another one in a forked child, where all must be told anew
};

TraceFile& trace_file() {
    static auto& file = *new TraceFile;
    return file;
}

int this_thread() { return static_cast<int>(syscall(SYS_gettid)); }

json metadata(const char* what, int64_t thread, const std::string& name) {
    return {{"name", what}, {"ph", "M"}, {"pid", getpid()}, {"tid", thread}, {"args", {{"name", name}}}};
}

// A piece of the file that begins with the comma that its event needs.
std::string piece(const json& event) { return ",\n" + dumped(event); }

bool open_file(TraceFile& file) {
    if (file.descriptor >= 0) {
        return true;
    }
    const std::string path = trace_path(file.pattern, getpid());
    file.descriptor = open(path.c_str(), O_CREAT | O_TRUNC | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
    if (file.descriptor < 0) {
        write_always(fmt::format("OPWELD_TRACE: {} can't be written: {}", path, std::strerror(errno)));
        return false;
    }
    const std::string head = "[\n" + dumped(metadata("process_name", getpid(), command_line()));
    return write(file.descriptor, head.data(), head.size()) == static_cast<ssize_t>(head.size());
}

std::string thread_name() {
    if (this_thread() == getpid()) {
        return "main thread";
    }
    char name[32] = "";
    return pthread_getname_np(pthread_self(), name, sizeof name) == 0 ? name : "";
}

int64_t track_id(Track track) { return kFirstStream + (int64_t{track.device} << 16) + track.stream; }

// The one-time lines that give this thread or stream its name, before its first event.
std::string introduction(TraceFile& file, const Track* track) {
    if (track != nullptr) {
        if (!file.streams.emplace(track->device, track->stream).second) {
            return "";
        }
        return piece(metadata("thread_name", track_id(*track),
                              fmt::format("npu:{} stream {}", track->device, track->stream)));
    }
    thread_local uint32_t introduced = 0;
    const uint32_t generation = file.generation.load(std::memory_order_relaxed);
    return std::exchange(introduced, generation) == generation
               ? ""
               : piece(metadata("thread_name", this_thread(), thread_name()));
}

}  // namespace

struct TraceSwitch {
    TraceSwitch() {
        const char* pattern = std::getenv("OPWELD_TRACE");
        if (pattern == nullptr || *pattern == '\0') {
            return;
        }
        trace_file().pattern = pattern;
        pthread_atfork([] { trace_file().mutex.lock(); }, [] { trace_file().mutex.unlock(); },
                       [] {
                           TraceFile& file = trace_file();
                           if (file.descriptor >= 0) {
                               close(file.descriptor);
                           }
                           file.descriptor = -1;
                           file.streams.clear();
                           ++file.generation;
                           file.mutex.unlock();
                       });
        Trace::on_ = true;
    }
    ~TraceSwitch() { end("\n]\n"); }
    TraceSwitch(const TraceSwitch&) = delete;
    TraceSwitch& operator=(const TraceSwitch&) = delete;

    // Writes the last bytes and closes.
    static void end(std::string_view last) {
        TraceFile& file = trace_file();
        const std::lock_guard lock(file.mutex);
        Trace::on_ = false;
        if (file.descriptor >= 0) {
            [[maybe_unused]] const auto written = write(file.descriptor, last.data(), last.size());
            close(std::exchange(file.descriptor, -1));
        }
    }

    // Writes an event; `track` is null for those of the calling thread.
    static void write_event(const json& event, const Track* track) {
        TraceFile& file = trace_file();
        {
            const std::lock_guard lock(file.mutex);
            if (!Trace::on()) {
                return;
            }
            if (open_file(file)) {
                const std::string text = introduction(file, track) + piece(event);
                if (write(file.descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size())) {
                    return;
                }
                write_always(fmt::format("OPWELD_TRACE: the file can't be written any more: {}",
                                         std::strerror(errno)));
            }
        }
        end("");
    }
};

namespace {

const TraceSwitch trace_switch;

double microseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

void span(const char* category, std::string_view name, int64_t start, json arguments, const Track* track) {
    const int64_t end = steady_nanoseconds();
    const json event = {{"name", name},
                        {"cat", category},
                        {"ph", "X"},
                        {"ts", microseconds(start)},
                        {"dur", microseconds(end - start)},
                        {"pid", getpid()},
                        {"tid", track == nullptr ? this_thread() : track_id(*track)},
                        {"args", std::move(arguments)}};
    TraceSwitch::write_event(event, track);
}

json task_arguments(const Task& task, std::string_view error) {
    json arguments = json::object();
    if (const auto* known = dynamic_cast<const OperatorTask*>(&task); known != nullptr) {
        for (const Detail& detail : known->details()) {
            arguments[detail.name] = detail.value;
        }
        std::string chain;
        for (const char* name : known->operators().names()) {
            chain += (chain.empty() ? "" : " > ") + std::string(name);
        }
        if (!chain.empty()) {
            arguments["operator"] = chain;
        }
    }
    if (!error.empty()) {
        arguments["error"] = error;
    }
    return arguments;
}

}  // namespace

std::string trace_path(std::string_view pattern, int process) {
    std::string path(pattern);
    if (const size_t place = path.find("%p"); place != std::string::npos) {
        return path.replace(place, 2, std::to_string(process));
    }
    const size_t slash = path.rfind('/');
    const size_t dot = path.rfind('.');
    const bool ending =
        dot != std::string::npos && dot > 0 && (slash == std::string::npos || dot > slash + 1);
    return path.insert(ending ? dot : path.size(), fmt::format(".{}", process));
}

bool is_traced(std::string_view function) noexcept {
    constexpr std::string_view kSmall[] = {"Get", "Query", "Peek", "enqueue", "opweld"};
    for (const std::string_view word : kSmall) {
        if (function.find(word) != std::string_view::npos) {
            return false;
        }
    }
    return true;
}

CallSpan::CallSpan(const char* function) noexcept : function_(function) {
    if (Trace::on() && is_traced(function)) [[unlikely]] {
        start_ = steady_nanoseconds();
    }
}

void Trace::call(std::string_view function, const std::string& arguments, int64_t start) noexcept {
    quietly([&] {
        json told = json::object();
        if (!arguments.empty()) {
            told["arguments"] = arguments;
        }
        span("runtime", function, start, std::move(told), nullptr);
    });
}

void Trace::operation(std::string_view name, int64_t start) noexcept {
    quietly([&] { span("operator", name, start, json::object(), nullptr); });
}

void Trace::task(Track track, const Task& task, int64_t start, std::string_view error) noexcept {
    quietly([&] { span("task", task.name(), start, task_arguments(task, error), &track); });
}

void Trace::task_of_graph(const Task& task, int64_t start) noexcept { Trace::task(track_, task, start, ""); }

void Trace::wait(Track track, int64_t start) noexcept {
    quietly([&] {
        span("wait", "wait for event", start == 0 ? steady_nanoseconds() : start, json::object(), &track);
    });
}

void Trace::record(Track track) noexcept {
    quietly([&] {
        TraceSwitch::write_event({{"name", "record event"},
                                  {"cat", "wait"},
                                  {"ph", "i"},
                                  {"s", "t"},
                                  {"ts", microseconds(steady_nanoseconds())},
                                  {"pid", getpid()},
                                  {"tid", track_id(track)}},
                                 &track);
    });
}

}  // namespace opweld::npu
