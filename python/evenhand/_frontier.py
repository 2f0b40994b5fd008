"""The trade-off between error and violation, and row weights alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bounds import limits_of
from ._classifier import EvenhandClassifier
from ._data import Data, Target, gather, positive_of, quiet_about, target_of
from ._exceptions import EvenhandError, warn_of
from ._progress import watching
from ._report import Report
from ._results import Recorded, frame_of, html_table, library_of
from .constraints import Constraints, spelled

__all__ = ["Frontier", "frontier", "sample_weights"]


class Frontier(Recorded):
    """Classifiers from the uncorrected one to the most even one that was led to. Made by :func:`frontier`."""

    def __init__(self, record: dict[str, Any], library: str, reported: Callable[[float], _core.Report]) -> None:
        self._record = record
        self._library = library
        self._reported = reported

    @property
    def points(self) -> Any:
        """A frame with a row for each point; violations are the largest ``|overall - group|`` rate."""
        return frame_of(self._rows(), self._library)

    @property
    def floor(self) -> float | None:
        """The smallest violation that the correction led to, where it did not lead to what was asked."""
        floor: float | None = self._record["floor"]
        return floor

    @property
    def memberships(self) -> Any:
        """How well features tell each group that the learner may not see, a frame; None where none was modelled."""
        found = self._record["memberships"]
        return frame_of(found, self._library) if found else None

    @property
    def n_fits(self) -> int:
        """How many times the learner was called for all points."""
        return int(self._record["fits"])

    def report(self, confidence: float = 0.95) -> Report:
        """Tell what less violation costs, in a report for others; in a notebook the page shows itself.

        Measured on test rows where some were given. It needs the rows again, which are referred to, without a copy.

        Parameters
        ----------
        confidence : float, default=0.95
            Of the intervals.

        Returns
        -------
        Report
        """
        return Report(self._reported(confidence))

    def __repr__(self) -> str:
        return f"<evenhand.Frontier of {len(self._record['points'])} points>"

    def _repr_html_(self) -> str:
        rows = self._rows()
        return html_table(list(rows[0]), [list(row.values()) for row in rows])

    def _rows(self) -> list[dict[str, Any]]:
        return [_row(point) for point in self._record["points"]]


def _row(point: dict[str, Any]) -> dict[str, Any]:
    train, test = point["train"], point["test"]
    row = {
        "asked": point["asked"],
        "max_violation": point["max_violation"],
        "violation": train["violation"],
        "error": train["error"],
    }
    if "threshold" in point:
        row["threshold"] = point["threshold"]
    if test is not None:
        row |= {"test_violation": test["violation"], "test_error": test["error"]}
    return row | {"stop": point["stop"], "fits": point["fits"], "dominated": point["dominated"]}


def frontier(
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    constraints: Constraints = "demographic_parity",
    notion: Constraints | None = None,
    points: int = 12,
    test: tuple[Any, Any, Any] | None = None,
    sample_weight: Any = None,
    groups: str | Sequence[str] | None = None,
    intersections: bool = False,
    withhold: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    numeric: Sequence[str] | None = None,
    missing: Sequence[str] | None = None,
    pos_label: Any = None,
    min_group: int | None = None,
    max_violation: Mapping[str, float] | None = None,
    l2: float | None = None,
    covariate_shift: str = "ignored",
    threshold: str = "half",
    apply: str = "weights",
    tilt: str | None = None,
    callback: Callable[[dict[str, Any]], object] | None = None,
    progress: bool = False,
) -> Frontier:
    """Trace error against violation, from no correction to as little violation as a correction leads to.

    Choose a point by its test rows, and give its bound to ``EvenhandClassifier(max_violation=...)``, with the
    same ``apply``.

    Parameters
    ----------
    X, y, sensitive_features, sample_weight
        As in :meth:`EvenhandClassifier.fit`, with the built-in learner.
    constraints, notion, groups, intersections, withhold, categorical, numeric, missing, pos_label
        As in :class:`EvenhandClassifier`.
    min_group, l2, covariate_shift, threshold, apply, tilt
        As in :class:`EvenhandClassifier`.
    callback, progress
        As in :class:`EvenhandClassifier`.
    max_violation : dict, default=None
        Constraints that are held to a number all along the path, ``{"target_rate": 0.005}``, while smaller and smaller
        violations of the others are asked for.
    points : int, default=12
        How many points to look for, both ends counted.
    test : tuple of (X, y, sensitive_features), default=None
        Rows on which every point is evaluated as well.

    Returns
    -------
    Frontier

    Examples
    --------
    >>> from evenhand import frontier
    >>> from evenhand.datasets import make_loans
    >>> X, y, _ = make_loans(2000, random_state=1)
    >>> path = frontier(X, y, sensitive_features="sex", points=4)
    >>> path.points["violation"].is_monotonic_decreasing
    True
    """
    target = target_of(y)
    positive = positive_of(target, pos_label)

    def data_of(X: Any, target: Target, sensitive_features: Any, weight: Any) -> Data:
        return gather(
            X,
            target,
            sensitive_features,
            weight,
            positive=positive,
            groups=groups,
            intersections=intersections,
            categorical=categorical,
            numeric=numeric,
            missing=missing,
        )

    def gathered() -> tuple[Data, _core.Table | None]:
        data = data_of(X, target, sensitive_features, sample_weight)
        if test is None:
            return data, None
        return data, data_of(test[0], target_of(test[1], target.name, classes=target.classes), test[2], None).table

    data, tested = gathered()
    settings = _core.Settings(
        spelled(constraints, notion),
        groups=data.groups,
        withhold=[*(withhold or ())],
        beside=data.withhold,
        covariate_shift=covariate_shift,
        threshold=threshold,
        apply=apply,
        tilt=tilt,
        max_violation=limits_of("max_violation", max_violation),
        min_group=min_group,
        l2=l2,
    )
    with watching(callback, progress, points * settings.most_fits) as notify:
        record, found_warnings, traced = _core.frontier(
            data.table, data.roles, settings, points=points, test=tested, callback=notify
        )
    warn_of(found_warnings, quiet=quiet_about(X))

    def reported(confidence: float) -> _core.Report:
        data, tested = gathered()
        return traced.report(data.table, data.roles, test=tested, confidence=confidence)

    return Frontier(json.loads(record), library_of(X, sensitive_features, y), reported)


def sample_weights(
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    constraints: Constraints = "demographic_parity",
    **settings: Any,
) -> NDArray[np.float64]:
    """Find row weights alone, for a learner elsewhere: XGBoost, LightGBM, a warehouse.

    They are found with the built-in logistic regression, and are right for another learner as far as it answers to
    weights alike. To have them found with that learner, give it to :class:`EvenhandClassifier`.

    Parameters
    ----------
    X, y, sensitive_features, sample_weight
        As in :meth:`EvenhandClassifier.fit`.
    constraints
        As in :class:`EvenhandClassifier`.
    **settings
        Other settings of :class:`EvenhandClassifier`.

    Returns
    -------
    ndarray of shape (n_samples,)
        One weight for each row, in the paper's closed form.

    Examples
    --------
    >>> from evenhand import sample_weights
    >>> from evenhand.datasets import make_loans
    >>> X, y, _ = make_loans(2000, random_state=1)
    >>> weights = sample_weights(X, y, sensitive_features="sex")
    >>> weights.shape, len(set(weights))
    ((2000,), 4)
    """
    if settings.get("apply", "weights") != "weights":
        message = (
            "`apply` of sample_weights is 'tilt'; allowed is 'weights': a tilt of probabilities has no row weights"
        )
        raise EvenhandError(message, "setting-invalid")
    classifier = EvenhandClassifier(constraints=constraints, **settings)
    classifier.fit(X, y, sensitive_features=sensitive_features, sample_weight=sample_weight)
    return classifier.sample_weight_
