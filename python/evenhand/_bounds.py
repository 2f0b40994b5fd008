"""Bounds as users write them: a number for all constraints, or one for each."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

from ._exceptions import EvenhandError

__all__ = ["Bound", "bounds_of", "limits_of"]

Bound = float | Mapping[str, float]

ALL = "all"


def limits_of(name: str, bound: Any) -> list[tuple[str | None, float]]:
    """Make a list of constraints, None for all of them, and their numbers."""
    if bound is None:
        return []
    given = bound if isinstance(bound, Mapping) else {ALL: bound}
    for key, limit in given.items():
        if not isinstance(key, str) or not isinstance(limit, Real):
            message = f"`{name}` is {bound!r}; allowed is a number, or a dictionary of constraints and numbers"
            raise EvenhandError(message, "setting-invalid")
    return [(None if key == ALL else key, float(limit)) for key, limit in given.items()]


def bounds_of(record: list[dict[str, Any]]) -> dict[str, Bound]:
    """Read the bounds of a model file, as the classifier takes them."""
    found: dict[str, dict[str, float]] = {}
    for bound in record:
        notion = bound.get("notion", ALL)
        ((name, limit),) = [(key, value) for key, value in bound.items() if key != "notion"]
        found.setdefault(name.replace("-", "_"), {})[notion] = limit
    return {name: limits[ALL] if set(limits) == {ALL} else limits for name, limits in found.items()}
