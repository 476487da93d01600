#include "npu/ge/engine/plan_step.h"

#include <fmt/format.h>

namespace opweld::npu::graph {
namespace {

std::string text(const at::Tensor& tensor) {
    return fmt::format("{} {}", c10::toString(tensor.scalar_type()), shape_text(tensor.sizes().vec()));
}

}  // namespace

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

void Plan::Step::run(std::vector<at::Tensor>& table) {
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

void Plan::Step::keep(Results results, std::vector<at::Tensor>& table) {
    for (size_t i = 0; i < count; ++i) {
        if (!forms[i].defined()) {
            continue;
        }
        if (results[i].sizes() != forms[i].sizes() || results[i].scalar_type() != forms[i].scalar_type()) {
            call.refuse(fmt::format("the kernel gives {} for output {}, shape inference says {}",
                                    text(results[i]), i, text(forms[i])));
        }
        table[first_place + i] = std::move(results[i]);
    }
}

}  // namespace opweld::npu::graph
