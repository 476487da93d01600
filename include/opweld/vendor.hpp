// What the generated functions of a vendor library are made of: descriptions of arguments for opweldPrepare,
// and the checks of the first phase. Nothing here needs torch.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "opweld/expr/host.h"
#include "opweld/kernel/call.hpp"
#include "opweld/kernel/dtype.hpp"
#include "opweld/kernel/tensor_view.hpp"
#include "opweld/launch.h"

#define OPWELD_VENDOR_EXPORT __attribute__((visibility("default")))

namespace opweld::vendor {

// ---------------------------------------------------------------------------------------------------------------
// Arguments as opweldPrepare takes them

using DTypes = std::initializer_list<OpweldDType>;

inline uint64_t mask(DTypes dtypes) {
    uint64_t bits = 0;
    for (const OpweldDType dtype : dtypes) {
        bits |= uint64_t{1} << dtype;
    }
    return bits;
}

inline OpweldArgument argument(const char* name, OpweldValueKind kind, bool optional) {
    OpweldArgument result{};
    result.kind = kind;
    result.optional = optional ? 1 : 0;
    result.name = name;
    return result;
}
inline OpweldArgument tensor(const char* name, const aclTensor* value, DTypes dtypes, bool optional = false) {
    OpweldArgument result = argument(name, OPWELD_KIND_TENSOR, optional);
    result.as.tensor = value;
    result.dtypes = mask(dtypes);
    return result;
}
inline OpweldArgument optional_tensor(const char* name, const aclTensor* value, DTypes dtypes) {
    return tensor(name, value, dtypes, true);
}
// `optional` of a list: the list, or elements of it, may be absent.
inline OpweldArgument list(const char* name, const aclTensorList* value, DTypes dtypes,
                           bool optional = false) {
    OpweldArgument result = argument(name, OPWELD_KIND_TENSOR_LIST, optional);
    result.as.tensors = value;
    result.dtypes = mask(dtypes);
    return result;
}
inline OpweldArgument optional_list(const char* name, const aclTensorList* value, DTypes dtypes) {
    return list(name, value, dtypes, true);
}
inline OpweldArgument list_of_optionals(const char* name, const aclTensorList* value, DTypes dtypes) {
    return list(name, value, dtypes, true);
}
inline OpweldArgument boolean(const char* name, bool value) {
    OpweldArgument result = argument(name, OPWELD_KIND_BOOL, false);
    result.as.integer = value ? 1 : 0;
    return result;
}
inline OpweldArgument integer(const char* name, int64_t value) {
    OpweldArgument result = argument(name, OPWELD_KIND_INT, false);
    result.as.integer = value;
    return result;
}
inline OpweldArgument dtype(const char* name, int32_t value) {
    OpweldArgument result = argument(name, OPWELD_KIND_DTYPE, false);
    result.as.integer = value;
    return result;
}
inline OpweldArgument real(const char* name, double value) {
    OpweldArgument result = argument(name, OPWELD_KIND_FLOAT, false);
    result.as.real = value;
    return result;
}
inline OpweldArgument absent(const char* name) { return argument(name, OPWELD_KIND_NONE, true); }
inline OpweldArgument string(const char* name, const char* value, bool optional = false) {
    OpweldArgument result = argument(name, OPWELD_KIND_STRING, optional);
    result.as.string = value;
    return result;
}
inline OpweldArgument scalar(const char* name, const aclScalar* value, bool optional = false) {
    OpweldArgument result = argument(name, OPWELD_KIND_SCALAR, optional);
    result.as.scalar = value;
    return result;
}
inline OpweldArgument integers(const char* name, const aclIntArray* value, bool optional = false) {
    OpweldArgument result = argument(name, OPWELD_KIND_INT_LIST, optional);
    result.as.integers = value;
    return result;
}
inline OpweldArgument floats(const char* name, const aclFloatArray* value, bool optional = false) {
    OpweldArgument result = argument(name, OPWELD_KIND_FLOAT_LIST, optional);
    result.as.floats = value;
    return result;
}
inline OpweldArgument bools(const char* name, const aclBoolArray* value, bool optional = false) {
    OpweldArgument result = argument(name, OPWELD_KIND_BOOL_LIST, optional);
    result.as.bools = value;
    return result;
}

// ---------------------------------------------------------------------------------------------------------------
// Values as expressions take them

inline expr::DType dtype_of_code(int32_t code) { return static_cast<expr::DType>(code); }

inline expr::host::Tensor shape_of(const TensorView& view) {
    return {view.shape(), dtype_of_code(view.dtype())};
}
inline std::optional<expr::host::Tensor> shape_of(const std::optional<TensorView>& view) {
    return view.has_value() ? std::optional(shape_of(*view)) : std::nullopt;
}
template <typename View>
auto shape_of(const std::vector<View>& views) {
    std::vector<decltype(shape_of(views.front()))> shapes;
    for (const View& view : views) {
        shapes.push_back(shape_of(view));
    }
    return shapes;
}
inline std::optional<expr::host::Tensors> shape_of(const std::optional<std::vector<TensorView>>& views) {
    return views.has_value() ? std::optional(shape_of(*views)) : std::nullopt;
}

inline expr::DType value_of(int32_t code) { return dtype_of_code(code); }
inline expr::Scalar value_of(const Scalar& scalar) {
    const expr::DType dtype = scalar.is_bool()                              ? expr::DType::boolean
                              : scalar.is_floating() || scalar.is_complex() ? expr::DType::float64
                                                                            : expr::DType::int64;
    return {dtype, scalar.to<double>()};
}
inline std::vector<expr::DType> value_of(std::span<const int64_t> codes) {
    std::vector<expr::DType> dtypes;
    for (const int64_t code : codes) {
        dtypes.push_back(dtype_of_code(static_cast<int32_t>(code)));
    }
    return dtypes;
}
template <typename T>
auto value_of(const std::optional<T>& value) {
    return value.has_value() ? std::optional(value_of(*value)) : std::nullopt;
}

// ---------------------------------------------------------------------------------------------------------------
// Checks; each throws with a sentence

inline void require(bool condition, const char* message) {
    if (!condition) {
        throw std::invalid_argument(message);
    }
}

// Inputs whose dtypes stand at one position of their lists together.
class PairedTypes {
  public:
    PairedTypes& add(const char* name, const TensorView& view, DTypes accepted) {
        uint64_t found = 0;
        uint64_t bit = 1;
        for (const OpweldDType dtype : accepted) {
            found |= dtype == view.dtype() ? bit : 0;
            bit <<= 1;
        }
        if ((remaining_ & found) == 0) {
            throw std::invalid_argument(std::string(name) + " is " + dtype_name(view.dtype()) +
                                        ", which does not go together with " +
                                        (first_.empty() ? "the others" : first_));
        }
        remaining_ &= found;
        first_ = first_.empty() ? std::string(name) + " of " + dtype_name(view.dtype()) : first_;
        return *this;
    }
    PairedTypes& add(const char* name, const std::optional<TensorView>& view, DTypes accepted) {
        return view.has_value() ? add(name, *view, accepted) : *this;
    }
    template <typename View>
    PairedTypes& add(const char* name, const std::vector<View>& views, DTypes accepted) {
        for (const View& view : views) {
            add(name, view, accepted);
        }
        return *this;
    }
    PairedTypes& add(const char* name, const std::optional<std::vector<TensorView>>& views, DTypes accepted) {
        return views.has_value() ? add(name, *views, accepted) : *this;
    }

