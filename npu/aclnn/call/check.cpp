#include "npu/aclnn/call/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "npu/aclnn/objects/boundary.h"

namespace opweld::npu::aclnn::check {
namespace {

std::string described(const Operand& tensor) {
    return fmt::format("'{}' {}", tensor.name(), text(tensor.shape()));
}

std::string described(std::initializer_list<Operand> tensors) {
    std::vector<std::string> all;
    for (const Operand& tensor : tensors) {
        if (tensor) {
            all.push_back(described(tensor));
        }
    }
    return fmt::format("{}", fmt::join(all, ", "));
}

// bool < integer < floating-point < complex
enum class Category { boolean, integer, floating, complex };

Category category(int32_t dtype) {
    switch (dtype) {
        case OPWELD_BOOL:
            return Category::boolean;
        case OPWELD_FLOAT32:
        case OPWELD_FLOAT16:
        case OPWELD_BFLOAT16:
        case OPWELD_FLOAT64:
            return Category::floating;
        case OPWELD_COMPLEX64:
        case OPWELD_COMPLEX128:
            return Category::complex;
        default:
            return Category::integer;
    }
}

[[noreturn]] void no_step(const Number& step, const Operand& output) {
    invalid(fmt::format("argument '{}' is {}, which is no step for {} numbers", step.name(), as_double(step),
                        dtype_name(output.dtype())));
}

void holds_range(const Number& start, const Number& end, const Number& step, double size, double least,
                 const Operand& output) {
    if (as_double(step) == 0 || !(size >= least)) {
        invalid(fmt::format("from {} to {} in steps of {} is no range", as_double(start), as_double(end),
                            as_double(step)));
    }
    has_rank(output, 1, 1);
    if (static_cast<double>(output.elements()) != size) {
        invalid(fmt::format("argument {} has another size than the range, {}", described(output), size));
    }
}

}  // namespace

std::string text(std::span<const int64_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

void invalid(const std::string& text) { throw AclException(kInvalid, text); }

int64_t wrap_dim(const Operand& tensor, int64_t dim) {
    const int64_t rank = std::max<int64_t>(tensor.rank(), 1);
    if (dim < -rank || dim >= rank) {
        invalid(fmt::format("dimension {} is outside [{}, {}], the range for {}", dim, -rank, rank - 1,
                            described(tensor)));
    }
    return dim < 0 ? dim + rank : dim;
}

void has_shape(const Operand& tensor, std::span<const int64_t> shape, const std::string& why) {
    if (tensor && !std::ranges::equal(tensor.shape(), shape)) {
        invalid(fmt::format("argument '{}' has shape {}, expected {}, {}", tensor.name(),
                            text(tensor.shape()), text(shape), why));
    }
}

void same_shape(const Operand& model, const Operand& tensor) {
    if (model && tensor && !std::ranges::equal(tensor.shape(), model.shape())) {
        has_shape(tensor, model.shape(), fmt::format("the shape of '{}'", model.name()));
    }
}

void same_elements(const Operand& model, const Operand& tensor) {
    if (model && tensor && model.elements() != tensor.elements()) {
        invalid(fmt::format("argument {} has {} elements, expected {}, as {} has", described(tensor),
                            tensor.elements(), model.elements(), described(model)));
    }
}

void has_elements(const Operand& tensor, int64_t elements) {
    if (tensor && tensor.elements() != elements) {
        invalid(fmt::format("argument {} has {} elements, expected {}", described(tensor), tensor.elements(),
                            elements));
    }
}

void has_rank(const Operand& tensor, int64_t at_least, int64_t at_most) {
    if (tensor && (tensor.rank() < at_least || tensor.rank() > at_most)) {
        const std::string range =
            at_least == at_most ? fmt::format("{}", at_least) : fmt::format("{} to {}", at_least, at_most);
        invalid(fmt::format("argument {} has {} dimensions, expected {}", described(tensor), tensor.rank(),
                            range));
    }
}

Shape broadcast_shape(std::initializer_list<Operand> inputs) {
    Shape result;
    for (const Operand& input : inputs) {
        if (!input) {
            continue;
        }
        const auto shape = input.shape();
        if (shape.size() > result.size()) {
            result.insert(result.begin(), shape.size() - result.size(), 1);
        }
        for (size_t i = 0; i < shape.size(); ++i) {
            int64_t& size = result[result.size() - shape.size() + i];
            if (size == 1) {
                size = shape[i];
            } else if (shape[i] != 1 && shape[i] != size) {
                invalid(fmt::format("shapes don't broadcast: {}", described(inputs)));
            }
        }
    }
    return result;
}

void broadcast(std::initializer_list<Operand> inputs, const Operand& output) {
    // The ordinary case first: all shapes are equal.
    if (std::all_of(inputs.begin(), inputs.end(), [&](const Operand& input) {
            return !input || std::ranges::equal(input.shape(), output.shape());
        })) {
        return;
    }
    const Shape shape = broadcast_shape(inputs);
    if (!std::ranges::equal(output.shape(), shape)) {
        has_shape(output, shape, fmt::format("to which broadcast {}", described(inputs)));
    }
}

namespace {

// As PyTorch's errors call it.
std::string_view scalar_type(int32_t dtype) noexcept {
    switch (dtype) {
        case OPWELD_FLOAT32:
            return "Float";
        case OPWELD_FLOAT16:
            return "Half";
        case OPWELD_BFLOAT16:
            return "BFloat16";
        case OPWELD_FLOAT64:
            return "Double";
        case OPWELD_INT8:
            return "Char";
        case OPWELD_INT16:
            return "Short";
        case OPWELD_INT32:
            return "Int";
        case OPWELD_INT64:
            return "Long";
        case OPWELD_UINT8:
            return "Byte";
        case OPWELD_BOOL:
            return "Bool";
        case OPWELD_COMPLEX64:
            return "ComplexFloat";
        case OPWELD_COMPLEX128:
            return "ComplexDouble";
        default:
            return dtype_name(dtype);
    }
}

// PyTorch's own sentence, which its users know. A Python number gives the default dtype of its kind.
[[noreturn]] void refuse_cast(const Operand& output, std::string_view input, int32_t dtype,
                              std::string_view result) {
    invalid(
        fmt::format("result type {} can't be cast to the desired output type {}: argument '{}' is {}, and "
                    "'{}' {}",
                    result, scalar_type(output.dtype()), output.name(), dtype_name(output.dtype()), input,
                    dtype_name(dtype)));
}

}  // namespace

void castable(std::initializer_list<Operand> inputs, const Operand& output) {
    const Category to = category(output.dtype());
    for (const Operand& input : inputs) {
        if (input && category(input.dtype()) > to) {
            refuse_cast(output, input.name(), input.dtype(), scalar_type(input.dtype()));
        }
    }
}

void castable(const Number& input, const Operand& output) {
    if (input && category(input.value().dtype) > category(output.dtype())) {
        const int32_t dtype = input.value().dtype;
        refuse_cast(output, input.name(), dtype, dtype == OPWELD_FLOAT64 ? "Float" : scalar_type(dtype));
    }
}

void castables(std::initializer_list<Operands> inputs, const Operands& outputs) {
    for (const Operands& input : inputs) {
        for (size_t i = 0; i < std::min(input.size(), outputs.size()); ++i) {
            castable({input[i]}, outputs[i]);
        }
    }
}

void castables(const Number& input, const Operands& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
        castable(input, outputs[i]);
    }
}

void holds_floating(const Operand& output) {
    if (output && is_integral(output.dtype())) {
        invalid(
            fmt::format("result type Float can't be cast to the desired output type {}: argument '{}' is {}",
                        scalar_type(output.dtype()), output.name(), dtype_name(output.dtype())));
    }
}

bool is_integral(int32_t dtype) noexcept { return category(dtype) <= Category::integer; }

void same_dtype(const Operand& model, const Operand& tensor) {
    if (model && tensor && model.dtype() != tensor.dtype()) {
        invalid(fmt::format("argument '{}' has dtype {}, expected {}, the dtype of '{}'", tensor.name(),
                            dtype_name(tensor.dtype()), dtype_name(model.dtype()), model.name()));
    }
}

void reduced(const Operand& input, std::span<const int64_t> dims, bool keepdim, const Operand& output) {
    std::vector<bool> gone(static_cast<size_t>(std::max<int64_t>(input.rank(), 1)), dims.empty());
    for (const int64_t dim : dims) {
        const auto index = static_cast<size_t>(wrap_dim(input, dim));
        if (gone[index]) {
            invalid(fmt::format("dimension {} is given twice", dim));
        }
        gone[index] = true;
    }
    Shape shape;
    for (size_t i = 0; i < input.shape().size(); ++i) {
        if (!gone[i]) {
            shape.push_back(input.shape()[i]);
        } else if (keepdim) {
            shape.push_back(1);
        }
    }
    has_shape(output, shape, fmt::format("what is left of {}", described(input)));
}

void reduced(const Operand& input, int64_t dim, bool keepdim, const Operand& output) {
    reduced(input, std::span<const int64_t>(&dim, 1), keepdim, output);
}

void real(const Number& number) {
    if (number && number.value().dtype == OPWELD_COMPLEX128) {
        invalid(fmt::format("argument '{}' is a complex number, expected a real one", number.name()));
    }
}

void broadcasts_to(const Operand& input, const Operand& output) {
    if (!std::ranges::equal(broadcast_shape({input, output}), output.shape())) {
        invalid(fmt::format("argument {} doesn't broadcast to {}", described(input), described(output)));
    }
}

void one_of(std::string_view name, int64_t value, int64_t first, int64_t last) {
    if (value < first || value > last) {
        invalid(fmt::format("argument '{}' is {}, expected {} to {}", name, value, first, last));
    }
}

void one_of(std::string_view name, std::string_view value, std::string_view a, std::string_view b) {
    if (value != a && value != b) {
        invalid(fmt::format("argument '{}' is \"{}\", expected \"{}\" or \"{}\"", name, value, a, b));
    }
}

void at_least(std::string_view name, double value, double minimum) {
    if (!(value >= minimum)) {
        invalid(fmt::format("argument '{}' is {}, expected at least {}", name, value, minimum));
    }
}

void below(std::string_view name, int64_t value, std::string_view limit_name, int64_t limit) {
    if (value >= limit) {
        invalid(
            fmt::format("argument '{}' is {}, expected less than '{}', {}", name, value, limit_name, limit));
    }
}

void absent(const Operand& tensor) {
    if (tensor) {
        invalid(fmt::format("argument '{}' is given; the software NPU has no kernel for it", tensor.name()));
    }
}

void ranged(const Number& start, const Number& end, const Number& step, const Operand& output) {
    if (output.dtype() != OPWELD_INT64) {
        holds_range(start, end, step, std::ceil((as_double(end) - as_double(start)) / as_double(step)), 0,
                    output);
        return;
    }
    // Integers of 64 bits count in integers, from what is left of fractions.
    for (const Number& number : {start, end, step}) {
        storable(number, output);
    }
    const auto value = [](const Number& n) {
        if (n.value().dtype != OPWELD_FLOAT64) {
            return n.value().integer;
        }
        return n.value().real < 0x1p63 ? static_cast<int64_t>(n.value().real)
                                       : std::numeric_limits<int64_t>::max();
    };
    if (value(step) == 0) {
        no_step(step, output);
    }
    int64_t length = 0;
    if (__builtin_sub_overflow(value(end), value(start), &length) ||
        __builtin_add_overflow(length, value(step) - (value(step) > 0 ? 1 : -1), &length)) {
        invalid(fmt::format("from {} to {} in steps of {} is further than int64 reaches", value(start),
                            value(end), value(step)));
    }
    const bool backwards = value(end) != value(start) && (value(end) > value(start)) != (value(step) > 0);
    holds_range(start, end, step, backwards ? -1 : static_cast<double>(length / value(step)), 0, output);
}

void ranged_with_end(const Number& start, const Number& end, const Number& step, const Operand& output) {
    // Integers count in integers.
    const auto value = [&](const Number& n) {
        return is_integral(output.dtype()) ? std::trunc(as_double(n)) : as_double(n);
    };
    if (value(step) == 0) {
        no_step(step, output);
    }
    holds_range(start, end, step, std::floor((value(end) - value(start)) / value(step) + 1), 1, output);
}

void same_size(const Operands& model, const Operands& list) {
    if (model.size() != list.size()) {
        invalid(fmt::format("list '{}' has {} tensors, expected {}, as '{}' has", list.name(), list.size(),
                            model.size(), model.name()));
    }
}

void same_size(const Operands& model, std::span<const aclScalar* const> scalars) {
    if (model.size() != scalars.size()) {
        invalid(fmt::format("the list of scalars has {} numbers, expected {}, as '{}' has", scalars.size(),
                            model.size(), model.name()));
    }
}

void same_shapes(const Operands& model, const Operands& list) {
    same_size(model, list);
    for (size_t i = 0; i < model.size(); ++i) {
        if (!std::ranges::equal(model[i].shape(), list[i].shape())) {
            has_shape(list[i], model[i].shape(),
                      fmt::format("the shape of item {} of '{}'", i, model.name()));
        }
    }
}

}  // namespace opweld::npu::aclnn::check
