"""How torchair converts one operator: its converter is called on fake tensors; nothing is compiled or run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

from opweld.device import reason
from opweld.errors import OpweldError
from opweld.graph.engine import Engine

_FIELDS = {
    "i": "VT_INT",
    "f": "VT_FLOAT",
    "b": "VT_BOOL",
    "s": "VT_STRING",
    "dt": "VT_DATA_TYPE",
    "t": "VT_TENSOR",
    "list_list_int": "VT_LIST_LIST_INT",
    "list_list_float": "VT_LIST_LIST_FLOAT",
}
_LISTS = {
    1: ("s", "VT_LIST_STRING"),
    2: ("i", "VT_LIST_INT"),
    3: ("f", "VT_LIST_FLOAT"),
    4: ("b", "VT_LIST_BOOL"),
    10: ("dt", "VT_LIST_DATA_TYPE"),
}
_OWN = ("Data", "RefData", "Const", "NetOutput")


@dataclass(frozen=True)
class Form:
    """Dtype and shape of a tensor in a graph: -1 is any size."""

    dtype: torch.dtype | None
    shape: tuple[int, ...]

    def __str__(self) -> str:
        dtype = "an unknown dtype" if self.dtype is None else str(self.dtype).removeprefix("torch.")
        return f"{dtype}{list(self.shape)}"


@dataclass(frozen=True)
class Node:
    """An operator of the graph. `sources` are "node:output" by input, "" for one that is left out."""

    name: str
    type: str
    inputs: tuple[str, ...]
    sources: tuple[str, ...]
    attributes: dict[str, tuple[str, Any]] = field(hash=False)  # type and value by name
    outputs: tuple[str, ...] = ()
    bytes: tuple[int, ...] = ()  # of a constant


@dataclass(frozen=True)
class Conversion:
    """A graph of one operator. `data`: which tensor argument a Data node stands for."""

    nodes: tuple[Node, ...]
    data: dict[str, int]
    forms: dict[str, Form]  # of what Data and Const nodes give, by source
    results: tuple[str, ...]  # their sources
    meta: tuple[Form, ...]  # what Meta says of the results
    model: bytes

    def operators(self) -> list[Node]:
        """The nodes that compute something."""
        return [node for node in self.nodes if node.type not in _OWN]


class MetaRefuses(Exception):
    """The operator cannot be traced with these arguments, so there is nothing to convert."""


def obstacle() -> str:
    """What keeps torchair from being used in this process; "" where it can be.

    torchair and npugraph_ex bring the same kernels and decompositions along, and only npugraph_ex looks
    whether they are registered. So whoever may use both asks this before npugraph_ex compiles.
    """
    try:
        import torchair

        torchair.get_npu_backend()
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        return reason(error)
    return ""


def registered_converter(overload: Any) -> Any:
    """The converter that somebody has registered for an overload, or None."""
    import torchair  # noqa: F401  # registers those that it brings along
    from torchair._ge_concrete_graph.fx2ge_converter import _get_converter

    return getattr(overload, "_ge_converter", None) or _get_converter(overload)


def is_refusal(converter: Any) -> bool:
    """Whether a converter is one of torchair's that only say that there is none."""
    code = getattr(getattr(converter, "__wrapped__", converter), "__code__", None)
    return code is not None and code.co_names in (("NotImplementedError",), ("RuntimeError",))


def refusal_of(converter: Any) -> str:
    """Why there is no converter, where a generated package says so in the place of one; else ""."""
    return str(getattr(getattr(converter, "__wrapped__", converter), "reason", ""))


def is_failed_file(refusal: str) -> bool:
    """Whether that reason is a fault of the package's own converter file."""
    return refusal.startswith("its converter file ")


def is_decomposed(overload: Any) -> bool:
    """Whether graphs get other operators in the place of this one: it needs no converter of its own."""
    import torch
    from torch._library.simple_registry import find_torch_dispatch_rule
    from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode

    from opweld.graph import decompositions

    return (
        find_torch_dispatch_rule(overload, ProxyTorchDispatchMode) is not None
        or overload.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd)
        or overload in decompositions.table()
    )


def is_torchairs(overload: Any) -> bool:
    """Whether the converter of an overload is one that torchair brings along."""
    module = str(getattr(registered_converter(overload), "__module__", ""))
    return module.partition(".")[0] in ("torchair", "torch_npu")