  private:
    uint64_t remaining_ = ~uint64_t{0};
    std::string first_;
};

// What an output must look like.
struct Expected {
    template <typename Shape>
    Expected(const Shape& sizes, expr::DType type) : shape(sizes.begin(), sizes.end()), dtype(type) {}

    std::vector<int64_t> shape;
    expr::DType dtype;
};

inline void require_output(const std::string& name, const ViewBase& output, const Expected& expected) {
    const auto shape = output.shape();
    if (!std::equal(shape.begin(), shape.end(), expected.shape.begin(), expected.shape.end())) {
        throw std::invalid_argument("output " + name + " has shape " + shape_text(shape) + "; expected " +
                                    shape_text(expected.shape));
    }
    if (output.dtype() != static_cast<int32_t>(expected.dtype)) {
        throw std::invalid_argument("output " + name + " is " + dtype_name(output.dtype()) + "; expected " +
                                    dtype_name(static_cast<int32_t>(expected.dtype)));
    }
}
template <typename Shape>
void require_output(const char* name, const ViewBase& output, const Shape& shape, expr::DType dtype) {
    require_output(name, output, Expected(shape, dtype));
}
template <typename Shape>
void require_output(const char* name, const std::optional<MutableTensorView>& output, bool present,
                    const Shape& shape, expr::DType dtype) {
    if (output.has_value() != present) {
        throw std::invalid_argument("output " + std::string(name) +
                                    (present ? " is absent" : " must be absent"));
    }
    if (present) {
        require_output(name, *output, Expected(shape, dtype));
    }
}
template <typename Function>
void require_list(const char* name, const std::vector<MutableTensorView>& outputs, int64_t count,
                  const Function& expected) {
    if (static_cast<int64_t>(outputs.size()) != count) {
        throw std::invalid_argument("output " + std::string(name) + " has " + std::to_string(outputs.size()) +
                                    " tensors; expected " + std::to_string(count));
    }
    for (int64_t i = 0; i < count; ++i) {
        require_output(std::string(name) + "[" + std::to_string(i) + "]", outputs[static_cast<size_t>(i)],
                       expected(i));
    }
}

}  // namespace opweld::vendor
