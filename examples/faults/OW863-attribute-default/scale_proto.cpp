#include "graph/operator_reg.h"

namespace ge {

REG_OP(Scale)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .ATTR(factor, Float, 2.0)
    .OP_END_FACTORY_REG(Scale)

        IMPLEMT_COMMON_INFERFUNC(InferScale) {
    return op.UpdateOutputDesc("y", op.GetInputDescByName("x"));
}
COMMON_INFER_FUNC_REG(Scale, InferScale);

}  // namespace ge
