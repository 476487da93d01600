#include <cmath>

#include "weak_ops_kernels.hpp"

namespace weak_ops {

void weak_broken_reference(const WeakBrokenReferenceArgs& args) {
    opweld::elementwise(args.y.as<float>(), [](float x) { return x * x; }, args.x.as<float>());
}

void weak_no_reference(const WeakNoReferenceArgs& args) {
    opweld::elementwise(args.y.as<float>(), [](float x) { return x * x; }, args.x.as<float>());
}

void weak_root(const WeakRootArgs& args) {
    opweld::elementwise(args.y.as<float>(), [](float x) { return std::sqrt(x); }, args.x.as<float>());
}

void weak_root_backward(const WeakRootBackwardArgs& args) {
    opweld::elementwise(
        args.grad_x.as<float>(), [](float grad, float y) { return grad / (2 * y); }, args.grad_y.as<float>(),
        args.y.as<float>());
}

void weak_shape(const WeakShapeArgs& args) {
    const opweld::Contiguous<float> x(args.x.as<float>());
    const opweld::ContiguousOutput<float> y(args.y.as<float>());
    const int64_t last = args.x.size(-1);
    for (int64_t row = 0; last > 0 && row < args.x.numel() / last; ++row) {
        y[row] = 0;
        for (int64_t i = 0; i < last; ++i) {
            y[row] += x[row * last + i];
        }
    }
    y.commit();
}

void weak_gradient(const WeakGradientArgs& args) {
    opweld::elementwise(
        args.y.as<float>(), [](float a, float b) { return a + 3 * b; }, args.a.as<float>(),
        args.b.as<float>());
}

void weak_gradient_backward(const WeakGradientBackwardArgs& args) {
    for (const auto& target : {args.grad_a, args.grad_b}) {
        opweld::copy(target.as<float>(), args.grad_y.as<float>());
    }
}

void weak_unwritten(const WeakUnwrittenArgs& /*args*/) {}

}  // namespace weak_ops
