"""A suite: which files of another project are tests, how they are started and how their tests are counted."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

COUNTED = ("unittest", "pytest", "junit")


class UsageError(Exception):
    """Wrong use, or a suite description that makes no sense: exit code 2."""


@dataclass(frozen=True)
class Suite:
    """One file of `suites/`. Texts may hold {folder}, {file}, {python}, {junit} and
    {tools}, where this file lies."""

    name: str
    folder: str  # below the folder that is given on the command line
    files: tuple[str, ...]  # patterns below `folder`
    counted: str  # by the output of unittest (with -v) or pytest (with -rA), or by a JUnit file
    command: tuple[str, ...] = ()  # starts one file; if empty, a process that has `preload` forks for it
    preload: tuple[str, ...] = ()  # modules
    arguments: tuple[str, ...] = ()  # what a forked file gets behind its name
    path: tuple[str, ...] = ()  # of imports
    exclude: tuple[str, ...] = ()  # patterns of file names that are not tests of this suite
    environment: Mapping[str, str] = field(default_factory=dict)
    limit: float = 120.0  # seconds for one file
    seed: int = 0  # of random numbers, in forked files
    whole: bool = False  # takes minutes, and a sample of its files would be all of them: runs when asked for


_TEXTS = ("files", "exclude", "command", "preload", "arguments", "path")


def read_suite(path: Path) -> Suite:
    """Reads and checks one description."""
    try:
        document: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UsageError(f"cannot read the suite {path}: {error}") from error
    known = set(Suite.__dataclass_fields__) - {"name"}
    if not isinstance(document, dict) or not {"folder", "files", "counted"} <= set(document):
        raise UsageError(f"{path}: a suite is a mapping with at least 'folder', 'files' and 'counted'")
    if unknown := sorted(set(document) - known):
        raise UsageError(f"{path}: unknown keys {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    for key in _TEXTS:
        value = document.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise UsageError(f"{path}: '{key}' must be a list of texts")
        document[key] = tuple(value)
    if document["counted"] not in COUNTED:
        raise UsageError(f"{path}: 'counted' is one of {', '.join(COUNTED)}, not {document['counted']!r}")
    if bool(document["command"]) == bool(document["preload"]):
        raise UsageError(f"{path}: give either 'command' or 'preload': how a file is started")
    if document["preload"] and document["counted"] == "junit":
        raise UsageError(f"{path}: a JUnit file needs a 'command' that writes it to {{junit}}")
    limit = document.get("limit", 120)
    if not isinstance(limit, (int, float)) or limit <= 0:
        raise UsageError(f"{path}: 'limit' is a positive number of seconds, not {limit!r}")
    return Suite(name=path.stem, **document)


def find_files(suite: Suite, root: Path) -> list[str]:
    """All files of the suite below `root`/`suite.folder`, by their names below it, sorted."""
    base = root / suite.folder
    if not base.is_dir():
        raise UsageError(f"suite {suite.name}: there is no folder {base}")
    found = {
        str(file.relative_to(base))
        for pattern in suite.files
        for file in base.glob(pattern)
        if file.is_file()
        and not file.name.startswith("__")
        and not any(fnmatch(file.name, left_out) for left_out in suite.exclude)
    }
    if not found:
        raise UsageError(f"suite {suite.name}: no file in {base} matches {', '.join(suite.files)}")
    return sorted(found)


def sample(files: list[str], count: int, seed: int) -> list[str]:
    """`count` of the files, the same ones for the same seed."""
    return files if count >= len(files) else sorted(random.Random(seed).sample(files, count))
