#include "npu/runtime/faults.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>

#include "npu/runtime/acl_types.h"
#include "npu/runtime/error.h"
#include "npu/runtime/operators.h"
#include "npu/runtime/stream.h"

namespace opweld::npu {
namespace {

struct KindFacts {
    std::string_view name;
    FaultKind kind;
    int code;  // what the task ends with
    const char* text;
};

constexpr KindFacts kKinds[] = {
    {"oom", FaultKind::oom, kRtMemoryAllocation, ""},
    {"kernel", FaultKind::kernel, kRtAiCoreException, "the kernel failed with an exception"},
    {"abort", FaultKind::abort, kRtDeviceTaskAbort, "the task was aborted"},
    {"memory", FaultKind::memory, kRtDeviceMemoryError, "device memory has an uncorrectable error"},
    {"ecc", FaultKind::ecc, kRtMultiBitEccError, "device memory has several wrong bits"},
    {"link", FaultKind::link, kRtLinkError, "the link to the peer was lost"},
    {"hang", FaultKind::hang, kSuccess, ""},
};

const KindFacts& facts_of(FaultKind kind) noexcept {
    return *std::ranges::find(kKinds, kind, &KindFacts::kind);
}

[[noreturn]] void refuse(std::string_view entry, const char* why) {
    raise(
        kInvalidParam,
        "the fault \"{}\" {}; expected KIND@N, KIND@N+ or KIND@N:TASK, with KIND one of oom, kernel, abort, "
        "memory, ecc, link, hang, and several separated by ';'",
        entry, why);
}

std::string_view trim(std::string_view text) noexcept {
    const size_t begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

Fault parse_entry(std::string_view entry) {
    const size_t at = entry.find('@');
    if (at == std::string_view::npos) {
        refuse(entry, "has no '@'");
    }
    const auto* kind = std::ranges::find(kKinds, entry.substr(0, at), &KindFacts::name);
    if (kind == std::end(kKinds)) {
        refuse(entry, "is of an unknown kind");
    }
    Fault fault{.kind = kind->kind};
    std::string_view rest = entry.substr(at + 1);
    const size_t colon = rest.find(':');
    if (colon != std::string_view::npos) {
        fault.name = trim(rest.substr(colon + 1));
        rest = rest.substr(0, colon);
        if (fault.name.empty() || fault.kind == FaultKind::oom) {
            refuse(entry, fault.name.empty() ? "has no name behind ':'"
                                             : "has a task's name, but is for allocations");
        }
    }
    rest = trim(rest);
    if (rest.ends_with('+')) {
        fault.all_after = true;
        rest.remove_suffix(1);
    }
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), fault.first);
    if (error != std::errc() || end != rest.data() + rest.size() || fault.first == 0) {
        refuse(entry, "has no number of 1 or more behind '@'");
    }
    return fault;
}

[[noreturn]] void fail_on_purpose(const KindFacts& facts) {
    raise(facts.code, "{} (a fault on purpose: OPWELD_FAULTS has {})", facts.text, facts.name);
}

// Stands where a task stood that is to fail.
class FailingTask final : public Task, public OperatorTask {
  public:
    FailingTask(const KindFacts& facts, std::unique_ptr<Task> task)
        : facts_(facts), task_(std::move(task)), known_(dynamic_cast<const OperatorTask*>(task_.get())) {}
    void run() override { fail_on_purpose(facts_); }
    std::string_view name() const noexcept override { return task_->name(); }
    int device() const noexcept override { return task_->device(); }
    OperatorChain operators() const noexcept override {
        return known_ == nullptr ? OperatorChain() : known_->operators();
    }
    std::vector<Detail> details() const override {
        return known_ == nullptr ? std::vector<Detail>() : known_->details();
    }

  private:
    const KindFacts& facts_;
    std::unique_ptr<Task> task_;
    const OperatorTask* known_;
};

}  // namespace

std::vector<Fault> parse_faults(std::string_view specification) {
    std::vector<Fault> faults;
    while (!trim(specification).empty()) {
        const size_t end = specification.find(';');
        if (const std::string_view entry = trim(specification.substr(0, end)); !entry.empty()) {
            faults.push_back(parse_entry(entry));
        }
        specification = end == std::string_view::npos ? std::string_view() : specification.substr(end + 1);
    }
    return faults;
}

Faults& Faults::instance() {
    static auto& faults = *new Faults;
    return faults;
}

void Faults::set(std::vector<Fault> faults) {
    const std::lock_guard lock(mutex_);
    armed_.store(!faults.empty(), std::memory_order_relaxed);
    faults_ = std::move(faults);
}

bool Faults::happens(Fault& fault) noexcept {
    ++fault.seen;
    return fault.all_after ? fault.seen >= fault.first : fault.seen == fault.first;
}

bool Faults::allocation_fails() {
    const std::lock_guard lock(mutex_);
    bool fails = false;
    for (Fault& fault : faults_) {
        fails = (fault.kind == FaultKind::oom && happens(fault)) || fails;
    }
    return fails;
}

std::optional<FaultKind> Faults::fault_of(const Task& task) {
    std::optional<FaultKind> kind;
    const std::lock_guard lock(mutex_);
    for (Fault& fault : faults_) {
        const bool matches =
            fault.kind != FaultKind::oom && (fault.name.empty() || fault.name == task.name());
        if (matches && happens(fault) && !kind) {
            kind = fault.kind;
        }
    }
    return kind;
}

Faults::Outcome Faults::on_task(std::unique_ptr<Task>& task) {
    const auto kind = fault_of(*task);
    if (!kind) {
        return Outcome::runs;
    }
    if (*kind == FaultKind::hang) {
        return Outcome::hangs;
    }
    task = std::make_unique<FailingTask>(facts_of(*kind), std::move(task));
    return Outcome::replaced;
}

void Faults::before_captured(const Task& task) {
    const auto kind = fault_of(task);
    if (!kind) {
        return;
    }
    if (*kind == FaultKind::hang) {
        Stream::wait_in_task(std::make_shared<Mark>());  // which nobody completes
    }
    fail_on_purpose(facts_of(*kind));
}

}  // namespace opweld::npu

using namespace opweld::npu;  // NOLINT(google-build-using-namespace): the C function below only

extern "C" OPWELD_EXPORT int opweldInjectFaults(const char* specification) {
    return entry(__func__,
                 [&] { Faults::instance().set(parse_faults(required(specification, "specification"))); });
}
