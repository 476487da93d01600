#include "tests/cpp/spec/expr/random_expression.h"

#include <fmt/format.h>

#include <utility>

namespace opweld::spec::expr {

std::string RandomExpression::next() {
    constexpr int depth = 4;
    switch (pick(9)) {
        case 0:
            return integer(depth);
        case 1:
            return floating(depth);
        case 2:
            return dtype(depth);
        case 3:
            return string(depth);
        case 4:
            return float_list(depth);
        case 5:
            return list_of_lists(depth);
        case 6:
            return int_list(depth);
        default:
            return boolean(depth);
    }
}

// `part if name is not None else part`, where only the first part may use the name.
std::string RandomExpression::guarded(int depth, std::string (RandomExpression::*part)(int)) {
    const std::string name = one_of({"bias", "maybe_n", "maybe_axes", "maybe_dt", "maybe_mode"});
    if (present_.contains(name)) {
        return (this->*part)(depth);
    }
    std::string absent = (this->*part)(depth);
    present_.insert(name);
    std::string present = (this->*part)(depth);
    present_.erase(name);
    if (pick(2) == 0) {
        return fmt::format("({} if {} is not None else {})", present, name, absent);
    }
    return fmt::format("({} if {} is None else {})", absent, name, present);
}

std::string RandomExpression::loop(int depth, std::string (RandomExpression::*item)(int)) {
    const std::string variable = fmt::format("i{}", variables_.size());
    std::string source = pick(2) == 0 ? fmt::format("range({})", integer(depth)) : int_list(depth);
    variables_.push_back(variable);
    std::string value = (this->*item)(depth);
    variables_.pop_back();
    return fmt::format("[{} for {} in {}]", value, variable, source);
}

std::string RandomExpression::tensor(int depth) {
    if (present_.contains("bias") && pick(2) == 0) {
        return "bias";
    }
    if (pick(8) == 0) {
        return fmt::format("(x if {} else w)", boolean(depth - 1));
    }
    return one_of({"x", "w", "x", "w", "ts[0]", "ts[-1]"});
}

std::string RandomExpression::integer(int depth) {
    if (depth <= 0) {
        if (!variables_.empty() && pick(2) == 0) {
            return one_of(variables_);
        }
        if (present_.contains("maybe_n") && pick(2) == 0) {
            return "maybe_n";
        }
        return one_of({"n", "k", "0", "1", "2", "3", "-1", "7", "x.ndim", "len(axes)", "w.shape[-1]"});
    }
    --depth;
    switch (pick(15)) {
        case 0:
            return fmt::format("({} + {})", integer(depth), integer(depth));
        case 1:
            return fmt::format("({} - {})", integer(depth), integer(depth));
        case 2:
            return fmt::format("{} * {}", integer(0), integer(0));
        case 3:
            return fmt::format("({}) {} {}", integer(depth), one_of({"//", "%"}), integer(0));
        case 4:
            return fmt::format("-({})", integer(depth));
        case 5:
            return fmt::format("({} if {} else {})", integer(depth), boolean(depth), integer(depth));
        case 6:
            return fmt::format("{}({}, {})", one_of({"min", "max"}), integer(depth), integer(depth));
        case 7:
            return fmt::format("{}({})", one_of({"min", "max", "sum", "len"}), int_list(depth));
        case 8:
            return fmt::format("prod({}[:2])", one_of({"x.shape", "sizes", "axes"}));
        case 9:
            return fmt::format("abs({})", integer(depth));
        case 10:
            return fmt::format("ceil_div({}, {})", integer(depth), integer(0));
        case 11:
            return fmt::format("{}[{}]", int_list(depth), integer(0));
        case 12:
            return guarded(depth, &RandomExpression::integer);
        case 13:
            return fmt::format("conv_out({}, {}, {}, 1, 1)", integer(depth), integer(0), integer(0));
        default:
            return fmt::format("{}.{}", tensor(depth), one_of({"ndim", "shape[0]", "shape[-1]", "shape[1]"}));
    }
}

std::string RandomExpression::floating(int depth) {
    if (depth <= 0) {
        return one_of({"alpha", "0.5", "-1.25", "2.0", "alpha * factor", "scales[0]"});
    }
    --depth;
    switch (pick(7)) {
        case 0:
            return fmt::format("({} {} {})", floating(depth), one_of({"+", "-", "*", "/"}), floating(0));
        case 1:
            return fmt::format("({} * {})", integer(depth), floating(depth));
        case 2:
            return fmt::format("{}({}, {})", one_of({"min", "max"}), floating(depth), integer(depth));
        case 3:
            return fmt::format("{}({})", one_of({"sum", "max", "prod"}), float_list(depth));
        case 4:
            return fmt::format("({} if {} else {})", floating(depth), boolean(depth), integer(depth));
        case 5:
            return guarded(depth, &RandomExpression::floating);
        default:
            return fmt::format("abs({})", floating(depth));
    }
}

std::string RandomExpression::boolean(int depth) {
    if (depth <= 0) {
        return one_of({"flag", "not flag", "n > 1", "k == 4", "mode == 'mean'", "x.dtype == float32",
                       "bias is None", "maybe_n is not None", "mask[0]", "0 <= n < 3"});
    }
    --depth;
    const std::string relation = one_of({"==", "!=", "<", "<=", ">", ">="});
    switch (pick(16)) {
        case 0:
        case 1:
            return fmt::format("({} and {})", boolean(depth), boolean(depth));
        case 2:
        case 3:
            return fmt::format("({} or {})", boolean(depth), boolean(depth));
        case 4:
            return fmt::format("(not {})", boolean(depth));
        case 5:
        case 6:
            return fmt::format("({} {} {})", integer(depth), relation, integer(depth));
        case 7:
            return fmt::format("({} {} {})", floating(depth), relation, floating(depth));
        case 8:
            return fmt::format("({} < {} <= {})", integer(depth), integer(depth), integer(depth));
        case 9:
            return fmt::format("({} {} {})", int_list(depth), one_of({"==", "!="}), int_list(depth));
        case 10:
            return fmt::format("({} {} {})", integer(depth), one_of({"in", "not in"}), int_list(depth));
        case 11:
            return fmt::format("({} {} {})", dtype(depth), one_of({"==", "!="}), dtype(depth));
        case 12:
            return fmt::format("({} in [{}, {}])", string(depth), string(depth), string(0));
        case 13: {
            const std::string name = one_of({"bias", "maybe_n", "maybe_dt"});
            if (present_.contains(name)) {
                return boolean(depth);
            }
            const bool is_and = pick(2) == 0;
            present_.insert(name);
            std::string part = boolean(depth);
            present_.erase(name);
            return fmt::format("({} is {}None {} {})", name, is_and ? "not " : "", is_and ? "and" : "or",
                               part);
        }
        case 14:
            return fmt::format("(({}) {} ({}))", boolean(depth), one_of({"==", "!="}), boolean(depth));
        default:
            return fmt::format("({} == {})", list_of_lists(depth), list_of_lists(depth));
    }
}

std::string RandomExpression::dtype(int depth) {
    if (depth <= 0) {
        if (present_.contains("maybe_dt") && pick(2) == 0) {
            return "maybe_dt";
        }
        return one_of({"x.dtype", "w.dtype", "dt", "float32", "float16", "bfloat16", "int64", "bool", "uint8",
                       "complex64"});
    }
    --depth;
    switch (pick(5)) {
        case 0:
            return fmt::format("promote({}, {})", tensor(depth), dtype(depth));
        case 1:
            return fmt::format("promote({}, {}, {})", tensor(depth), tensor(depth),
                               one_of({"2", "alpha", "flag", "n"}));
        case 2:
            return fmt::format("({} if {} else {})", dtype(depth), boolean(depth), dtype(depth));
        case 3:
            return fmt::format("dtype_of({})", integer(0));
        default:
            return fmt::format("{}.dtype", tensor(depth));
    }
}

std::string RandomExpression::string(int depth) {
    if (depth <= 0) {
        if (present_.contains("maybe_mode") && pick(2) == 0) {
            return "maybe_mode";
        }
        return one_of({"mode", "'mean'", "\"sum\"", "'none'", "mode"});
    }
    --depth;
    if (pick(3) == 0) {
        return guarded(depth, &RandomExpression::string);
    }
    return fmt::format("({} if {} else {})", string(depth), boolean(depth), string(depth));
}

std::string RandomExpression::int_list(int depth) {
    if (depth <= 0) {
        if (present_.contains("maybe_axes") && pick(2) == 0) {
            return "maybe_axes";
        }
        return one_of({"x.shape", "w.shape", "axes", "sizes", "[]", "[1, 2]", "range(3)", "nested[0]"});
    }
    --depth;
    switch (pick(10)) {
        case 0:
            return fmt::format("({} + {})", int_list(depth), int_list(depth));
        case 1:
            return fmt::format("{}[{}:{}]", int_list(depth), integer(0), integer(0));
        case 2:
            return fmt::format("{}[{}]", int_list(depth), one_of({":-1", "1:", ":", "-2:", ":2"}));
        case 3:
            return fmt::format("[{}, {}]", integer(depth), integer(depth));
        case 4:
            return loop(depth, &RandomExpression::integer);
        case 5:
            return fmt::format("broadcast({}, {})", one_of({"x", "w", "sizes"}),
                               one_of({"w", "[1, 4]", "x.shape", "[]"}));
        case 6:
            return fmt::format("reduced({}, {}, {})", one_of({"x", "sizes", "x.shape"}),
                               one_of({"axes", "None", "maybe_axes", "[0]", "[]"}), boolean(0));
        case 7:
            return fmt::format("({} if {} else {})", int_list(depth), boolean(depth), int_list(depth));
        case 8:
            return guarded(depth, &RandomExpression::int_list);
        default:
            return fmt::format("range({}, {}, {})", integer(0), integer(0), one_of({"1", "2", "-1", "n"}));
    }
}

std::string RandomExpression::float_list(int depth) {
    if (depth <= 0) {
        return one_of({"scales", "[0.5, 1]", "[alpha]"});
    }
    --depth;
    switch (pick(3)) {
        case 0:
            return loop(depth, &RandomExpression::floating);
        case 1:
            return fmt::format("({} + {})", float_list(depth), float_list(depth));
        default:
            return fmt::format("{}[{}]", float_list(depth), one_of({"1:", ":1", ":"}));
    }
}

std::string RandomExpression::list_of_lists(int depth) {
    if (depth <= 0) {
        return one_of({"nested", "[[1], []]", "[x.shape, axes]"});
    }
    --depth;
    switch (pick(4)) {
        case 0:
            return fmt::format("[{}, {}]", int_list(depth), int_list(depth));
        case 1:
            return loop(depth, &RandomExpression::int_list);
        case 2:
            return fmt::format("{}[1:]", list_of_lists(depth));
        default:
            return one_of({"[t.shape for t in ts]", "[t.shape if t is not None else [7] for t in maybe_ts]",
                           "[[d, d + 1] for d in x.shape]"});
    }
}

}  // namespace opweld::spec::expr
