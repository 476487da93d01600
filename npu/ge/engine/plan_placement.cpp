// Where results lie in the arena.
#include <algorithm>

#include "npu/ge/engine/plan_builder.h"

namespace opweld::npu::graph {

void Plan::Builder::find_lifetimes() {
    const auto use = [&](size_t at, int step) {
        if (const int buffer = buffer_of_[at]; buffer >= 0) {
            plan_.buffers_[static_cast<size_t>(buffer)].last =
                std::max(plan_.buffers_[static_cast<size_t>(buffer)].last, step);
        }
    };
    for (size_t i = 0; i < pending_.size(); ++i) {
        const int step = pending_[i].with;
        for (const auto& argument : pending_[i].step->call.arguments()) {
            for (const Source& source : argument.sources) {
                use(place(source), step);
            }
        }
        for (size_t k = 0; k < pending_[i].step->count; ++k) {
            use(pending_[i].step->first_place + k, step);
        }
    }
    for (const Output& output : plan_.outputs_) {
        use(output.place, static_cast<int>(pending_.size()));
    }
}

void Plan::Builder::place_memory() {
    std::vector<Lifetime> lifetimes;
    std::vector<size_t> which(plan_.buffers_.size(), 0);
    for (size_t i = 0; i < plan_.buffers_.size(); ++i) {
        Buffer& buffer = plan_.buffers_[i];
        if (buffer.where != Where::arena) {
            continue;
        }
        const int shared = options_.reuse_inputs ? reusable_input(i) : -1;
        if (shared >= 0) {
            which[i] = which[static_cast<size_t>(shared)];
            lifetimes[which[i]].last = std::max(lifetimes[which[i]].last, buffer.last);
            continue;
        }
        which[i] = lifetimes.size();
        lifetimes.push_back(
            {.bytes = static_cast<size_t>(buffer.bytes), .first = buffer.first, .last = buffer.last});
    }
    plan_.memory_ = plan_memory(lifetimes);
    for (size_t i = 0; i < plan_.buffers_.size(); ++i) {
        if (plan_.buffers_[i].where == Where::arena) {
            plan_.buffers_[i].offset = plan_.memory_.offsets[which[i]];
        }
    }
}

int Plan::Builder::reusable_input(size_t index) const {
    const Buffer& result = plan_.buffers_[index];
    const Step& step = *pending_[static_cast<size_t>(result.first)].step;
    if (!step.call.op().pointwise || step.kind != Step::Kind::write || group_size(result.first) > 1) {
        return -1;
    }
    const at::Tensor& form = step.forms.front();
    int found = -1;
    for (const Argument& argument : step.call.arguments()) {
        for (size_t k = 0; k < argument.sources.size(); ++k) {
            const int buffer = buffer_of_[place(argument.sources[k])];
            if (buffer < 0) {
                continue;
            }
            const Buffer& input = plan_.buffers_[static_cast<size_t>(buffer)];
            const at::Tensor& tensor = argument.tensors[k];
            const bool same = tensor.sizes() == form.sizes() && tensor.strides() == form.strides() &&
                              tensor.storage_offset() == 0 && tensor.itemsize() == form.itemsize();
            if (input.where == Where::arena && input.last == result.first && input.bytes == result.bytes &&
                input.first < result.first) {
                if (!same) {
                    return -1;
                }
                found = buffer;
            }
        }
    }
    return found;
}

}  // namespace opweld::npu::graph
