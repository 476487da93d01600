#include "graph/operator_reg.h"

namespace ge {

REG_OP(Scale)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .ATTR(factor, Float, 1.0)
    .OP_END_FACTORY_REG(Scale)

}  // namespace ge
