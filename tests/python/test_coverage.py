"""The page that lists the aclnn functions is made from the table, and up to date."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path("npu", "kernels", "generate", "coverage.py")


def test_the_coverage_page_is_in_step(root: Path) -> None:
    command = [sys.executable, SCRIPT, "--check", "docs/reference/coverage.md"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert result.returncode == 0, result.stderr


def test_a_page_that_is_not_in_step_is_told(root: Path, tmp_path: Path) -> None:
    page = tmp_path / "coverage.md"
    page.write_text("old\n")
    result = subprocess.run(
        [sys.executable, SCRIPT, "--check", page], capture_output=True, text=True, cwd=root
    )
    assert result.returncode == 1
    assert f"{page} is not in step: run" in result.stderr
