"""Writes opweld.json: what the software NPU's libraries export, and which of it fails by its name.

usage: manifest.py --nm NM --version V --cann V --tables FOLDER --output FILE LIBRARY...

{"opweld": version, "cann": version,
 "libraries": {soname: {symbol: "implemented" | "no-op" | "fails"}},
 "reasons": {symbol: why it fails or does nothing},
 "names": {symbol: the name people know it by, where that is another},
 "absent": [the rows of absent.tsv: what is left out on purpose]}
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
from pathlib import Path


def read_table(path: Path) -> list[dict[str, str]]:
    """Reads a tab-separated table with a header line."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def exported(nm: str, library: Path) -> list[str]:
    """Names the functions and variables that a library exports."""
    listing = subprocess.run(
        [nm, "-D", "--defined-only", "--format=posix", str(library)], check=True, capture_output=True, text=True
    )
    rows = (line.split() for line in listing.stdout.splitlines())
    return sorted(row[0].split("@")[0] for row in rows if len(row) >= 2 and row[1] in "TBDVWRi")


def is_interface(symbol: str) -> bool:
    """Tells CANN's names from those that opweld's libraries use among themselves or get from libstdc++."""
    own = ("_ZN6opweld", "_ZNK6opweld", "_ZTIN6opweld", "_ZTSN6opweld", "_ZTVN6opweld")
    mangled = symbol.startswith("_Z")
    return not symbol.startswith(own) and not (mangled and "2ge" not in symbol) and symbol not in ("_init", "_fini")


def main() -> None:
    """Reads libraries and tables, writes the manifest."""
    parser = argparse.ArgumentParser()
    for option in ("--nm", "--version", "--cann"):
        parser.add_argument(option, required=True)
    parser.add_argument("--tables", required=True, type=Path)
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("libraries", nargs="+", type=Path)
    options = parser.parse_args()

    failing = read_table(options.tables / "functions.tsv")
    no_ops = read_table(options.tables / "no_ops.tsv")
    status = {row["symbol"]: "fails" for row in failing} | {row["symbol"]: "no-op" for row in no_ops}
    libraries = {
        library.name: {
            symbol: status.get(symbol, "implemented")
            for symbol in exported(options.nm, library)
            if is_interface(symbol)
        }
        for library in options.libraries
    }
    manifest = {
        "opweld": options.version,
        "cann": options.cann,
        "libraries": dict(sorted(libraries.items())),
        "reasons": {row["symbol"]: row["purpose"] for row in failing}
        | {row["symbol"]: row["reason"] for row in no_ops},
        "names": {row["symbol"]: row["name"] for row in failing if row["name"]},
        "absent": read_table(options.tables / "absent.tsv"),
    }
    options.output.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
