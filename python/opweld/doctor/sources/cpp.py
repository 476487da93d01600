"""Reads C++ sources with tree-sitter: registrations, functions, and calls of aclnn functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import tree_sitter
import tree_sitter_cpp
from tree_sitter import Node

from opweld.doctor.facts import AclnnCall, AclnnDefinition, BoundModule, CppFunction, Facts
from opweld.doctor.findings import Finding, Place
from opweld.doctor.sources.cpp_registration import read_block
from opweld.doctor.sources.text import SourceText

_MACROS = {
    "EXEC_NPU_CMD", "EXEC_NPU_CMD_V1", "EXEC_NPU_CMD_V2", "EXEC_NPU_CMD_SYNC", "EXEC_NPU_CMD_EXT",
    "EXEC_NPU_CMD_V1_EXT", "EXEC_NPU_CMD_V2_EXT", "EXEC_NPU_NO_FORMAT_CHECK_CMD",
}  # fmt: skip
_BLOCKS = {"TORCH_LIBRARY": "library", "TORCH_LIBRARY_FRAGMENT": "fragment", "TORCH_LIBRARY_IMPL": "impl"}
_ACLNN = re.compile(r"aclnn[A-Z]\w*$")
_WORKSPACE = "GetWorkspaceSize"


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


def read_cpp(source: SourceText) -> tuple[Facts, list[Finding]]:
    """The facts of a C++ source, and the schemas in it that cannot be read."""
    tree = _parser().parse(source.content)
    reader = _Reader(source)
    reader.walk(tree.root_node)
    reader.blocks_of_library()
    reader.facts.languages.add("cpp")
    return reader.facts, reader.findings


def text_of(node: Node | None) -> str:
    """A node's source."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def descendants(node: Node, *kinds: str) -> Iterator[Node]:
    """The nodes below `node` of the given kinds, in the order of the source."""
    cursor = node.walk()
    while True:
        if cursor.node is not None and cursor.node.type in kinds and cursor.node != node:
            yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def called_name(call: Node) -> str:
    """What a call expression calls: `at::mul`, `x.mul_`."""
    return re.sub(r"\s+", "", text_of(call.child_by_field_name("function")))


def arguments_of(call: Node) -> list[Node]:
    """The arguments of a call expression."""
    listed = call.child_by_field_name("arguments")
    return [child for child in listed.named_children if child.type != "comment"] if listed else []


def string_of(node: Node | None) -> tuple[str, Node] | None:
    """The value of a string literal (also one in pieces, or inside a macro), and its node."""
    if node is None:
        return None
    if node.type == "raw_string_literal":
        for child in node.named_children:
            if child.type == "raw_string_content":
                return text_of(child), node
        return "", node
    if node.type == "string_literal":
        return "".join(text_of(child) for child in node.named_children), node
    if node.type == "concatenated_string":
        parts = [string_of(child) for child in node.named_children if child.type != "comment"]
        if all(part is not None for part in parts):
            return "".join(part[0] for part in parts if part), node
        return None
    if node.type == "call_expression" and len(arguments_of(node)) == 1:
        return string_of(arguments_of(node)[0])
    return None


