"""The examining process: `python -m opweld.doctor.examiner REQUEST ANSWER`; see `opweld.doctor.child`.

It writes one event a line, before and after every step: what it was doing when it ended can then be told.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any, TextIO


def main(question: str, result: str) -> None:
    """Answers one request."""
    request = json.loads(Path(question).read_text(encoding="utf-8"))
    with Path(result).open("w", encoding="utf-8") as stream:
        examiner = _Examiner(stream)
        if examiner.run(request):
            examiner.tell(event="done")


class _Examiner:
    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def tell(self, **event: Any) -> None:
        self.stream.write(json.dumps(event) + "\n")
        self.stream.flush()

    def run(self, request: dict[str, Any]) -> bool:
        self.tell(event="doing", step="start")
        try:
            import torch  # noqa: F401
            import torch_npu  # type: ignore[import-untyped]  # noqa: F401
        except (ImportError, OSError, RuntimeError) as error:
            self.tell(event="failed", step="torch", reason=_first_line(error))
            return False
        from opweld.doctor import dispatcher

        sys.path[:0] = request["paths"]
        if not self._import(request["imports"]):
            return False
        before = set(dispatcher.operator_names())
        if not self._import(request["packages"]):
            return False
        for library in request["libraries"]:
            self.tell(event="doing", step="load", what=library)
            self._load(library)
        added = sorted(set(dispatcher.operator_names()) - before)
        self.tell(event="operators", names=added)
        for name in [*request["operators"], *(added if request["new"] else [])]:
            self.tell(event="doing", step="call", what=name)
            for item in dispatcher.examine_operator(name, graph=request["graph"]):
                self.finding(item.rule_id, str(item.place), item.message, item.cause, item.fix)
        if request["namespace"]:
            names = dispatcher.operator_names(request["namespace"])
            self.tell(event="rows", rows=[dispatcher.coverage(name) for name in names])
        return True

    def finding(self, rule: str, place: str, message: str, cause: str = "", fix: str = "") -> None:
        self.tell(event="finding", rule=rule, place=place, message=message, cause=cause, fix=fix)

    def _import(self, modules: list[str]) -> bool:
        for module in modules:
            self.tell(event="doing", step="import", what=module)
            try:
                importlib.import_module(module)
            except Exception as error:  # a module may raise anything
                self.tell(event="failed", step="import", what=module, reason=_first_line(error))
                return False
        return True

    def _load(self, library: str) -> None:
        import torch

        try:
            torch.ops.load_library(library)  # type: ignore[no-untyped-call]
        except (OSError, RuntimeError) as error:
            text = f"{error.__cause__ or error}"  # torch wraps the loader's error
            if "cannot open shared object file" in text:
                missing = text.partition(":")[0].removeprefix("OSError").strip()
                self.finding("OW906", library, f"{library} needs {missing}, which the loader does not find")
            elif "undefined symbol" in text:
                symbol = text.rpartition("undefined symbol: ")[2]
                self.finding(
                    "OW719",
                    library,
                    f"{library} needs the symbol {symbol}, which nothing here has",
                    "It was built against another torch, torch_npu or CANN, or a source was not linked.",
                    "Build it again in this environment.",
                )
            else:
                self.finding("OW719", library, f"{library} cannot be loaded: {text.splitlines()[0]}")


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


if __name__ == "__main__":
    main(*sys.argv[1:3])
