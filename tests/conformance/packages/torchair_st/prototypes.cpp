// The types of graph operators that torchair's tests of operators of one's own name.
#include <graph/operator_reg.h>

namespace ge {

REG_OP(TestV1)
    .INPUT(x1, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT8}))
    .DYNAMIC_INPUT(x2, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT8}))
    .OPTIONAL_INPUT(x3, TensorType({DT_FLOAT16, DT_BF16}))
    .OUTPUT(y1, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT8}))
    .DYNAMIC_OUTPUT(y2, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT8}))
    .REQUIRED_ATTR(attr1, Int)
    .ATTR(attr2, Float, 1.0)
    .OP_END_FACTORY_REG(TestV1);

REG_OP(TestV2)
    .INPUT(x1, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT8}))
    .DYNAMIC_INPUT(x2, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT8}))
    .OPTIONAL_INPUT(x3, TensorType({DT_FLOAT16, DT_BF16}))
    .OPTIONAL_INPUT(x4, TensorType({DT_FLOAT16, DT_BOOL, DT_FLOAT}))
    .OUTPUT(y1, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT8}))
    .DYNAMIC_OUTPUT(y2, TensorType({DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT8}))
    .REQUIRED_ATTR(attr1, Int)
    .ATTR(attr2, Float, 1.0)
    .ATTR(attr3, String, "BSH")
    .OP_END_FACTORY_REG(TestV2);

// Whether they are registered is all that is asked of them.
REG_OP(CustomOp).OP_END_FACTORY_REG(CustomOp);
REG_OP(Custom).OP_END_FACTORY_REG(Custom);

