#include "npu/runtime/condition.h"

#include <cstring>

#include "npu/runtime/error.h"
#include "npu/runtime/memory.h"
#include "npu/runtime/stream.h"

namespace opweld::npu {
namespace {

class ConditionalTask final : public Task {
  public:
    ConditionalTask(ConditionKind kind, std::shared_ptr<Condition> condition,
                    std::vector<std::shared_ptr<CapturedGraph>> parts)
        : kind_(kind), condition_(std::move(condition)), parts_(std::move(parts)) {}

    void run() override {
        switch (kind_) {
            case ConditionKind::if_else:
                run_part(condition_->value() != 0 ? 0 : 1);
                return;
            case ConditionKind::while_loop:
                while (condition_->value() != 0) {
                    Stream::leave_if_aborted();
                    run_part(0);
                }
                return;
            case ConditionKind::switch_case:
                run_part(condition_->value());
                return;
        }
    }
    std::string_view name() const noexcept override {
        switch (kind_) {
            case ConditionKind::if_else:
                return "if";
            case ConditionKind::while_loop:
                return "while";
            case ConditionKind::switch_case:
                return "switch";
        }
        return "condition";
    }

  private:
    void run_part(uint64_t number) {
        if (number < parts_.size()) {
            parts_[number]->run();
        }
    }

    ConditionKind kind_;
    std::shared_ptr<Condition> condition_;
    std::vector<std::shared_ptr<CapturedGraph>> parts_;
};

}  // namespace

Condition::Condition(int device, uint32_t graph, uint32_t initial, bool assign_at_launch)
    : graph_(graph), initial_(initial), assign_at_launch_(assign_at_launch) {
    address_ = static_cast<uint64_t*>(
        Memory::instance().allocate(device, sizeof(uint64_t), {"aclmdlRICondHandleCreate", nullptr}));
    const uint64_t value = initial;
    std::memcpy(host_address(address_, sizeof(value)), &value, sizeof(value));
}

Condition::~Condition() {
    try {
        Memory::instance().free(address_, {"aclmdlRIDestroy", nullptr});
    } catch (const AclException& error) {
        // The device was reset in between, and its memory freed with that.
        write_log(LogLevel::info, "ACL", error.what());
    }
}

uint64_t Condition::value() const {
    uint64_t value = 0;
    std::memcpy(&value, host_address(address_, sizeof(value)), sizeof(value));
    return value;
}

void Condition::prepare() const {
    if (assign_at_launch_) {
        const uint64_t value = initial_;
        std::memcpy(host_address(address_, sizeof(value)), &value, sizeof(value));
    }
}

HandleTable<std::shared_ptr<Condition>>& conditions() {
    static auto& table = *new HandleTable<std::shared_ptr<Condition>>("condition", kRtResourceAllocation);
    return table;
}

std::unique_ptr<Task> make_conditional(ConditionKind kind, std::shared_ptr<Condition> condition,
                                       std::vector<std::shared_ptr<CapturedGraph>> parts) {
    return std::make_unique<ConditionalTask>(kind, std::move(condition), std::move(parts));
}

}  // namespace opweld::npu
