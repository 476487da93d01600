"""Reads the inside of TORCH_LIBRARY, TORCH_LIBRARY_FRAGMENT and TORCH_LIBRARY_IMPL blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from opweld.doctor.facts import Claim, ClaimKind, CppFunction, Definition, Facts, Implementation
from opweld.doctor.findings import Finding, Place
from opweld.doctor.schema import Schema, SchemaError, operator_name, parse_schema

if TYPE_CHECKING:
    from opweld.doctor.sources.text import SourceText

_FUNCTION_MACROS = {"TORCH_FN", "TORCH_FN_TYPE", "std::move"}


def read_block(
    source: SourceText,
    kind: str,
    parameters: list[Node],
    block: Node,
    word: Node,
    functions: Sequence[CppFunction],
) -> tuple[Facts, list[Finding]]:
    """The facts of one block, and its schemas that cannot be read."""
    reader = _Block(source, kind, parameters, block, word, functions)
    reader.read()
    return reader.facts, reader.findings


class _Block:
    def __init__(
        self,
        source: SourceText,
        kind: str,
        parameters: list[Node],
        block: Node,
        word: Node,
        functions: Sequence[CppFunction],
    ) -> None:
        from opweld.doctor.sources import cpp

        self._cpp = cpp
        self.source = source
        self.kind = kind
        self.block = block
        self.word = word
        self.functions = functions
        self.names = [cpp.text_of(parameter).strip() for parameter in parameters]
        self.parameters = parameters
        self.facts = Facts()
        self.findings: list[Finding] = []
        self.conditional = _is_conditional(block)

    def place(self, node: Node) -> Place:
        return self.source.place(node.start_byte, node.end_byte)

    def read(self) -> None:
        wanted = 3 if self.kind == "impl" else 2
        if len(self.names) != wanted:
            return
        claim_kind: ClaimKind = (
            "library" if self.kind == "library" else "fragment" if self.kind == "fragment" else "impl"
        )
        self.facts.claims.append(
            Claim(
                self.names[0],
                claim_kind,
                self.place(self.parameters[0]),
                self.place(self.word),
                "cpp",
                self.conditional,
            )
        )
        library = self.names[-1]
        for call in self._cpp.descendants(self.block, "call_expression"):
            name = self._cpp.called_name(call)
            if name == f"{library}.def":
                self._def(call)
            elif name == f"{library}.impl":
                self._impl(call)

    def _def(self, call: Node) -> None:
        arguments = self._cpp.arguments_of(call)
        found = self._cpp.string_of(arguments[0]) if arguments else None
        if not found:
            self.facts.opaque.add(self.names[0])
            return
        text, node = found
        schema: Schema | None = None
        inferred = "(" not in text and len(arguments) > 1
        if not inferred:
            try:
                schema = parse_schema(text)
            except SchemaError as error:
                self.findings.append(self._bad_schema(node, text, error))
        named = operator_name(text)
        if named is None:
            return
        namespace = named[0] or self.names[0]
        place = self.place(node)
        self.facts.definitions.append(
            Definition(
                namespace,
                named[1],
                named[2],
                schema,
                place,
                "cpp",
                self.conditional,
                "inferred" if inferred else "",
            )
        )
        if len(arguments) > 1:
            self._kernel(
                namespace, named[1], named[2], "CompositeImplicitAutograd", arguments[1], place, place
            )

    def _bad_schema(self, node: Node, text: str, error: SchemaError) -> Finding:
        start = node.start_byte + 1
        if node.type == "string_literal" and self.source.content[start : start + len(text)] == text.encode():
            start += min(error.offset, len(text))
            place = self.source.place(start, start)
        else:
            place = self.place(node)
        return Finding("OW708", place, f"the schema {text!r} cannot be read: {error}")

    def _impl(self, call: Node) -> None:
        arguments = self._cpp.arguments_of(call)
        found = self._cpp.string_of(arguments[0]) if len(arguments) > 1 else None
        if not found:
            return
        named = operator_name(found[0])
        if named is None:
            return
        key, key_place = (
            (self.names[1], self.place(self.parameters[1]))
            if self.kind == "impl"
            else ("CompositeImplicitAutograd", self.place(found[1]))
        )
        function = arguments[1]
        named_key = self._cpp.text_of(function)
        if len(arguments) > 2 and re.fullmatch(r"[\w:]*(DispatchKey::|\bk)[A-Z]\w*", named_key):
            key, key_place = _key_of(named_key), self.place(function)
            function = arguments[2]
        self._kernel(
            named[0] or self.names[0], named[1], named[2], key, function, self.place(found[1]), key_place
        )

    def _kernel(
        self,
        namespace: str,
        name: str,
        overload: str,
        key: str,
        function: Node,
        place: Place,
        key_place: Place,
    ) -> None:
        node: Node | None = function
        while node is not None and node.type == "call_expression":
            called = self._cpp.called_name(node)
            arguments = self._cpp.arguments_of(node)
            if called.endswith("dispatch") and len(arguments) == 2:
                key = _key_of(self._cpp.text_of(arguments[0]))
                key_place = self.place(arguments[0])
                node = arguments[1]
            elif called in _FUNCTION_MACROS and len(arguments) == 1:
                node = arguments[0]
            else:
                node = None
        text = self._cpp.text_of(node).lstrip("&").strip() if node is not None else ""
        resolved = None
        if node is not None and node.type == "lambda_expression":
            text, resolved = "", self._lambda(node)
        elif re.fullmatch(r"[\w:]+", text):
            resolved = self._resolve(text)
        self.facts.implementations.append(
            Implementation(
                namespace, name, overload, key, text, place, key_place, "cpp", self.conditional, resolved
            )
        )

    def _resolve(self, name: str) -> CppFunction | None:
        last = name.rpartition("::")[2]
        owner = name.rpartition("::")[0].rpartition("::")[2]
        same = [item for item in self.functions if item.name.rpartition("::")[2] == last]
        if owner:
            same = [item for item in same if owner in (item.owner, *item.name.split("::")[:-1])] or same
        return same[0] if len(same) == 1 else None

    def _lambda(self, node: Node) -> CppFunction | None:
        declarator = next(
            (child for child in node.named_children if child.type == "abstract_function_declarator"), None
        )
        if declarator is None:
            return None
        parameters = declarator.child_by_field_name("parameters")
        listed = [
            self._cpp.read_parameter(child)
            for child in (parameters.named_children if parameters else [])
            if child.type.endswith("parameter_declaration")
        ]
        trailing = next((c for c in declarator.named_children if c.type == "trailing_return_type"), None)
        returns = self._cpp.text_of(trailing).removeprefix("->").strip()
        return CppFunction("", self.source.path, listed, returns, self.place(node), node)


def _key_of(text: str) -> str:
    """The dispatch key in `c10::DispatchKey::CPU` or `torch::kCPU`."""
    return re.sub(r"^k(?=[A-Z])", "", text.rpartition("::")[2])


def _is_conditional(node: Node) -> bool:
    """Whether the preprocessor may leave the block out (an include guard around the file does not count)."""
    parent = node.parent
    while parent is not None:
        if parent.type in ("preproc_if", "preproc_else", "preproc_elif", "preproc_ifdef"):
            return True
        parent = parent.parent
    return False
