"""What a shared library says about itself: which libraries and symbols it needs, which it has."""

from __future__ import annotations

import io
import re
import struct
from dataclasses import dataclass, field
from typing import Any

from opweld.errors import FaultsFound

# A name by itself in a library's read-only data: what a program may look up with dlsym.
_NAME = re.compile(rb"(?<![ -~])[A-Za-z_][A-Za-z0-9_]{3,127}(?=\0)")
_UNDEFINED = 0
_WEAK = 2
_LOCAL = 0


@dataclass
class Library:
    """One ELF shared library.

    `imports` are the symbols that must be found when it is loaded, without those that name their library by a
    version (the C and C++ run time's) and without weak ones, which may stay absent.
    """

    name: str
    soname: str
    needed: list[str]
    imports: set[str]
    exports: set[str]
    binds_at_load: bool
    names: set[str] = field(default_factory=set)


def read_library(content: bytes, name: str, *, with_names: bool = False) -> Library:
    """Reads a library; `name` is for messages. Raises FaultsFound where it is not a whole ELF library."""
    from elftools.common.exceptions import ELFError
    from elftools.construct import ConstructError
    from elftools.elf.elffile import ELFFile

    if not content.startswith(b"\x7fELF"):
        raise FaultsFound(f"{name} is no ELF library (it does not begin with the ELF mark)")
    try:
        elf = ELFFile(io.BytesIO(content))
        if elf.elfclass != 64:
            raise FaultsFound(f"{name} is a {elf.elfclass}-bit library; torch_npu's are 64-bit")
        sections = {section.name: section for section in elf.iter_sections()}
        return _read(name, content, sections, with_names)
    except (
        ELFError,
        ConstructError,
        struct.error,
        UnicodeDecodeError,
        ValueError,
        KeyError,
        IndexError,
        AttributeError,  # a section of another type than its name says
        OverflowError,
    ) as error:
        raise FaultsFound(
            f"{name} is damaged or cut off: it is not a whole ELF library ({_short(error)})"
        ) from error


def _short(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _read(name: str, content: bytes, sections: dict[str, Any], with_names: bool) -> Library:
    for section in sections.values():
        header = section.header
        if header["sh_type"] != "SHT_NOBITS" and header["sh_offset"] + header["sh_size"] > len(content):
            raise ValueError(f"section {section.name} ends behind the end of the file")
    if ".dynsym" not in sections or ".dynamic" not in sections:
        raise ValueError("it has no dynamic symbols")
    needed, soname, binds_at_load = [], "", False
    for tag in sections[".dynamic"].iter_tags():
        kind = tag.entry.d_tag
        if kind == "DT_NEEDED":
            needed.append(tag.needed)
        elif kind == "DT_SONAME":
            soname = tag.soname
        elif (kind == "DT_FLAGS" and tag.entry.d_val & 8) or (kind == "DT_FLAGS_1" and tag.entry.d_val & 1):
            binds_at_load = True
    imports, exports = _symbols(sections)
    names: set[str] = set()
    if with_names:
        for section in (section for title, section in sections.items() if title.startswith(".rodata")):
            names |= {found.decode() for found in _NAME.findall(section.data())}
    return Library(name, soname or name.rpartition("/")[2], needed, imports, exports, binds_at_load, names)


def _symbols(sections: dict[str, Any]) -> tuple[set[str], set[str]]:
    """Reads the symbol table by hand: libtorch's has hundreds of thousands of entries."""
    strings: bytes = sections[".dynstr"].data()
    versions = b""
    if ".gnu.version" in sections and ".gnu.version_r" in sections:
        versions = sections[".gnu.version"].data()
    imports: set[str] = set()
    exports: set[str] = set()
    for index, entry in enumerate(struct.iter_unpack("<IBBHQQ", sections[".dynsym"].data())):
        offset, info, _, section, _, _ = entry
        binding = info >> 4
        if offset == 0 or binding == _LOCAL:
            continue
        text = strings[offset : strings.index(b"\0", offset)].decode()
        if section != _UNDEFINED:
            exports.add(text)
        elif binding != _WEAK and not _is_versioned(versions, index):
            imports.add(text)
    return imports, exports


def _is_versioned(versions: bytes, index: int) -> bool:
    if not versions:
        return False
    (version,) = struct.unpack_from("<H", versions, 2 * index)
    return bool((version & 0x7FFF) > 1)
