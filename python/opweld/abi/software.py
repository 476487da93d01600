"""What the software NPU has: its libraries, and its manifest's word on each symbol."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from opweld.abi.elf import Library, read_library
from opweld.errors import FaultsFound, OpweldError

MANIFEST = "opweld.json"


@dataclass
class Absence:
    """A library that is left out on purpose."""

    prefix: re.Pattern[str]
    reason: str


@dataclass
class SoftwareNpu:
    """The built software NPU. `status` is "implemented", "no-op" or "fails"."""

    version: str
    cann: str
    home: Path
    libraries: dict[str, Library]
    status: dict[str, str]
    owner: dict[str, str]
    reasons: dict[str, str]
    names: dict[str, str]
    absent_symbols: dict[str, str]
    absent_libraries: dict[str, Absence]
    labels: dict[str, str]

    def readable(self, symbol: str) -> str:
        """The name a person knows a symbol by."""
        return self.names.get(symbol, symbol)


def read_software(home: Path) -> SoftwareNpu:
    """Reads the tree at `home`. Raises OpweldError where it is not whole."""
    path = home / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        libraries = {
            file.name: read_library(file.read_bytes(), str(file))
            for file in sorted((home / "lib64").glob("lib*.so"))
        }
    except FileNotFoundError as error:
        raise OpweldError(f"{error.filename} is missing; build opweld again") from error
    except (json.JSONDecodeError, FaultsFound) as error:
        raise OpweldError(f"the software NPU at {home} is damaged: {error}; build opweld again") from error
    status: dict[str, str] = {}
    owner: dict[str, str] = {}
    for soname, symbols in manifest["libraries"].items():
        exports = libraries[soname].exports if soname in libraries else set()
        for symbol, word in symbols.items():
            if symbol not in exports:
                raise OpweldError(f"{path} names {symbol}, which {soname} does not have; build opweld again")
            if symbol not in owner:
                status[symbol], owner[symbol] = word, soname
    absent = manifest["absent"]
    return SoftwareNpu(
        version=manifest["opweld"],
        cann=manifest["cann"],
        home=home,
        libraries=libraries,
        status=status,
        owner=owner,
        reasons=manifest["reasons"],
        names=manifest["names"],
        absent_symbols={row["name"]: row["reason"] for row in absent if row["kind"] == "symbol"},
        absent_libraries={
            row["name"]: Absence(re.compile(row["prefix"] or "(?!)"), row["reason"])
            for row in absent
            if row["kind"] == "library"
        },
        labels={row["name"]: row["reason"] for row in absent if row["kind"] == "label"},
    )
