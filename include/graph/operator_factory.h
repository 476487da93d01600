// What operator types there are, and how libraries add theirs.
#pragma once

#include <functional>
#include <vector>

#include "graph/operator.h"

namespace ge {

using OpCreator = std::function<Operator(const AscendString&)>;
using InferShapeFunc = Operator::InferShapeFunc;
using InferFormatFunc = Operator::InferFormatFunc;
using VerifyFunc = Operator::VerifyFunc;

class OPWELD_GE_API OperatorFactory {
  public:
    // An empty operator where there is no such type.
    static Operator CreateOperator(const char* name, const char* type);
    static bool IsExistOp(const char* type);
    static graphStatus GetOpsTypeList(std::vector<AscendString>& types);
};

class OPWELD_GE_API OperatorCreatorRegister {
  public:
    OperatorCreatorRegister(const char* type, const OpCreator& creator);
};

class OPWELD_GE_API InferShapeFuncRegister {
  public:
    InferShapeFuncRegister(const char* type, const InferShapeFunc& function);
};

class OPWELD_GE_API InferFormatFuncRegister {
  public:
    InferFormatFuncRegister(const char* type, const InferFormatFunc& function);
};

class OPWELD_GE_API VerifyFuncRegister {
  public:
    VerifyFuncRegister(const char* type, const VerifyFunc& function);
};

}  // namespace ge
