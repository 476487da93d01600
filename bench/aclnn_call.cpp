// P3: what the software NPU adds to one aclnn call. Times both phases of aclnnAdd on small tensors, with the
// stream run on the calling thread, against at::cpu::add_out on the same memory. The last line is the ratio
// of the share on top of the kernel to the kernel; the goal is 2 or less.
#include <ATen/core/Tensor.h>
#include <ATen/ops/add_cpu_dispatch.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <vector>

#include "npu/kernels/scope.h"
#include "npu/kernels/tensor.h"
#include "npu/runtime/interface.h"
#include "opweld/kernel.h"

struct aclTensor;
struct aclScalar;
struct aclOpExecutor;

extern "C" {
int aclInit(const char*);
int aclrtSetDevice(int32_t);
int aclrtMalloc(void**, size_t, int);
int aclrtSynchronizeStream(void*);
aclTensor* aclCreateTensor(const int64_t*, uint64_t, int32_t, const int64_t*, int64_t, int32_t,
                           const int64_t*, uint64_t, void*);
aclScalar* aclCreateScalar(void*, int32_t);
int aclnnAddGetWorkspaceSize(const aclTensor*, const aclTensor*, const aclScalar*, aclTensor*, uint64_t*,
                             aclOpExecutor**);
int aclnnAdd(void*, uint64_t, aclOpExecutor*, void*);
}

namespace {

constexpr int64_t kSizes[] = {4, 4};
constexpr int64_t kStrides[] = {4, 1};
constexpr int64_t kElements = 16;

void check(int code) {
    if (code != 0) {
        throw std::runtime_error("an ACL call failed with " + std::to_string(code));
    }
}

class Add {
  public:
    Add() {
        check(aclInit(nullptr));
        check(aclrtSetDevice(0));
        for (void*& memory : memory_) {
            check(aclrtMalloc(&memory, kElements * sizeof(float), 0));
            tensors_.push_back(
                aclCreateTensor(kSizes, 2, OPWELD_FLOAT32, kStrides, 0, 2, &kElements, 1, memory));
            void* host = opweld::npu::host_address(memory, kElements * sizeof(float));
            operands_.push_back(opweld::npu::kernels::borrow(host, at::kFloat, kSizes, kStrides));
        }
        double one = 1;
        alpha_ = aclCreateScalar(&one, OPWELD_FLOAT64);
    }

    void through_aclnn() {
        uint64_t workspace = 0;
        aclOpExecutor* executor = nullptr;
        check(aclnnAddGetWorkspaceSize(tensors_[0], tensors_[1], alpha_, tensors_[2], &workspace, &executor));
        check(aclnnAdd(nullptr, workspace, executor, nullptr));
    }

    void directly() { at::cpu::add_outf(operands_[0], operands_[1], 1.0, operands_[2]); }

  private:
    void* memory_[3] = {};
    std::vector<aclTensor*> tensors_;
    std::vector<at::Tensor> operands_;
    aclScalar* alpha_ = nullptr;
};

Add& add() {
    static Add instance;
    return instance;
}

// Nanoseconds of this thread's processor time: what else the machine does must not count.
double processor_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// Nanoseconds of one call, over many.
template <class F>
double measure(F&& call) {
    constexpr int kCalls = 20000;
    const double start = processor_time();
    for (int i = 0; i < kCalls; ++i) {
        call();
    }
    return (processor_time() - start) / kCalls;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

void aclnn_add(benchmark::State& state) {
    for (auto _ : state) {
        add().through_aclnn();
    }
}
BENCHMARK(aclnn_add);

void at_cpu_add_out(benchmark::State& state) {
    const opweld::npu::kernels::KernelScope scope;
    for (auto _ : state) {
        add().directly();
    }
}
BENCHMARK(at_cpu_add_out);

}  // namespace

int main(int argc, char** argv) {
    setenv("OPWELD_STREAMS", "inline", 0);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    std::vector<double> ratios;
    for (int round = 0; round < 11; ++round) {
        const double whole = measure([] { add().through_aclnn(); });
        const opweld::npu::kernels::KernelScope scope;
        const double kernel = measure([] { add().directly(); });
        ratios.push_back((whole - kernel) / kernel);
    }
    std::printf("P3 %.2f\n", median(ratios));
    return 0;
}