class _Reader:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.facts = Facts()
        self.findings: list[Finding] = []
        self._blocks: list[tuple[str, list[Node], Node, Node]] = []

    def place(self, node: Node) -> Place:
        return self.source.place(node.start_byte, node.end_byte)

    def walk(self, root: Node) -> None:
        for node in descendants(root, "function_definition", "declaration", "field_declaration"):
            self._function(node)
        for node in descendants(root, "call_expression", "declaration"):
            self._call(node) if node.type == "call_expression" else self._launcher(node)

    def blocks_of_library(self) -> None:
        for kind, parameters, node, word in self._blocks:
            facts, findings = read_block(self.source, kind, parameters, node, word, self.facts.functions)
            self.facts.add(facts)
            self.findings += findings

    def _function(self, node: Node) -> None:
        declarator = node.child_by_field_name("declarator")
        outer = declarator
        while declarator is not None and declarator.type in ("reference_declarator", "pointer_declarator"):
            declarator = next(
                (child for child in declarator.named_children if "declarator" in child.type), None
            )
        if declarator is None or declarator.type != "function_declarator":
            return
        name_node = declarator.child_by_field_name("declarator")
        parameters = declarator.child_by_field_name("parameters")
        if name_node is None or parameters is None:
            return
        name = text_of(name_node)
        listed = [child for child in parameters.named_children if child.type != "comment"]
        if name in _BLOCKS and node.type == "function_definition":
            self._blocks.append((_BLOCKS[name], listed, node, name_node))
            return
        if name == "PYBIND11_MODULE" and node.type == "function_definition" and len(listed) > 1:
            self.facts.modules.append(_bound_module(node, listed, self.place(listed[0])))
            return
        suffix = (
            text_of(outer)[: len(text_of(outer)) - len(text_of(declarator))]
            if outer is not declarator
            else ""
        )
        read = [read_parameter(child) for child in listed if child.type.endswith("parameter_declaration")]
        plain = name.rpartition("::")[2]
        if _ACLNN.match(plain) and any("aclOpExecutor" in kind for kind, _ in read):
            self._aclnn_definition(node, plain, [kind for kind, _ in read], name_node)
        if node.type == "function_definition":
            returns = text_of(node.child_by_field_name("type")) + suffix
            trailing = next((c for c in declarator.named_children if c.type == "trailing_return_type"), None)
            if trailing is not None:
                returns = text_of(trailing).removeprefix("->").strip()
            self.facts.functions.append(
                CppFunction(name, self.source.path, read, returns, self.place(name_node), node, _owner(node))
            )

    def _aclnn_definition(self, node: Node, name: str, parameters: list[str], name_node: Node) -> None:
        workspace = name.endswith(_WORKSPACE)
        self.facts.aclnn_definitions.append(
            AclnnDefinition(
                name.removesuffix(_WORKSPACE),
                "workspace" if workspace else "run",
                tuple(parameters),
                self.place(name_node),
                node.type == "function_definition",
                _is_c(node),
            )
        )

    def _call(self, node: Node) -> None:
        name = called_name(node)
        arguments = arguments_of(node)
        word = node.child_by_field_name("function")
        if word is None:
            return
        if name in _MACROS and arguments and _ACLNN.match(text_of(arguments[0])):
            passed = tuple(text_of(argument) for argument in arguments[1:])
            self._add_call(text_of(arguments[0]), passed, name, arguments[0], word)
        elif name.rpartition("::")[2] in ("GetOpApiFuncAddr", "OPWELD_FUNCTION") and arguments:
            value = string_of(arguments[0])
            if value and _ACLNN.match(value[0]):
                self._add_call(value[0].removesuffix(_WORKSPACE), None, name, value[1], word)

    def _launcher(self, node: Node) -> None:
        """`launcher::Function function("ns::op", "aclnnXxx", {...})`: opweld's own launcher."""
        if not text_of(node.child_by_field_name("type")).endswith("launcher::Function"):
            return
        for literal in descendants(node, "string_literal"):
            value = string_of(literal)
            if value and _ACLNN.match(value[0]):
                self._add_call(value[0], None, "launcher::Function", literal, literal)

    def _add_call(
        self, function: str, arguments: tuple[str, ...] | None, macro: str, place: Node, word: Node
    ) -> None:
        call = AclnnCall(function, arguments, macro, self.place(place), self.place(word))
        self.facts.aclnn_calls.append(call)


def _bound_module(block: Node, parameters: list[Node], place: Place) -> BoundModule:
    variable = text_of(parameters[1])
    module = BoundModule(text_of(parameters[0]), set(), False, place)
    for call in descendants(block, "call_expression"):
        name, arguments = called_name(call), arguments_of(call)
        of_module = name in (f"{variable}.def", f"{variable}.attr")
        made_for_it = len(arguments) > 1 and text_of(arguments[0]) == variable  # py::class_<T>(m, "T")
        told = string_of(arguments[0 if of_module else 1]) if of_module or made_for_it else None
        if told:
            module.attributes.add(told[0])
        elif of_module or any(text_of(argument) == variable for argument in arguments):
            module.is_open = True
    # What is chained (m.def(...).def(...)) or declared (py::class_<T> shape(m, "T")) is not read.
    known = {f"{variable}.{method}" for method in ("def", "attr", "doc")}
    for member in descendants(block, "field_expression"):
        text = re.sub(r"\s+", "", text_of(member))
        chained = text.startswith(f"{variable}.") and text not in known
        module.is_open = module.is_open or chained
    for declared in descendants(block, "declaration"):
        module.is_open = module.is_open or bool(re.search(rf"\b{re.escape(variable)}\b", text_of(declared)))
    return module


def read_parameter(node: Node) -> tuple[str, str]:
    """A parameter's type with qualifiers and reference, and its name."""
    declarator = node.child_by_field_name("declarator")
    value = node.child_by_field_name("default_value")
    whole = text_of(node)
    if value is not None:
        whole = whole[: whole.rindex("=")].rstrip()
    name = ""
    inner = declarator
    while inner is not None and inner.type not in ("identifier", "field_identifier"):
        inner = next((child for child in inner.named_children if child.type != "type_qualifier"), None)
    if inner is not None:
        name = text_of(inner)
        whole = whole[: whole.rindex(name)].rstrip()
    return " ".join(whole.split()), name


def _owner(node: Node) -> str:
    parent = node.parent
    while parent is not None:
        if parent.type in ("struct_specifier", "class_specifier"):
            return text_of(parent.child_by_field_name("name"))
        parent = parent.parent
    return ""


def _is_c(node: Node) -> bool:
    parent: Node | None = node
    while parent is not None:
        if parent.type == "linkage_specification":
            return True
        if any(child.type == "linkage_specification" for child in parent.named_children[:1]):
            return True
        parent = parent.parent
    return False
