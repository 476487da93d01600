#include "npu/ge/engine/plan_builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweld::npu::graph {

void Plan::Builder::build() {
    number_places();
    find_live();
    make_buffers_of_inputs();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
        if (live_[i] && plan_.program_->nodes[i].op != nullptr) {
            add_node(static_cast<int>(i));
        }
    }
    choose_outputs();
    fuse();
    find_lifetimes();
    place_memory();
    make_tensors();
}

size_t Plan::Builder::place(const Source& source) const {
    const size_t at = first_place_[static_cast<size_t>(source.node)] + static_cast<size_t>(source.output);
    const auto same = same_as_.find(at);
    return same == same_as_.end() ? at : same->second;
}

const Form& Plan::Builder::form(const Source& source) const {
    return forms_[static_cast<size_t>(source.node)][static_cast<size_t>(source.output)];
}

void Plan::Builder::number_places() {
    size_t places = 0;
    for (const auto& outputs : forms_) {
        first_place_.push_back(places);
        places += outputs.size();
    }
    plan_.table_.resize(places);
    buffer_of_.resize(places, -1);
}

bool Plan::Builder::all_known(size_t node) const {
    return std::ranges::all_of(forms_[node],
                               [](const Form& f) { return f.value.defined() || !f.meta.defined(); });
}

void Plan::Builder::find_live() {
    live_.resize(graph_.nodes.size(), false);
    live_[static_cast<size_t>(graph_.net_output)] = true;
    for (size_t i = graph_.nodes.size(); i-- > 0;) {
        const BoundNode& bound = plan_.program_->nodes[i];
        live_[i] = live_[i] || (bound.op != nullptr && bound.op->mutates);
        if (!live_[i]) {
            continue;
        }
        if (bound.op != nullptr && !bound.op->mutates && all_known(i)) {
            continue;  // nothing to run, so nothing that it needs
        }
        for (const Source& source : graph_.nodes[i].inputs) {
            if (source.node >= 0) {
                live_[static_cast<size_t>(source.node)] = true;
            }
        }
    }
}

int Plan::Builder::new_buffer(Where where, const at::Tensor& meta, int which) {
    const auto index = static_cast<int>(plan_.buffers_.size());
    Buffer& buffer = plan_.buffers_.emplace_back();
    buffer.where = where;
    buffer.which = which;
    buffer.bytes = static_cast<int64_t>(meta.storage().nbytes());
    storages_.emplace(meta.storage().unsafeGetStorageImpl(), index);
    return index;
}

void Plan::Builder::make_buffers_of_inputs() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
        if (plan_.program_->nodes[i].op != nullptr || forms_[i].empty()) {
            continue;
        }
        const size_t at = first_place_[i];
        const Form& only = forms_[i].front();
        if (only.value.defined()) {
            const int buffer = new_buffer(Where::known, only.meta);
            plan_.buffers_[static_cast<size_t>(buffer)].storage = only.value.storage();
            plan_.table_[at] = only.value;
            buffer_of_[at] = buffer;
        } else {
            const auto which = static_cast<int>(*attribute<int64_t>(graph_.nodes[i].attributes, "index"));
            const int buffer = new_buffer(Where::input, only.meta, which);
            Buffer& input = plan_.buffers_[static_cast<size_t>(buffer)];
            input.storage = empty_storage(input.bytes);
            plan_.table_[at] = tensor_over(input.storage, only.meta);
            buffer_of_[at] = buffer;
        }
    }
}

int Plan::Builder::buffer_with(const at::Tensor& meta) const {
    const auto found = storages_.find(meta.storage().unsafeGetStorageImpl());
    return found == storages_.end() ? -1 : found->second;
}

