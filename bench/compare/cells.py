"""Measurements by dataset, notion and method, and what is said of them.

Splits are the same for all methods, so that two methods are compared split by split: the
standard error is that of the mean of differences.
"""

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from record import load

OURS = "default"


@dataclass(frozen=True)
class Estimate:
    """A mean over splits, and its standard error."""

    mean: float
    error: float

    @staticmethod
    def of(values: list[float]) -> "Estimate | None":
        if len(values) < 2:
            return None
        return Estimate(statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values)))

    def is_below_zero(self) -> bool:
        """Whether the mean is negative by more than two standard errors."""
        return self.mean + 2 * self.error < 0


class Cell:
    """All measurements of one dataset and notion."""

    def __init__(self):
        self.published = defaultdict(list)
        self.splits = defaultdict(dict)

    def seconds(self, method: str) -> float | None:
        """The median time on the published split."""
        runs = self.published.get(method)
        return statistics.median(run["seconds"] for run in runs) if runs else None

    def times_ours(self, method: str, ours: str = OURS) -> float | None:
        """How many times as long as ours."""
        seconds, base = self.seconds(method), self.seconds(ours)
        return seconds / base if seconds is not None and base is not None else None

    def estimate(self, method: str, value: str) -> Estimate | None:
        return Estimate.of([row[value] for row in self.splits.get(method, {}).values()])

    def difference(self, method: str, value: str, ours: dict[str, float]) -> Estimate | None:
        """A method less a mixture of ours (shares by method), split by split."""
        theirs = self.splits.get(method, {})
        common = [split for split in theirs if all(split in self.splits.get(one, {}) for one in ours)]
        mixture = lambda split: sum(share * self.splits[one][split][value] for one, share in ours.items())
        return Estimate.of([theirs[split][value] - mixture(split) for split in common])

    def is_dominated_by(self, method: str) -> bool:
        """Whether a method has lower test error and lower test violation than ours, both beyond two standard errors."""
        both = [self.difference(method, value, {OURS: 1.0}) for value in ("test_error", "test_violation")]
        return all(one is not None and one.is_below_zero() for one in both)

    def on_frontier(self, rows: str, violation: float) -> dict[str, float] | None:
        """Which of our fits, in which shares, have this mean violation on training or test rows at the least mean test error.

        The frontier joins, by straight lines, those of our fits (the default with and without
        a bound, and no correction) that no other of ours beats in both means. `None` where
        even the strictest violates more.
        """
        points = []
        for method in self.splits:
            if method.split("@")[0] in (OURS, "unconstrained"):
                at, error = self.estimate(method, f"{rows}_violation"), self.estimate(method, "test_error")
                if at and error:
                    points.append((at.mean, error.mean, method))
        below = None
        for at, error, method in sorted(points):
            if below and error >= below[1]:
                continue
            if at > violation:
                if below is None:
                    return None
                share = (violation - below[0]) / (at - below[0])
                return {below[2]: 1 - share, method: share}
            below = at, error, method
        return {below[2]: 1.0} if below else None


def cells(folder: Path) -> dict[tuple[str, str], Cell]:
    """Everything measured, by dataset and notion."""
    found = defaultdict(Cell)
    for row in load(folder / "speed.csv"):
        found[row["dataset"], row["notion"]].published[row["method"]].append(row)
    for name in ("quality-ours.csv", "quality-rivals.csv"):
        for row in load(folder / name):
            found[row["dataset"], row["notion"]].splits[row["method"]][row["split"]] = row
    return found
