// What the operators of scaled_dot_product_attention need beside those of attentions.h.
#pragma once

#include <ATen/ops/empty.h>

#include "npu/ge/operators/attentions.h"
#include "npu/ge/operators/kernel_call.h"
#include "npu/ge/operators/randoms.h"

namespace opweld::npu::graph {

// An empty list is no list.
inline Lengths lengths(const std::vector<int64_t>& values) {
    return values.empty() ? std::nullopt : Lengths(values);
}

// Attention sinks have no kernel; dropout needs the state of the generator, and sequences one beside the
// other.
inline void check_eager_attention(const Call& call, double keep_prob, bool has_state,
                                  const std::string& layout, bool sink) {
    if (sink) {
        call.refuse("input 'sink' is not supported");
    }
    if (keep_prob < 1.0 && !has_state) {
        call.refuse("dropout needs the inputs 'seed' and 'offset', the state of the generator");
    }
    if (keep_prob < 1.0 && layout == "TND") {
        call.refuse("dropout is not supported with the layout TND; use dropout_p=0, or eager mode");
    }
}

// Which probabilities dropout keeps: those that eager mode keeps for the same state of the generator.
inline std::optional<at::Tensor> drop_mask(const at::Tensor& query, const at::Tensor& key, int64_t heads,
                                           const std::string& layout, double keep_prob, const Lengths& seed,
                                           const Lengths& offset) {
    if (keep_prob >= 1.0) {
        return std::nullopt;
    }
    const std::vector<int64_t> shape{probabilities(query, key, heads, layout)};
    at::Tensor mask = at::empty(mask_shape(shape), at::kByte);
    run_kernel("DropoutGenMaskV2", shape, static_cast<double>(1.0F - static_cast<float>(keep_prob)),
               seed->front(), offset_of(*offset), query.scalar_type(), mask);
    return mask;
}

}  // namespace opweld::npu::graph