void Plan::Builder::add_node(int node) {
    const auto index = static_cast<size_t>(node);
    const Operator& op = *plan_.program_->nodes[index].op;
    const auto& forms = forms_[index];
    const size_t first = first_place_[index];
    for (size_t i = 0; i < forms.size(); ++i) {
        if (forms[i].value.defined()) {
            plan_.table_[first + i] = forms[i].value;
        }
    }
    if (!op.mutates && all_known(index)) {
        return;
    }
    if (const auto same = gives_its_input(index)) {
        same_as_[first] = *same;
        buffer_of_[first] = buffer_of_[*same];
        return;
    }
    bool views = !op.mutates;
    bool own = true;
    for (const Form& f : forms) {
        if (!f.meta.defined()) {
            continue;
        }
        const int buffer = buffer_with(f.meta);
        views = views && buffer >= 0 && plan_.buffers_[static_cast<size_t>(buffer)].where != Where::fresh;
        own = own && buffer < 0 && f.meta.is_non_overlapping_and_dense() && f.meta.storage_offset() == 0;
    }
    const bool writes = op.write != nullptr && own && !op.mutates;
    auto step = std::make_unique<Step>(Step{.kind = writes ? Step::Kind::write : Step::Kind::compute,
                                            .call = make_call(*plan_.program_, node, forms_),
                                            .first_place = first,
                                            .count = graph_.nodes[index].outputs.size(),
                                            .forms = {},
                                            .outputs = {},
                                            .fresh = {},
                                            .released = {},
                                            .fused = nullptr});
    for (size_t i = 0; i < forms.size(); ++i) {
        step->forms.push_back(forms[i].meta);
        if (forms[i].meta.defined()) {
            int buffer = buffer_with(forms[i].meta);
            if (op.mutates && buffer >= 0 &&
                plan_.buffers_[static_cast<size_t>(buffer)].where == Where::known) {
                step->call.refuse("it writes into a constant of the graph; copy that first");
            }
            if (buffer < 0) {
                buffer = new_buffer(writes ? Where::arena : Where::fresh, forms[i].meta);
                plan_.buffers_[static_cast<size_t>(buffer)].first = static_cast<int>(pending_.size());
            }
            buffer_of_[first + i] = buffer;
        }
    }
    pending_.push_back({.step = std::move(step), .views = views, .with = static_cast<int>(pending_.size())});
}

std::optional<size_t> Plan::Builder::gives_its_input(size_t node) const {
    const BoundNode& bound = plan_.program_->nodes[node];
    if (bound.op->mutates || forms_[node].size() != 1 || bound.inputs.empty() ||
        bound.inputs.front().size() != 1) {
        return std::nullopt;
    }
    const Source& source = bound.inputs.front().front();
    const at::Tensor& in = form(source).meta;
    const at::Tensor& out = forms_[node].front().meta;
    const bool same = out.defined() && out.is_alias_of(in) && out.scalar_type() == in.scalar_type() &&
                      out.sizes() == in.sizes() && out.strides() == in.strides() &&
                      out.storage_offset() == in.storage_offset();
    return same ? std::optional(place(source)) : std::nullopt;
}

void Plan::Builder::choose_outputs() {
    const Node& net = graph_.nodes[static_cast<size_t>(graph_.net_output)];
    for (size_t i = 0; i < net.inputs.size(); ++i) {
        const Source& source = net.inputs[i];
        if (source.node < 0) {
            throw GraphError(fmt::format("output {} of the graph is not fed", i));
        }
        const at::Tensor& meta = form(source).meta;
        if (!meta.defined()) {
            throw GraphError(fmt::format("output {} of the graph is left out by node '{}'", i,
                                         graph_.nodes[static_cast<size_t>(source.node)].name));
        }
        const size_t at = place(source);
        Output output{.place = at, .in_place = false, .buffer = buffer_of_[at]};
        if (output.buffer >= 0 && !form(source).value.defined()) {
            Buffer& buffer = plan_.buffers_[static_cast<size_t>(output.buffer)];
            if (buffer.where == Where::arena && meta.is_contiguous() && meta.storage_offset() == 0 &&
                static_cast<int64_t>(meta.nbytes()) == buffer.bytes) {
                buffer.where = Where::output;
                buffer.which = static_cast<int>(i);
                output.in_place = true;
            }
        }
        plan_.outputs_.push_back(output);
        plan_.output_metas_.push_back(meta_tensor(meta.scalar_type(), meta.sizes()));
    }
}

}  // namespace opweld::npu::graph
