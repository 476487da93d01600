#include "npu/ge/operators/paddings.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <algorithm>

#include "npu/ge/model/graph.h"

namespace opweld::npu::graph {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
    return result;
}

// The place whose element a place outside of [0, size) shows.
int64_t source_place(int64_t place, int64_t size, std::string_view mode) {
    if (place >= 0 && place < size) {
        return place;
    }
    if (mode == "edge") {
        return std::clamp<int64_t>(place, 0, size - 1);
    }
    if (mode == "circular" || mode == "wrap") {
        return ((place % size) + size) % size;
    }
    const int64_t twice = mode == "reflect" ? 2 * (size - 1) : 2 * size;
    if (twice == 0) {
        return 0;
    }
    const int64_t within = ((place % twice) + twice) % twice;
    if (mode == "reflect") {
        return within < size ? within : twice - within;
    }
    return within < size ? within : twice - 1 - within;
}

at::Tensor source_places(int64_t size, int64_t before, int64_t after, std::string_view mode) {
    if (size == 0) {
        throw GraphError(fmt::format("a dimension without elements can't be padded with the mode {}", mode));
    }
    at::Tensor places = at::empty({before + size + after}, at::kLong);
    auto* to = places.mutable_data_ptr<int64_t>();
    for (int64_t place = -before; place < size + after; ++place) {
        *to++ = source_place(place, size, mode);
    }
    return places;
}

void check_mode(std::string_view mode) {
    for (const std::string_view known : {"reflect", "symmetric", "edge", "circular", "wrap"}) {
        if (mode == known) {
            return;
        }
    }
    throw GraphError(
        fmt::format("the mode '{}' is none of: constant, reflect, symmetric, edge, circular", mode));
}

void check_dimensions(const at::Tensor& x, const Paddings& paddings) {
    if (static_cast<int64_t>(paddings.before.size()) != x.dim()) {
        throw GraphError(
            fmt::format("paddings of {} dimensions for a tensor with {}", paddings.before.size(), x.dim()));
    }
}

std::vector<int64_t> changed_shape(const at::Tensor& x, const Paddings& paddings, int64_t sign) {
    check_dimensions(x, paddings);
    std::vector<int64_t> sizes = x.sizes().vec();
    for (size_t i = 0; i < sizes.size(); ++i) {
        sizes[i] += sign * (paddings.before[i] + paddings.after[i]);
        if (sizes[i] < 0) {
            throw GraphError(fmt::format("paddings that leave {} elements in dimension {}", sizes[i], i));
        }
    }
    return sizes;
}

}  // namespace

Paddings paddings_of(const std::vector<int64_t>& numbers, bool in_turn) {
    if (numbers.size() % 2 != 0) {
        throw GraphError(fmt::format("{} paddings; there are two for each dimension", numbers.size()));
    }
    const size_t dimensions = numbers.size() / 2;
    Paddings result;
    for (size_t i = 0; i < dimensions; ++i) {
        result.before.push_back(numbers[in_turn ? 2 * i : i]);
        result.after.push_back(numbers[in_turn ? 2 * i + 1 : dimensions + i]);
    }
    return result;
}

std::vector<int64_t> padded_shape(const at::Tensor& x, const Paddings& paddings) {
    return changed_shape(x, paddings, 1);
}

at::Tensor padded(const at::Tensor& x, const Paddings& paddings, std::string_view mode,
                  const at::Scalar& value) {
    const std::string how = lower(mode);
    check_dimensions(x, paddings);
    if (how == "constant") {
        std::vector<int64_t> from_last;
        for (size_t i = paddings.before.size(); i-- > 0;) {
            from_last.push_back(paddings.before[i]);
            from_last.push_back(paddings.after[i]);
        }
        return at::constant_pad_nd(x, from_last, value);
    }
    check_mode(how);
    at::Tensor result = x;
    for (size_t i = 0; i < paddings.before.size(); ++i) {
        const auto dim = static_cast<int64_t>(i);
        if (paddings.before[i] != 0 || paddings.after[i] != 0) {
            result = at::index_select(result, dim,
                                      source_places(x.size(dim), paddings.before[i], paddings.after[i], how));
        }
    }
    return result.is_same(x) ? x.clone(at::MemoryFormat::Contiguous) : result;
}

std::vector<int64_t> unpadded_shape(const at::Tensor& grad, const Paddings& paddings) {
    return changed_shape(grad, paddings, -1);
}

at::Tensor padded_gradient(const at::Tensor& grad, const Paddings& paddings, std::string_view mode) {
    const std::string how = lower(mode);
    check_mode(how);
    const bool narrow = grad.scalar_type() == at::kHalf || grad.scalar_type() == at::kBFloat16;
    at::Tensor result = narrow ? grad.to(at::kFloat) : grad;
    for (size_t i = 0; i < paddings.before.size(); ++i) {
        const auto dim = static_cast<int64_t>(i);
        if (paddings.before[i] == 0 && paddings.after[i] == 0) {
            continue;
        }
        std::vector<int64_t> sizes = result.sizes().vec();
        sizes[i] -= paddings.before[i] + paddings.after[i];
        result = at::index_add(at::zeros(sizes, result.options()), dim,
                               source_places(sizes[i], paddings.before[i], paddings.after[i], how), result);
    }
    return result.to(grad.scalar_type()).contiguous();
}

}  // namespace opweld::npu::graph
