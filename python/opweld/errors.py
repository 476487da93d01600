"""The errors that opweld raises on purpose; each carries the exit code of the command line."""

from __future__ import annotations


class OpweldError(Exception):
    """A fault of opweld or of the environment, told in one sentence (exit code 3)."""

    exit_code = 3


class UsageError(OpweldError):
    """opweld was asked for something that makes no sense, or that does not exist (exit code 2)."""

    exit_code = 2


class FaultsFound(OpweldError):
    """What was examined has faults; they have been reported already or are the message (exit code 1)."""

    exit_code = 1
