#include "npu/runtime/failures.h"

#include <deque>
#include <nlohmann/json.hpp>
#include <thread>

#include "npu/runtime/error.h"
#include "npu/runtime/quietly.h"
#include "npu/runtime/utf8.h"

namespace opweld::npu {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kKept = 8;

struct Raised {
    OperatorChain operators;
    std::thread::id thread;
    uint64_t entered = 0;
    bool any = false;
};

struct Failures {
    std::mutex mutex;
    std::deque<json> tasks;
    std::deque<json> calls;
    Raised raised;
};

Failures& failures() {
    static auto& all = *new Failures;
    return all;
}

json names_of(const OperatorChain& chain) {
    json list = json::array();
    for (const char* name : chain.names()) {
        list.push_back(valid_utf8(name));
    }
    return list;
}

// An error's number and name, also of the aclnn functions, whose codes the runtime does not know.
std::string named(int code) {
    constexpr std::pair<int, const char*> kFunctions[] = {
        {161001, "ACLNN_ERR_PARAM_NULLPTR"},           {161002, "ACLNN_ERR_PARAM_INVALID"},
        {361001, "ACLNN_ERR_RUNTIME_ERROR"},           {561000, "ACLNN_ERR_INNER"},
        {561003, "ACLNN_ERR_INNER_FIND_KERNEL_ERROR"}, {561103, "ACLNN_ERR_INNER_NULLPTR_ERROR"}};
    for (const auto& [known, name] : kFunctions) {
        if (known == code) {
            return fmt::format("{} {}", code, name);
        }
    }
    const std::string name = code_name(code);
    return name.starts_with(std::to_string(code)) ? name : std::to_string(code);
}

json describe(int code, std::string_view message) {
    return {{"code", code}, {"error", named(code)}, {"message", valid_utf8(std::string(message))}};
}

void keep(std::deque<json>& list, json item) {
    const std::lock_guard lock(failures().mutex);
    list.push_back(std::move(item));
    if (list.size() > kKept) {
        list.pop_front();
    }
}

json raised() {
    const Raised& last = failures().raised;
    if (!last.any) {
        return nullptr;
    }
    const bool own = last.thread == std::this_thread::get_id();
    return {{"operators", names_of(last.operators)},
            {"since", own ? static_cast<int64_t>(operators_of_thread() - last.entered) : -1}};
}

}  // namespace

std::mutex& failures_mutex() noexcept { return failures().mutex; }

void note_failed_task(const Task& task, int code, std::string_view message, int device, int stream) noexcept {
    quietly([&] {
        json item = describe(code, message);
        item["task"] = valid_utf8(std::string(task.name()));
        item["device"] = device;
        item["stream"] = stream;
        item["operators"] = json::array();
        item["arguments"] = json::object();
        if (const auto* known = dynamic_cast<const OperatorTask*>(&task); known != nullptr) {
            item["operators"] = names_of(known->operators());
            for (const Detail& detail : known->details()) {
                item["arguments"][detail.name] = detail.value;
            }
        }
        keep(failures().tasks, std::move(item));
    });
}

void note_failed_call(int code, std::string_view message) noexcept {
    quietly([&] {
        json item = describe(code, message);
        item["operators"] = names_of(running_operators());
        keep(failures().calls, std::move(item));
    });
}

void note_raising_operators(const OperatorChain& operators) noexcept {
    const std::lock_guard lock(failures().mutex);
    failures().raised = {operators, std::this_thread::get_id(), operators_of_thread(), true};
}

}  // namespace opweld::npu

using namespace opweld::npu;  // NOLINT(google-build-using-namespace): the C function below only

const char* opweldFailures() {
    try {
        thread_local std::string text;
        const std::vector<std::string> entered = entered_operators();
        const std::lock_guard lock(failures().mutex);
        const json all = {{"tasks", failures().tasks},
                          {"calls", failures().calls},
                          {"raised", raised()},
                          {"entered", entered}};
        text = all.dump(-1, ' ', false, json::error_handler_t::replace);
        return text.c_str();
    } catch (const std::exception&) {
        return nullptr;
    }
}
