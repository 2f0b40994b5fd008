"""Whether bounds hold, as far as rows can tell."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

__all__ = ["BoundTest"]

MEASURED = {
    "max-violation": "largest |overall - group| rate",
    "max-difference": "largest difference between two groups",
    "min-ratio": "smallest ratio between two groups",
}

# A value that is the bound itself but for the rounding of its sums is within it, as for the engine.
ROUNDING = 1e3 * sys.float_info.epsilon

WORDS = {
    "met": "met",
    "not-met": "not met",
    "too-few-rows": "too few rows to tell",
    "cannot-tell": "cannot tell",
}


@dataclass(frozen=True)
class BoundTest:
    """Whether a bound holds on people like those of some rows, with the numbers that say so.

    Attributes
    ----------
    bound : str
        ``"max-violation"``, ``"max-difference"`` or ``"min-ratio"``.
    limit : float
        The number that was asked for.
    notion : str or None
        What it was asked for, where it is a bound for one constraint alone.
    value : float or None
        What was measured on these rows; None when they have none that the bound limits.
    low, high : float or None
        Ends of its interval.
    confidence : float
        Of the interval.
    verdict : str
        ``"met"`` or ``"not-met"`` where the whole interval says so, else ``"too-few-rows"``; ``"cannot-tell"`` where
        something that the bound limits could not be measured at all.
    worst : str or None
        In which constraint, or between which two, the value was measured.
    unmeasured : tuple of str
        Constraints that could not be measured, for want of rows.
    own_reference : tuple of str
        Constraints whose group is everyone they are about: it is its own reference, and they are not tested.
    expected_under_parity : float or None
        What a perfectly even classifier would show on such rows by chance, on average.
    row_count : int
        How many rows.
    """

    bound: str
    limit: float
    value: float | None
    low: float | None
    high: float | None
    confidence: float
    verdict: str
    worst: str | None
    unmeasured: tuple[str, ...]
    own_reference: tuple[str, ...]
    expected_under_parity: float | None
    row_count: int
    notion: str | None = None

    @classmethod
    def of(cls, found: dict[str, Any]) -> BoundTest:
        """Read the engine's record."""
        ((bound, limit),) = found["bound"].items()
        names = ("value", "low", "high", "confidence", "verdict", "worst", "expected_under_parity", "row_count")
        rest: dict[str, Any] = {name: found[name] for name in names}
        rest |= {name: tuple(found[name]) for name in ("unmeasured", "own_reference")}
        return cls(bound=bound, limit=limit, notion=found.get("notion"), **rest)

    def fails(self, *, strict: bool = False) -> bool:
        """Tell whether it should fail a pipeline, as the exit codes of the command line do.

        Parameters
        ----------
        strict : bool, default=False
            Whether it fails wherever the bound is not met for sure, too few rows to tell included.
        """
        if self.value is None or self.verdict in {"not-met", "cannot-tell"}:
            return True
        return self._is_beyond(self.value) or (strict and self.verdict != "met")

    def _is_beyond(self, value: float) -> bool:
        if self.bound == "min-ratio":
            return value < self.limit - ROUNDING
        return value > self.limit + ROUNDING

    def _shown(self, value: float) -> str:
        """Write a number with four decimals, or as many as show on which side of the bound it is."""
        texts = [f"{value:.{decimals}f}" for decimals in range(4, 16)]
        return next((text for text in texts if self._is_beyond(float(text)) == self._is_beyond(value)), texts[0])

    def __str__(self) -> str:
        """Say it in a line."""
        words = WORDS[self.verdict]
        if self.value is None:
            numbers = "nothing could be measured"
        else:
            ends = [self._shown(end) if end is not None else "unknown" for end in (self.low, self.high)]
            numbers = f"{MEASURED[self.bound]} {self._shown(self.value)}, interval {ends[0]} to {ends[1]}"
        if self.unmeasured:
            numbers += f"; no rows to measure {', '.join(self.unmeasured)}"
        if self.own_reference:
            numbers += f"; nobody to compare with in {', '.join(self.own_reference)}"
        notion = "" if self.notion is None else f"{self.notion}="
        return f"{self.bound} {notion}{self.limit:g} on {self.row_count} rows: {words} ({numbers})"
