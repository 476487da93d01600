#include "npu/ge/engine/plan.h"

#include <ATen/ops/copy_native.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "npu/ge/engine/fused.h"
#include "npu/ge/engine/guarded.h"
#include "npu/kernels/scope.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::graph {
namespace {

enum class Where : uint8_t { input, known, arena, output, fresh, cache };

std::string text(const at::Tensor& tensor) {
    return fmt::format("{} {}", c10::toString(tensor.scalar_type()), shape_text(tensor.sizes().vec()));
}

at::Tensor tensor_over(const c10::Storage& storage, const at::Tensor& form) {
    auto tensor = at::detail::make_tensor<c10::TensorImpl>(
        c10::Storage(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), form.dtype());
    tensor.unsafeGetTensorImpl()->set_sizes_and_strides(form.sizes(), form.strides(), form.storage_offset());
    return tensor;
}

c10::Storage empty_storage(int64_t bytes) {
    return c10::Storage(
        c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), c10::SymInt(bytes),
                                              at::DataPtr(nullptr, c10::Device(c10::kCPU)), nullptr, false));
}

bool overlap(const Memory& a, const Memory& b) {
    const auto* first = static_cast<const char*>(a.first);
    const auto* second = static_cast<const char*>(b.first);
    return a.bytes > 0 && b.bytes > 0 && first < second + b.bytes && second < first + a.bytes;
}

}  // namespace

// Memory that one or more tensors of the table lie in.
struct Plan::Buffer {
    Where where = Where::fresh;
    int which = -1;  // of the inputs or outputs
    int64_t bytes = 0;
    int first = -1;  // steps
    int last = -1;
    size_t offset = 0;  // in the arena
    c10::Storage storage;
};

struct Plan::Step {
    enum class Kind : uint8_t { write, compute, fused };
    Kind kind;
    Call call;
    size_t first_place;               // of its outputs in the table
    size_t count;                     // outputs
    std::vector<at::Tensor> forms;    // Meta tensors of the outputs
    std::vector<at::Tensor> outputs;  // write: tensors over the arena or over outputs
    struct Fresh {
        size_t argument;
        size_t index;
        size_t place;
    };
    std::vector<Fresh> fresh;      // arguments that an earlier step made anew in this run
    std::vector<size_t> released;  // places that nobody reads later
    std::unique_ptr<Fused> fused;

    void run(std::vector<at::Tensor>& table) {
        if (kind == Kind::fused) {
            fused->run();
            return;
        }
        for (const Fresh& update : fresh) {
            call.arguments()[update.argument].tensors[update.index] = table[update.place];
        }
        if (kind == Kind::write) {
            call.op().write(call, outputs);
        } else {
            keep(call.op().compute(call), table);
        }
        for (const Fresh& update : fresh) {
            call.arguments()[update.argument].tensors[update.index].reset();
        }
        for (const size_t place : released) {
            table[place].reset();
        }
    }

    void keep(Results results, std::vector<at::Tensor>& table) {
        for (size_t i = 0; i < count; ++i) {
            if (!forms[i].defined()) {
                continue;
            }
            if (results[i].sizes() != forms[i].sizes() ||
                results[i].scalar_type() != forms[i].scalar_type()) {
                call.refuse(fmt::format("the kernel gives {} for output {}, shape inference says {}",
                                        text(results[i]), i, text(forms[i])));
            }
            table[first_place + i] = std::move(results[i]);
        }
    }
};

// Makes a plan; see the members of Plan for what comes out.
class Plan::Builder {
  public:
    Builder(Plan& plan, std::vector<Form> inputs, const PlanOptions& options)
        : plan_(plan),
          graph_(plan.program_->graph),
          options_(options),
          forms_(infer(*plan.program_, inputs)) {}

