"""The documentation: every link between its pages leads somewhere, and what must be named is named."""

import re
import subprocess

LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def anchor(heading: str) -> str:
    """The anchor that code hosts make of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def pages(root):
    names = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=root, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [root / name for name in names if (root / name).is_file()]


def test_no_link_is_dead(root):
    tracked = set(
        subprocess.run(
            ["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    )
    dead, seen = [], 0
    for page in pages(root):
        text = CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
        for link in LINK.findall(text):
            if re.match(r"[a-z]+:", link):
                continue
            seen += 1
            path, _, part = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            name = str(target.relative_to(root)) if target.is_relative_to(root) else ""
            there = name in tracked or any(item.startswith(f"{name}/") for item in tracked)
            known = there and (
                not part
                or part in {anchor(item) for item in HEADING.findall(target.read_text(encoding="utf-8"))}
            )
            if not known:
                dead.append(f"{page.relative_to(root)}: {link}")
    assert dead == []
    assert seen > 200


def test_the_readmes_name_every_command(root, opweld):
    shown = opweld("--help").stdout
    commands = set(re.findall(r"^[│| ]*([a-z]+)  ", shown, re.MULTILINE))
    assert {"check", "verify", "doctor"} <= commands
    for name in ("README.md", "README.zh-CN.md"):
        text = (root / name).read_text(encoding="utf-8")
        assert [command for command in sorted(commands) if f"| `opweld {command}" not in text] == []


def test_the_readmes_have_the_same_links_and_figures(root):
    names = {"README.md", "README.zh-CN.md"}
    texts = [(root / name).read_text(encoding="utf-8") for name in sorted(names)]
    english, chinese = (set(LINK.findall(text)) - names for text in texts)
    assert english ^ chinese == set()
    assert "docs/guide/graph-engine.md" in english
    english, chinese = (set(re.findall(r"\d{3,}|\d+\.\d+", text)) for text in texts)
    assert english ^ chinese == set()
    assert len(english) > 5
