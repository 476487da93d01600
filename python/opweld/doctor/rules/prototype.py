"""Rules of prototypes: what a graph engine knows of an operator type."""

from opweld.doctor.rules.rule import Rule

FAMILY = "Prototype"

_REG = "REG_OP(Scale)\n    .INPUT(x, TensorType::ALL())\n    .OUTPUT(y, TensorType::ALL())\n"

RULES = (
    Rule(
        "OW861",
        "no-prototype",
        "error",
        FAMILY,
        "The operator type that a converter emits has a prototype, in a library of a vendor package's "
        "op_proto folder.",
        "The vendor package has no prototype library, or is not on ASCEND_CUSTOM_OPP_PATH.",
        "Build the prototypes into op_proto/lib/linux/<machine>/libcust_opsproto.so of the vendor package "
        "(opweld build does), and set ASCEND_CUSTOM_OPP_PATH before the first compile.",
        "python",
        'torchair.ge.custom_op("Scale", inputs={"x": x}, outputs=["y"])   # REG_OP(Scale) is nowhere',
        "import my_ops   # its vendor package has op_proto with REG_OP(Scale)",
    ),
    Rule(
        "OW862",
        "no-infershape",
        "error",
        FAMILY,
        "A prototype has an InferShape function: without it a graph engine does not know the outputs.",
        "Only REG_OP was written.",
        "Write IMPLEMT_COMMON_INFERFUNC and COMMON_INFER_FUNC_REG (IMPL_OP with InferShape and "
        "InferDataType in newer packages).",
        "cpp",
        _REG + "    .OP_END_FACTORY_REG(Scale)",
        _REG
        + "    .OP_END_FACTORY_REG(Scale)\n"
        + "IMPLEMT_COMMON_INFERFUNC(InferScale) {\n"
        + '    return op.UpdateOutputDesc("y", op.GetInputDescByName("x"));\n'
        + "}\nCOMMON_INFER_FUNC_REG(Scale, InferScale);",
    ),
    Rule(
        "OW863",
        "attribute-default",
        "error",
        FAMILY,
        "An attribute of a prototype has the default of the schema's argument of that name: a graph leaves "
        "defaults out.",
        "One of the two was changed.",
        "Give both the same default.",
        "cpp",
        'm.def("scale(Tensor x, *, float factor=1.0) -> Tensor");\n// REG_OP: .ATTR(factor, Float, 2.0)',
        'm.def("scale(Tensor x, *, float factor=1.0) -> Tensor");\n// REG_OP: .ATTR(factor, Float, 1.0)',
    ),
    Rule(
        "OW864",
        "prototype-library",
        "error",
        FAMILY,
        "Every prototype library of the vendor packages that are in use can be loaded.",
        "It was built against another CANN, or two libraries register one type.",
        "Build it again in this environment.",
        "console",
        "$ ldd op_proto/lib/linux/x86_64/libcust_opsproto.so   # libgraph.so => not found",
        "$ opweld build .",
    ),
    Rule(
        "OW865",
        "infershape-fails",
        "error",
        FAMILY,
        "InferShape takes the inputs that Meta takes, with sizes that are not known before the graph runs "
        "(-1), too.",
        "It reads a size without asking whether it is known, or refuses a call that the operator takes.",
        "Copy unknown sizes (-1) to the outputs, and refuse only what Meta refuses.",
        "cpp",
        "if (x.GetShape().GetDim(0) <= 0) { return GRAPH_FAILED; }   // -1: any size",
        "if (x.GetShape().GetDim(0) == 0) { return GRAPH_FAILED; }",
    ),
)
