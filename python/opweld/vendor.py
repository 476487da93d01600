"""The vendor packages of installed operator packages: where torch_npu finds their aclnn functions.

An operator package announces its vendor folder with an entry point of the group `opweld.vendor`: its name is
the vendor's, its value the Python package. The folder is `vendors/<name>` in that package, which is not
imported to find it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import util
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

GROUP = "opweld.vendor"
LIBRARY = Path("op_api") / "lib" / "libcust_opapi.so"


@dataclass(frozen=True)
class VendorPackage:
    """One announced vendor folder; `folder` is None where it is not there, and `problem` then says why."""

    name: str
    distribution: str
    version: str
    folder: Path | None
    problem: str = ""

    @property
    def library(self) -> Path | None:
        """The library with the package's aclnn functions, or None where the folder has none."""
        if self.folder is None or not (self.folder / LIBRARY).is_file():
            return None
        return self.folder / LIBRARY


def installed() -> list[VendorPackage]:
    """All announced vendor packages, by name."""
    return sorted((_resolve(point) for point in entry_points(group=GROUP)), key=lambda package: package.name)


def _resolve(point: EntryPoint) -> VendorPackage:
    distribution = point.dist.name if point.dist else point.name
    version = point.dist.version if point.dist else ""

    def broken(problem: str) -> VendorPackage:
        return VendorPackage(point.name, distribution, version, None, problem)

    try:
        spec = util.find_spec(point.module.partition(".")[0])
    except (ImportError, ValueError) as error:
        return broken(f"Python package {point.module!r} cannot be found: {error}")
    roots = list(spec.submodule_search_locations or []) if spec else []
    if not roots:
        return broken(f"there is no Python package {point.module!r}")
    folders = [Path(root, *point.module.split(".")[1:], "vendors", point.name) for root in roots]
    for folder in folders:
        if folder.is_dir():
            return VendorPackage(point.name, distribution, version, folder.resolve())
    return broken(f"there is no folder {folders[0]}")


def custom_opp_path(existing: str, packages: list[VendorPackage]) -> str:
    """The value of `ASCEND_CUSTOM_OPP_PATH`: the packages' folders, then what was in `existing`."""
    folders = [str(package.folder) for package in packages if package.folder is not None]
    return join_paths(folders, existing)


def join_paths(first: list[str], existing: str) -> str:
    """`first`, then the entries of the path list `existing` that are not in it; no entry twice."""
    return os.pathsep.join(dict.fromkeys(entry for entry in [*first, *existing.split(os.pathsep)] if entry))
