"""P9: `import torch_npu` with the software NPU's libraries, against empty stubs of them; and how many files
`opweld build` compiles again after a touch of one kernel.

    opweld run -- python bench/start_up.py [--json FILE]

The stubs are made here from the names that the libraries export: every function returns 0 at once. With them
the import alone is possible; the first operator is left out on both sides.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from elftools.elf.elffile import ELFFile
from ratio import Ratio, report, side_by_side

ROUNDS = 5
IMPORT = "import torch, torch_npu"


def exported(library: Path) -> list[str]:
    """The functions and objects that a library defines for others."""
    with library.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym")
        return sorted(
            {
                symbol.name
                for symbol in symbols.iter_symbols()
                if symbol["st_shndx"] != "SHN_UNDEF"
                and symbol["st_info"]["bind"] != "STB_LOCAL"
                and symbol.name
            }
        )


def make_stubs(libraries: Path, folder: Path) -> None:
    """A library of each name whose functions return 0."""
    for library in sorted(libraries.glob("*.so")):
        code = "".join(
            f'int stub{index}(void) __asm__("{name}"); int stub{index}(void) {{ return 0; }}\n'
            for index, name in enumerate(exported(library))
        )
        source = folder / f"{library.stem}.c"
        source.write_text(code)
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", folder / library.name, source], check=True)


def importing(environment: dict[str, str], libraries: Path) -> None:
    """One process that imports torch_npu with the libraries of a folder."""
    environment = environment | {"LD_LIBRARY_PATH": str(libraries)}
    subprocess.run([sys.executable, "-c", IMPORT], env=environment, check=True, capture_output=True)


def compilations_after_a_touch(folder: Path) -> int:
    """How many files `opweld build` compiles again after one kernel file was touched."""
    command = [Path(sys.executable).parent / "opweld"]
    project = folder / "touched"
    subprocess.run([*command, "new", project.name], cwd=folder, check=True, capture_output=True)
    subprocess.run([*command, "build", project], check=True, capture_output=True)
    next(project.glob("kernels/*.cpp")).touch()
    output = subprocess.run([*command, "build", project], check=True, capture_output=True, text=True)
    return len(re.findall(r"^\s*\d+/\d+ .*\.cpp", output.stdout + output.stderr, re.MULTILINE))


def main() -> None:
    """Measures both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    libraries = Path(os.environ["ASCEND_HOME_PATH"]) / "lib64"
    with tempfile.TemporaryDirectory() as folder:
        stubs = Path(folder) / "stubs"
        stubs.mkdir()
        make_stubs(libraries, stubs)
        environment = dict(os.environ) | {"OPWELD_AUTOLOAD": "0"}
        ratio: Ratio = side_by_side(
            IMPORT, lambda: importing(environment, libraries), lambda: importing(environment, stubs), ROUNDS
        )
        print(
            f"compilations after a touch of one kernel: {compilations_after_a_touch(Path(folder))} (goal 2)"
        )
    report("P9", [ratio], "1.1", arguments.json)


if __name__ == "__main__":
    main()
