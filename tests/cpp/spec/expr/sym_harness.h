// Runs expressions emitted for PyTorch on the sample values: once with plain sizes, and once with every size
// and SymInt behind a symbolic node, as under torch.compile.
#pragma once

#include <ATen/ops/empty.h>

#include "opweld/expr/sym.h"
#include "spec/expr/value.h"
#include "tests/cpp/spec/expr/harness.h"
#include "tests/cpp/spec/expr/sample_scope.h"
#include "tests/cpp/spec/expr/sym_node.h"

namespace opweld::testing {

namespace sym = opweld::expr::sym;
using spec::expr::Bindings;
using spec::expr::ListValue;
using spec::expr::TensorValue;
using spec::expr::Value;

inline std::string show(const c10::SymInt& value) { return show(value.guard_int(__FILE__, __LINE__)); }
inline std::string show(const c10::SymBool& value) { return show(value.guard_bool(__FILE__, __LINE__)); }
inline std::string show(const std::vector<c10::SymInt>& sizes) {
    std::vector<std::int64_t> known;
    for (const c10::SymInt& size : sizes) {
        known.push_back(size.guard_int(__FILE__, __LINE__));
    }
    return show(known);
}
inline std::string show(const std::vector<std::vector<c10::SymInt>>& lists) {
    std::string text = "[";
    for (std::size_t i = 0; i < lists.size(); ++i) {
        text += (i == 0 ? "" : ", ") + show(lists[i]);
    }
    return text + "]";
}
inline std::string show(at::ScalarType value) { return show(sym::detail::from_scalar_type(value)); }

// What a symbolic tensor offers to expressions. at::Tensor itself gets symbolic sizes from Python only.
class SymTensor {
  public:
    SymTensor() = default;
    SymTensor(at::Tensor tensor, bool symbolic) : tensor_(std::move(tensor)) {
        for (const c10::SymInt& size : tensor_.sym_sizes()) {
            sizes_.push_back(symbolic ? make_symbolic(size) : size);
        }
    }

    c10::SymIntArrayRef sym_sizes() const { return sizes_; }
    c10::SymInt sym_size(std::int64_t index) const { return sym::item(sizes_, index); }
    std::int64_t dim() const { return tensor_.dim(); }
    at::ScalarType scalar_type() const { return tensor_.scalar_type(); }
    operator const at::Tensor&() const { return tensor_; }

  private:
    at::Tensor tensor_;
    std::vector<c10::SymInt> sizes_;
};

struct Env {
    SymTensor x;
    SymTensor w;
    std::optional<SymTensor> bias;
    std::vector<SymTensor> ts;
    std::vector<std::optional<SymTensor>> maybe_ts;
    std::int64_t n;
    c10::SymInt k;
    double alpha;
    at::Scalar factor;
    bool flag;
    std::string_view mode;
    at::ScalarType dt;
    std::vector<std::int64_t> axes;
    std::vector<c10::SymInt> sizes;
    std::vector<double> scales;
    std::vector<bool> mask;
    std::vector<std::vector<std::int64_t>> nested;
    std::optional<std::int64_t> maybe_n;
    std::optional<std::vector<std::int64_t>> maybe_axes;
    std::optional<at::ScalarType> maybe_dt;
    std::optional<std::string_view> maybe_mode;
};

// Fills an Env from sample values, which must outlive it.
class Converter {
  public:
    explicit Converter(bool symbolic) : symbolic_(symbolic) {}

    void operator()(const Value& value, SymTensor& target) const {
        const auto& tensor = std::get<TensorValue>(value.data);
        const auto dtype = sym::detail::to_scalar_type(tensor.dtype);
        target = SymTensor(at::empty(tensor.shape, at::TensorOptions(dtype).device(at::kMeta)), symbolic_);
    }
    void operator()(const Value& value, c10::SymInt& target) const {
        const c10::SymInt size = std::get<std::int64_t>(value.data);
        target = symbolic_ ? make_symbolic(size) : size;
    }
    void operator()(const Value& value, at::Scalar& target) const {
        if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
            target = *integer;
        } else if (const auto* boolean = std::get_if<bool>(&value.data)) {
            target = *boolean;
        } else {
            target = std::get<double>(value.data);
        }
    }
    void operator()(const Value& value, at::ScalarType& target) const {
        target = sym::detail::to_scalar_type(std::get<opweld::expr::DType>(value.data));
    }
    void operator()(const Value& value, std::string_view& target) const {
        target = std::get<std::string>(value.data);
    }
    template <class T>
        requires std::is_arithmetic_v<T>
    void operator()(const Value& value, T& target) const {
        target = std::get<T>(value.data);
    }
    template <class T>
    void operator()(const Value& value, std::optional<T>& target) const {
        target.reset();
        if (!value.is_none()) {
            (*this)(value, target.emplace());
        }
    }
    template <class T>
    void operator()(const Value& value, std::vector<T>& target) const {
        target.clear();
        for (const Value& item : std::get<ListValue>(value.data)) {
            T converted{};
            (*this)(item, converted);
            target.push_back(std::move(converted));
        }
    }

  private:
    bool symbolic_;
};

inline Env make_env(const Bindings& bindings, bool symbolic) {
    Env env{};
    const Converter convert(symbolic);
    convert(bindings.at("x"), env.x);
    convert(bindings.at("w"), env.w);
    convert(bindings.at("bias"), env.bias);
    convert(bindings.at("ts"), env.ts);
    convert(bindings.at("maybe_ts"), env.maybe_ts);
    convert(bindings.at("n"), env.n);
    convert(bindings.at("k"), env.k);
    convert(bindings.at("alpha"), env.alpha);
    convert(bindings.at("factor"), env.factor);
    convert(bindings.at("flag"), env.flag);
    convert(bindings.at("mode"), env.mode);
    convert(bindings.at("dt"), env.dt);
    convert(bindings.at("axes"), env.axes);
    convert(bindings.at("sizes"), env.sizes);
    convert(bindings.at("scales"), env.scales);
    convert(bindings.at("mask"), env.mask);
    convert(bindings.at("nested"), env.nested);
    convert(bindings.at("maybe_n"), env.maybe_n);
    convert(bindings.at("maybe_axes"), env.maybe_axes);
    convert(bindings.at("maybe_dt"), env.maybe_dt);
    convert(bindings.at("maybe_mode"), env.maybe_mode);
    return env;
}

class Checker {
  public:
    Checker() {
        for (std::size_t i = 0; i < spec::expr::sample_count; ++i) {
            bindings_.push_back(spec::expr::sample_bindings(i));
        }
        for (const bool symbolic : {false, true}) {
            for (const Bindings& bindings : bindings_) {
                envs_.push_back(make_env(bindings, symbolic));
            }
        }
    }

    template <class Function>
    void operator()(const char* text, const Function& function, const std::vector<std::string>& expected) {
        for (std::size_t i = 0; i < envs_.size(); ++i) {
            std::string actual = "error";
            try {
                actual = show(function(envs_[i]));
            } catch (const std::exception&) {
            }
            tally_(text, i, actual, expected[i % expected.size()]);
        }
    }

    int finish() const { return tally_.finish(); }

  private:
    std::vector<Bindings> bindings_;
    std::vector<Env> envs_;
    Tally tally_;
};

}  // namespace opweld::testing
