#include "custom_linear_kernels.hpp"
namespace custom_linear {
void custom_linear(const CustomLinearArgs& a) {
    opweld::dispatch(a.x, CustomLinearArgs::x_types{}, [&]<typename T>() {
        opweld::Contiguous<T> x(a.x.as<T>()), w(a.weight.as<T>());
        auto y = a.y.as<T>();
        int64_t n = a.weight.size(0), k = a.weight.size(1), m = k ? a.x.numel()/k : 0;
        for (int64_t i=0;i<m;++i) for (int64_t j=0;j<n;++j) { float s=0; for (int64_t l=0;l<k;++l) s+=float(x[i*k+l])*float(w[j*k+l]); if (a.use_bias) s+=float(a.bias->as<T>()(j)); y.data()[i*n+j]=T(s);} 
    });
}
void custom_linear_backward(const CustomLinearBackwardArgs& a) {
    opweld::dispatch(a.x, CustomLinearArgs::x_types{}, [&]<typename T>() {
        opweld::Contiguous<T> g(a.grad_y.as<T>()), x(a.x.as<T>()), w(a.weight.as<T>());
        int64_t n = a.weight.size(0), k = a.weight.size(1), m = k ? a.x.numel()/k : 0;
        auto gx=a.grad_x.as<T>().data(); auto gw=a.grad_weight.as<T>().data();
        for (int64_t i=0;i<m;++i) for (int64_t l=0;l<k;++l) { float s=0; for (int64_t j=0;j<n;++j) s+=float(g[i*n+j])*float(w[j*k+l]); gx[i*k+l]=T(s);} 
        for (int64_t j=0;j<n;++j) for (int64_t l=0;l<k;++l) { float s=0; for (int64_t i=0;i<m;++i) s+=float(g[i*n+j])*float(x[i*k+l]); gw[j*k+l]=T(s);} 
        if (a.grad_bias) { auto gb=a.grad_bias->as<T>().data(); for (int64_t j=0;j<n;++j) { float s=0; for (int64_t i=0;i<m;++i) s+=g[i*n+j]; gb[j]=T(s);} }
    });
}
}
