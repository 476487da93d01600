"""The command line of the conformance runner; see `usage`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from conformance import count, expected, reasons
from conformance.launch import LaunchError, run_files
from conformance.outcome import Ended, FileResult, judge
from conformance.page import to_html
from conformance.report import Report, recorded_line, show, to_json
from conformance.suite import Suite, UsageError, find_files, read_suite, sample

HERE = Path(__file__).resolve().parents[1]
_SAMPLE = 24


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="run", description="Runs other projects' tests on the software NPU.", allow_abbrev=False
    )
    add = parser.add_argument
    add("folder", nargs="?", type=Path, help="the folder in which the suites' folders are")
    add("suites", nargs="*", metavar="SUITE", help="names in suites/, or files; else those that are found")
    add("--jobs", "-j", type=int, default=os.cpu_count() or 1, metavar="N", help="files at a time")
    add("--sample", type=int, metavar="N", help=f"run N files of each suite (default {_SAMPLE})")
    add("--seed", type=int, default=0, metavar="S", help="of the sample")
    add("--full", action="store_true", help="run all files")
    add("--file", action="append", metavar="TEXT", help="run the files whose name contains TEXT")
    add("--limit", type=float, metavar="SECONDS", help="for each file, instead of the suite's")
    add("--record", action="store_true", help="write the outcomes as the new expectation")
    add("--recorded", action="store_true", help="run nothing, tell the recorded result")
    add("--json", type=Path, metavar="FILE", help="write the report as JSON")
    add("--html", type=Path, metavar="FILE", help="write the report as one HTML page")
    add("--logs", type=Path, metavar="DIR", help="keep each file's output")
    add("--expected", type=Path, default=HERE / "expected", metavar="DIR", help="where the lists are")
    add("--prefix", default="opweld run --software --quiet --", help="what starts a process on the NPU")
    return parser


def _chosen(options: argparse.Namespace) -> list[Suite]:
    """The suites that were asked for, or those whose folder is there."""
    folder = HERE / "suites"
    if options.suites:
        chosen = []
        for name in options.suites:
            path = Path(name) if name.endswith(".yaml") else folder / f"{name}.yaml"
            if not path.is_file():
                known = ", ".join(sorted(p.stem for p in folder.glob("*.yaml")))
                raise UsageError(f"there is no suite {name}; there are {known}, or give a .yaml file")
            chosen.append(read_suite(path))
        return chosen
    every = [read_suite(path) for path in sorted(folder.glob("*.yaml"))]
    found = [suite for suite in every if (options.folder / suite.folder).is_dir()]
    if not found:
        wanted = ", ".join(sorted({suite.folder for suite in every}))
        raise UsageError(f"no suite is in {options.folder}: expected one of the folders {wanted} in it")
    return found


def _prefix(options: argparse.Namespace) -> list[str]:
    words: list[str] = options.prefix.split()
    if words and words[0] == "opweld":
        words[0] = str(Path(sys.executable).with_name("opweld"))
    return words


def _files(options: argparse.Namespace, suite: Suite, every: list[str]) -> list[str]:
    if options.file:
        files = [file for file in every if any(text in file for text in options.file)]
        if not files:
            raise UsageError(f"suite {suite.name} has no file with {', '.join(options.file)} in its name")
        return files
    return every if options.full else sample(every, options.sample or _SAMPLE, options.seed)


def _result(suite: Suite, file: str, ended: Ended) -> FileResult:
    tests = count.count(suite.counted, ended)
    outcome = judge(ended, tests)
    good = outcome in ("passed", "skipped")
    return FileResult(
        file=file,
        outcome=outcome,
        tests=tests,
        missing=[] if good else reasons.missing(ended.output),
        reasons=[] if good else reasons.errors(ended.output),
        seconds=round(ended.seconds, 2),
    )


def _run(options: argparse.Namespace, suite: Suite, console: Console) -> Report:
    base = (options.folder / suite.folder).resolve()
    every = find_files(suite, options.folder)
    files = _files(options, suite, every)
    list_file = options.expected / f"{suite.name}.tsv"
    known = expected.read_expected(list_file)
    results: dict[str, FileResult] = {}
    begin = time.monotonic()

    def done(file: str, ended: Ended) -> None:
        again = file in results
        results[file] = result = _result(suite, file, ended)
        result.again = again
        if options.logs:
            log = options.logs / suite.name / f"{file.replace('/', '.')}.log"
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(ended.output, encoding="utf-8")
        if sys.stdout.isatty():
            print(f"\r\x1b[K{len(results)}/{len(files)} {result.outcome:8} {file}", end="", flush=True)

    run_files(suite, base, files, options.jobs, _prefix(options), done)
    # A busy machine and chance must not look like a fault: what is worse than recorded runs again, alone.
    suspects = [file for file, result in results.items() if expected.worse(result, known.get(file, {}))]
    if suspects:
        run_files(suite, base, suspects, 1, _prefix(options), done)
    if sys.stdout.isatty():
        print("\r\x1b[K", end="")
    report = Report(
        suite=suite.name,
        total=len(every),
        seed=None if len(files) == len(every) else options.seed,
        results=[results[file] for file in files],
        comparison=expected.compare(known, results.values()),
        seconds=time.monotonic() - begin,
        recorded=expected.summary(known),
    )
    show(report, console)
    if options.record:
        whole = len(files) == len(every)
        expected.write_expected(list_file, expected.recorded(known, results.values(), whole))
        console.print(f"  recorded in {list_file}", highlight=False)
    return report


def _tell_recorded(options: argparse.Namespace) -> int:
    for path in sorted(options.expected.glob("*.tsv")):
        print(f"{path.stem}: {recorded_line(expected.summary(expected.read_expected(path)))}")
    return 0


def main(arguments: Sequence[str]) -> int:
    """Runs the suites; the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        if options.recorded:
            return _tell_recorded(options)
        if options.folder is None:
            parser.error("give the folder in which the suites' folders are, or --recorded")
        if options.jobs < 1 or (options.sample is not None and options.sample < 1):
            parser.error("--jobs and --sample must be at least 1")
        if not options.folder.is_dir():
            raise UsageError(f"there is no folder {options.folder}")
        suites = _chosen(options)
        if options.limit is not None:
            suites = [Suite(**{**vars(suite), "limit": options.limit}) for suite in suites]
        console = Console(soft_wrap=True)
        reports = []
        for suite in suites:
            if suite.whole and not (options.full or options.suites):
                recorded = expected.summary(expected.read_expected(options.expected / f"{suite.name}.tsv"))
                console.print(f"{suite.name}: runs with --full, or by its name; {recorded_line(recorded)}")
            else:
                reports.append(_run(options, suite, console))
    except (UsageError, LaunchError) as error:
        print(f"run: error: {error}", file=sys.stderr)
        return 2
    for path, text in ((options.json, to_json), (options.html, to_html)):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(reports), encoding="utf-8")
    faults = any(r.comparison.newly_failing or r.comparison.vanished for r in reports)
    return int(faults and not options.record)
