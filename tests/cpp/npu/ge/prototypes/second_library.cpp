// Has one type with another interface than prototype_library.cpp, one that is alike, and two that cannot be
// used.
#include "graph/operator_reg.h"

namespace ge {

REG_OP(OpwTestEverything)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(OpwTestEverything)

        REG_OP(OpwTestOwn)
    .INPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(OpwTestOwn)

        REG_OP(OpwTestBranch)
    .INPUT(x, TensorType::ALL())
    .GRAPH(body)
    .OP_END_FACTORY_REG(OpwTestBranch)

        REG_OP(OpwTestStrange)
    .INPUT(x, TensorType::ALL())
    .REQUIRED_ATTR(n, Matrix)
    .OP_END_FACTORY_REG(OpwTestStrange)

}  // namespace ge
