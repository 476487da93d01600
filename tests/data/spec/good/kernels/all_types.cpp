// Kernels that show what they were given: their results depend on every argument.
#include <algorithm>
#include <cmath>

#include "all_types_kernels.hpp"

namespace all_types {

namespace {

template <typename View>
double sum_of(const View& view) {
    return opweld::dispatch(
        view, opweld::TypeList<float, double, opweld::Half, opweld::BFloat16, int32_t, int64_t>{},
        [&]<typename T>() {
            double total = 0;
            const opweld::Contiguous<T> items(view.template as<T>());
            for (int64_t i = 0; i < view.numel(); ++i) {
                total += static_cast<double>(items[i]);
            }
            return total;
        });
}

template <typename List>
double total_of(const List& list) {
    double total = 0;
    for (const auto& item : list) {
        total += static_cast<double>(item);
    }
    return total;
}

void add_number(const opweld::TensorView& x, const opweld::MutableTensorView& y, double number) {
    opweld::dispatch(x, opweld::FloatingTypes{}, [&]<typename T>() {
        opweld::elementwise(
            y.as<T>(), [&](const T& value) { return static_cast<double>(value) + number; }, x.as<T>());
    });
}

}  // namespace

void every_input(const EveryInputArgs& args) {
    double total = args.maybe ? sum_of(*args.maybe) : 0;
    for (const opweld::TensorView& view : args.several) {
        total += sum_of(view);
    }
    for (const std::optional<opweld::TensorView>& view : args.holes) {
        total += view ? sum_of(*view) : 0;
    }
    for (const opweld::TensorView& view : args.perhaps.value_or(std::vector<opweld::TensorView>())) {
        total += sum_of(view);
    }
    add_number(args.x, args.y, total);
}

void plain_attributes(const PlainAttributesArgs& args) {
    add_number(args.x, args.y,
               (args.flag ? 1 : 0) + 10.0 * static_cast<double>(args.number) + args.real +
                   static_cast<double>(args.word.size()) + args.scalar.to<double>() +
                   (args.dtype == OPWELD_FLOAT16 ? 100 : 0) + 1000.0 * static_cast<double>(args.size));
}

void optional_attributes(const OptionalAttributesArgs& args) {
    double total = args.flag.value_or(false) ? 1 : 0;
    total += 10.0 * static_cast<double>(args.number.value_or(0)) + args.real.value_or(0);
    total += static_cast<double>(args.word.value_or("").size());
    total += args.scalar ? args.scalar->to<double>() : 0;
    total += args.dtype ? 100 : 0;
    total += 1000.0 * static_cast<double>(args.size.value_or(0));
    total += args.ints ? total_of(*args.ints) : 0;
    total += args.reals ? total_of(*args.reals) : 0;
    total += args.sizes ? total_of(*args.sizes) : 0;
    total += args.flags ? total_of(*args.flags) : 0;
    if (args.nested) {
        for (const std::span<const int64_t> list : *args.nested) {
            total += total_of(list);
        }
    }
    add_number(args.x, args.y, total);
}

void list_attributes(const ListAttributesArgs& args) {
    double total = total_of(args.flags) + 10 * total_of(args.three) + total_of(args.ints);
    total += 100.0 * static_cast<double>(args.two[0]) + static_cast<double>(args.two[1]);
    total += total_of(args.reals) + total_of(args.sizes);
    for (const int64_t dtype : args.dtypes) {
        total += dtype == OPWELD_FLOAT32 ? 1000 : 0;
    }
    double factor = 1;
    for (const std::span<const int64_t> list : args.nested) {
        total += factor++ * total_of(list);
    }
    for (const std::span<const double> list : args.weights) {
        total += total_of(list);
    }
    add_number(args.x, args.y, total);
}

void bump_in_place(const BumpInPlaceArgs& args) { add_number(args.x, args.x, args.amount); }

void fill_all(const FillAllArgs& args) {
    std::vector<opweld::MutableTensorView> targets = args.targets;
    if (args.extra) {
        targets.push_back(*args.extra);
    }
    for (const opweld::MutableTensorView& target : targets) {
        opweld::dispatch(target, FillAllArgs::targets_types{}, [&]<typename T>() {
            opweld::elementwise(
                target.as<T>(), [&](const T&) { return args.value; }, opweld::TensorView(target).as<T>());
        });
    }
}

void every_output(const EveryOutputArgs& args) {
    opweld::dispatch(args.x, EveryOutputArgs::x_types{}, [&]<typename T>() {
        const auto x = args.x.as<T>();
        opweld::copy(args.copy.as<T>(), x);
        for (int64_t row = 0; row < x.size(0); ++row) {
            for (int64_t column = 0; column < x.size(1); ++column) {
                args.turned.as<T>()(column, row) = x(row, column);
            }
        }
        for (const opweld::MutableTensorView& piece : args.pieces) {
            const opweld::ContiguousOutput<T> out(piece.as<T>());
            std::fill_n(out.data(), piece.numel(), static_cast<T>(static_cast<float>(piece.size(1))));
            out.commit();
        }
    });
    if (args.extra) {
        opweld::copy(args.extra->as<int64_t>(), args.index.as<int64_t>());
    }
}

void channels(const ChannelsArgs& args) {
    opweld::dispatch(args.image, ChannelsArgs::image_types{}, [&]<typename T>() {
        opweld::elementwise(
            args.y.as<float>(), [](const T& value) { return 3 * static_cast<float>(value); },
            args.image.as<T>());
    });
}

void positive(const PositiveArgs& args) {
    opweld::dispatch(args.x, PositiveArgs::x_types{}, [&]<typename T>() {
        const opweld::Contiguous<T> x(args.x.as<T>());
        int64_t used = 0;
        for (int64_t i = 0; i < args.x.numel(); ++i) {
            if (x[i] > T(0)) {
                args.y.as<T>()(used++) = x[i];
            }
        }
        args.y_shape.as<int64_t>()(0) = used;
    });
}

void counting(const CountingArgs& args) {
    opweld::dispatch(args.y, opweld::TypeList<float, opweld::Half, double, int64_t>{}, [&]<typename T>() {
        for (int64_t i = 0; i < args.length; ++i) {
            args.y.as<T>()(i) = static_cast<T>(static_cast<float>(i));
        }
    });
}

void noise(const NoiseArgs& args) {
    opweld::dispatch(args.x, NoiseArgs::x_types{}, [&]<typename T>() {
        const opweld::ContiguousOutput<T> y(args.y.as<T>());
        opweld::parallel_for(0, args.y.numel(), 1 << 16, [&](int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i) {
                y[i] = static_cast<T>(opweld::uniform(args.generator, static_cast<uint64_t>(i)));
            }
        });
        y.commit();
    });
}

