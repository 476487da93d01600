"""Examines how an operator gets into graphs: its converter, and the prototypes of the types that it emits.

The converter is called on fake tensors, and InferShape is asked; nothing is compiled. What torchair would say
when it compiles is in the messages.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from opweld.device import reason as reason_of
from opweld.doctor.findings import Finding, Place
from opweld.errors import OpweldError
from opweld.graph import conversion
from opweld.graph.conversion import Conversion, Form, Node
from opweld.graph.engine import Engine, engine
from opweld.samples import Sample, tensors_in, to_device

TORCHS_OWN = ("aten", "prim", "prims", "profiler", "c10d", "quantized", "torchvision", "inductor")
_NOT_REGISTERED = re.compile(r"No AscendIR (\w+) was found to be registered")
_ANOTHER_NUMBER = (
    "length of ge_outputs",
    "meta_output must be",
    "ge_outputs must be",
    "meta_outputs must be",
)
_LIKE = {"VT_INT": "VT_DATA_TYPE", "VT_DATA_TYPE": "VT_INT"}


def examine_graph(name: str, overload: Any, sample: Sample | None, *, asked: bool = False) -> list[Finding]:
    """What is wrong with the operator's way into graphs of torchair.

    An operator without a converter is right where nobody wants it in such graphs. So that is a finding only
    if it was `asked` for, or if another overload or operator of the namespace has a converter.
    """
    if name.partition("::")[0] in TORCHS_OWN or conversion.obstacle():
        return []
    return list(_Graph(name, overload, asked).examine(sample))


def has_converter(overload: Any) -> bool:
    """Whether torchair has a converter of an operator that does more than say that there is none."""
    found = conversion.registered_converter(overload)
    return found is not None and not conversion.is_refusal(found)


def has_own_converter(name: str) -> bool:
    """Whether somebody else than torchair has registered a converter of an operator of the dispatcher."""
    if name.partition("::")[0] in TORCHS_OWN or conversion.obstacle():
        return False
    overload = _overload(name)
    return conversion.registered_converter(overload) is not None and not conversion.is_torchairs(overload)


class _Graph:
    def __init__(self, name: str, overload: Any, asked: bool) -> None:
        self.name = name
        self.overload = overload
        self.asked = asked
        self.engine: Engine | None = None

    def finding(self, rule: str, message: str, cause: str = "", fix: str = "") -> Finding:
        return Finding(rule, Place(self.name), message, cause, fix)

    def examine(self, sample: Sample | None) -> Iterator[Finding]:
        converter = conversion.registered_converter(self.overload)
        if converter is not None and conversion.is_torchairs(self.overload):
            if conversion.is_refusal(converter) and self.asked:
                yield self._none("torchair says: ge_converter is not implemented!")
            return
        if refusal := conversion.refusal_of(converter):
            yield self.refused(refusal)
            return
        try:
            self.engine = engine()
            prototype = self.engine.prototype(conversion.automatic_type(self.overload))
        except OpweldError as error:
            if "prototype" in str(error) or ".so" in str(error):
                told = " ".join(str(error).split())
                yield self.finding("OW864", f"a prototype library cannot be used: {told}")
            return
        if converter is None:
            obstacle = conversion.automatic_obstacle(self.overload)
            if prototype is None or not prototype["library"]:
                yield from self._without(obstacle)
                return
            if obstacle:
                yield self._not_made(obstacle)
                return
        if sample is not None:
            yield from self._convert(sample)

    def _without(self, obstacle: str) -> Iterator[Finding]:
        if conversion.is_decomposed(self.overload):
            return
        packet = self.overload._overloadpacket
        others = [getattr(packet, other) for other in packet.overloads()]
        covered = [str(other) for other in others if other is not self.overload and has_converter(other)]
        if covered:
            yield self.finding(
                "OW842",
                f"{self.name} has no converter, but {', '.join(covered)} has one: "
                f"{_first_sentence(obstacle)}",
            )
        elif self.asked or _namespace_has_converters(self.name.partition("::")[0]):
            yield self._not_made(obstacle) if obstacle else self._standard()

    def _none(self, told: str) -> Finding:
        return self.finding("OW841", f"{self.name} has no converter: {_first_sentence(told)}")

    def _not_made(self, obstacle: str) -> Finding:
        rule = "OW847" if "does not match" in obstacle or "greater than" in obstacle else "OW841"
        if rule == "OW841":
            return self._none(f"torchair says: {_first_sentence(obstacle)}")
        return self.finding(rule, f"{self.name}: torchair says: {_first_sentence(obstacle)}")

    def _standard(self) -> Finding:
        """torchair would take a standard type of the operator's name for the operator."""
        return self._none(
            f"torchair takes the standard type {conversion.automatic_type(self.overload)} for it"
        )

    def _convert(self, sample: Sample) -> Iterator[Finding]:
        assert self.engine is not None
        filled = _with_optionals(self.overload, sample)
        try:
            converted = conversion.convert(self.overload, *filled)
        except conversion.MetaRefuses:  # which is a finding of its own
            return
        except Exception as error:  # a converter may raise anything
            yield self.failed(error)
            return
        faults = [fault for node in converted.operators() for fault in self._node(node)]
        yield from faults
        yield from self._dropped(converted, filled)
        if len(converted.results) != len(converted.meta):
            yield self.finding(
                "OW849",
                f"the converter of {self.name} returns {len(converted.results)} tensors, and Meta "
                f"{len(converted.meta)}",
            )
        elif all(fault.rule_id == "OW863" for fault in faults):
            yield from self._outputs(converted, filled)

    def refused(self, refusal: str) -> Finding:
        """The finding of a converter in whose place a generated package says why there is none."""
        if conversion.is_failed_file(refusal):
            return self.finding(
                "OW848",
                f"{self.name} has no converter: {refusal}",
                "The spec's `converter:` names a file, which is imported after torchair.",
                "Mend the file, and build the package anew.",
            )
        return self.finding("OW852", f"{self.name} cannot be a node of a graph: {refusal}")

    def failed(self, error: BaseException) -> Finding:
        """The finding of an error that a converter raised."""
        text = str(error)
        if missing := _NOT_REGISTERED.search(text):
            return self._unknown_type(missing[1])
        if "ge_converter is not implemented" in text:
            return self._none(f"torchair says: {reason_of(error)}")
        if any(told in text for told in _ANOTHER_NUMBER):
            return self.finding(
                "OW849", f"the converter of {self.name} returns another number of tensors than Meta: {text}"
            )
        if "Failed to convert torch args to AscendIR args" in text:
            return self.finding("OW844", f"the converter of {self.name}: {_first_sentence(text)}")
        return self.finding("OW848", f"the converter of {self.name} fails: {reason_of(error)}")

    def _unknown_type(self, operator_type: str) -> Finding:
        told = f"the converter of {self.name} emits {operator_type}, which no prototype library registers"
        bare = operator_type.replace("_", "")
        candidates = {conversion.automatic_type(self.overload), operator_type[:1].upper() + operator_type[1:]}
        candidates |= {"".join(word[:1].upper() + word[1:] for word in operator_type.split("_")), bare}
        for near in sorted(candidates - {operator_type}):
            if self.engine is not None and near and self.engine.prototype(near) is not None:
                return self.finding("OW843", f"{told}; did you mean {near}?")
        if _prototype_libraries():
            return self.finding("OW843", told)
        return self.finding("OW861", told)

    def _node(self, node: Node) -> Iterator[Finding]:
        assert self.engine is not None
        prototype = self.engine.prototype(node.type)
        if prototype is None:
            yield self._unknown_type(node.type)
            return
        yield from self._names(node, prototype)
        if prototype["library"] and not prototype["infer_shape"]:
            yield self.finding(
                "OW862", f"{node.type}, which {self.name} becomes, has no InferShape function in its library"
            )
        if prototype["library"]:
            yield from self._defaults(node, prototype)

    def _names(self, node: Node, prototype: dict[str, Any]) -> Iterator[Finding]:
        for what, given, ports in (
            ("input", node.inputs, prototype["inputs"]),
            ("output", node.outputs, prototype["outputs"]),
        ):
            names = [port["name"] for port in ports]
            places = [_place(name, ports) for name in given]
            unknown = [name for name, place in zip(given, places, strict=True) if place is None]
            needed = [port["name"] for port in ports if port["kind"] == "required"]
            missing = [name for name in needed if name not in given]
            order = [place for place in places if place is not None]
            told = ""
            if unknown:
                told = f"has no {what} {', '.join(unknown)}"
            elif missing:
                told = f"needs the {what} {', '.join(missing)}"
            elif order != sorted(order):
                told = f"has its {what}s in another order than {', '.join(given)}"
            if told:
                yield self._unlike(node, f"{told}: its prototype's are {', '.join(names) or 'none'}")
        declared = {item["name"]: item for item in prototype["attributes"]}
        for name, (kind, _) in node.attributes.items():
            if name not in declared:
                yield self._unlike(
                    node, f"has no attribute {name}: its prototype's are {', '.join(declared) or 'none'}"
                )
            elif kind not in (declared[name]["type"], _LIKE.get(declared[name]["type"])):
                yield self._unlike(
                    node, f"has {name} as {declared[name]['type']}, the converter gives {kind}"
                )
        missing = [
            name for name, item in declared.items() if item["required"] and name not in node.attributes
        ]
        if missing:
            yield self._unlike(node, f"needs the attribute {', '.join(missing)}")

    def _unlike(self, node: Node, told: str) -> Finding:
        return self.finding("OW844", f"the converter of {self.name}: {node.type} {told}")

    def _defaults(self, node: Node, prototype: dict[str, Any]) -> Iterator[Finding]:
        declared = {item["name"]: item for item in prototype["attributes"]}
        for argument in self.overload._schema.arguments:
            attribute = declared.get(argument.name)
            if attribute is None or attribute["required"] or not argument.has_default_value():
                continue
            ours, theirs = argument.default_value, attribute["default"]
            if attribute["type"] == "VT_DATA_TYPE" or ours is None or theirs is None or _equal(ours, theirs):
                continue
            yield self.finding(
                "OW863",
                f"{node.type} has {argument.name} = {theirs!r} by default, {self.name} has {ours!r}",
            )

    def _dropped(self, converted: Conversion, sample: Sample) -> Iterator[Finding]:
        used = {source.partition(":")[0] for node in converted.nodes for source in node.sources}
        unused = {index for name, index in converted.data.items() if name not in used}
        index = 0
        values = [*sample[0], *sample[1].values()]
        arguments = [item for item in self.overload._schema.arguments if not item.kwarg_only][
            : len(sample[0])
        ]
        by_name = {item.name: item for item in self.overload._schema.arguments}
        for value, argument in zip(values, [*arguments, *(by_name[name] for name in sample[1])], strict=True):
            count = len(tensors_in(value))
            optional = count and str(argument.type).startswith("Optional[")
            if optional and unused.issuperset(range(index, index + count)):
                yield self.finding(
                    "OW845", f"the converter of {self.name} drops the optional input {argument.name}"
                )
            index += count

    def _outputs(self, converted: Conversion, sample: Sample) -> Iterator[Finding]:
        assert self.engine is not None
        for dynamic in (False, True):
            kind = "open sizes" if dynamic else "these shapes"
            try:
                graph = conversion.convert(self.overload, *sample, dynamic=True) if dynamic else converted
                told = conversion.inferred(graph, self.engine)
            except conversion.MetaRefuses:
                return
            except OpweldError as error:
                rule = "OW850" if "InferShape function" not in str(error) else "OW865"
                rule = "OW864" if "cannot be loaded" in str(error) else rule
                yield self.finding(rule, f"{self.name} in a graph with {kind}: {error}")
                return
            except Exception as error:  # a converter may raise anything
                yield self.failed(error)
                return
            faults = list(self._compare(told or [], graph.meta))
            yield from faults
            if faults:
                return

    def _compare(self, told: Sequence[Form], meta: Sequence[Form]) -> Iterator[Finding]:
        for index, (graph, ours) in enumerate(zip(told, meta, strict=False)):
            what = f"result {index} of {self.name}" if len(meta) > 1 else f"the result of {self.name}"
            if graph.dtype != ours.dtype:
                yield self.finding("OW846", f"{what} is {graph} in a graph, but Meta says {ours}")
            elif not compatible(graph.shape, ours.shape):
                yield self.finding("OW849", f"{what} is {graph} in a graph, but Meta says {ours}")