REG_OP(MyOpTest)
    .INPUT(var, TensorType::ALL())
    .INPUT(indices, TensorType::ALL())
    .INPUT(updates, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(MyOpTest);

// What torchair refuses, one fault each.
REG_OP(MyOpTestv1)
    .INPUT(var, TensorType::ALL())
    .INPUT(updates, TensorType::ALL())
    .INPUT(indices, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(MyOpTestv1);
REG_OP(MyOpTestv2)
    .INPUT(var, TensorType::ALL())
    .INPUT(indices, TensorType::ALL())
    .INPUT(updates, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .REQUIRED_ATTR(use_indices, Int)
    .OP_END_FACTORY_REG(MyOpTestv2);
REG_OP(MyOpTestv3)
    .INPUT(var, TensorType::ALL())
    .DYNAMIC_INPUT(updates, TensorType::ALL())
    .INPUT(indices, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(MyOpTestv3);
REG_OP(MyOpTestv4)
    .INPUT(var, TensorType::ALL())
    .INPUT(indices, TensorType::ALL())
    .INPUT(updates, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .REQUIRED_ATTR(use_indices, NamedAttrs)
    .OP_END_FACTORY_REG(MyOpTestv4);
REG_OP(MyOpTestv7)
    .INPUT(var, TensorType::ALL())
    .OPTIONAL_INPUT(updates, TensorType::ALL())
    .INPUT(indices, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(MyOpTestv7);
REG_OP(MyOpNoMatchInputs)
    .INPUT(x, TensorType::ALL())
    .INPUT(updates, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(MyOpNoMatchInputs);
REG_OP(MyOpNoMatchAttrs)
    .INPUT(x, TensorType::ALL())
    .INPUT(updates, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .REQUIRED_ATTR(indices, Int)
    .OP_END_FACTORY_REG(MyOpNoMatchAttrs);
REG_OP(MyOpNoMatchOutputs)
    .INPUT(x, TensorType::ALL())
    .INPUT(updates, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .REQUIRED_ATTR(indices, Int)
    .OP_END_FACTORY_REG(MyOpNoMatchOutputs);
REG_OP(MyOpInplace)
    .INPUT(x, TensorType::ALL())
    .INPUT(y, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .OUTPUT(y, TensorType::ALL())
    .OP_END_FACTORY_REG(MyOpInplace);

// Compiled: functions.cpp has the functions of those that tests get that far with.
REG_OP(MyOpInplaceZ)
    .INPUT(x, TensorType::ALL())
    .INPUT(y, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .OUTPUT(z, TensorType::ALL())
    .OP_END_FACTORY_REG(MyOpInplaceZ);
REG_OP(MyTwoInplace)
    .INPUT(x, TensorType::ALL())
    .INPUT(wkv, TensorType::ALL())
    .INPUT(wgate, TensorType::ALL())
    .INPUT(kv_state, TensorType::ALL())
    .INPUT(score_state, TensorType::ALL())
    .INPUT(ape, TensorType::ALL())
    .INPUT(norm_weight, TensorType::ALL())
    .INPUT(rope_sin, TensorType::ALL())
    .INPUT(rope_cos, TensorType::ALL())
    .OUTPUT(cmp_kv, TensorType::ALL())
    .OUTPUT(kv_state, TensorType::ALL())
    .OUTPUT(score_state, TensorType::ALL())
    .OP_END_FACTORY_REG(MyTwoInplace);
REG_OP(MultiInplace1)
    .INPUT(x, TensorType::ALL())
    .INPUT(y, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .OUTPUT(z, TensorType::ALL())
    .OP_END_FACTORY_REG(MultiInplace1);
REG_OP(MultiInplace2)
    .INPUT(x, TensorType::ALL())
    .INPUT(p, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .OUTPUT(q, TensorType::ALL())
    .OP_END_FACTORY_REG(MultiInplace2);

REG_OP(MyInplaceAuto1)
    .INPUT(x, TensorType::ALL())
    .INPUT(y, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .OUTPUT(z, TensorType::ALL())
    .OP_END_FACTORY_REG(MyInplaceAuto1);
REG_OP(MyInplaceAuto2)
    .INPUT(x, TensorType::ALL())
    .INPUT(y, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .OUTPUT(z, TensorType::ALL())
    .OP_END_FACTORY_REG(MyInplaceAuto2);
REG_OP(MyInplaceAutoNoOutput)
    .INPUT(x, TensorType::ALL())
    .INPUT(y, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .OP_END_FACTORY_REG(MyInplaceAutoNoOutput);
REG_OP(MyInplaceAutoKwargsInt)
    .INPUT(x, TensorType::ALL())
    .INPUT(y, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .REQUIRED_ATTR(alpha, Int)
    .OP_END_FACTORY_REG(MyInplaceAutoKwargsInt);
REG_OP(MyInplaceAutoKwargsStr)
    .INPUT(x, TensorType::ALL())
    .INPUT(y, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .REQUIRED_ATTR(alpha, String)
    .OP_END_FACTORY_REG(MyInplaceAutoKwargsStr);
REG_OP(MyInplaceAutoOptionInput)
    .INPUT(x, TensorType::ALL())
    .INPUT(y, TensorType::ALL())
    .OPTIONAL_INPUT(z, TensorType::ALL())
    .OUTPUT(x, TensorType::ALL())
    .REQUIRED_ATTR(alpha, String)
    .OP_END_FACTORY_REG(MyInplaceAutoOptionInput);

IMPLEMT_COMMON_INFERFUNC(InferInPlace) { return op.UpdateOutputDesc("x", op.GetInputDescByName("x")); }
IMPLEMT_COMMON_INFERFUNC(InferMultiInplace2) {
    op.UpdateOutputDesc("q", op.GetInputDescByName("p"));
    return op.UpdateOutputDesc("x", op.GetInputDescByName("x"));
}
IMPLEMT_COMMON_INFERFUNC(InferTwoInPlace) {
    op.UpdateOutputDesc("cmp_kv", op.GetInputDescByName("x"));
    op.UpdateOutputDesc("kv_state", op.GetInputDescByName("kv_state"));
    return op.UpdateOutputDesc("score_state", op.GetInputDescByName("score_state"));
}
IMPLEMT_COMMON_INFERFUNC(InferInPlaceAndCopy) {
    op.UpdateOutputDesc("z", op.GetInputDescByName("y"));
    return op.UpdateOutputDesc("x", op.GetInputDescByName("x"));
}
COMMON_INFER_FUNC_REG(MultiInplace1, InferInPlaceAndCopy);
COMMON_INFER_FUNC_REG(MultiInplace2, InferMultiInplace2);
COMMON_INFER_FUNC_REG(MyTwoInplace, InferTwoInPlace);
COMMON_INFER_FUNC_REG(MyInplaceAuto1, InferInPlaceAndCopy);
COMMON_INFER_FUNC_REG(MyInplaceAuto2, InferInPlaceAndCopy);
COMMON_INFER_FUNC_REG(MyInplaceAutoNoOutput, InferInPlace);
COMMON_INFER_FUNC_REG(MyInplaceAutoKwargsInt, InferInPlace);
COMMON_INFER_FUNC_REG(MyInplaceAutoKwargsStr, InferInPlace);
COMMON_INFER_FUNC_REG(MyInplaceAutoOptionInput, InferInPlace);

}  // namespace ge
