import torch
import torch_npu  # noqa: F401
import torchair

library = torch.library.Library("faulty_optional", "DEF")


def like(x, *others, **keywords):
    return torch.empty_like(x)


def operator(schema, kernel, meta=like):
    name = schema.partition("(")[0]
    library.define(schema)
    library.impl(name, kernel, "PrivateUse1")
    library.impl(name, meta, "Meta")
    library.impl(name, torch.library.fallthrough_kernel, "Autograd")


operator(
    "positive(Tensor x, Tensor? bias=None) -> Tensor",
    lambda x, bias=None: torch.relu(x if bias is None else x + bias),
)


@torchair.register_fx_node_ge_converter(torch.ops.faulty_optional.positive.default)
def convert(x, bias=None, *, meta_outputs=None):
    return torchair.ge.custom_op("Relu", inputs={"x": x}, outputs=["y"])
