#include <memory>

#include "npu/aclop/boundary.h"
#include "npu/aclop/call.h"
#include "npu/aclop/held.h"
#include "npu/kernels/dense_operators.h"

namespace opweld::npu::aclop {
namespace {

class Plain final : public Task {
  public:
    Plain(const char* op_type, kernels::RunDenseOperator run) : op_type_(op_type), run_(run) {}

    std::vector<Held> inputs;
    std::vector<Held> outputs;
    std::vector<kernels::NamedNumber> numbers;

    void run() override { run_(op_type_.c_str(), dense(inputs), dense(outputs), numbers); }
    std::string_view name() const noexcept override { return op_type_; }
    int device() const noexcept override { return device_of(outputs.front().data); }

  private:
    std::string op_type_;
    kernels::RunDenseOperator run_;
};

// The attributes by which the operators of this file differ.
std::vector<kernels::NamedNumber> numbers(const Call& call) {
    std::vector<kernels::NamedNumber> result;
    for (const char* flag : {"transpose_x1", "transpose_x2"}) {
        result.push_back({flag, attribute(call, flag, false) ? 1 : 0});
    }
    for (const char* name : {"seed", "seed2"}) {
        result.push_back({name, attribute<int64_t>(call, name, 0)});
    }
    return result;
}

}  // namespace

void plain(const Call& call) {
    auto task = std::make_unique<Plain>(
        call.op_type, kernel_function<kernels::RunDenseOperator>("opweld_run_dense_operator"));
    task->inputs = held(call, call.inputs, call.input_buffers);
    task->outputs = held(call, call.outputs, call.output_buffers);
    task->numbers = numbers(call);
    if (task->outputs.empty() || task->outputs.front().data == nullptr) {
        raise(kInvalidParam, "its first output is missing: {}", story(call));
    }
    if (const int code = enqueue(call.stream, std::move(task)); code != 0) {
        raise(code, "its stream does not take it");
    }
}

}  // namespace opweld::npu::aclop
