from typing import final

@final
class CheckResult:
    """What `check` found in all files."""

    report: str
    errors: int
    warnings: int

@final
class WrittenFile:
    """A generated file, relative to the output folder."""

    path: str
    changed: bool

@final
class GenerateResult:
    """What `generate` wrote; nothing where `ok` is false. `report` is the text of all diagnostics."""

    ok: bool
    report: str
    files: list[WrittenFile]

def check(specs: list[str], report_format: str, color: bool) -> CheckResult:
    """Checks spec files; `report_format` is text, json or sarif. An unreadable file is a fault, too."""

def generate(spec: str, output: str, target: str, color: bool) -> GenerateResult:
    """Writes the generated project of `spec` to `output`; `target` is software or npu."""

def new_project(name: str, directory: str) -> list[str]:
    """Writes a new operator project; the files, relative to `directory`. Raises ValueError."""

@final
class ImportResult:
    """A spec made of another tool's file; `yaml` is empty where nothing could be made."""

    yaml: str
    summary: str
    report: str

def import_spec(
    text: str, file: str, source: str, version: str, complete_only: bool, color: bool
) -> ImportResult:
    """Makes a spec of `text`, the content of `file`.

    `source` is msopgen or op-plugin, `version` the torch version for op-plugin. `complete_only` leaves out
    operators of op-plugin that nothing can be generated from.
    """

def verification(spec: str, samples: int, seed: int) -> str:
    """The model of a spec as JSON, with each operator's rules as Python and up to `samples` samples.

    Raises ValueError with the report where the spec has faults.
    """

def json_schema() -> str:
    """The JSON Schema of spec files, for editors."""
