#include "npu/runtime/operators.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <unordered_set>

#include "npu/runtime/event.h"
#include "npu/runtime/failures.h"
#include "npu/runtime/trace.h"

namespace opweld::npu {
namespace {

struct Frame {
    const char* name;
    int64_t start;  // 0 where nothing is traced
};

struct ThreadOperators {
    std::vector<Frame> running;
    uint64_t entered = 0;
    bool unwinding = false;  // an exception that was noted already leaves one operator after the other
};

ThreadOperators& thread_operators() noexcept {
    thread_local ThreadOperators operators;
    return operators;
}

std::unordered_set<std::string>& names() {
    static auto& set = *new std::unordered_set<std::string>;
    return set;
}

const char* keep_forever(std::string_view name) {
    const std::lock_guard lock(operator_names_mutex());
    return names().emplace(name).first->c_str();
}

// Most names come again soon: a small cache of each thread saves the lock.
const char* kept(std::string_view name) {
    thread_local std::array<std::string_view, 256> cache{};
    std::string_view& place = cache[std::hash<std::string_view>{}(name) % cache.size()];
    if (place != name) {
        place = keep_forever(name);
    }
    return place.data();
}

}  // namespace

std::mutex& operator_names_mutex() noexcept {
    static auto& mutex = *new std::mutex;
    return mutex;
}

bool operators_are_watched() noexcept {
    const char* explain = std::getenv("OPWELD_EXPLAIN");
    return Trace::on() || (explain != nullptr && std::string_view(explain) == "1");
}

OperatorChain running_operators() noexcept {
    OperatorChain chain;
    const auto& running = thread_operators().running;
    const size_t first = running.size() - std::min(running.size(), OperatorChain::kDepth);
    for (size_t i = first; i < running.size(); ++i) {
        chain.add(running[i].name);
    }
    return chain;
}

void enter_operator(std::string_view name) noexcept {
    ThreadOperators& thread = thread_operators();
    ++thread.entered;
    thread.unwinding = false;
    try {
        thread.running.push_back({kept(name), Trace::on() ? steady_nanoseconds() : 0});
    } catch (const std::bad_alloc&) {
        thread.running.clear();  // leaving an operator that is not there does nothing
    }
}

void leave_operator(bool raises) noexcept {
    ThreadOperators& thread = thread_operators();
    if (thread.running.empty()) {
        return;
    }
    if (raises && !thread.unwinding) {
        note_raising_operators(running_operators());
    }
    thread.unwinding = raises;
    const Frame frame = thread.running.back();
    thread.running.pop_back();
    if (frame.start != 0) {
        Trace::operation(frame.name, frame.start);
    }
}

std::vector<std::string> entered_operators() {
    const std::lock_guard lock(operator_names_mutex());
    std::vector<std::string> result(names().begin(), names().end());
    std::ranges::sort(result);
    return result;
}

uint64_t operators_of_thread() noexcept { return thread_operators().entered; }

}  // namespace opweld::npu
