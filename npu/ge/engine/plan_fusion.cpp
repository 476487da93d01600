// Which steps run together.
#include <algorithm>

#include "npu/ge/engine/plan_builder.h"

namespace opweld::npu::graph {

std::unordered_map<size_t, std::vector<int>> Plan::Builder::readers() const {
    std::unordered_map<size_t, std::vector<int>> all;
    for (size_t i = 0; i < pending_.size(); ++i) {
        for (const auto& argument : pending_[i].step->call.arguments()) {
            for (const Source& source : argument.sources) {
                all[place(source)].push_back(static_cast<int>(i));
            }
        }
    }
    for (const Output& output : plan_.outputs_) {
        all[output.place].push_back(static_cast<int>(pending_.size()));
    }
    return all;
}

bool Plan::Builder::lasting(const Argument& argument) const {
    return std::ranges::all_of(argument.sources, [&](const Source& source) {
        const int buffer = buffer_of_[place(source)];
        return buffer < 0 || plan_.buffers_[static_cast<size_t>(buffer)].where != Where::fresh;
    });
}

bool Plan::Builder::fusible(const Pending& pending) const {
    const Step& step = *pending.step;
    return step.kind == Step::Kind::write && step.count == 1 && step.forms.front().is_contiguous() &&
           step.forms.front().dim() > 0 && step.forms.front().numel() >= kFusedElements &&
           (step.call.op().pointwise ? options_.fuse_chains
                                     : options_.fuse_epilogues && gives_rows(step.call)) &&
           std::ranges::all_of(step.call.arguments(), [&](const Argument& a) { return lasting(a); });
}

void Plan::Builder::fuse() {
    if (std::ranges::any_of(pending_, [](const Pending& p) { return p.step->call.op().mutates; })) {
        return;  // the order of reads and writes matters
    }
    const auto all = readers();
    std::unordered_map<size_t, int> maker;  // of a place
    for (size_t i = 0; i < pending_.size(); ++i) {
        if (fusible(pending_[i])) {
            maker[pending_[i].step->first_place] = static_cast<int>(i);
        }
    }
    for (size_t i = pending_.size(); i-- > 0;) {  // the last of a chain takes in those before it
        if (pending_[i].with == static_cast<int>(i) && fusible(pending_[i]) &&
            pending_[i].step->call.op().pointwise) {
            while (join_one(static_cast<int>(i), all, maker)) {
            }
        }
    }
}

bool Plan::Builder::join_one(int last, const std::unordered_map<size_t, std::vector<int>>& readers,
                             const std::unordered_map<size_t, int>& maker) {
    const at::Tensor& form = pending_[static_cast<size_t>(last)].step->forms.front();
    std::vector<int> members;
    bool has_product = false;
    for (int i = 0; i <= last; ++i) {
        if (pending_[static_cast<size_t>(i)].with == last) {
            members.push_back(i);
            has_product = has_product || !pending_[static_cast<size_t>(i)].step->call.op().pointwise;
        }
    }
    for (const int member : members) {
        const Call& call = pending_[static_cast<size_t>(member)].step->call;
        if (!call.op().pointwise) {
            continue;  // a product is the first member
        }
        for (const auto& argument : call.arguments()) {
            for (const Source& source : argument.sources) {
                const auto made = maker.find(place(source));
                if (made == maker.end() || pending_[static_cast<size_t>(made->second)].with == last) {
                    continue;
                }
                Pending& other = pending_[static_cast<size_t>(made->second)];
                const bool product = !other.step->call.op().pointwise;
                const bool inside = std::ranges::all_of(readers.at(place(source)), [&](int reader) {
                    return std::ranges::find(members, reader) != members.end();
                });
                const bool alone = other.with == made->second && group_size(made->second) == 1;
                if (!inside || !alone || other.step->forms.front().sizes() != form.sizes() ||
                    (product && (has_product || form.dim() != 2 || members.front() < made->second))) {
                    continue;
                }
                other.with = last;
                plan_.buffers_[static_cast<size_t>(buffer_of_[place(source)])].where = Where::cache;
                return true;
            }
        }
    }
    return false;
}

size_t Plan::Builder::group_size(int last) const {
    return static_cast<size_t>(std::ranges::count(pending_, last, &Pending::with));
}

}  // namespace opweld::npu::graph
