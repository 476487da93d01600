"""Who claims, defines and implements: namespaces, schemas, keys (rules OW701 to OW705, OW716, OW717)."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable

from opweld.doctor import keys
from opweld.doctor.facts import Claim, Definition, Facts, Implementation
from opweld.doctor.findings import Edit, Finding

# Namespaces whose owner is torch or torch_npu: an extension adds to them with FRAGMENT.
OWNED = {"aten": "torch", "npu": "torch_npu", "prim": "torch", "prims": "torch", "quantized": "torch"}


def check(facts: Facts) -> list[Finding]:
    """All findings of these rules."""
    return [
        *_claims(facts),
        *_definitions(facts),
        *_kernels(facts),
        *_keys(facts.implementations, facts.claims),
        *_undefined(facts),
        *_mutations(facts),
    ]


def _claims(facts: Facts) -> Iterable[Finding]:
    by_namespace: dict[str, list[Claim]] = defaultdict(list)
    for claim in facts.claims:
        if claim.kind == "library" and not claim.conditional and claim.namespace != "_":
            by_namespace[claim.namespace].append(claim)
    for namespace, found in by_namespace.items():
        first = found[0]
        if namespace in OWNED:
            owner = OWNED[namespace]
            for claim in found:
                yield _claimed(claim, f"namespace {namespace!r} is {owner}'s: it cannot be claimed again")
            continue
        for claim in found[1:]:
            if not facts.meet(first.place, claim.place):
                continue
            yield _claimed(
                claim, f"namespace {namespace!r} is claimed a second time; {first.place} claims it", first
            )


def _claimed(claim: Claim, message: str, first: Claim | None = None) -> Finding:
    word = "TORCH_LIBRARY_FRAGMENT"
    start, end = claim.kind_place.start, claim.kind_place.end
    if claim.language == "python":
        word, start, end = "FRAGMENT", start + 1, end - 1  # inside the quotes
    edit = Edit(claim.kind_place.subject, start, end, word)
    related = ((first.place, "claimed here"),) if first else ()
    return Finding("OW701", claim.place, message, fix=f"Write {word} here.", related=related, edits=(edit,))


def _definitions(facts: Facts) -> Iterable[Finding]:
    first: dict[str, Definition] = {}
    for item in facts.definitions:
        if item.conditional or item.how == "spec":
            continue
        known = first.setdefault(item.qualified, item)
        if known is not item and facts.meet(known.place, item.place):
            yield Finding(
                "OW702",
                item.place,
                f"{item.qualified} is defined a second time; {known.place} defines it",
                related=((known.place, "defined here"),),
            )


def _kernels(facts: Facts) -> Iterable[Finding]:
    first: dict[tuple[str, str], Implementation] = {}
    for item in facts.implementations:
        if item.conditional:
            continue
        known = first.setdefault((item.qualified, item.key), item)
        if known is not item and facts.meet(known.place, item.place):
            yield Finding(
                "OW703",
                item.place,
                f"{item.qualified} has a kernel for {item.key} already, from {known.place}; "
                + ("this one replaces it" if item.language == "cpp" else "this one is refused"),
                related=((known.place, "registered here"),),
            )


def _keys(implementations: list[Implementation], claims: list[Claim]) -> Iterable[Finding]:
    seen = set()
    for item in implementations:
        key = item.key
        if key in keys.KNOWN or item.key_place in seen or not re.fullmatch(r"[A-Za-z]\w*", key):
            continue
        if "_" in key and key.isupper():  # a macro
            continue
        seen.add(item.key_place)
        if item.language == "cpp" and key in keys.NPU_NAMES:
            right = keys.NPU_NAMES[key]
            edit = _key_edit(item, right)
            yield Finding(
                "OW704",
                item.key_place,
                f"there is no dispatch key {key} in C++; the NPU's is {right}",
                fix=f"Write {right}.",
                edits=edit,
            )
            continue
        near = _nearest_key(key)
        hint = f"; did you mean {near}?" if near else ""
        edits = _key_edit(item, near) if near and near.lower() == key.lower() else ()
        yield Finding(
            "OW717",
            item.key_place,
            f"there is no dispatch key {key!r}{hint}",
            fix=f"Write {near}." if near else "",
            edits=edits,
        )


def _key_edit(item: Implementation, right: str) -> tuple[Edit, ...]:
    start, end = item.key_place.start, item.key_place.end
    if item.language == "python":
        if end - start != len(item.key) + 2:
            return ()
        start, end = start + 1, end - 1
    elif end - start != len(item.key):  # c10::DispatchKey::NPU
        start = end - len(item.key)
    return (Edit(item.key_place.subject, start, end, right),)


def _nearest_key(key: str) -> str:
    same = [known for known in keys.KNOWN if known.lower() == key.lower()]
    if same:
        return same[0]
    if key.lower() in ("npu", "ascend", "privateuseone", "privateuse", "privateuse1key"):
        return "PrivateUse1"
    near = difflib.get_close_matches(key, sorted(keys.KNOWN), n=1, cutoff=0.75)
    return near[0] if near else ""


def _undefined(facts: Facts) -> Iterable[Finding]:
    defined: dict[str, set[str]] = defaultdict(set)
    for item in facts.definitions:
        defined[item.namespace].add(item.qualified)
    owned = {claim.namespace for claim in facts.claims if claim.kind == "library"} | {
        item.namespace for item in facts.definitions if item.how in ("custom_op", "triton_op")
    }
    for kernel in facts.implementations:
        known = defined.get(kernel.namespace, set())
        if kernel.qualified in known or kernel.namespace in facts.opaque or not known:
            continue
        near = difflib.get_close_matches(kernel.qualified, sorted(known), n=1, cutoff=0.8)
        if not near and (kernel.namespace not in owned or kernel.namespace in OWNED):
            continue
        if kernel.namespace in OWNED and near and near[0] in {i.qualified for i in facts.implementations}:
            continue  # more likely one of the owner's operators than a typing error
        hint = f"; did you mean {near[0]}?" if near else ""
        yield Finding(
            "OW705",
            kernel.place,
            f"{kernel.qualified} gets a kernel for {kernel.key}, but no schema defines it{hint}",
            fix=f"Write {near[0].partition('::')[2]!r}." if near else "",
        )


def _mutations(facts: Facts) -> Iterable[Finding]:
    for item in facts.definitions:
        schema = item.schema
        if schema is None or schema.mutable:
            continue
        tensors = [argument for argument in schema.arguments if argument.type.base == "Tensor"]
        if item.name.endswith("_") and not item.name.endswith("__") and tensors:
            yield Finding(
                "OW716",
                item.place,
                f"{item.qualified} works in place by its name, but its schema marks no argument as written "
                "to",
                fix=f"Write Tensor(a!) {tensors[0].name}.",
            )
            continue
        for kernel in facts.kernels(item.qualified):
            written = [
                argument.name
                for argument, (kind, _) in _paired(schema.arguments, kernel)
                if argument.type.base == "Tensor" and not argument.type.suffixes and _is_written(kind)
            ]
            if written:
                yield Finding(
                    "OW716",
                    item.place,
                    f"the kernel of {item.qualified} for {kernel.key} may write to {written[0]!r} (it "
                    "takes Tensor&), "
                    "but the schema does not say so",
                    fix=f"Write Tensor(a!) {written[0]}, or let the kernel take const at::Tensor&.",
                )
                break


def _paired(arguments: Iterable, kernel: Implementation) -> Iterable:  # type: ignore[type-arg]
    if kernel.cpp is None:
        return []
    parameters = [pair for pair in kernel.cpp.parameters if "DispatchKeySet" not in pair[0]]
    return zip(arguments, parameters, strict=False)


def _is_written(kind: str) -> bool:
    bare = kind.replace(" ", "")
    return bare.endswith("Tensor&") and not bare.startswith("const") and "const&" not in bare
