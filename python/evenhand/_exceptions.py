"""Exceptions and warnings. Each carries the engine's slug as ``code``.

The engine raises these by name; the wording of a message may improve, its slug stays.
"""

from __future__ import annotations

import warnings as _warnings

__all__ = [
    "EvenhandError",
    "EvenhandFileError",
    "EvenhandInternalError",
    "EvenhandLearnerError",
    "EvenhandWarning",
    "warn_of",
]


class EvenhandError(ValueError):
    """Something is wrong with the data or the settings; the message says what to do."""

    code: str
    """A slug that stays the same across versions, such as ``"group-value"``."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type[EvenhandError], tuple[str, str]]:
        return type(self), (str(self), self.code)


class EvenhandFileError(EvenhandError, OSError):
    """A file could not be read or written."""


class EvenhandLearnerError(EvenhandError, RuntimeError):
    """A learner failed."""


class EvenhandInternalError(EvenhandError, RuntimeError):
    """A bug in evenhand."""


class EvenhandWarning(UserWarning):
    """Something to know about a result that is still a result."""

    code: str
    """A slug that stays the same across versions, such as ``"small-group"``."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


def warn_of(warnings: list[tuple[str, str]], *, stacklevel: int = 3, quiet: frozenset[str] = frozenset()) -> None:
    """Issue the engine's warnings, each a slug and a text."""
    for code, text in warnings:
        if code not in quiet:
            _warnings.warn(EvenhandWarning(text, code), stacklevel=stacklevel + 1)
