// Checks of a first phase, in the words of the function table. Each throws AclException(161002) with the
// names of the arguments, what they have and what they should have. Absent optional tensors pass.
#pragma once

#include <initializer_list>
#include <string>

#include "npu/aclnn/call/arguments.h"

namespace opweld::npu::aclnn::check {

using Shape = std::vector<int64_t>;

std::string text(std::span<const int64_t> shape);

[[noreturn]] void invalid(const std::string& text);

// `dim` counted from the front; throws if it is outside [-rank, rank). A 0-d tensor has one dimension here.
int64_t wrap_dim(const Operand& tensor, int64_t dim);

// The tensor has exactly this shape; `why` says where it comes from: "the shape of 'self'".
void has_shape(const Operand& tensor, std::span<const int64_t> shape, const std::string& why);
void same_shape(const Operand& model, const Operand& tensor);
// The tensor has as many elements as the other one.
void same_elements(const Operand& model, const Operand& tensor);
void has_elements(const Operand& tensor, int64_t elements);
void has_rank(const Operand& tensor, int64_t at_least, int64_t at_most);

// The shape to which all given tensors broadcast.
Shape broadcast_shape(std::initializer_list<Operand> inputs);
void broadcast(std::initializer_list<Operand> inputs, const Operand& output);

// Values of the common dtype of the inputs can be stored in the output: complex in complex, floating-point
// numbers not in integers, numbers not in bool.
void castable(std::initializer_list<Operand> inputs, const Operand& output);
void castable(const Number& input, const Operand& output);
// The same item by item: of lists, and of a number and a list.
void castables(std::initializer_list<Operands> inputs, const Operands& outputs);
void castables(const Number& input, const Operands& outputs);
// A floating-point result can be stored in the output.
void holds_floating(const Operand& output);
bool is_integral(int32_t dtype) noexcept;  // bool counts as an integer
void same_dtype(const Operand& model, const Operand& tensor);

// The output of a reduction over `dims`; no dims means all.
void reduced(const Operand& input, std::span<const int64_t> dims, bool keepdim, const Operand& output);
void reduced(const Operand& input, int64_t dim, bool keepdim, const Operand& output);

// A scalar that is there must not be complex where a real number is needed.
void real(const Number& number);

// The value of a scalar, which must be a real number.
double as_double(const Number& number);

// The tensor's dtype has the number, as PyTorch's fill_ understands it: rounded, and modulo its size if it is
// unsigned.
void storable(const Number& number, const Operand& tensor);
// The same for what computes 16-bit numbers in float32.
void computable(const Number& number, const Operand& tensor);

// At least one limit is given, and the output can hold it.
void bounded(const Number& min, const Number& max, const Operand& output);
void bounded(const Operand& min, const Operand& max);
// The dtype in which `self` is compared with the limits that are there has them; booleans alone have no
// order.
void comparable(const Operand& self, std::initializer_list<Number> limits);

// The number by which an input of a sum is multiplied: integers, and a number `other` that is one, take
// integers only.
void multiplier(const Number& alpha, std::initializer_list<Operand> inputs,
                const Number& other = Number("", nullptr));

// All inputs broadcast to the shape of `output`.
void broadcasts_to(const Operand& input, const Operand& output);

// Values of plain parameters.
void one_of(std::string_view name, int64_t value, int64_t first, int64_t last);
void one_of(std::string_view name, std::string_view value, std::string_view a, std::string_view b);
void at_least(std::string_view name, double value, double minimum);
void below(std::string_view name, int64_t value, std::string_view limit_name, int64_t limit);

// The tensor must not be given: what it stands for is not implemented.
void absent(const Operand& tensor);

// The output holds the numbers from start up to end in steps, as arange does.
void ranged(const Number& start, const Number& end, const Number& step, const Operand& output);
// The same with the end itself.
void ranged_with_end(const Number& start, const Number& end, const Number& step, const Operand& output);

// Lists with the same number of tensors, and the same shapes item by item.
void same_shapes(const Operands& model, const Operands& list);
void same_size(const Operands& model, const Operands& list);
void same_size(const Operands& model, std::span<const aclScalar* const> scalars);

}  // namespace opweld::npu::aclnn::check
