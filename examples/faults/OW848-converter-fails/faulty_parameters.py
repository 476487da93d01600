import torch
import torch_npu  # noqa: F401
import torchair

library = torch.library.Library("faulty_parameters", "DEF")


def like(x, *others, **keywords):
    return torch.empty_like(x)


def operator(schema, kernel, meta=like):
    name = schema.partition("(")[0]
    library.define(schema)
    library.impl(name, kernel, "PrivateUse1")
    library.impl(name, meta, "Meta")
    library.impl(name, torch.library.fallthrough_kernel, "Autograd")


operator("positive(Tensor x, *, float factor=2.0) -> Tensor", lambda x, *, factor=2.0: torch.relu(x) * factor)


@torchair.register_fx_node_ge_converter(torch.ops.faulty_parameters.positive.default)
def convert(x, *, meta_outputs=None):
    return torchair.ge.custom_op("Relu", inputs={"x": x}, outputs=["y"])
