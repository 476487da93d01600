// The language in which a library states the prototypes of its operators:
//
//     namespace ge {
//     REG_OP(CustomLinear)
//         .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
//         .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT, DT_FLOAT16}))
//         .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
//         .ATTR(use_bias, Bool, false)
//         .OP_END_FACTORY_REG(CustomLinear)
//     }
//
// REG_OP opens a class. Each part closes the function that was open, after a call of its own function, which
// registers it and stays open for the next part.
#pragma once

#include "graph/operator.h"
#include "graph/operator_factory.h"

#define REG_OP(type)                                                                   \
    namespace op {                                                                     \
    class type : public ::ge::Operator {                                               \
      public:                                                                          \
        explicit type(const char* name) : ::ge::Operator(name, #type) { opw_begin(); } \
        explicit type(const ::ge::AscendString& name) : type(name.GetString()) {}      \
        type() : type("") {}                                                           \
                                                                                       \
      private:                                                                         \
        struct OpwLink {                                                               \
            void link() const {}                                                       \
        };                                                                             \
        void opw_begin() {                                                             \
            OpwLink()

#define OPW_PART(name, ...)  \
    link();                  \
    opw_part_##name();       \
    }                        \
    void opw_part_##name() { \
        __VA_ARGS__;         \
        OpwLink()

#define INPUT(name, dtypes) OPW_PART(in_##name, InputRegister(#name, #dtypes))
#define OPTIONAL_INPUT(name, dtypes) OPW_PART(in_##name, OptionalInputRegister(#name, #dtypes))
#define DYNAMIC_INPUT(name, dtypes) OPW_PART(in_##name, DynamicInputRegister(#name, 0, #dtypes, true))
#define OUTPUT(name, dtypes) OPW_PART(out_##name, OutputRegister(#name, #dtypes))
#define DYNAMIC_OUTPUT(name, dtypes) OPW_PART(out_##name, DynamicOutputRegister(#name, 0, #dtypes, true))
// The value may be a list in braces, hence the dots.
#define ATTR(name, type, ...) \
    OPW_PART(attr_##name, const Op##type opw_value = __VA_ARGS__; AttrRegister(#name, opw_value))
#define REQUIRED_ATTR(name, type) OPW_PART(attr_##name, RequiredAttrWithTypeRegister(#name, #type))
#define DATATYPE(symbol, dtypes) OPW_PART(dtype_##symbol, DataTypeRegister(#symbol, dtypes))
#define GRAPH(name) OPW_PART(graph_##name, SubgraphRegister(#name, false))
#define DYNAMIC_GRAPH(name) OPW_PART(graph_##name, SubgraphRegister(#name, true))

#define OP_END_FACTORY_REG(type)                                                             \
    link();                                                                                  \
    }                                                                                        \
    }                                                                                        \
    ;                                                                                        \
    static const ::ge::OperatorCreatorRegister opw_register_##type(                          \
        #type, [](const ::ge::AscendString& name) -> ::ge::Operator { return type(name); }); \
    }

// Functions that tell the shapes and data types of the outputs: COMMON with any operator, the others with the
// class that REG_OP made.
#define IMPLEMT_COMMON_INFERFUNC(function) static ::ge::graphStatus function(::ge::Operator& op)
#define IMPLEMT_INFERFUNC(type, function) static ::ge::graphStatus function(op::type& op)
#define IMPLEMT_VERIFIER(type, function) static ::ge::graphStatus function(op::type& op)
#define IMPLEMT_INFERFORMAT_FUNC(type, function) static ::ge::graphStatus function(op::type& op)

#define OPW_TYPED(type, function)                  \
    [](::ge::Operator& any) -> ::ge::graphStatus { \
        op::type typed;                            \
        static_cast<::ge::Operator&>(typed) = any; \
        return function(typed);                    \
    }

#define COMMON_INFER_FUNC_REG(type, function) \
    static const ::ge::InferShapeFuncRegister opw_infer_##type##_##function(#type, function)
#define INFER_FUNC_REG(type, function) \
    static const ::ge::InferShapeFuncRegister opw_infer_##type##_##function(#type, OPW_TYPED(type, function))
#define VERIFY_FUNC_REG(type, function) \
    static const ::ge::VerifyFuncRegister opw_verify_##type##_##function(#type, OPW_TYPED(type, function))
#define INFER_FORMAT_FUNC_REG(type, function)                                        \
    static const ::ge::InferFormatFuncRegister opw_format_##type##_##function(#type, \
                                                                              OPW_TYPED(type, function))
