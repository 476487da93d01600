// The functions that libraries register for their operator types.
#pragma once

#include <string_view>

#include "graph/operator_factory.h"
#include "npu/runtime/interface.h"

namespace opweld::npu::prototypes {

struct Functions {
    ::ge::OpCreator create;
    ::ge::InferShapeFunc infer_shape;
    ::ge::InferFormatFunc infer_format;
    ::ge::VerifyFunc verify;
};

// Those of a type; empty ones where none are registered. Safe from any thread.
OPWELD_EXPORT Functions functions(std::string_view type);

}  // namespace opweld::npu::prototypes