def compatible(graph: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether two shapes can be the same: -1 is any size, [-2] any rank."""
    if list(graph) == [-2]:
        return True
    return len(graph) == len(shape) and all(
        one == other or -1 in (one, other) for one, other in zip(graph, shape, strict=True)
    )


def _place(name: str, ports: Sequence[dict[str, Any]]) -> int | None:
    for index, port in enumerate(ports):
        dynamic = port["kind"] == "dynamic"
        if conversion.is_part(name, port["name"]) if dynamic else name == port["name"]:
            return index
    return None


def _equal(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, list | tuple):
        return isinstance(theirs, list) and list(ours) == theirs
    if isinstance(ours, float) or isinstance(theirs, float):
        return isinstance(theirs, float | int) and math.isclose(float(ours), theirs, rel_tol=1e-6)
    return bool(ours == theirs)


def _with_optionals(overload: Any, sample: Sample) -> Sample:
    """The sample with optional tensors given, where Meta takes them; on the NPU, where there is one."""
    npu = getattr(torch, "npu", None)
    device = "npu" if npu is not None and npu.is_available() else "meta"
    given = tensors_in([list(sample[0]), list(sample[1].values())])
    shapes = [tensor.shape for tensor in given] + [tensor.shape[-1:] for tensor in given]
    for shape in dict.fromkeys(shapes):
        made = _filled(overload, sample, torch.empty(shape, device="meta"))
        if made is sample:
            break
        try:
            overload(*made[0], **made[1])
        except Exception:  # an operator may raise anything
            continue
        return to_device(made[0], device), {name: to_device(item, device) for name, item in made[1].items()}
    return to_device(sample[0], device), {name: to_device(item, device) for name, item in sample[1].items()}


def _filled(overload: Any, sample: Sample, tensor: Tensor) -> Sample:
    positional, keywords = list(sample[0]), dict(sample[1])
    for index, argument in enumerate(overload._schema.arguments):
        if str(argument.type) != "Optional[Tensor]":
            continue
        if argument.kwarg_only and keywords.get(argument.name) is None:
            keywords[argument.name] = tensor
        elif not argument.kwarg_only and index < len(positional) and positional[index] is None:
            positional[index] = tensor
    changed = any(one is not other for one, other in zip(positional, sample[0], strict=True))
    changed = changed or any(keywords[name] is not sample[1].get(name) for name in keywords)
    return (tuple(positional), keywords) if changed else sample


def _namespace_has_converters(namespace: str) -> bool:
    if namespace == "npu":  # torchair's own
        return False
    names = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith(f"{namespace}::")]
    return any(has_converter(_overload(name)) for name in names)


def _overload(name: str) -> Any:
    base, _, overload = name.partition(".")
    namespace, _, bare = base.partition("::")
    return getattr(getattr(getattr(torch.ops, namespace), bare), overload or "default")


def _prototype_libraries() -> list[Path]:
    folders = [Path(item) for item in os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(os.pathsep) if item]
    return [path for folder in folders for path in folder.glob("op_proto/**/*.so")]


def _first_sentence(text: str) -> str:
    """What torchair says, without its advice."""
    told = text.splitlines()[0] if text else "it has no prototype"
    for advice in (" If necessary, ", " You have two methods", " Please make sure", " If implementing"):
        told = told.partition(advice)[0]
    return told.rstrip(". ")
