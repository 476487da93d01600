"""The page that lists the aclnn functions is made from the table, and up to date."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path("npu", "kernels", "generate", "coverage.py")


def test_the_coverage_page_is_in_step(root: Path) -> None:
    command = [sys.executable, SCRIPT, "--check", "docs/reference/coverage.md"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert result.returncode == 0, result.stderr
