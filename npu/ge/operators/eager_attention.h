// What the operators of scaled_dot_product_attention need beside those of attentions.h.
#pragma once

#include "npu/ge/operators/attentions.h"

namespace opweld::npu::graph {

// An empty list is no list.
inline Lengths lengths(const std::vector<int64_t>& values) {
    return values.empty() ? std::nullopt : Lengths(values);
}

// A graph has no generator whose numbers dropout could take, and attention sinks have no kernel.
inline void refuse_dropout(const Call& call, double keep_prob, bool sink) {
    if (keep_prob < 1.0) {
        call.refuse("dropout in attention is not supported in a graph; use dropout_p=0, or eager mode");
    }
    if (sink) {
        call.refuse("input 'sink' is not supported");
    }
}

}  // namespace opweld::npu::graph
