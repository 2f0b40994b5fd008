"""Metrics of your own, group by group."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._columns import array_of, is_frame, table_of
from ._data import add_sensitive
from ._exceptions import EvenhandError
from ._results import frame_of, html_table, library_of
from ._sensitive import sensitive_of

__all__ = ["GroupMetrics", "metrics_by_group"]

Metric = Callable[..., Any]


class GroupMetrics:
    """Values of metrics over all rows and in each group.

    Made by :func:`metrics_by_group`.

    Attributes
    ----------
    overall : dict of str to float
        Over all rows, by the name of the metric.
    """

    def __init__(self, overall: dict[str, Any], rows: list[dict[str, Any]], library: str) -> None:
        self.overall = overall
        self._rows = rows
        self._library = library

    @property
    def by_group(self) -> Any:
        """A frame with a row for each group: its name, how many rows it has, and a column for each metric."""
        return frame_of(self._rows, self._library)

    def difference(self, metric: str | None = None, *, against: str = "groups") -> float:
        """Measure how far groups are apart.

        Parameters
        ----------
        metric : str, default=None
            Which of several.
        against : {"groups", "overall"}, default="groups"
            The largest minus the smallest value, or the largest ``|overall - group|``.

        Returns
        -------
        float
            NaN where no group has a value.
        """
        name, values = self._values(metric)
        if against not in ("groups", "overall"):
            message = f"`against` is {against!r}; allowed is 'groups', 'overall'"
            raise EvenhandError(message, "setting-invalid")
        if not len(values):
            return float("nan")
        apart = values.max() - values.min() if against == "groups" else np.abs(self.overall[name] - values).max()
        return float(apart)

    def ratio(self, metric: str | None = None) -> float:
        """Divide the smallest value of a group by the largest; NaN where that is 0 or no group has a value."""
        _, values = self._values(metric)
        return float(values.min() / values.max()) if len(values) and values.max() != 0 else float("nan")

    def _values(self, metric: str | None) -> tuple[str, NDArray[np.float64]]:
        names = list(self.overall)
        name = names[0] if metric is None and len(names) == 1 else metric
        if name is None or name not in self.overall:
            known = ", ".join(map(repr, names))
            raise EvenhandError(f"`metric` is {metric!r}; these were measured: {known}", "setting-invalid")
        values = np.asarray([row[name] for row in self._rows], dtype=np.float64)
        return name, values[~np.isnan(values)]

    def __repr__(self) -> str:
        return f"<evenhand.GroupMetrics of {', '.join(self.overall)} in {len(self._rows)} groups>"

    def _repr_html_(self) -> str:
        names = list(self.overall)
        body: list[list[Any]] = [["overall", None, *self.overall.values()]]
        body += [[row["group"], row["rows"], *(row[name] for name in names)] for row in self._rows]
        return html_table(["group", "rows", *names], body, caption="Metrics by group")


def metrics_by_group(
    metrics: Metric | Mapping[str, Metric] | Sequence[Metric],
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    X: Any = None,
    sample_weight: Any = None,
    groups: str | Sequence[str] | None = None,
    intersections: bool = False,
) -> GroupMetrics:
    """Measure what you like, over all rows and in each group.

    Parameters
    ----------
    metrics : callable, dict of str to callable, or list of callables
        Called as ``metric(y_true, y_pred)``, as those of scikit-learn are, and with weights as
        ``metric(y_true, y_pred, sample_weight=weights)``. One that raises a ``ValueError`` for a group, as an area
        under the curve does where all labels are the same, has no value there (NaN).
    y_true, y_pred : array-like of shape (n_samples,)
        What the metric compares: labels, decisions, scores or numbers; ``y_pred`` may have several columns.
    sensitive_features, X, groups
        As in :func:`audit`.
    sample_weight : array-like of shape (n_samples,), default=None
    intersections : bool, default=False
        Whether several columns make one group of each combination, in place of one of each value.

    Returns
    -------
    GroupMetrics

    Examples
    --------
    >>> from evenhand import metrics_by_group
    >>> def error(y_true, y_pred):
    ...     return float((y_true != y_pred).mean())
    >>> found = metrics_by_group(error, [1, 0, 1, 1], [1, 0, 0, 0], sensitive_features=["f", "f", "m", "m"])
    >>> found.overall
    {'error': 0.5}
    >>> found.difference()
    1.0
    """
    named = _named(metrics)
    given = {"y_true": np.asarray(array_of(y_true)), "y_pred": np.asarray(array_of(y_pred))}
    if sample_weight is not None:
        given["sample_weight"] = np.asarray(sample_weight, dtype=np.float64)
    rows = len(given["y_true"])
    for name, values in given.items():
        if len(values) != rows:
            raise EvenhandError(f"{name} has {len(values)} rows, and y_true {rows}", "length-mismatch")
    sensitive = sensitive_of(sensitive_features, rows, groups=groups, intersections=intersections)
    table = table_of(X) if X is not None and is_frame(X) else _core.Table()
    specs, _, _ = add_sensitive(table, sensitive)
    found = []
    for name, inside in _core.memberships(table, specs):
        part = {key: values[inside] for key, values in given.items()}
        row: dict[str, Any] = {"group": name, "rows": int(inside.sum())}
        found.append(row | {key: _value(metric, part) for key, metric in named.items()})
    overall = {name: _called(metric, given) for name, metric in named.items()}
    return GroupMetrics(overall, found, library_of(X, sensitive_features, y_true, y_pred))


def _named(metrics: Metric | Mapping[str, Metric] | Sequence[Metric]) -> dict[str, Metric]:
    """Give every metric a name: the one it is given under, else its own."""
    if isinstance(metrics, Mapping):
        named = {str(name): metric for name, metric in metrics.items()}
    else:
        several = [metrics] if callable(metrics) else list(metrics)
        named = {str(getattr(metric, "__name__", metric)): metric for metric in several}
    wrong = [name for name, metric in named.items() if not callable(metric)]
    if wrong or not named:
        found = f"{wrong[0]!r}, which cannot be called" if wrong else "none"
        message = f"`metrics` has {found}; allowed are functions of (y_true, y_pred), a dict or a list of them"
        raise EvenhandError(message, "setting-invalid")
    return named


def _called(metric: Metric, given: dict[str, Any]) -> Any:
    """Call a metric as scikit-learn's are called."""
    y_true, y_pred, *weights = given.values()
    value = metric(y_true, y_pred, sample_weight=weights[0]) if weights else metric(y_true, y_pred)
    return value.item() if isinstance(value, np.generic) else value


def _value(metric: Metric, part: dict[str, Any]) -> Any:
    """Measure a group; what cannot be measured there is not a number."""
    with warnings.catch_warnings():
        # scikit-learn warns, and returns NaN, where a group has labels of one class alone.
        warnings.simplefilter("ignore")
        try:
            return _called(metric, part)
        except ValueError:
            return float("nan")
