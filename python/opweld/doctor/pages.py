"""Writes the pages of the doctor's rules: `python -m opweld.doctor.pages docs/rules`."""

from __future__ import annotations

import sys
from pathlib import Path

from opweld.doctor.rules import all_rules, render_index, render_page

INDEX = "doctor.md"


def pages() -> dict[str, str]:
    """All pages by file name."""
    return {INDEX: render_index(all_rules())} | {f"{rule.id}.md": render_page(rule) for rule in all_rules()}


def main(folder: str) -> None:
    """Writes them."""
    for name, text in pages().items():
        (Path(folder) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
