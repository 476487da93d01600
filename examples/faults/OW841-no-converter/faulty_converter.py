import torch
import torch_npu  # noqa: F401
import torchair

library = torch.library.Library("faulty_converter", "DEF")


def like(x, *others, **keywords):
    return torch.empty_like(x)


def operator(schema, kernel, meta=like):
    name = schema.partition("(")[0]
    library.define(schema)
    library.impl(name, kernel, "PrivateUse1")
    library.impl(name, meta, "Meta")
    library.impl(name, torch.library.fallthrough_kernel, "Autograd")


operator("scale(Tensor x, Scalar factor) -> Tensor", lambda x, factor: x * factor)
operator("positive(Tensor x) -> Tensor", torch.relu)


@torchair.register_fx_node_ge_converter(torch.ops.faulty_converter.positive.default)
def convert(x, *, meta_outputs=None):
    return torchair.ge.custom_op("Relu", inputs={"x": x}, outputs=["y"])
