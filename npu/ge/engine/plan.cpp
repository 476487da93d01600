#include "npu/ge/engine/plan.h"

#include <ATen/ops/copy_native.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

#include "npu/ge/engine/guarded.h"
#include "npu/ge/engine/plan_builder.h"
#include "npu/kernels/scope.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::graph {
namespace {

bool overlap(const Memory& a, const Memory& b) {
    const auto* first = static_cast<const char*>(a.first);
    const auto* second = static_cast<const char*>(b.first);
    return a.bytes > 0 && b.bytes > 0 && first < second + b.bytes && second < first + a.bytes;
}

}  // namespace

Plan::Plan(std::shared_ptr<const Program> program, std::vector<Form> inputs, const PlanOptions& options)
    : program_(std::move(program)) {
    const kernels::KernelScope scope;
    Builder(*this, std::move(inputs), options).build();
}

Plan::~Plan() = default;

size_t Plan::steps() const noexcept { return steps_.size(); }

size_t Plan::fused_steps() const noexcept {
    return static_cast<size_t>(
        std::ranges::count_if(steps_, [](const auto& step) { return step->fused != nullptr; }));
}

std::vector<Plan::StepInfo> Plan::step_infos() const {
    std::vector<StepInfo> infos;
    for (const auto& step : steps_) {
        StepInfo info{.nodes = {}, .kind = "kernel", .bytes = 0, .chunks = 1};
        if (step->fused) {
            info.nodes = step->fused->nodes();
            info.kind = "fused";
            info.chunks = step->fused->chunks();
        } else {
            info.nodes = {step->call.node().name};
            info.kind = step->kind == Step::Kind::write ? "kernel" : "kernel with own memory";
        }
        for (const at::Tensor& form : step->forms) {
            info.bytes += form.defined() ? form.nbytes() : 0;
        }
        infos.push_back(std::move(info));
    }
    return infos;
}

void Plan::run(std::span<const Memory> inputs, std::span<const Memory> outputs, void* arena) {
    const std::scoped_lock lock(mutex_);
    const kernels::KernelScope scope;
    std::vector<at::Tensor> staged(outputs.size());
    const auto set = [](const c10::Storage& storage, void* first) {
        storage.unsafeGetStorageImpl()->set_data_ptr_noswap(at::DataPtr(first, c10::Device(c10::kCPU)));
    };
    for (const Buffer& buffer : buffers_) {
        const auto which = static_cast<size_t>(buffer.which);
        if (buffer.where == Where::input) {
            set(buffer.storage, inputs[which].first);
        } else if (buffer.where == Where::arena && arena != arena_) {
            set(buffer.storage, static_cast<char*>(arena) + buffer.offset);
        } else if (buffer.where == Where::output) {
            void* first = outputs[which].first;
            if (std::ranges::any_of(inputs,
                                    [&](const Memory& input) { return overlap(input, outputs[which]); })) {
                staged[which] = at::empty({buffer.bytes}, at::kByte);
                first = staged[which].mutable_data_ptr();
            }
            set(buffer.storage, first);
        }
    }
    arena_ = arena;
    for (size_t i = 0; i < steps_.size(); ++i) {
        if (observer_) [[unlikely]] {
            observer_(i, true);
        }
        if (steps_[i]->fused) {
            steps_[i]->run(table_);  // names the member that fails
        } else {
            guarded_run(steps_[i]->call, [&] { steps_[i]->run(table_); });
        }
        if (observer_) [[unlikely]] {
            observer_(i, false);
        }
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
        if (!outputs_[i].in_place) {
            const at::Tensor& meta = output_metas_[i];
            at::Tensor target =
                kernels::borrow(outputs[i].first, meta.scalar_type(), meta.sizes(), meta.strides());
            if (meta.numel() > 0) {
                kernels::assign(target, table_[outputs_[i].place]);
            }
        }
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
        if (staged[i].defined()) {
            std::memcpy(outputs[i].first, staged[i].const_data_ptr(), static_cast<size_t>(staged[i].numel()));
        }
    }
}

}  // namespace opweld::npu::graph