    void build() {
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

  private:
    struct Pending {
        std::unique_ptr<Step> step;
        bool views;  // its results are views of memory that outlives runs
        int with;    // the step as part of which it runs: itself, or a later one
    };

    size_t place(const Source& source) const {
        const size_t at = first_place_[static_cast<size_t>(source.node)] + static_cast<size_t>(source.output);
        const auto same = same_as_.find(at);
        return same == same_as_.end() ? at : same->second;
    }
    const Form& form(const Source& source) const {
        return forms_[static_cast<size_t>(source.node)][static_cast<size_t>(source.output)];
    }

    void number_places() {
        size_t places = 0;
        for (const auto& outputs : forms_) {
            first_place_.push_back(places);
            places += outputs.size();
        }
        plan_.table_.resize(places);
        buffer_of_.resize(places, -1);
    }

    bool all_known(size_t node) const {
        return std::ranges::all_of(forms_[node],
                                   [](const Form& f) { return f.value.defined() || !f.meta.defined(); });
    }

    void find_live() {
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

    int new_buffer(Where where, const at::Tensor& meta, int which = -1) {
        const auto index = static_cast<int>(plan_.buffers_.size());
        Buffer& buffer = plan_.buffers_.emplace_back();
        buffer.where = where;
        buffer.which = which;
        buffer.bytes = static_cast<int64_t>(meta.storage().nbytes());
        storages_.emplace(meta.storage().unsafeGetStorageImpl(), index);
        return index;
    }

    void make_buffers_of_inputs() {
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

    int buffer_with(const at::Tensor& meta) const {
        const auto found = storages_.find(meta.storage().unsafeGetStorageImpl());
        return found == storages_.end() ? -1 : found->second;
    }

    void add_node(int node) {
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
        pending_.push_back(
            {.step = std::move(step), .views = views, .with = static_cast<int>(pending_.size())});
    }

    // Where the only result of a node is its only tensor as it is: the place of that tensor.
    std::optional<size_t> gives_its_input(size_t node) const {
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

    // Outputs that a step can write where the caller wants them.
    void choose_outputs() {
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

    // Where each place is read: steps, and the number of all steps for the graph's outputs.
    std::unordered_map<size_t, std::vector<int>> readers() const {
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

    bool lasting(const Argument& argument) const {
        return std::ranges::all_of(argument.sources, [&](const Source& source) {
            const int buffer = buffer_of_[place(source)];
            return buffer < 0 || plan_.buffers_[static_cast<size_t>(buffer)].where != Where::fresh;
        });
    }

    bool fusible(const Pending& pending) const {
        const Step& step = *pending.step;
        return step.kind == Step::Kind::write && step.count == 1 && step.forms.front().is_contiguous() &&
               step.forms.front().dim() > 0 && step.forms.front().numel() >= kFusedElements &&
               (step.call.op().pointwise ? options_.fuse_chains
                                         : options_.fuse_epilogues && gives_rows(step.call)) &&
               std::ranges::all_of(step.call.arguments(), [&](const Argument& a) { return lasting(a); });
    }

    // Lets steps whose results only one later step needs run as part of that step.
    void fuse() {
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

    // Adds one step to the group of step `last` if there is one that fits.
    bool join_one(int last, const std::unordered_map<size_t, std::vector<int>>& readers,
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

    size_t group_size(int last) const {
        return static_cast<size_t>(std::ranges::count(pending_, last, &Pending::with));
    }

    void find_lifetimes() {
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

    void place_memory() {
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

    // The buffer of an argument that ends where the buffer begins, and that an element-wise step may
    // overwrite.
    int reusable_input(size_t index) const {
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
                if (input.where == Where::arena && input.last == result.first &&
                    input.bytes == result.bytes && input.first < result.first) {
                    if (!same) {
                        return -1;
                    }
                    found = buffer;
                }
            }
        }
        return found;
    }

    void make_tensors() {
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

    void make_step(size_t index) {
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

    at::Tensor make_output(Step& step) {
        const size_t at = step.first_place;
        const Buffer& buffer = plan_.buffers_[static_cast<size_t>(buffer_of_[at])];
        plan_.table_[at] = tensor_over(buffer.storage, step.forms.front());
        return plan_.table_[at];
    }

    void make_fused(size_t last) {
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

    // Results that are made anew in each run end with their last reader.
    void release_fresh() {
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

    Plan& plan_;
    const Graph& graph_;
    PlanOptions options_;
    Forms forms_;
    std::vector<size_t> first_place_;
    std::vector<int> buffer_of_;                  // by place
    std::unordered_map<size_t, size_t> same_as_;  // places of results that are an input as it is
    std::vector<bool> live_;
    std::unordered_map<const c10::StorageImpl*, int> storages_;
    std::vector<Pending> pending_;
};

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
        guarded(steps_[i]->call, [&] { steps_[i]->run(table_); });
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
