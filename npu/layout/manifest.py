"""Writes opweld.json: what the software NPU's libraries export, and which of it fails by its name.

usage: manifest.py --nm NM --version V --cann V --tables FOLDER --inventory TSV [--failing-aclnn SOURCE]
                   --output FILE LIBRARY...

{"opweld": version, "cann": version,
 "libraries": {soname: {symbol: "implemented" | "no-op" | "fails"}},
 "reasons": {symbol: why it fails or does nothing},
 "names": {symbol: the name people know it by, where that is another},
 "absent": [{"kind", "name", "prefix", "reason"}: what is left out on purpose]}
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
from pathlib import Path

ACLNN_FAILS = "no kernel for this operator yet; run it on CPU tensors"
ACLNN_ABSENT = "torch_npu takes another operator, or an older one, where this is not there"
PHASE_ONE = "GetWorkspaceSize"


def read_table(path: Path) -> list[dict[str, str]]:
    """Reads a tab-separated table with a header line."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def exported(nm: str, library: Path) -> list[str]:
    """Names the functions and variables that a library exports."""
    command = [nm, "-D", "--defined-only", "--format=posix", str(library)]
    listing = subprocess.run(command, check=True, capture_output=True, text=True)
    rows = (line.split() for line in listing.stdout.splitlines())
    return sorted(row[0].split("@")[0] for row in rows if len(row) >= 2 and row[1] in "TBDVWRi")


def is_interface(symbol: str) -> bool:
    """Tells CANN's names from those that opweld's libraries use among themselves or get from libstdc++."""
    if symbol.startswith("_Z"):
        return re.match(r"_ZNK?2ge", symbol) is not None
    return not symbol.startswith(("_", "opweld"))


def readable(symbol: str) -> str:
    """Gives the plain name of a mangled function: _ZN2ge12GEInitializeEv is ge::GEInitialize."""
    parts, rest = [], symbol.removeprefix("_ZN").removeprefix("K")
    while number := re.match(r"\d+", rest):
        end = number.end() + int(number[0])
        parts.append(rest[number.end() : end])
        rest = rest[end:]
    return "::".join(parts)


def failing_aclnn(source: Path | None) -> list[str]:
    """Names the aclnn functions that are exported without an implementation, both phases."""
    if source is None or not source.exists():
        return []
    names = set(re.findall(r'not_implemented\("(\w+)"\)', source.read_text(encoding="utf-8")))
    return sorted(names | {name + PHASE_ONE for name in names})


def main() -> None:
    """Reads libraries and tables, writes the manifest."""
    parser = argparse.ArgumentParser()
    for option in ("--nm", "--version", "--cann"):
        parser.add_argument(option, required=True)
    for option in ("--tables", "--inventory", "--output"):
        parser.add_argument(option, required=True, type=Path)
    parser.add_argument("--failing-aclnn", type=Path)
    parser.add_argument("libraries", nargs="+", type=Path)
    options = parser.parse_args()

    failing = read_table(options.tables / "functions.tsv")
    no_ops = read_table(options.tables / "no_ops.tsv")
    reasons = {row["symbol"]: row["purpose"] for row in failing}
    reasons |= dict.fromkeys(failing_aclnn(options.failing_aclnn), ACLNN_FAILS)
    status = dict.fromkeys(reasons, "fails")
    for row in no_ops:
        status[row["symbol"]], reasons[row["symbol"]] = "no-op", row["reason"]
    libraries = {
        library.name: {
            symbol: status.get(symbol, "implemented")
            for symbol in exported(options.nm, library)
            if is_interface(symbol)
        }
        for library in options.libraries
    }
    everything = {symbol for symbols in libraries.values() for symbol in symbols}
    absent = read_table(options.tables / "absent.tsv") + [
        {"kind": "symbol", "name": row["name"], "prefix": "", "reason": ACLNN_ABSENT}
        for row in read_table(options.inventory)
        if row["when_missing"] == "absent" and row["name"] not in everything
    ]
    contradictions = sorted(row["name"] for row in absent if row["name"] in everything)
    if contradictions:
        raise SystemExit(f"exported, but to be left out on purpose: {', '.join(contradictions)}")
    manifest = {
        "opweld": options.version,
        "cann": options.cann,
        "libraries": dict(sorted(libraries.items())),
        "reasons": {symbol: reasons[symbol] for symbol in sorted(reasons) if symbol in everything},
        "names": {symbol: readable(symbol) for symbol in sorted(everything) if symbol.startswith("_Z")}
        | {row["symbol"]: row["name"] for row in failing if row["name"]},
        "absent": absent,
    }
    options.output.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
