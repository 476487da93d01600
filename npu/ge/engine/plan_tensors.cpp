// The steps' arguments and results as tensors over the places that were decided.
#include "npu/ge/engine/plan_builder.h"

namespace opweld::npu::graph {

void Plan::Builder::make_tensors() {
    for (Buffer& buffer : plan_.buffers_) {
        if (buffer.where == Where::arena || buffer.where == Where::output) {
            buffer.storage = empty_storage(buffer.bytes);
        }
    }
    for (size_t i = 0; i < pending_.size(); ++i) {
        make_step(i);
    }
    release_fresh();
}

void Plan::Builder::make_step(size_t index) {
    Pending& pending = pending_[index];
    if (pending.with != static_cast<int>(index)) {
        return;  // a later step runs it
    }
    if (group_size(static_cast<int>(index)) > 1) {
        make_fused(index);
        return;
    }
    Step& step = *pending.step;
    for (size_t a = 0; a < step.call.arguments().size(); ++a) {
        Argument& argument = step.call.arguments()[a];
        for (size_t k = 0; k < argument.sources.size(); ++k) {
            const size_t at = place(argument.sources[k]);
            argument.tensors[k] = plan_.table_[at];
            if (!plan_.table_[at].defined()) {
                step.fresh.push_back({.argument = a, .index = k, .place = at});
            }
        }
    }
    if (pending.views) {
        Results results = step.call.op().compute(step.call);
        step.keep(std::move(results), plan_.table_);
        return;
    }
    if (step.kind == Step::Kind::write) {
        for (size_t i = 0; i < step.count; ++i) {
            const size_t at = step.first_place + i;
            const Buffer& buffer = plan_.buffers_[static_cast<size_t>(buffer_of_[at])];
            plan_.table_[at] = tensor_over(buffer.storage, step.forms[i]);
            step.outputs.push_back(plan_.table_[at]);
        }
    }
    plan_.steps_.push_back(std::move(pending.step));
}

at::Tensor Plan::Builder::make_output(Step& step) {
    const size_t at = step.first_place;
    const Buffer& buffer = plan_.buffers_[static_cast<size_t>(buffer_of_[at])];
    plan_.table_[at] = tensor_over(buffer.storage, step.forms.front());
    return plan_.table_[at];
}

void Plan::Builder::make_fused(size_t last) {
    std::unordered_map<size_t, int> member_of;  // by place
    std::vector<FusedMember> members;
    for (size_t i = 0; i <= last; ++i) {
        if (pending_[i].with != static_cast<int>(last)) {
            continue;
        }
        Step& step = *pending_[i].step;
        FusedMember member{.call = step.call, .form = step.forms.front(), .output = {}, .from = {}};
        for (Argument& argument : member.call.arguments()) {
            auto& from = member.from.emplace_back();
            for (size_t k = 0; k < argument.sources.size(); ++k) {
                const size_t at = place(argument.sources[k]);
                const auto made = member_of.find(at);
                from.push_back(made == member_of.end() ? -1 : made->second);
                argument.tensors[k] = plan_.table_[at];
            }
        }
        if (i == last) {
            member.output = make_output(step);
        }
        member_of[step.first_place] = static_cast<int>(members.size());
        members.push_back(std::move(member));
    }
    std::unique_ptr<Step> step = std::move(pending_[last].step);
    step->kind = Step::Kind::fused;
    step->fused = std::make_unique<Fused>(std::move(members));
    plan_.steps_.push_back(std::move(step));
}

void Plan::Builder::release_fresh() {
    std::unordered_map<size_t, Step*> last;
    for (const auto& step : plan_.steps_) {
        for (const Step::Fresh& use : step->fresh) {
            last[use.place] = step.get();
        }
        for (size_t i = 0; i < step->count; ++i) {
            if (step->kind == Step::Kind::compute) {
                last.try_emplace(step->first_place + i, step.get());
            }
        }
    }
    for (const Output& output : plan_.outputs_) {
        last.erase(output.place);
    }
    for (const auto& [at, step] : last) {
        step->released.push_back(at);
    }
}

}  // namespace opweld::npu::graph
