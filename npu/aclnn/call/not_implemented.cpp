#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "npu/aclnn/call/function.h"
#include "npu/aclnn/objects/boundary.h"

namespace opweld::npu::aclnn {
namespace {

size_t common_prefix(std::string_view a, std::string_view b) noexcept {
    const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<size_t>(end - a.begin());
}

// Functions whose names begin like this one's, best first.
std::string near(std::string_view name) {
    constexpr size_t kPrefix = std::string_view("aclnn").size();
    constexpr size_t kAtLeast = kPrefix + 3;
    constexpr size_t kAtMost = 5;
    std::vector<std::pair<size_t, std::string_view>> found;
    for (const Function* function : all_functions()) {
        if (const size_t length = common_prefix(name, function->name); length >= kAtLeast) {
            found.emplace_back(length, function->name);
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string_view> best;
    for (size_t i = 0; i < std::min(found.size(), kAtMost); ++i) {
        best.push_back(found[i].second);
    }
    return fmt::format("{}", fmt::join(best, ", "));
}

// Whether this name fails for the first time in this process.
bool first_time(std::string_view name) {
    static std::mutex mutex;
    static std::unordered_set<std::string_view> seen;
    const std::lock_guard lock(mutex);
    return seen.insert(name).second;
}

}  // namespace

int not_implemented(std::string_view name) noexcept {
    return guarded_status(name, [&] {
        std::string text = "the software NPU does not implement this function";
        if (first_time(name)) {
            const std::string others = near(name);
            text += others.empty() ? "" : fmt::format("; implemented are {}", others);
            text +=
                "; run this operator on the CPU, or add a row to the function table (npu/aclnn/README.md)";
        }
        throw AclException(kKernelMissing, text);
    });
}

}  // namespace opweld::npu::aclnn
