"""What labels, and predictions of any model, show group by group."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from . import _core
from ._columns import array_of, is_frame, table_of, text_of
from ._data import assemble, positive_of, target_of
from ._exceptions import EvenhandError
from ._report import Report
from ._results import Recorded, frame_of, html_table, library_of
from ._sensitive import sensitive_of
from ._verdict import BoundTest
from .constraints import Constraint, Constraints, spelled

__all__ = ["Audit", "audit", "violation"]

RATES = ("positive_rate", "true_positive_rate", "false_positive_rate", "accuracy")

DEFINITIONS = {
    "violation": "largest |overall - group| rate (the paper's)",
    "difference": "largest minus smallest group rate",
    "ratio": "smallest over largest group rate",
}


class Audit(Recorded):
    """Rates, violations, counts and intervals per group.

    Made by :func:`audit`. It says what was measured, and no more: no number here makes a model right to use.
    """

    def __init__(
        self, record: dict[str, Any], texts: tuple[str, str], library: str, report: _core.Report | None
    ) -> None:
        self._record = record
        self._texts = texts
        self._library = library
        self._report = report

    @property
    def by_group(self) -> Any:
        """A frame with a row for everyone, each group, rows without a value (``race missing``), each class audited."""
        return frame_of(self._rows(("overall", "groups", "missing")), self._library)

    @property
    def by_intersection(self) -> Any:
        """The same for rows that are in several groups at once."""
        return frame_of(self._rows(("intersections",)), self._library)

    @property
    def violations(self) -> Any:
        """A frame with a row for each notion, by three definitions.

        ``violation`` is the largest ``|overall - group|`` rate, ``difference`` the largest minus the smallest
        group rate, ``ratio`` the smallest over the largest.
        """
        return frame_of(self._violations(), self._library)

    @property
    def accuracy(self) -> float | None:
        """Share of rows predicted as labelled; None without predictions."""
        found = self._record["accuracy"]
        return None if found is None else found["value"]

    @property
    def bounds(self) -> list[BoundTest]:
        """Whether each bound that was asked for holds, as far as these rows can tell."""
        return [BoundTest.of(one) for one in self._record["bounds"]]

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """What weakens the numbers."""
        return list(self._record["warnings"])

    def violation(
        self, constraint: str | Constraint = "demographic_parity", definition: str = "violation"
    ) -> float | None:
        """Get one number, the worst over the classes audited.

        Parameters
        ----------
        constraint : str or Constraint, default="demographic_parity"
        definition : {"violation", "difference", "ratio"}, default="violation"
            Largest ``|overall - group|`` rate; largest minus smallest group rate; smallest over largest.

        Returns
        -------
        float or None
            None where nothing could be measured.
        """
        if definition not in DEFINITIONS:
            message = f"`definition` is {definition!r}; allowed is {', '.join(map(repr, DEFINITIONS))}"
            raise EvenhandError(message, "setting-invalid")
        (notion,) = _core.notions(spelled(constraint))
        notion = "demographic-parity" if notion.endswith("disparate-impact") else notion
        rows = self._violations()
        if notion not in {row["notion"] for row in rows}:
            known = ", ".join(dict.fromkeys(row["notion"] for row in rows))
            raise EvenhandError(f"an audit of these does not measure {notion}; it measures: {known}", "notion-syntax")
        found = [row[definition] for row in rows if row["notion"] == notion and row[definition] is not None]
        return (min if definition == "ratio" else max)(found, default=None)

    @property
    def scores(self) -> Any:
        """A frame with a row for everyone and each group: AUC and calibration of the scores, with intervals.

        ``auc`` has Newcombe's interval; ``calibration`` is the mean score minus the share labelled positive, with a
        normal interval; ``calibration_error`` is the expected calibration error over ten bins, and
        ``calibration_error_by_chance`` what scores that are probabilities would show. Empty without scores.
        """
        return frame_of(self._scores(), self._library)

    @property
    def reliability(self) -> Any:
        """A frame with a row for each group and bin of scores: the mean score and the share labelled positive."""
        found = []
        for group in self._scored():
            for one in group["bins"]:
                rate = one["positive_rate"]
                found.append(
                    {
                        "group": group["group"],
                        "from": one["from"],
                        "to": one["to"],
                        "rows": rate["count"],
                        "mean_score": one["mean_score"],
                        "positive_rate": rate["value"],
                        "positive_rate_low": rate["low"],
                        "positive_rate_high": rate["high"],
                    }
                )
        return frame_of(found, self._library)

    @property
    def rates(self) -> Any:
        """A frame with a row for each subset of the rates, of your own or given ones, that were asked for."""
        return frame_of(self._record.get("rates", []), self._library)

    def report(self) -> Report:
        """Make a report for others; in a notebook the page shows itself.

        An audit of rows on other machines has none: it raises an error.
        """
        return Report._of(self._report, "an audit")

    def text(self, *, full: bool = False) -> str:
        """Write it as lines of text, as ``evenhand audit`` does.

        Parameters
        ----------
        full : bool, default=False
            Whether every rate has its interval, with intersections, differences and ratios; else a summary, which is
            what ``print`` shows.

        Returns
        -------
        str
        """
        return self._texts[full]

    def __str__(self) -> str:
        return f"{self.text()}\n`.text(full=True)` has everything; `.by_group` and `.violations` are frames.\n"

    def __repr__(self) -> str:
        classes = ", ".join(repr(one["positive"]) for one in self._record["classes"])
        return f"<evenhand.Audit of {self._record['rows']} rows, positive: {classes}>"

    def _repr_html_(self) -> str:
        rows = self._rows(("overall", "groups", "missing"))
        rates = [name for name in RATES if any(name in row for row in rows)]
        several = len(self._record["classes"]) > 1
        head = ["positive"] * several + ["group", "rows", *(name.replace("_", " ") for name in rates)]
        body = [
            [row["positive"]] * several + [row["group"], row["rows"], *(_with_interval(row, name) for name in rates)]
            for row in rows
        ]
        violations = self._violations()
        named = [name for name in violations[0] if several or name != "positive"] if violations else []
        legend = "; ".join(f"{name}: {meaning}" for name, meaning in DEFINITIONS.items())
        rates_of = "Predictions" if self._record["classes"][0]["predictions"] else "Labels"
        return (
            f"<div>{html_table(head, body, caption=f'{rates_of} by group: {repr(self)[1:-1]}')}"
            f"{html_table(named, [[row[name] for name in named] for row in violations], caption='Violations')}"
            f"{self._scores_html()}"
            f"<p>{escape(legend)}. In brackets: Wilson intervals, {self._record['confidence']:.0%}.</p></div>"
        )

    def _scores_html(self) -> str:
        rows = self._scores()
        if not rows:
            return ""
        names = ("auc", "calibration", "calibration_error")
        body = [
            [row["group"], row["rows"], *(_with_interval(row, name) for name in names[:2]), row[names[2]]]
            for row in rows
        ]
        return html_table(["group", "rows", *(name.replace("_", " ") for name in names)], body, caption="Scores")

    def _rows(self, parts: Sequence[str]) -> list[dict[str, Any]]:
        found = []
        for one in self._record["classes"]:
            tables = one["predictions"] or one["labels"]
            for part in parts:
                for rates in [tables[part]] if part == "overall" else tables.get(part, []):
                    row = {"positive": one["positive"], "group": rates["group"], "rows": rates["rows"]}
                    for name in (name for name in RATES if name in rates):
                        row |= {name: rates[name]["value"]}
                        row |= {f"{name}_{end}": rates[name][end] for end in ("low", "high")}
                    found.append(row)
        return found

    def _scored(self) -> list[dict[str, Any]]:
        found = self._record.get("scores")
        return [] if found is None else [found["overall"], *found["groups"], *found.get("missing", [])]

    def _scores(self) -> list[dict[str, Any]]:
        rows = []
        for group in self._scored():
            row = {"group": group["group"], "rows": group["rows"]}
            for name in ("auc", "calibration"):
                estimate = group[name] or {"value": None, "low": None, "high": None}
                row |= {name: estimate["value"], f"{name}_low": estimate["low"], f"{name}_high": estimate["high"]}
            row |= {"mean_score": group["mean_score"], "positive_rate": group["positive_rate"]["value"]}
            rows.append(row | {name: group[name] for name in ("calibration_error", "calibration_error_by_chance")})
        return rows

    def _violations(self) -> list[dict[str, Any]]:
        found = []
        for one in self._record["classes"]:
            several = one["predictions"]["violations"] if one["predictions"] else [one["labels"]["violation"]]
            for violation in several:
                largest = violation["paper"] or {"value": None, "group": None, "rate": None}
                found.append(
                    {
                        "positive": one["positive"],
                        "notion": violation["notion"],
                        "violation": largest["value"],
                        "group": largest["group"],
                        "rate": largest["rate"],
                        "difference": violation["difference"],
                        "ratio": violation["ratio"],
                    }
                )
        return found


def audit(
    y_true: Any,
    y_pred: Any = None,
    *,
    sensitive_features: Any,
    scores: Any = None,
    threshold: float | None = None,
    X: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    groups: str | Sequence[str] | None = None,
    intersections: bool = True,
    confidence: float = 0.95,
    constraints: Constraints = "demographic_parity",
    notion: Constraints | None = None,
    max_violation: float | None = None,
    max_difference: float | None = None,
    min_ratio: float | None = None,
) -> Audit:
    """Show how labels, and predictions of any model, differ between groups.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or None
        Labels. With None the predictions alone are audited, by demographic parity.
    y_pred : array-like of shape (n_samples,), default=None
        Predicted labels. Without them, and without scores, the labels alone are audited.
    scores : array-like of shape (n_samples,), default=None
        Probabilities of the positive one of two classes. Their AUC and calibration by group are in
        :attr:`Audit.scores` and :attr:`Audit.reliability`; without ``y_pred`` rows are decided by ``threshold``.
    threshold : float, default=None
        From which score on rows are decided positive: None is 0.5.
    sensitive_features : column, columns, masks, matrix or specifications
        As in :meth:`EvenhandClassifier.fit`; specifications refer to the columns of ``X``.
    X : frame, default=None
        Where specifications find their columns.
    sample_weight : array-like of shape (n_samples,), default=None
    pos_label : label, default=None
        The positive class; None is the second of two, and with more each in turn.
    groups : str or list of str, default=None
        Group specifications in place of one group for each value.
    intersections : bool, default=True
        Whether rows in several groups at once are reported too.
    confidence : float, default=0.95
        Of the intervals, and of the verdicts on bounds.
    notion : str, Constraint or list of these, default=None
        The command line's word for ``constraints``; give one of the two.
    constraints : str, Constraint or list of these, default="demographic_parity"
        What bounds are on. Without predictions demographic parity alone can be tested, and rates of your own
        (:class:`evenhand.constraints.Rate`) or given ones (``TargetRate``, ``KnownRate``) among rows of any label;
        these are measured without a bound too, in :attr:`Audit.rates`, and name columns of ``X``.
    max_violation, max_difference, min_ratio : float, default=None
        Bounds, as in :class:`EvenhandClassifier`; their verdicts are in :attr:`Audit.bounds`.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from evenhand import audit
    >>> found = audit([1, 0, 1, 1], [1, 0, 0, 1], sensitive_features=["f", "f", "m", "m"])
    >>> found.violation("demographic_parity")
    0.0
    >>> found.violation("equal_opportunity", "difference")
    0.5
    >>> found = audit([1, 0, 1, 1], [1, 0, 0, 1], sensitive_features=["f", "f", "m", "m"], max_violation=0.1)
    >>> [bound.verdict for bound in found.bounds]
    ['too-few-rows']
    """
    _check_scores(y_true, y_pred, scores, threshold)
    unlabelled = y_true is None
    if unlabelled:
        y_true, y_pred = y_pred, None
    target = target_of(y_true)
    if len(target.classes) == 1 and y_pred is not None:
        # Labels of one class can still be predicted as another.
        target = target_of(y_true, classes=np.unique(np.concatenate([np.asarray(y_true), np.asarray(y_pred)])))
    sensitive = sensitive_of(sensitive_features, len(target.codes), groups=groups, intersections=False)
    if X is None and sensitive.specs and not sensitive.columns.names:
        message = f"`sensitive_features` names columns of X ({sensitive.specs[0]}): give `X` too, or the column itself"
        raise EvenhandError(message, "column-unknown")
    if unlabelled and len(target.classes) == 1 and pos_label is not None:
        positive: str | None = text_of(pos_label)  # predictions may all be the same, and another class
    else:
        positive = positive_of(target, pos_label)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    table = table_of(X) if X is not None and is_frame(X) else _core.Table()
    data = assemble(table, target, sensitive, positive=positive, sample_weight=weight)
    predictions = None
    if y_pred is not None:
        predicted = target_of(y_pred, classes=target.classes)
        if len(predicted.codes) != len(target.codes):
            message = f"y_pred has {len(predicted.codes)} rows, and y_true {len(target.codes)}"
            raise EvenhandError(message, "length-mismatch")
        predictions = "prediction"
        while predictions in data.table.names:
            predictions += "_"
        data.table.add_codes(predictions, predicted.codes, target.texts)
    score = None
    if scores is not None:
        score = "score"
        while score in data.table.names:
            score += "_"
        data.table.add_numbers(score, _scores_of(scores, len(target.codes)))
    record, texts, _, report = _core.audit(
        data.table,
        data.roles,
        groups=data.groups,
        predictions=predictions,
        confidence=confidence,
        intersections=intersections,
        notions=_core.notions(spelled(constraints, notion)),
        max_violation=max_violation,
        max_difference=max_difference,
        min_ratio=min_ratio,
        score=score,
        threshold=0.5 if threshold is None else threshold,
        unlabelled=unlabelled,
    )
    return Audit(json.loads(record), texts, library_of(X, sensitive_features, y_true, y_pred), report)


def _check_scores(y_true: Any, y_pred: Any, scores: Any, threshold: float | None) -> None:
    """Say what is missing, or given in the wrong place."""
    if threshold is not None and (scores is None or y_pred is not None):
        message = (
            "`threshold` decides by `scores`, and there are none" if scores is None else "give `y_pred` or `threshold`"
        )
        raise EvenhandError(message, "setting-invalid")
    if y_true is None and (y_pred is None or scores is not None):
        missing = "predictions" if y_pred is None else "labels, which scores are compared with"
        raise EvenhandError(f"there is nothing to audit without {missing}", "setting-invalid")
    if y_pred is None or y_true is None:
        return
    predicted = np.asarray(y_pred)
    if predicted.dtype.kind != "f" or not len(predicted) or np.isnan(predicted).any():
        return
    fractions = predicted[(predicted > 0) & (predicted < 1)]
    if len(fractions) and fractions[0] not in np.asarray(y_true):
        message = (
            f"`y_pred` holds `{fractions[0]}`: it takes labels; give probabilities as `scores`, with a `threshold`"
        )
        raise EvenhandError(message, "class-unknown")


def _scores_of(scores: Any, rows: int) -> NDArray[np.float64]:
    found = np.ascontiguousarray(column_or_1d(array_of(scores)), dtype=np.float64)
    if len(found) != rows:
        raise EvenhandError(f"scores has {len(found)} rows, and y_true {rows}", "length-mismatch")
    return found


def _with_interval(row: dict[str, Any], name: str) -> str | None:
    """Write a rate with its interval."""
    if row.get(name) is None:
        return None
    ends = [row[f"{name}_{end}"] for end in ("low", "high")]
    return f"{row[name]:.3f}" if None in ends else f"{row[name]:.3f} ({ends[0]:.3f} to {ends[1]:.3f})"


def violation(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    constraint: str | Constraint = "demographic_parity",
    definition: str = "violation",
    pos_label: Any = None,
) -> float:
    """Measure how far groups are apart, in one number.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sample_weight, pos_label
        As in :func:`audit`.
    constraint : str or Constraint, default="demographic_parity"
        What is asked to be equal.
    definition : {"violation", "difference", "ratio"}, default="violation"
        Largest ``|overall - group|`` rate; largest minus smallest group rate; smallest over largest.

    Returns
    -------
    float
        NaN where nothing could be measured.

    Examples
    --------
    >>> from evenhand import violation
    >>> violation([1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=["f", "f", "m", "m"])
    0.25
    """
    found = audit(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        intersections=False,
    ).violation(constraint, definition)
    return float("nan") if found is None else found