void scaled_sum(const ScaledSumArgs& args) {
    opweld::dispatch(args.y, ScaledSumArgs::xs_types{}, [&]<typename T>() {
        const auto y = args.y.as<T>();
        opweld::elementwise(y, [](const T&) { return T(0); }, y);
        for (size_t k = 0; k < args.xs.size(); ++k) {
            const auto weight = static_cast<T>(args.weights[k]);
            opweld::elementwise(
                y, [&](const T& sum, const T& x) { return sum + weight * x; }, y, args.xs[k].as<T>());
        }
        if (args.bias) {
            opweld::elementwise(
                y, [](const T& sum, const T& bias) { return sum + bias; }, y, args.bias->as<T>());
        }
    });
}

void scaled_sum_backward(const ScaledSumBackwardArgs& args) {
    opweld::dispatch(args.grad, ScaledSumBackwardArgs::grad_types{}, [&]<typename T>() {
        const auto grad = args.grad.as<T>();
        for (size_t k = 0; k < args.grad_xs.size(); ++k) {
            const auto weight = static_cast<T>(args.weights[k]);
            opweld::elementwise(
                args.grad_xs[k].as<T>(), [&](const T& value) { return weight * value; }, grad);
        }
        opweld::copy(args.grad_bias.as<T>(), grad);
    });
}

void power(const PowerArgs& args) {
    opweld::dispatch(args.x, PowerArgs::x_types{}, [&]<typename T>() {
        using Number = opweld::accumulate_t<T>;
        const auto exponent = static_cast<int>(args.exponent);
        opweld::elementwise(
            args.y.as<T>(), [&](const T& x) { return std::pow(static_cast<Number>(x), exponent); },
            args.x.as<T>());
    });
}

void times_tensor(const TimesTensorArgs& args) {
    opweld::dispatch(args.self, TimesTensorArgs::self_types{}, [&]<typename T>() {
        opweld::elementwise(
            args.out.as<T>(), [](const T& a, const T& b) { return float(a) * float(b); }, args.self.as<T>(),
            args.other.as<T>());
    });
}

void joined(const JoinedArgs& args) {
    opweld::dispatch(args.keys, JoinedArgs::keys_types{}, [&]<typename T>() {
        const auto factor = static_cast<T>(args.guard * static_cast<double>(args.result));
        opweld::elementwise(
            args.made.as<T>(), [&](const T& a, const T& b) { return a + factor * b; }, args.keys.as<T>(),
            args.node.as<T>());
    });
}

void several_outputs(const SeveralOutputsArgs& args) {
    opweld::dispatch(args.x, SeveralOutputsArgs::x_types{}, [&]<typename T>() {
        const auto x = args.x.as<T>();
        opweld::dispatch(args.doubled, opweld::TypeList<float, opweld::Half>{}, [&]<typename D>() {
            opweld::elementwise(
                args.doubled.as<D>(),
                [](const T& value) { return static_cast<D>(2 * static_cast<float>(value)); }, x);
        });
        for (const opweld::MutableTensorView& piece : args.pieces) {
            const opweld::ContiguousOutput<T> out(piece.as<T>());
            std::fill_n(out.data(), piece.numel(), static_cast<T>(static_cast<float>(piece.size(0))));
            out.commit();
        }
    });
    if (args.extra) {
        opweld::copy(args.extra->as<int64_t>(), args.index->as<int64_t>());
    }
}

void replaced(const ReplacedArgs& args) {
    opweld::dispatch(args.x, ReplacedArgs::x_types{}, [&]<typename T>() {
        opweld::elementwise(args.y.as<T>(), [](const T& value) { return 3 * value; }, args.x.as<T>());
    });
}

void converted(const ConvertedArgs& args) { add_number(args.x, args.y, static_cast<double>(args.amount)); }

}  // namespace all_types
