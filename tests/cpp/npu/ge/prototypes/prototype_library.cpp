// A library as users write it, built with the headers in include/graph.
#include "graph/operator_reg.h"

namespace ge {

REG_OP(OpwTestEverything)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OPTIONAL_INPUT(bias, TensorType::IndexNumberType())
    .DYNAMIC_INPUT(parts, "T")
    .OUTPUT(y, "T")
    .DYNAMIC_OUTPUT(pieces, TensorType(DT_INT8))
    .ATTR(integer, Int, 3)
    .ATTR(real, Float, 0.5)
    .ATTR(text, String, "a")
    .ATTR(flag, Bool, true)
    .ATTR(dtype, Type, DT_BF16)
    .ATTR(integers, ListInt, {1, 2})
    .ATTR(reals, ListFloat, {})
    .ATTR(texts, ListString, {"a", "b"})
    .ATTR(flags, ListBool, {true})
    .ATTR(dtypes, ListType, {DT_INT8})
    .ATTR(table, ListListInt, {{1, 2}, {3}})
    .ATTR(tensor, Tensor, Tensor())
    .REQUIRED_ATTR(must, ListListInt)
    .DATATYPE(T, TensorType({DT_BF16}))
    .OP_END_FACTORY_REG(OpwTestEverything)

        REG_OP(OpwTestSum)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OPTIONAL_INPUT(size, TensorType({DT_INT64}))
    .DYNAMIC_INPUT(parts, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .DYNAMIC_OUTPUT(pieces, TensorType({DT_FLOAT, DT_FLOAT16}))
    .ATTR(rows, Int, 1)
    .OP_END_FACTORY_REG(OpwTestSum)

    // y is [rows, parts, size] of x's type; every piece is as x.
    IMPLEMT_COMMON_INFERFUNC(InferSum) {
    std::int64_t rows = 0;
    if (op.GetAttr("rows", rows) != GRAPH_SUCCESS) {
        return GRAPH_FAILED;
    }
    Tensor constant;
    std::int64_t size = UNKNOWN_DIM;
    if (op.GetInputConstData("size", constant) == GRAPH_SUCCESS) {
        size = *reinterpret_cast<const std::int64_t*>(constant.GetData());
    }
    const TensorDesc x = op.GetInputDesc("x");
    TensorDesc y = op.GetOutputDesc("y");
    y.SetShape(Shape({rows, op.GetDynamicInputNum("parts"), size}));
    y.SetDataType(x.GetDataType());
    op.UpdateOutputDesc("y", y);
    for (int i = 0; i < op.GetDynamicOutputNum("pieces"); ++i) {
        op.UpdateDynamicOutputDesc("pieces", static_cast<std::uint32_t>(i), x);
    }
    return GRAPH_SUCCESS;
}
COMMON_INFER_FUNC_REG(OpwTestSum, InferSum);

IMPLEMT_VERIFIER(OpwTestSum, VerifySum) {
    std::int64_t rows = 0;
    op.GetAttr("rows", rows);
    return rows < 0 ? GRAPH_FAILED : GRAPH_SUCCESS;
}
VERIFY_FUNC_REG(OpwTestSum, VerifySum);

}  // namespace ge
