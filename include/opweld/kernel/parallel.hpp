// Work over an index range on several threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace opweld {

// How many threads parallel_for may use: OMP_NUM_THREADS where it is set, else the machine's.
inline int64_t thread_count() {
    static const int64_t count = [] {
        const char* text = std::getenv("OMP_NUM_THREADS");
        const int64_t wanted = text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
        return wanted > 0 ? wanted : std::max<int64_t>(1, std::thread::hardware_concurrency());
    }();
    return count;
}

// Calls function(first, last) over disjoint parts that cover [begin, end), each of `grain` indices or more,
// on up to thread_count() threads, and waits. The first exception of any part is rethrown. Threads are
// started for each call (tens of microseconds): choose a grain that is worth more than that. Do not nest.
template <typename Function>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const Function& function) {
    const int64_t total = end - begin;
    if (total <= 0) {
        return;
    }
    const int64_t parts = std::clamp<int64_t>(total / std::max<int64_t>(1, grain), 1, thread_count());
    if (parts == 1) {
        function(begin, end);
        return;
    }
    std::mutex mutex;
    std::exception_ptr failure;
    auto run = [&](int64_t part) {
        try {
            function(begin + total * part / parts, begin + total * (part + 1) / parts);
        } catch (...) {
            const std::lock_guard lock(mutex);
            failure = failure ? failure : std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(parts - 1));
    int64_t started = 1;
    try {
        for (; started < parts; ++started) {
            threads.emplace_back(run, started);
        }
    } catch (const std::system_error&) {  // no more threads: this one does the rest
        for (int64_t part = started; part < parts; ++part) {
            run(part);
        }
    }
    run(0);
    for (std::thread& thread : threads) {
        thread.join();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace opweld