def automatic_type(overload: Any) -> str:
    """The operator type that torchair looks for where an operator has no converter: MyOp for my_op."""
    words = overload._schema.name.partition("::")[2].split("_")
    if words[-1] == "functional":
        words = words[:-1]
    return "".join(word.capitalize() for word in words)


def automatic_obstacle(overload: Any) -> str:
    """What torchair says where it cannot make a converter of a prototype; "" where it can."""
    from torchair._ge_concrete_graph.fx2ge_converter import _generate_converter_code

    _start()
    try:
        _generate_converter_code(overload)
    except RuntimeError as error:
        return str(error)
    return ""


def _start() -> Any:
    """An empty graph. The engine must have begun before prototypes are asked for."""
    import torchair
    from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph

    return GeConcreteGraph(torchair.CompilerConfig())


def convert(
    overload: Any, positional: Sequence[Any], keywords: dict[str, Any], *, dynamic: bool = False
) -> Conversion:
    """Calls the converter; with `dynamic` every size above 1 is open. Raises whatever that raises."""
    from torchair._ge_concrete_graph import ge_apis as ge
    from torchair._ge_concrete_graph.fx2ge_converter import _normalize_ge_graph, get_or_auto_gen_converter

    graph = _start()
    mode = FakeTensorMode(shape_env=ShapeEnv())
    fakes: list[Tensor] = []

    def fake(tensor: Tensor) -> Tensor:
        sizes = [DimDynamic.DYNAMIC if size > 1 else DimDynamic.STATIC for size in tensor.shape]
        context: Any = StatelessSymbolicContext(dynamic_sizes=sizes) if dynamic else None
        made = mode.from_tensor(
            tensor.detach(), symbolic_context=context, static_shapes=None if dynamic else True
        )
        fakes.append(made)
        return made

    arguments, named = _mapped(list(positional), fake), _mapped(keywords, fake)
    try:
        with mode:
            meta = overload(*arguments, **named)
    except Exception as error:  # an operator may raise anything
        raise MetaRefuses(str(error)) from error
    given = {}
    with graph.context():
        for index, tensor in enumerate(fakes):
            given[id(tensor)] = graph.parse_input(f"arg{index}", (), {}, tensor)
        converter = get_or_auto_gen_converter(overload)
        arguments = _mapped(arguments, lambda tensor: given[id(tensor)])
        named = _mapped(named, lambda tensor: given[id(tensor)])
        if converter.require_meta:
            named["meta_outputs"] = meta
        results = converter(*arguments, **named)
        flat = [item for item in _given(_flat(results), _flat(meta)) if isinstance(item, ge.Tensor)]
        ge.NetOutput(flat, dependencies=[])
        _normalize_ge_graph(graph.graph)
    nodes = tuple(_node(op) for op in graph.graph.op)
    data = {item.node.name: index for index, item in enumerate(given.values())}
    forms = {f"{name}:0": _form(fakes[index]) for name, index in data.items()}
    for op in graph.graph.op:
        if op.type == "Const":
            desc = op.attr["value"].t.desc
            forms[f"{op.name}:0"] = Form(_of_proto(desc.dtype), tuple(desc.shape.dim))
    return Conversion(
        nodes,
        data,
        forms,
        tuple(item.tensor for item in flat),
        tuple(_form(item) for item in _flat(meta) if isinstance(item, Tensor)),
        graph.graph.SerializeToString(),
    )


