#include "npu/kernels/dense_operators.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "npu/kernels/nn/widened.h"
#include "npu/kernels/random.h"
#include "npu/kernels/scope.h"
#include "npu/kernels/tensor.h"

namespace opweld::npu::kernels {
namespace {

constexpr int kInvalid = 161002;
constexpr int kDeviceException = 507015;  // what a failing kernel gives on the device

class Call {
  public:
    Call(std::span<const DenseTensor> inputs, std::span<const DenseTensor> outputs,
         std::span<const NamedNumber> numbers)
        : inputs_(wrap(inputs, "input")), output_(wrap(outputs, "output").front()), numbers_(numbers) {}

    const at::Tensor& input(size_t i) const { return inputs_[i]; }
    at::Tensor& output() { return output_; }
    int64_t number(std::string_view name) const {
        const auto found = std::ranges::find(numbers_, name, &NamedNumber::name);
        return found == numbers_.end() ? 0 : found->value;
    }
    // Stores a result, which must have the output's shape.
    void set(const at::Tensor& result) {
        if (result.sizes() != output_.sizes()) {
            throw AclException(kInvalid,
                               fmt::format("the output has {} elements in {} dimensions, the result {} in {}",
                                           output_.numel(), output_.dim(), result.numel(), result.dim()));
        }
        assign(output_, result);
    }

  private:
    static std::vector<at::Tensor> wrap(std::span<const DenseTensor> tensors, std::string_view which) {
        std::vector<at::Tensor> result;
        for (const DenseTensor& tensor : tensors) {
            std::vector<int64_t> strides(tensor.shape.size(), 1);
            for (size_t i = strides.size(); i-- > 1;) {
                strides[i - 1] = strides[i] * tensor.shape[i];
            }
            result.push_back(borrow(tensor.data, scalar_type(tensor.dtype), tensor.shape, strides));
            if (tensor.data == nullptr && result.back().numel() != 0) {
                throw AclException(kInvalid, fmt::format("{} {} is missing", which, result.size() - 1));
            }
        }
        return result;
    }

    std::vector<at::Tensor> inputs_;
    at::Tensor output_;
    std::span<const NamedNumber> numbers_;
};

// The one number of an input.
const at::Tensor& single(const at::Tensor& tensor) {
    if (tensor.numel() != 1) {
        throw AclException(kInvalid, fmt::format("a number was expected, but there are {}", tensor.numel()));
    }
    return tensor;
}

// Inputs: sizes, value.
void fill(Call& call) { call.output().fill_(single(call.input(1)).reshape({})); }

// Inputs: tensor, order of its dimensions.
void transpose(Call& call) {
    const at::Tensor order = call.input(1).to(at::kLong);
    call.set(call.input(0).permute({order.const_data_ptr<int64_t>(), static_cast<size_t>(order.numel())}));
}

// Inputs: left, right.
void matmul(Call& call) {
    const auto side = [&](size_t i, std::string_view flag) {
        const at::Tensor wide = widened(call.input(i));
        return call.number(flag) != 0 ? wide.transpose(-2, -1) : wide;
    };
    call.set(at::matmul(side(0, "transpose_x1"), side(1, "transpose_x2")));
}

// Inputs: sizes, the share that is kept.
void generate_mask(Call& call) {
    fill_bernoulli(call.output(), single(call.input(1)).item<double>(),
                   {call.number("seed"), call.number("seed2")});
}

// Inputs: tensor, mask, the share that was kept.
void apply_mask(Call& call) {
    const auto kept = single(call.input(2)).item<double>();
    const at::Tensor x = widened(call.input(0));
    call.set(kept == 0 ? at::zeros_like(x) : x * call.input(1).reshape(x.sizes()).to(x.scalar_type()) / kept);
}

struct Known {
    std::string_view name;
    size_t inputs;
    void (*run)(Call&);
};
constexpr std::array kKnown{Known{"Fill", 2, fill}, Known{"Transpose", 2, transpose},
                            Known{"MatMul", 2, matmul}, Known{"DropOutGenMaskV3", 2, generate_mask},
                            Known{"DropOutDoMaskV3", 3, apply_mask}};

}  // namespace
}  // namespace opweld::npu::kernels

extern "C" void opweld_run_dense_operator(const char* op_type,
                                          std::span<const opweld::npu::kernels::DenseTensor> inputs,
                                          std::span<const opweld::npu::kernels::DenseTensor> outputs,
                                          std::span<const opweld::npu::kernels::NamedNumber> numbers) {
    using namespace opweld::npu::kernels;
    const auto* const known = std::ranges::find(kKnown, std::string_view(op_type), &Known::name);
    if (known == kKnown.end()) {
        throw opweld::npu::AclException(kInvalid, fmt::format("there is no operator of type {}", op_type));
    }
    if (inputs.size() != known->inputs || outputs.size() != 1) {
        throw opweld::npu::AclException(
            kInvalid, fmt::format("it has {} inputs and {} outputs, expected {} and 1", inputs.size(),
                                  outputs.size(), known->inputs));
    }
    const KernelScope scope;
    try {
        Call call(inputs, outputs, numbers);
        known->run(call);
    } catch (const opweld::npu::AclException& error) {
        throw opweld::npu::AclException(kDeviceException, error.what());
    } catch (const c10::Error& error) {
        throw opweld::npu::AclException(kDeviceException, error.what_without_backtrace());
    }
}
