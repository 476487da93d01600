// Runs expressions emitted for InferShape on the sample values: once with all sizes known, where the result
// must be the evaluator's, and with sizes and ranks left unknown, where what is known of the result must
// agree with it.
#pragma once

#include "opweld/expr/graph.h"
#include "spec/expr/value.h"
#include "tests/cpp/spec/expr/harness.h"
#include "tests/cpp/spec/expr/sample_scope.h"

namespace opweld::testing {

namespace graph = opweld::expr::graph;
using spec::expr::Bindings;
using spec::expr::ListValue;
using spec::expr::TensorValue;
using spec::expr::Value;

template <class T>
std::string show(const graph::Value<T>& value) {
    return value.known() ? show(value.value()) : "?";
}
template <class T>
std::string show(const graph::List<T>& list) {
    if (!list.known()) {
        return "?";
    }
    std::string text = "[";
    for (std::size_t i = 0; i < list.size(); ++i) {
        text += (i == 0 ? "" : ", ") + show(list[i]);
    }
    return text + "]";
}

// Whether what is known of `partial` is what `full` says.
template <class T>
bool agrees(const graph::Value<T>& partial, const graph::Value<T>& full) {
    return !partial.known() || graph::known_true(partial == full);
}
template <class T>
bool agrees(const graph::List<T>& partial, const graph::List<T>& full) {
    if (!partial.known()) {
        return true;
    }
    bool good = partial.size() == full.size();
    for (std::size_t i = 0; good && i < partial.size(); ++i) {
        good = agrees(partial[i], full[i]);
    }
    return good;
}

struct Env {
    graph::Tensor x;
    graph::Tensor w;
    std::optional<graph::Tensor> bias;
    graph::Tensors ts;
    graph::List<std::optional<graph::Tensor>> maybe_ts;
    graph::Int n;
    graph::Int k;
    graph::Float alpha;
    graph::Scalar factor;
    graph::Bool flag;
    graph::String mode;
    graph::DTypeValue dt;
    graph::Ints axes;
    graph::Ints sizes;
    graph::Floats scales;
    graph::Bools mask;
    graph::IntLists nested;
    std::optional<graph::Int> maybe_n;
    std::optional<graph::Ints> maybe_axes;
    std::optional<graph::DTypeValue> maybe_dt;
    std::optional<graph::String> maybe_mode;
};

inline void convert(const Value& value, graph::Tensor& target) {
    const auto& tensor = std::get<TensorValue>(value.data);
    target = {graph::from_ge(tensor.shape), tensor.dtype};
}
inline void convert(const Value& value, graph::Scalar& target) {
    if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
        target = {graph::DType::int64, static_cast<double>(*integer)};
    } else if (const auto* boolean = std::get_if<bool>(&value.data)) {
        target = {graph::DType::boolean, *boolean ? 1.0 : 0.0};
    } else {
        target = {graph::DType::float64, std::get<double>(value.data)};
    }
}
template <class T>
void convert(const Value& value, std::optional<T>& target);
template <class T>
void convert(const Value& value, graph::List<T>& target);
template <class T>
void convert(const Value& value, graph::Value<T>& target) {
    target = std::get<T>(value.data);
}
template <class T>
void convert(const Value& value, std::optional<T>& target) {
    target.reset();
    if (!value.is_none()) {
        convert(value, target.emplace());
    }
}
template <class T>
void convert(const Value& value, graph::List<T>& target) {
    std::vector<T> items;
    for (const Value& item : std::get<ListValue>(value.data)) {
        convert(item, items.emplace_back());
    }
    target = items;
}

inline Env make_env(const Bindings& bindings) {
    Env env;
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

inline graph::Ints without_sizes(const graph::Ints& shape, std::size_t modulus) {
    std::vector<graph::Int> sizes(shape.begin(), shape.end());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        sizes[i] = i % modulus == 0 ? graph::Int() : sizes[i];
    }
    return sizes;
}

// The same values with less known: 0: all sizes, 1: every second size and k, 2: the rank of x and w.
inline Env without(Env env, int what) {
    switch (what) {
        case 0:
            env.x.shape = without_sizes(env.x.shape, 1);
            env.w.shape = without_sizes(env.w.shape, 1);
            env.sizes = without_sizes(env.sizes, 1);
            break;
        case 1:
            env.x.shape = without_sizes(env.x.shape, 2);
            env.k = {};
            break;
        default:
            env.x.shape = {};
            env.w.shape = {};
            break;
    }
    return env;
}

class Checker {
  public:
    Checker() {
        for (std::size_t i = 0; i < spec::expr::sample_count; ++i) {
            envs_.push_back(make_env(spec::expr::sample_bindings(i)));
        }
    }

    template <class Function>
    void operator()(const char* text, const Function& function, const std::vector<std::string>& expected) {
        for (std::size_t i = 0; i < envs_.size(); ++i) {
            std::optional<decltype(function(envs_[i]))> full;
            try {
                full = function(envs_[i]);
            } catch (const opweld::expr::Error&) {
            }
            tally_(text, i, full ? show(*full) : "error", expected[i]);
            for (int what = 0; full && what < 3; ++what) {
                check_partial(text, i, function, without(envs_[i], what), *full);
            }
        }
    }

    int finish() const { return tally_.finish(); }

  private:
    template <class Function, class Result>
    void check_partial(const char* text, std::size_t sample, const Function& function, const Env& env,
                       const Result& full) {
        std::string actual;
        try {
            const Result partial = function(env);
            actual = agrees(partial, full) ? show(full) : show(partial);
        } catch (const opweld::expr::Error& error) {
            actual = error.what();
        }
        tally_(text, sample, actual, show(full));
    }

    std::vector<Env> envs_;
    Tally tally_;
};

}  // namespace opweld::testing