def inferred(conversion: Conversion, engine: Engine) -> list[Form] | None:
    """What the graph engine says of the results; None where sizes are open and a node is a standard operator.

    Raises OpweldError with the reason where an InferShape function refuses.
    """
    from torchair.ge._ge_graph import DataType, torch_type_to_ge_type

    prototypes = {node.type: engine.prototype(node.type) for node in conversion.operators()}
    if any(item is None or not item["library"] for item in prototypes.values()):
        is_open = any(-1 in conversion.forms[f"{name}:0"].shape for name in conversion.data)
        return None if is_open else _of_report(conversion, engine)
    forms = dict(conversion.forms)
    by_number = {
        int(torch_type_to_ge_type(dtype, DataType)): dtype for dtype in _dtypes(torch_type_to_ge_type)
    }
    constants = {node.name: node.bytes for node in conversion.nodes if node.type == "Const"}
    for node in conversion.operators():
        prototype = prototypes[node.type] or {}
        inputs = []
        for name, source in zip(node.inputs, node.sources, strict=True):
            if not source:
                continue
            form = forms[source]
            entry: dict[str, Any] = {"name": name, "shape": list(form.shape)}
            entry["dtype"] = int(torch_type_to_ge_type(form.dtype, DataType))
            constant = constants.get(source.rpartition(":")[0])
            inputs.append(entry if constant is None else entry | {"bytes": list(constant)})
        parts = {
            port["name"]: sum(is_part(name, port["name"]) for name in node.outputs)
            for port in prototype["outputs"]
            if port["kind"] == "dynamic"
        }
        values = {name: value for name, (_, value) in node.attributes.items()}
        request = {"name": node.name, "inputs": inputs, "attributes": values, "parts": parts}
        for index, told in enumerate(engine.infer_shape(node.type, request)):
            forms[f"{node.name}:{index}"] = Form(by_number.get(told["dtype"]), tuple(told["shape"]))
    missing = [source for source in conversion.results if source not in forms]
    if missing:
        raise OpweldError(f"the converter returns {', '.join(missing)}, which the prototype does not have")
    return [forms[source] for source in conversion.results]


def is_part(name: str, port: str) -> bool:
    """Whether a name is that of a part of a dynamic input or output: x0 of x."""
    return name.startswith(port) and name[len(port) :].isdigit()


def _of_report(conversion: Conversion, engine: Engine) -> list[Form]:
    report = engine.report(conversion.model, {})
    if report["no_steps"] is not None:
        raise OpweldError(report["no_steps"])
    nodes = {node["name"]: node for node in report["before"]["nodes"]}
    forms = []
    for source in conversion.results:
        name, _, index = source.rpartition(":")
        told = nodes[name]["outputs"][int(index)]
        dtype = getattr(torch, told["dtype"], None)
        forms.append(Form(dtype if isinstance(dtype, torch.dtype) else None, tuple(told["shape"])))
    return forms


def _dtypes(to_ge: Any) -> Iterator[torch.dtype]:
    """The dtypes that torchair knows."""
    for value in vars(torch).values():
        if isinstance(value, torch.dtype):
            try:
                to_ge(value)
            except RuntimeError:
                continue
            yield value


def _of_proto(number: int) -> torch.dtype | None:
    from torchair.ge._ge_graph import torch_type_to_ge_proto_type, torch_type_to_ge_type

    known = {int(torch_type_to_ge_proto_type(dtype)): dtype for dtype in _dtypes(torch_type_to_ge_type)}
    return known.get(int(number))


def _form(tensor: Tensor) -> Form:
    return Form(tensor.dtype, tuple(-1 if isinstance(size, torch.SymInt) else size for size in tensor.shape))


def _node(op: Any) -> Node:
    count = len(op.input_desc)
    attributes = {name: _value(value) for name, value in op.attr.items() if not name.startswith("_")}
    constant = tuple(op.attr["value"].t.data) if op.type == "Const" else ()
    return Node(
        op.name,
        op.type,
        tuple(desc.name for desc in op.input_desc),
        tuple(op.input[:count]),
        {} if op.type in _OWN else attributes,
        tuple(desc.name for desc in op.output_desc),
        constant,
    )


def _value(attribute: Any) -> tuple[str, Any]:
    kind = attribute.WhichOneof("value")
    if kind == "list":
        name, told = _LISTS.get(attribute.list.val_type, ("i", "VT_LIST_INT"))
        values = list(getattr(attribute.list, name))
        return told, [item.decode() for item in values] if name == "s" else values
    if kind == "s":
        return "VT_STRING", attribute.s.decode(errors="replace")
    if kind == "list_list_int":
        return _FIELDS[kind], [list(item.list_i) for item in attribute.list_list_int.list_list_i]
    if kind in ("i", "f", "b", "dt"):
        return _FIELDS[kind], getattr(attribute, kind)
    return _FIELDS.get(kind, f"of the kind {kind}"), None


def _mapped(value: Any, function: Any) -> Any:
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, list | tuple):
        return type(value)(_mapped(item, function) for item in value)
    if isinstance(value, dict):
        return {name: _mapped(item, function) for name, item in value.items()}
    return value


def _given(results: list[Any], meta: list[Any]) -> list[Any]:
    """The results without those that Meta leaves out."""
    if len(results) != len(meta):
        return results
    return [item for item, told in zip(results, meta, strict=True) if told is not None]


def _flat(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [item for part in value for item in _flat(part)]
    return [value]
