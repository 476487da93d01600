"""The conformance runner, with a made-up suite of which each file ends in another way."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

RUN = Path(__file__).parents[1] / "conformance" / "run"
FILES = {
    "test_passes.py": """
import unittest
class TestGood(unittest.TestCase):
    def test_one(self): print("aloud")
    @unittest.skip("not now")
    def test_skipped(self): pass
if __name__ == "__main__": unittest.main()
""",
    "test_fails.py": """
import unittest
class TestBad(unittest.TestCase):
    def test_right(self): pass
    def test_wrong(self): self.assertEqual(1, 2)
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i): self.assertLess(i, 2)
    def test_missing(self):
        raise RuntimeError("failed\\naclnnFoo: the software NPU does not implement this function; run it")
if __name__ == "__main__": unittest.main()
""",
    "test_hangs.py": """
import subprocess, sys, time, unittest
class TestSlow(unittest.TestCase):
    def test_a(self): pass
    def test_b(self):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        open("child.pid", "w").write(str(child.pid))
        time.sleep(600)
if __name__ == "__main__": unittest.main()
""",
    "test_crashes.py": """
import os, signal, unittest
class TestDies(unittest.TestCase):
    def test_a(self): pass
    def test_b(self): os.kill(os.getpid(), signal.SIGSEGV)
