"""A fitted classifier, or a model file, evaluated on new labelled rows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ._bounds import Bound
from ._classifier import EvenhandClassifier
from ._verdict import BoundTest

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """How a classifier does on some rows, by their labels. Made by :func:`evaluate`.

    Attributes
    ----------
    metrics : dict
        ``rows``, ``errors``, ``error``, ``violation``, ``violations``, ``positive_rate``, ``class_rates`` and
        ``groups``.
    intervals : dict
        Per constraint the two ends of the interval of its violation; None where it cannot be measured.
    bounds : list of BoundTest
        Whether each bound holds, as far as these rows can tell.
    confidence : float
        Of intervals and verdicts.
    """

    metrics: dict[str, Any]
    intervals: dict[str, tuple[float, float] | None]
    bounds: list[BoundTest]
    confidence: float

    @property
    def error(self) -> float:
        """The share of rows predicted otherwise than labelled."""
        return float(self.metrics["error"])

    @property
    def violation(self) -> float | None:
        """The largest ``|overall - group|`` rate; None where no group can be measured."""
        return None if self.metrics["violation"] is None else float(self.metrics["violation"])

    @property
    def violations(self) -> dict[str, float | None]:
        """Overall (or asked) rate minus group rate, per constraint: above 0 where the group gets less."""
        return {one["name"]: one["value"] for one in self.metrics["violations"]}

    def meets_bounds(self, *, strict: bool = False) -> bool:
        """Tell whether no bound fails, as the exit codes of ``evenhand evaluate`` do.

        Parameters
        ----------
        strict : bool, default=False
            Whether too few rows to tell count as failing.
        """
        return not any(one.fails(strict=strict) for one in self.bounds)

    def __str__(self) -> str:
        """Say it in a few lines."""
        violation = "not measured" if self.violation is None else f"{self.violation:.4f}"
        head = f"{self.metrics['rows']} rows: error {self.error:.4f}, largest |overall - group| rate {violation}"
        return "\n".join([head, *(f"  {one}" for one in self.bounds)])


def evaluate(
    model: EvenhandClassifier | str | os.PathLike[str],
    X: Any,
    y: Any,
    *,
    sensitive_features: Any = None,
    sample_weight: Any = None,
    max_violation: Bound | None = None,
    max_difference: Bound | None = None,
    min_ratio: Bound | None = None,
    confidence: float = 0.95,
) -> Evaluation:
    """Evaluate a fitted classifier, or a model file, on labelled rows that it has not seen.

    Parameters
    ----------
    model : EvenhandClassifier or path-like
        A path is that of a model file, from here or from the command line.
    X, y, sensitive_features, sample_weight
        As in :meth:`EvenhandClassifier.fit`.
    max_violation, max_difference, min_ratio : float or dict, default=None
        Bounds to test, as in :class:`EvenhandClassifier`; without any, those that the model was asked to keep.
    confidence : float, default=0.95
        Of the intervals and verdicts.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> from evenhand import EvenhandClassifier, evaluate
    >>> from evenhand.datasets import make_loans
    >>> X, y, _ = make_loans(3000, random_state=1)
    >>> clf = EvenhandClassifier(max_violation=0.1).fit(X, y, sensitive_features=X["sex"])
    >>> later, labels, _ = make_loans(3000, random_state=2)
    >>> found = evaluate(clf, later, labels, sensitive_features=later["sex"])
    >>> found.meets_bounds()
    True
    """
    bounds = {"max_violation": max_violation, "max_difference": max_difference, "min_ratio": min_ratio}
    classifier = EvenhandClassifier._of(model, "evaluate")
    metrics, tests, violations = classifier._evaluated(X, y, sensitive_features, sample_weight, confidence, **bounds)
    intervals = {
        one["name"]: None if one["low"] is None else (float(one["low"]), float(one["high"])) for one in violations
    }
    return Evaluation(metrics, intervals, [BoundTest.of(one) for one in tests], confidence)
