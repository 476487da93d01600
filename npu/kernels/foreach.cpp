#include "npu/kernels/foreach.h"

#include <ATen/ops/ceil_cpu_dispatch.h>
#include <ATen/ops/floor_cpu_dispatch.h>
#include <ATen/ops/frac_cpu_dispatch.h>
#include <ATen/ops/round_cpu_dispatch.h>
#include <ATen/ops/trunc_cpu_dispatch.h>
#include <fmt/format.h>

#include "npu/runtime/interface.h"

namespace opweld::npu::kernels {

void round_off(const at::Tensor& self, const at::Scalar& mode, at::Tensor& out) {
    switch (mode.toLong()) {
        case 1:
            at::cpu::round_outf(self, out);
            return;
        case 2:
            at::cpu::floor_outf(self, out);
            return;
        case 3:
            at::cpu::ceil_outf(self, out);
            return;
        case 5:
            at::cpu::trunc_outf(self, out);
            return;
        case 7:
            at::cpu::frac_outf(self, out);
            return;
        default:
            throw AclException(161002, fmt::format("rounding mode {} is not known; there are 1 to nearest, 2 "
                                                   "down, 3 up, 5 towards zero and 7 fractional part",
                                                   mode.toLong()));
    }
}

}  // namespace opweld::npu::kernels
