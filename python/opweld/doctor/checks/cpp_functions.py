"""What C++ kernels do in their role: Meta kernels and autograd (OW805 to OW807, OW822, OW823, OW825)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from opweld.doctor.facts import CppFunction, Facts, Implementation
from opweld.doctor.findings import Edit, Finding, Place
from opweld.doctor.sources.cpp import arguments_of, called_name, descendants, string_of, text_of
from opweld.doctor.sources.text import SourceText

_FACTORIES = {"empty", "zeros", "ones", "full", "rand", "randn", "arange", "empty_strided"}
_READS = {"item", "data_ptr", "const_data_ptr", "mutable_data_ptr", "cpu"}
_SIZES = {"size": "sym_size", "sizes": "sym_sizes", "numel": "sym_numel", "strides": "sym_strides"}
_GUARDS = re.compile(r"AutoDispatchBelow\w+|AutoNonVariableTypeMode|ExcludeDispatchKeyGuard|redispatch")


def check(facts: Facts, texts: dict[str, SourceText]) -> list[Finding]:
    """All findings of these rules."""
    findings: list[Finding] = []
    seen: set[tuple[str, int]] = set()
    for item in facts.implementations:
        if item.cpp is None or (item.cpp.path, item.cpp.node.start_byte) in seen:
            continue
        source = texts[item.cpp.path]
        if item.key == "Meta":
            seen.add((item.cpp.path, item.cpp.node.start_byte))
            findings += _meta(item, item.cpp, source)
        elif item.key in ("Autograd", "AutogradPrivateUse1"):
            findings += _recursion(item, item.cpp, facts, source)
    findings += _autograd_functions(facts, texts)
    return findings


def _place(source: SourceText, node: Node) -> Place:
    return source.place(node.start_byte, node.end_byte)


def _meta(item: Implementation, function: CppFunction, source: SourceText) -> Iterator[Finding]:
    whose = f"the Meta of {item.qualified}"
    for call in descendants(function.node, "call_expression"):
        name = called_name(call)
        last = re.split(r"::|\.|->", name)[-1].partition("<")[0]
        is_method = "." in name or "->" in name
        if is_method and last in _READS:
            yield Finding("OW806", _place(source, call), f"{whose} reads a tensor's data with {last}()")
        elif is_method and last in _SIZES:
            yield Finding(
                "OW807",
                _place(source, call),
                f"{whose} takes a size as a number with {last}(): dynamic shapes fail",
                fix=f"Write {_SIZES[last]}(), and allocate with empty_symint.",
            )
        elif name.startswith(("at::", "torch::")) and last in _FACTORIES:
            options = " ".join(text_of(argument) for argument in arguments_of(call)[1:])
            if not re.search(r"options|device|kMeta|Options|layout", options):
                yield Finding(
                    "OW805",
                    _place(source, call),
                    f"{whose} makes a tensor on the CPU: {name}() without options",
                    edits=_with_options(call, function, source),
                )


def _with_options(call: Node, function: CppFunction, source: SourceText) -> tuple[Edit, ...]:
    """Adds `, x.options()` for the first tensor, where only sizes were given."""
    tensors = [
        name for kind, name in function.parameters if re.fullmatch(r"const (at|torch)::Tensor ?&", kind)
    ]
    if len(arguments_of(call)) != 1 or not tensors:
        return ()
    return (Edit(source.path, call.end_byte - 1, call.end_byte - 1, f", {tensors[0]}.options()"),)


def _recursion(
    item: Implementation, function: CppFunction, facts: Facts, source: SourceText
) -> Iterator[Finding]:
    """The kernel itself, and the forward of the torch::autograd::Function that it applies."""
    bodies = [function]
    for call in descendants(function.node, "call_expression"):
        match = re.fullmatch(r"([\w:]+)::apply", called_name(call))
        if match:
            owner = match[1].rpartition("::")[2]
            bodies += [other for other in facts.functions if other.owner == owner and other.name == "forward"]
    if any(_GUARDS.search(text_of(body.node)) for body in bodies):
        return
    for body in bodies:
        for call in descendants(body.node, "call_expression"):
            if not called_name(call).endswith("findSchemaOrThrow"):
                continue
            arguments = arguments_of(call)
            named = string_of(arguments[0]) if arguments else None
            if named and named[0].split(".")[0] == f"{item.namespace}::{item.name}":
                place = source if body.path == source.path else None
                where = _place(place, call) if place else body.place
                yield Finding(
                    "OW825",
                    where,
                    f"the autograd kernel of {item.qualified} calls {item.qualified} and comes back to "
                    "itself",
                )
                return


def _autograd_functions(facts: Facts, texts: dict[str, SourceText]) -> Iterator[Finding]:
    members: dict[tuple[str, str], dict[str, CppFunction]] = {}
    for function in facts.functions:
        if function.owner and function.name in ("forward", "backward"):
            members.setdefault((function.path, function.owner), {})[function.name] = function
    for (path, owner), pair in members.items():
        forward, backward = pair.get("forward"), pair.get("backward")
        if forward is None or not any("AutogradContext" in kind for kind, _ in forward.parameters):
            continue
        yield from _saved(forward, owner, texts[path])
        if backward is not None:
            yield from _count(forward, backward, owner, texts[path])


def _count(forward: CppFunction, backward: CppFunction, owner: str, source: SourceText) -> Iterator[Finding]:
    wanted = len(forward.parameters) - 1
    for statement in descendants(backward.node, "return_statement"):
        values = [child for child in statement.named_children if child.type == "initializer_list"]
        if not values:
            continue
        given = [child for child in values[0].named_children if child.type != "comment"]
        trailing = 0
        for child in reversed(given):
            if not re.fullmatch(
                r"(at::|torch::)?(Tensor|Variable)\(\)|\{\}|torch::autograd::Variable\(\)", text_of(child)
            ):
                break
            trailing += 1
        if len(given) != wanted and not (len(given) > wanted and trailing >= len(given) - wanted):
            gradients = "1 gradient" if len(given) == 1 else f"{len(given)} gradients"
            arguments = "1 argument" if wanted == 1 else f"{wanted} arguments"
            yield Finding(
                "OW822",
                _place(source, statement),
                f"{owner}::backward returns {gradients}, but its forward has {arguments}",
                fix=f"Return {wanted} tensors; at::Tensor() for an argument that has no gradient.",
            )


def _saved(forward: CppFunction, owner: str, source: SourceText) -> Iterator[Finding]:
    saved: dict[str, int] = {}
    dirty = re.findall(r"mark_dirty\(\{?([^)}]*)", text_of(forward.node))
    for call in descendants(forward.node, "call_expression"):
        if called_name(call).endswith("save_for_backward"):
            for word in descendants(call, "identifier"):
                saved.setdefault(text_of(word), call.start_byte)
    for node in descendants(forward.node, "call_expression", "assignment_expression"):
        name = ""
        if node.type == "call_expression":
            match = re.fullmatch(r"(\w+)\.(\w+[A-Za-z0-9])_", called_name(node))
            name = match[1] if match else ""
        elif text_of(node.child_by_field_name("operator")) != "=":
            name = text_of(node.child_by_field_name("left"))
        if name in saved and not any(name in item for item in dirty):
            line = source.place(saved[name]).line
            yield Finding(
                "OW823",
                _place(source, node),
                f"{owner}::forward saves {name!r} for backward (line {line}) and modifies it in place here",
            )
