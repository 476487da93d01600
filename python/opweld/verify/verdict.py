"""How a check ends when it does not simply return: with a fault, or because it makes no sense here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from opweld.device import reason


class Failure(Exception):
    """A fault of the operator. `kind` is the same for faults of the same sort."""

    def __init__(self, kind: str, detail: str, error: float | None = None) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.error = error
        self.histogram: dict[str, int] = {}


class Skip(Exception):
    """The check says nothing about this operator, device or sample; the reason is the text.

    `kind` is `nan` where only NaN was compared with NaN.
    """

    def __init__(self, detail: str, kind: str = "") -> None:
        super().__init__(detail)
        self.kind = kind


@dataclass
class Verdict:
    """A check that passed; `detail` may say more than that, `caution` what it does not prove."""

    detail: str = ""
    caution: str = ""
    error: float | None = None
    histogram: dict[str, int] = field(default_factory=dict)


MISSING = re.compile(r"(acl\w+): the software NPU does not implement|operator (\w+) was sent to the older")


def missing_function(error: BaseException) -> str:
    """The function of CANN that an error says the software NPU lacks; empty where it says nothing such."""
    match = MISSING.search(str(error))
    return (match[1] or match[2]) if match else ""


GRAPH_TYPE = re.compile(r"node '[^']*' of type (\w+): the graph engine has no operator of that type")
SOC_DTYPE = re.compile(r"argument '(\w+)' has dtype (\w+), expected one of .* on (Ascend\w+)")


def beyond_device(error: BaseException) -> str:
    """Why a call cannot run on this NPU, which says nothing of the operator; empty for other errors."""
    if function := missing_function(error):
        return f"the software NPU has no {function}"
    if graph := GRAPH_TYPE.search(str(error)):
        return f"the software NPU's graph engine has no {graph[1]}"
    match = SOC_DTYPE.search(str(error))
    return f"{match[3]} takes no {match[2]} for '{match[1]}'" if match else ""


@contextmanager
def fails_as(kind: str, what: str) -> Iterator[None]:
    """Turns any error inside into a Failure of that kind."""
    try:
        yield
    except (Failure, Skip):
        raise
    except Exception as error:  # an operator may raise anything
        if reason_not := beyond_device(error):
            raise Skip(reason_not) from error
        raise Failure(kind, f"{what}: {reason(error)}") from error
