"""The audit's report as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from opweld.abi.audit import AbiReport, Need

_WORDS = {
    "implemented": "implemented",
    "no-op": "no-op on purpose",
    "fails": "fail by their name",
    "absent": "absent on purpose",
    "missing": "missing",
}


def as_text(report: AbiReport) -> str:
    """The report for people: counts first, then what is not implemented, grouped by reason."""
    return "\n".join(_lines(report)) + "\n"


def counts(needs: Iterable[Need]) -> str:
    """For example "12 symbols: 10 implemented, 2 fail by their name"."""
    list_of_needs = list(needs)
    found = Counter(need.status for need in list_of_needs)
    parts = [f"{found[status]} {words}" for status, words in _WORDS.items() if found[status]]
    return f"{len(list_of_needs)} symbols" + (": " + ", ".join(parts) if parts else "")


def by_reason(needs: Iterable[Need], status: str) -> dict[str, list[str]]:
    """The names with a status, grouped by the reason."""
    groups: dict[str, list[str]] = {}
    for need in needs:
        if need.status == status:
            groups.setdefault(need.reason, []).append(need.name)
    return groups


def _lines(report: AbiReport) -> Iterator[str]:
    yield (
        f"{report.target} {report.version}".rstrip()
        + f" ({report.place}) on the software NPU of opweld {report.opweld}"
    )
    yield ""
    yield f"bound at load: {counts(report.at_load)}"
    yield f"looked up by name: {counts(report.looked_up)}"
    yield f"aclnn functions looked up: {counts(report.aclnn)}"
    for soname, users in sorted(report.missing_libraries.items()):
        yield f"library {soname} is missing: {', '.join(users)} cannot load"
    for need in report.at_load:
        if need.status == "missing":
            yield f"{need.name} is missing: {', '.join(need.users)} cannot load"
    everything = [*report.at_load, *report.looked_up]
    for status, title in (
        ("fails", "fail by their name"),
        ("no-op", "do nothing, on purpose"),
        ("absent", "absent on purpose"),
    ):
        yield from _groups(title, by_reason(everything, status))
    missing = [need.name for need in report.looked_up if need.status == "missing"]
    if missing:
        yield from ("", "looked up by name and missing", f"  {', '.join(missing)}")
    if report.on_first_use:
        yield from ("", "loaded on first use, and cannot be")
        for library in report.on_first_use:
            reason = library.reason or "not in opweld"
            yield f"  {library.library} needs {', '.join(library.needs)} ({reason}):"
            yield f"    {len(library.symbols)} symbols"
    if report.other_libraries:
        yield from ("", "libraries opened on use and absent on purpose")
        yield from (f"  {name}: {reason}" for name, reason in sorted(report.other_libraries.items()))
    lacking = [need.name for need in report.aclnn if need.status == "missing"]
    if lacking:
        yield from ("", "aclnn functions that are missing", f"  {', '.join(lacking)}")
    yield ""
    yield (
        "everything needed at load exists"
        if report.loads
        else "it cannot be loaded: see what is missing above"
    )


def _groups(title: str, groups: dict[str, list[str]]) -> Iterator[str]:
    if groups:
        yield from ("", title)
    for reason, names in groups.items():
        yield f"  {reason}:"
        yield f"    {', '.join(dict.fromkeys(names))}"
