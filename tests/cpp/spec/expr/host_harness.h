// Runs expressions emitted for vendor functions on the sample values.
#pragma once

#include "opweld/expr/host.h"
#include "spec/expr/value.h"
#include "tests/cpp/spec/expr/harness.h"
#include "tests/cpp/spec/expr/sample_scope.h"

namespace opweld::testing {

namespace host = opweld::expr::host;
using spec::expr::Bindings;
using spec::expr::ListValue;
using spec::expr::TensorValue;
using spec::expr::Value;

inline std::string show(host::Int value) { return std::to_string(static_cast<std::int64_t>(value)); }

// The sample values as a vendor function has them. Owns nothing but its vectors: the bindings outlive it.
struct Env {
    host::Tensor x;
    host::Tensor w;
    std::optional<host::Tensor> bias;
    host::Tensors ts;
    std::vector<std::optional<host::Tensor>> maybe_ts;
    host::Int n;
    host::Int k;
    double alpha;
    host::Scalar factor;
    bool flag;
    std::string mode;
    host::DType dt;
    host::Ints axes;
    host::Ints sizes;
    host::Floats scales;
    host::Bools mask;
    host::IntLists nested;
    std::optional<host::Int> maybe_n;
    std::optional<host::Ints> maybe_axes;
    std::optional<host::DType> maybe_dt;
    std::optional<std::string> maybe_mode;
};

template <class T>
T convert(const Value& value) {
    if constexpr (std::same_as<T, host::Tensor>) {
        const auto& tensor = std::get<TensorValue>(value.data);
        return {tensor.shape, tensor.dtype};
    } else if constexpr (std::same_as<T, host::Int>) {
        return std::get<std::int64_t>(value.data);
    } else if constexpr (std::same_as<T, host::Scalar>) {
        if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
            return {host::DType::int64, static_cast<double>(*integer)};
        }
        if (const auto* boolean = std::get_if<bool>(&value.data)) {
            return {host::DType::boolean, *boolean ? 1.0 : 0.0};
        }
        return {host::DType::float64, std::get<double>(value.data)};
    } else if constexpr (requires {
                             typename T::value_type;
                             typename T::allocator_type;
                         } && !std::same_as<T, std::string>) {
        T items;
        for (const Value& item : std::get<ListValue>(value.data)) {
            items.push_back(convert<typename T::value_type>(item));
        }
        return items;
    } else if constexpr (requires(T optional) { optional.has_value(); }) {
        return value.is_none() ? T() : T(convert<typename T::value_type>(value));
    } else {
        return std::get<T>(value.data);
    }
}

inline Env make_env(const Bindings& bindings) {
    Env env;
    const auto set = [&bindings](auto& target, const char* name) {
        target = convert<std::remove_reference_t<decltype(target)>>(bindings.at(name));
    };
    set(env.x, "x");
    set(env.w, "w");
    set(env.bias, "bias");
    set(env.ts, "ts");
    set(env.maybe_ts, "maybe_ts");
    set(env.n, "n");
    set(env.k, "k");
    set(env.alpha, "alpha");
    set(env.factor, "factor");
    set(env.flag, "flag");
    set(env.mode, "mode");
    set(env.dt, "dt");
    set(env.axes, "axes");
    set(env.sizes, "sizes");
    set(env.scales, "scales");
    set(env.mask, "mask");
    set(env.nested, "nested");
    set(env.maybe_n, "maybe_n");
    set(env.maybe_axes, "maybe_axes");
    set(env.maybe_dt, "maybe_dt");
    set(env.maybe_mode, "maybe_mode");
    return env;
}

class Checker {
  public:
    Checker() {
        for (std::size_t i = 0; i < spec::expr::sample_count; ++i) {
            bindings_.push_back(spec::expr::sample_bindings(i));
        }
        for (const Bindings& bindings : bindings_) {
            envs_.push_back(make_env(bindings));
        }
    }

    template <class Function>
    void operator()(const char* text, const Function& function, const std::vector<std::string>& expected) {
        for (std::size_t i = 0; i < envs_.size(); ++i) {
            std::string actual = "error";
            try {
                actual = show(function(envs_[i]));
            } catch (const opweld::expr::Error&) {
            }
            tally_(text, i, actual, expected[i]);
        }
    }

    int finish() const { return tally_.finish(); }

  private:
    std::vector<Bindings> bindings_;
    std::vector<Env> envs_;
    Tally tally_;
};

}  // namespace opweld::testing
