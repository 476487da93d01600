"""Writes the C++ files of the kernel registry and of libopapi.so from the function table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import emit
from table import TableError, read_dtypes, read_inventory, read_table


def main() -> int:
    """Generates everything below --output; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=Path, required=True, help="the folder npu/kernels")
    parser.add_argument("--aclnn", type=Path, required=True, help="the folder npu/aclnn")
    parser.add_argument(
        "--aten-ops", type=Path, required=True, help="include/ATen/ops of the installed torch"
    )
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    output: Path = options.output
    try:
        inventory = read_inventory(options.aclnn / "inventory.tsv")
        classes = read_dtypes(options.kernels / "dtypes.yaml")
        families = read_table(options.kernels / "functions", inventory)
        functions = [function for rows in families.values() for function in rows]
        for family, rows in families.items():
            text = emit.kernels(family, rows, options.kernels, options.aten_ops)
            emit.write(output / "kernels" / f"{family}.cpp", text)
            emit.write(output / "aclnn" / f"{family}.cpp", emit.exports(family, rows, classes, options.aclnn))
        emit.write(output / "kernels" / "all_kernels.cpp", emit.registry(functions))
        emit.write(output / "aclnn" / "all_functions.cpp", emit.function_list(functions, inventory))
        headers = emit.headers(functions)
        folder = output / "include" / "aclnnop"
        for stale in set(folder.glob("*.h")) - {folder / name for name in headers}:
            stale.unlink()
        for name, text in headers.items():
            emit.write(folder / name, text)
    except TableError as error:
        print(f"function table: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
