"""P5: import and check of op-plugin's YAML and generation of what has a rule, against op-plugin's own
generator.

    python bench/op_plugin_import.py OP_PLUGIN_YAML --against 'COMMAND' [--json FILE]

COMMAND runs the other generator, in a copy of op-plugin that you made.
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from ratio import report, side_by_side

ROUNDS = 5


def run(*command: str | Path) -> None:
    """Runs a command. Its exit code does not matter: generators may end with a compiler that is missing."""
    subprocess.run(command, check=False, capture_output=True)


def main() -> None:
    """Measures whole processes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("yaml", type=Path)
    parser.add_argument("--against", required=True)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    opweld = Path(sys.executable).parent / "opweld"
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "spec.yaml"

        def ours() -> None:
            run(opweld, "import", "--complete", arguments.yaml, "-o", spec)
            run(opweld, "check", spec)
            run(opweld, "gen", spec, "-o", Path(folder) / "generated")

        ratio = side_by_side(
            "import, check and generate", ours, lambda: run(*shlex.split(arguments.against)), ROUNDS
        )
    report("P5", [ratio], "0.05", arguments.json)


if __name__ == "__main__":
    main()
