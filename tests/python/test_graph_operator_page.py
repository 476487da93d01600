"""The page that lists the operators of graphs is made from their table, and up to date."""

import subprocess
import sys
from pathlib import Path


def test_the_page_is_in_step(root: Path) -> None:
    command = [sys.executable, Path("npu", "ge", "operators", "document.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert result.returncode == 0, result.stderr
