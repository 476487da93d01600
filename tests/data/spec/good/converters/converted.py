"""all_types::converted in a graph: an addition of the graph engine's own."""

import torch
import torchair
from torchair import ge


@torchair.register_fx_node_ge_converter(torch.ops.all_types.converted.default)
def convert(x, *, amount=5, meta_outputs=None):
    return ge.custom_op(
        "Add",
        inputs={"x1": x, "x2": ge.Cast(ge.Const(amount), dst_type=x.dtype)},
        outputs=["y"],
    )