if __name__ == "__main__": unittest.main()
""",
    "test_exits.py": "raise SystemExit(3)\n",
}
OUTCOMES = {
    "test_passes.py": {"": "passed", "TestGood.test_one": "passed", "TestGood.test_skipped": "skipped"},
    "test_fails.py": {
        "": "failed",
        "TestBad.test_right": "passed",
        "TestBad.test_wrong": "failed",
        "TestBad.test_sub": "failed",
        "TestBad.test_missing": "failed",
    },
    "test_hangs.py": {"": "hung", "TestSlow.test_a": "passed", "TestSlow.test_b": "hung"},
    "test_crashes.py": {"": "crashed", "TestDies.test_a": "passed", "TestDies.test_b": "crashed"},
    "test_exits.py": {"": "failed"},
}
STARTS = {
    "forks": 'preload: [unittest]\narguments: ["-v"]\n',
    "commands": 'command: ["{python}", "{file}", "-v"]\n',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tests = tmp_path / "other" / "tests"
    tests.mkdir(parents=True)
    for name, text in FILES.items():
        (tests / name).write_text(text)
    return tmp_path / "other"


def suite(tmp_path: Path, start: str, **more: object) -> Path:
    path = tmp_path / "tiny.yaml"
    values = {"folder": "tests", "files": ["*.py"], "counted": "unittest", "limit": 8} | more
    path.write_text(start + "".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items()))
    return path


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, RUN, "--prefix", "", *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)


def rows(expected: Path) -> dict[str, dict[str, str]]:
    result: dict[str, dict[str, str]] = {}
    for line in (expected / "tiny.tsv").read_text().splitlines()[1:]:
        file, test, outcome = line.split("\t")
        result.setdefault(file, {})[test] = outcome
    return result


def gone(process: int) -> bool:
    for _ in range(50):
        status = Path(f"/proc/{process}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("start", STARTS)
def test_every_end_is_told_apart_and_recorded(tmp_path: Path, folder: Path, start: str) -> None:
    described = suite(tmp_path, STARTS[start])
    common = (folder, described, "--full", "--jobs", 2, "--expected", tmp_path / "lists")
    first = run(*common, "--record", "--json", tmp_path / "report.json", "--html", tmp_path / "report.html")
    assert first.returncode == 0, first.stderr
    assert "1 of 5 files pass wholly" in first.stdout
    assert rows(tmp_path / "lists") == OUTCOMES
    assert gone(int((folder / "tests" / "child.pid").read_text()))
    report = json.loads((tmp_path / "report.json").read_text())["suites"][0]
    assert report["missing"] == [{"function": "aclnnFoo", "files": 1, "files_missing_only_it": 1}]
    assert report["tests"] == {"passed": 4, "skipped": 1, "failed": 3, "hung": 1, "crashed": 1}
    page = (tmp_path / "report.html").read_text()
    assert "aclnnFoo" in page
    assert "http" not in page


def test_differences_from_the_record(tmp_path: Path, folder: Path) -> None:
    described = suite(tmp_path, STARTS["forks"], exclude=["*hang*", "test_exits.py"])
    common = (folder, described, "--full", "--jobs", 2, "--expected", tmp_path / "lists")
    assert run(*common, "--record").returncode == 0
    same = run(*common)
    assert same.returncode == 0
    assert "recorded: 1 of 3 files pass wholly, 4 of 8 tests" in same.stdout
    fails = folder / "tests" / "test_fails.py"
    fails.write_text(fails.read_text().replace("assertEqual(1, 2)", "assertEqual(2, 2)"))
    better = run(*common)
    assert better.returncode == 0
    assert "newly passing: 1\n    test_fails.py: TestBad.test_wrong" in better.stdout
    passes = folder / "tests" / "test_passes.py"
    passes.write_text(passes.read_text().replace('print("aloud")', "self.fail()"))
    worse = run(*common)
    assert worse.returncode == 1
    assert "newly failing: 2\n    test_passes.py\n    test_passes.py: TestGood.test_one" in worse.stdout


def test_what_fails_by_chance_runs_again(tmp_path: Path, folder: Path) -> None:
    described = suite(tmp_path, STARTS["commands"], files=["test_passes.py"])
    common = (folder, described, "--full", "--expected", tmp_path / "lists")
    assert run(*common, "--record").returncode == 0
    passes = folder / "tests" / "test_passes.py"
    once = 'import os\n        seen = os.path.exists("seen"); open("seen", "w"); self.assertTrue(seen)'
    passes.write_text(passes.read_text().replace('print("aloud")', f"\n        {once}"))
    assert run(*common, "--json", tmp_path / "report.json").returncode == 0
    result = json.loads((tmp_path / "report.json").read_text())["suites"][0]["results"][0]
    assert (result["outcome"], result["again"]) == ("passed", True)


@pytest.mark.parametrize(
    ("counted", "command"),
    [
        ("pytest", ["{python}", "-m", "pytest", "-rA", "-q", "-p", "no:cacheprovider", "{file}"]),
        (
            "junit",
            ["{python}", "-m", "pytest", "-q", "-p", "no:cacheprovider", "{file}", "--junitxml={junit}"],
        ),
    ],
)
def test_other_ways_to_count(tmp_path: Path, folder: Path, counted: str, command: list[str]) -> None:
    described = suite(
        tmp_path, "", counted=counted, command=command, files=["*s[e]s.py", "*f*s.py"], limit=60
    )
    assert run(folder, described, "--full", "--record", "--expected", tmp_path / "lists").returncode == 0
    fails = rows(tmp_path / "lists")["test_fails.py"]
    assert fails[""] == "failed"
    assert fails["TestBad.test_right"] == "passed"
    assert fails["TestBad.test_wrong"] == "failed"


def test_a_sample_is_the_same_for_its_seed(tmp_path: Path, folder: Path) -> None:
    for name in ("test_hangs.py", "test_crashes.py"):
        (folder / "tests" / name).write_text(FILES["test_passes.py"])
    described = suite(tmp_path, STARTS["forks"])
    chosen = []
    for seed in (3, 3, 4, 5):
        answer = tmp_path / "report.json"
        run(
            folder,
            described,
            "--sample",
            2,
            "--seed",
            seed,
            "--json",
            answer,
            "--expected",
            tmp_path / "lists",
        )
        results = json.loads(answer.read_text())["suites"][0]["results"]
        chosen.append([result["file"] for result in results])
    assert chosen[0] == chosen[1]
    assert len(chosen[0]) == 2
    assert len({tuple(files) for files in chosen}) > 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"counted": "guess"}, "'counted' is one of unittest, pytest, junit, not 'guess'"),
        ({"limit": 0}, "'limit' is a positive number of seconds, not 0"),
        ({"colour": "red"}, "unknown keys colour"),
        ({"files": "*.py"}, "'files' must be a list of texts"),
        ({"files": ["*.cpp"]}, "no file in"),
        ({"folder": "elsewhere"}, "there is no folder"),
        ({"command": ["x"]}, "give either 'command' or 'preload'"),
        ({"preload": ["no_such_module"]}, "the process that imports no_such_module ended"),
    ],
)
def test_wrong_use_is_refused(tmp_path: Path, folder: Path, more: dict[str, object], message: str) -> None:
    described = suite(tmp_path, "" if "preload" in more else STARTS["forks"], **more)
    answer = run(folder, described, "--full", "--expected", tmp_path / "lists")
    assert answer.returncode == 2, answer.stdout
    assert message in answer.stderr


def test_a_folder_without_suites_is_refused(tmp_path: Path) -> None:
    answer = run(tmp_path)
    assert answer.returncode == 2
    assert "no suite is in" in answer.stderr
