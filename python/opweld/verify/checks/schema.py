"""The schema against what the operator does: what it writes into and what it returns views of."""

from __future__ import annotations

import warnings

import torch

from opweld.verify.checks.base import Check, Context
from opweld.verify.verdict import Failure, Skip, Verdict

TESTS = ("test_schema",)
# What torch says of argument types that its check cannot make from Python.
CANNOT = ("Unable to cast Python instance", "is not a valid", "nsupported")


def check_schema(context: Context) -> Verdict:
    """torch.library.opcheck on the operator itself."""
    context.eager()
    positional, keywords = context.arguments.make(context.device)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.library.opcheck(context.operator.overload, positional, keywords, test_utils=TESTS)
    except NotImplementedError as error:
        raise Skip(str(error)) from error
    except Exception as error:  # opcheck raises what it met
        text = str(error)
        if any(phrase in text for phrase in CANNOT):
            raise Skip(f"torch's schema check cannot be used: {_sentence(text)}") from error
        raise Failure("schema", f"the schema says otherwise: {_sentence(text)}") from error
    return Verdict()


def _sentence(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "mutat" in line or "alias" in line or "Argument" in line]
    found = (telling or lines or ["no reason given"])[-1]
    return found.removeprefix("opcheck(op, ...): test_schema failed with ").partition(" (scroll up")[0][:300]


SCHEMA = Check("schema", check_schema, limit=3, per_dtype=True, call="torch.library.opcheck({op}, {args})")
