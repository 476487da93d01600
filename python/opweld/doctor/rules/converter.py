"""Rules of converters: how torchair puts an operator into a graph."""

from opweld.doctor.rules.rule import Rule

FAMILY = "Converter"

_REGISTER = "@torchair.register_fx_node_ge_converter(torch.ops.my_ops.scale.default)\n"
_SIGNATURE = "def convert(x, bias=None, *, factor=1.0, meta_outputs=None):\n"
_CALL = '    return torchair.ge.custom_op("Scale", inputs={"x": x}, '

RULES = (
    Rule(
        "OW841",
        "no-converter",
        "error",
        FAMILY,
        "An operator that is compiled through torchair has a converter, or a prototype of which torchair "
        "makes one: my_op is then MyOp, with as many inputs and outputs as the operator, and no argument is "
        "a Scalar.",
        "Only Meta and the kernels were registered, which is enough for npugraph_ex and not for torchair.",
        "Register a converter with torchair.register_fx_node_ge_converter, or use backend='npugraph_ex'.",
        "python",
        'library.define("scale(Tensor x, Scalar factor) -> Tensor")   # and no converter',
        "@torchair.register_fx_node_ge_converter(torch.ops.my_ops.scale.default)\n"
        "def convert(x, factor, *, meta_outputs=None):\n"
        "    return torchair.ge.custom_op(\n"
        '        "Scale", inputs={"x": x}, attrs={"factor": torchair.ge.attr.Float(factor)}, outputs=["y"]\n'
        "    )",
    ),
    Rule(
        "OW842",
        "overload-without-converter",
        "error",
        FAMILY,
        "Every overload of an operator has a converter of its own: a graph holds the overload that was "
        "called.",
        "The converter was registered for `default` only.",
        "Register a converter for the other overload, too; it may emit the same operator type.",
        "python",
        "@torchair.register_fx_node_ge_converter(torch.ops.my_ops.scale.default)   # scale.tensor has none",
        "@torchair.register_fx_node_ge_converter(torch.ops.my_ops.scale.default)\n...\n"
        "@torchair.register_fx_node_ge_converter(torch.ops.my_ops.scale.tensor)",
    ),
    Rule(
        "OW843",
        "unknown-op-type",
        "error",
        FAMILY,
        "The operator type that a converter emits is one that a prototype library registers, or a standard "
        "one.",
        "The type is written in another way than in REG_OP.",
        "Write the type as REG_OP(...) has it.",
        "python",
        'torchair.ge.custom_op("scale", inputs={"x": x}, outputs=["y"])   # REG_OP(Scale)',
        'torchair.ge.custom_op("Scale", inputs={"x": x}, outputs=["y"])',
    ),
    Rule(
        "OW844",
        "converter-unlike-prototype",
        "error",
        FAMILY,
        "A converter names inputs, attributes and outputs as the prototype does, in its order and with its "
        "types.",
        "The prototype was changed, or the names are those of the operator's schema.",
        "Take names, order and types from REG_OP.",
        "python",
        _REGISTER + _SIGNATURE + _CALL + 'outputs=["result"])   # .OUTPUT(y, ...)',
        _REGISTER + _SIGNATURE + _CALL + 'outputs=["y"])',
    ),
    Rule(
        "OW845",
        "optional-input-dropped",
        "error",
        FAMILY,
        "A converter passes an optional input on where it is given.",
        "The converter was written for calls without it; the graph then computes something else than eager "
        "mode, without an error.",
        "Pass it to custom_op: a left-out optional input is None there, too.",
        "python",
        _REGISTER + _SIGNATURE + _CALL + 'outputs=["y"])   # bias is lost',
        _REGISTER
        + _SIGNATURE
        + '    return torchair.ge.custom_op("Scale", inputs={"x": x, "bias": bias}, outputs=["y"])',
    ),
    Rule(
        "OW846",
        "graph-dtype",
        "error",
        FAMILY,
        "The outputs of a graph's operator have the dtypes that Meta gives.",
        "Meta was written with the input's dtype, or InferShape copies the dtype of another input.",
        "Make Meta and InferShape say what the kernel writes; where they must differ, the converter casts "
        "the output.",
        "python",
        'library.impl("scale", lambda x: torch.empty_like(x, dtype=torch.float16), "Meta")   '
        "# the graph gives float32",
        'library.impl("scale", lambda x: torch.empty_like(x, dtype=torch.float32), "Meta")',
    ),
    Rule(
        "OW847",
        "not-converted-automatically",
        "error",
        FAMILY,
        "A prototype of which torchair makes the converter has as many inputs as the operator has tensors, "
        "at least as many attributes as it has other arguments, and as many outputs as it returns and "
        "writes into.",
        "The prototype was written for another overload.",
        "Make the prototype like the schema, or register a converter.",
        "cpp",
        'm.def("scale(Tensor x, Tensor factor) -> Tensor");\n'
        "REG_OP(Scale).INPUT(x, TensorType::ALL()).OUTPUT(y, TensorType::ALL()).OP_END_FACTORY_REG(Scale)",
        'm.def("scale(Tensor x, Tensor factor) -> Tensor");\n'
        "REG_OP(Scale).INPUT(x, TensorType::ALL()).INPUT(factor, TensorType::ALL())\n"
        "    .OUTPUT(y, TensorType::ALL()).OP_END_FACTORY_REG(Scale)",
    ),
    Rule(
        "OW848",
        "converter-fails",
        "error",
        FAMILY,
        "A converter takes the arguments that the operator takes.",
        "A parameter is missing or has another default than in the schema; or the graph has no type for a "
        "dtype.",
        "Write the converter's parameters as the schema has them, keyword-only ones after *, and "
        "meta_outputs=None last.",
        "python",
        _REGISTER + "def convert(x, *, meta_outputs=None):\n    ...   # scale(Tensor x, *, float factor)",
        _REGISTER + "def convert(x, *, factor=1.0, meta_outputs=None):\n    ...",
    ),
    Rule(
        "OW849",
        "graph-shape",
        "error",
        FAMILY,
        "A graph's operator has as many outputs as Meta gives, with Meta's shapes.",
        "InferShape and Meta compute the shape in different ways, or the converter returns another number "
        "of outputs.",
        "opweld verify --check infershape names which of Meta, InferShape and the kernel stands alone: mend "
        "that one.",
        "python",
        'library.impl("scale", lambda x: x.new_empty(x.shape[1:]), "Meta")   # InferShape gives x.shape',
        'library.impl("scale", lambda x: x.new_empty(x.shape), "Meta")',
    ),
    Rule(
        "OW850",
        "graph-input",
        "error",
        FAMILY,
        "A converter gives each operator of the graph inputs and attributes of the dtypes, ranks and values "
        "that the operator takes.",
        "Eager mode promotes dtypes and broadcasts, operators of graphs don't.",
        "Cast in the converter (torchair.ge.Cast), and compute attributes from the shapes that are there.",
        "python",
        'torchair.ge.custom_op("FloorDiv", inputs={"x1": x, "x2": count}, outputs=["y"])   # float, int64',
        "count = torchair.ge.Cast(count, dst_type=x.dtype)\n"
        'torchair.ge.custom_op("FloorDiv", inputs={"x1": x, "x2": count}, outputs=["y"])',
    ),
    Rule(
        "OW851",
        "matmul-backward-in-graph",
        "error",
        FAMILY,
        "torchair's converter of aten.matmul_backward is for two inputs of the same rank that both want a "
        "gradient; opweld's takes all others.",
        "The program runs without opweld. torchair registers a decomposition as CompositeImplicitAutograd, "
        "which PyTorch 2.13 doesn't apply where the device has a kernel, as the NPU has for matmul_backward. "
        "It comes from layers without bias, or on transposed inputs, in backward graphs; on a real NPU, too.",
        "Import opweld before torch, or run the program under `opweld run`. Without opweld, pass a "
        "decomposition to torchair as custom_decompositions. backend='npugraph_ex' needs neither.",
        "python",
        "import torch\nbackend = torchair.get_npu_backend()",
        "import opweld  # brings the converter\nimport torch\nbackend = torchair.get_npu_backend()",
    ),
    Rule(
        "OW852",
        "operator-without-node",
        "note",
        FAMILY,
        "Some operators cannot be a node of a graph: one with a Generator, with a plain number as output, "
        "with lists that graphs don't have, or whose kernel is a function of CANN's. opweld gives them a "
        "converter that refuses and says why.",
        "The spec's signature or kernel has what graphs don't (docs/spec.md, Graphs).",
        "Call the operator outside of what is compiled, or after torch._dynamo.graph_break(); "
        "backend='npugraph_ex' needs no node. With a converter file of your own (`converter:` in the spec) a "
        "graph can have it all the same.",
        "yaml",
        "output_desc: [{name: y, type: x.dtype, shape: x.shape}, {name: n, type: SymInt, value: x.shape[0]}]",
        "output_desc: [{name: y, type: x.dtype, shape: x.shape}]   # the caller has y.shape[0]",
    ),
)
