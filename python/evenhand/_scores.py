"""Scores by somebody else's model, corrected without training it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bounds import Bound, limits_of
from ._columns import is_frame, table_of
from ._data import Data, add_sensitive, assemble, positive_of, quiet_about, target_of
from ._exceptions import EvenhandError, warn_of
from ._report import Report
from ._results import frame_of, library_of, trade_off_of
from ._sensitive import sensitive_of
from .constraints import Constraints, spelled

__all__ = ["CorrectedScores", "correct_scores"]

SCORE = "score"


class CorrectedScores:
    """What corrects the scores of a model. Made by :func:`correct_scores`.

    Attributes
    ----------
    classes_, multipliers_, violations_, violation_, stop_, trade_off_, threshold_, effect_, memberships_, n_fits_
        As in :class:`EvenhandClassifier`; the fits are those of models of membership.
    """

    def __init__(
        self,
        found: _core.Fitted,
        classes: NDArray[Any],
        order: list[int],
        score: str,
        grouping: dict[str, Any],
        rows: Callable[[], Data],
    ) -> None:
        train = json.loads(found.train)
        assert found.model is not None
        self._model: _core.Model = found.model
        self._order, self._score, self._grouping = order, score, grouping
        self._fitted: tuple[_core.FitState, Callable[[], Data]] | None = (found.state, rows)
        self.classes_ = classes
        self.multipliers_ = dict(found.multipliers)
        self.violations_ = {one["name"]: one["value"] for one in train["violations"]}
        self.violation_ = train["violation"]
        self.stop_ = found.stop
        self.threshold_ = found.binding.threshold
        self.trade_off_ = trade_off_of(found.trade_off)
        self.effect_ = None if found.effect is None else json.loads(found.effect)
        self.memberships_ = frame_of(json.loads(found.memberships or "[]"), grouping["library"])
        self.n_fits_ = found.fits

    def predict_proba(self, scores: Any, X: Any = None, *, sensitive_features: Any = None) -> NDArray[np.float64]:
        """Correct scores of any rows.

        Parameters
        ----------
        scores : array-like of shape (n_samples,)
            Probabilities of the positive class by the same model.
        X : frame or array, default=None
            The columns that were given to :func:`correct_scores`.
        sensitive_features : default=None
            Needed where the group itself decides, with ``with_group=True``; not looked at otherwise.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            A column for each of ``classes_``.
        """
        found, _ = self._predicted(scores, X, sensitive_features)
        return np.asarray(found[:, self._order])

    def predict(self, scores: Any, X: Any = None, *, sensitive_features: Any = None) -> NDArray[Any]:
        """Decide by corrected scores; parameters as in :meth:`predict_proba`.

        Parameters
        ----------
        scores, X, sensitive_features
            As in :meth:`predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        _, decisions = self._predicted(scores, X, sensitive_features)
        return np.asarray(self.classes_[np.argsort(self._order)[decisions]])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file of the command line, for ``evenhand predict`` and ``evenhand verify``.

        Parameters
        ----------
        path : path-like
        """
        self._model.save(os.fspath(path))

    def report(
        self,
        scores: Any = None,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        X: Any = None,
        sample_weight: Any = None,
        confidence: float = 0.95,
    ) -> Report:
        """Tell what was found, in a report for others; in a notebook it shows itself.

        It needs the rows that were corrected, which are referred to, without a copy, until this is pickled.

        Parameters
        ----------
        scores, y, sensitive_features, X, sample_weight
            Other labelled rows to measure on, as in :func:`correct_scores`; without them the rows that were corrected,
            which flatter.
        confidence : float, default=0.95
            Of the intervals.

        Returns
        -------
        Report
        """
        if self._fitted is None:
            message = (
                "a report needs the rows that were corrected, and what was copied or pickled has them no more; correct "
                "the scores again, or take `audit(y, predictions, ...).report()`"
            )
            raise EvenhandError(message, "rows-needed")
        if (scores is None) != (y is None):
            message = "give both scores and y, or none of them for the rows that were corrected"
            raise EvenhandError(message, "setting-invalid")
        state, rows = self._fitted
        test = None if scores is None else self._labelled(scores, y, sensitive_features, X, sample_weight).table
        train = rows()
        return Report(state.report(train.table, train.roles, test=test, confidence=confidence))

    def __getstate__(self) -> dict[str, Any]:
        """Leave the rows behind: they are only referred to, for a report."""
        return {**self.__dict__, "_fitted": None}

    def _labelled(self, scores: Any, y: Any, sensitive_features: Any, X: Any, sample_weight: Any) -> Data:
        """Make other rows one table, its columns named as those that were corrected."""
        binding = self._model.binding
        table, rows = _table(scores, X, self._score)
        sensitive = sensitive_of(
            sensitive_features, rows, groups=self._grouping["groups"], intersections=self._grouping["intersections"]
        )
        if binding.weight is not None and sample_weight is None:
            sample_weight = np.ones(rows)
        return assemble(
            table,
            target_of(y, classes=self.classes_),
            sensitive,
            sample_weight=None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64),
            known=binding.sensitive_columns,
            label=binding.label,
            weight=binding.weight,
        )

    def _predicted(self, scores: Any, X: Any, sensitive_features: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        table, rows = _table(scores, X, self._score)
        if self._model.groups_needed and sensitive_features is not None:
            sensitive = sensitive_of(
                sensitive_features,
                rows,
                groups=self._grouping["groups"],
                intersections=self._grouping["intersections"],
            )
            add_sensitive(table, sensitive, self._model.binding.sensitive_columns)
        found, decisions, warnings = self._model.predict(table)
        warn_of(warnings, stacklevel=3)
        return found, decisions


def _table(scores: Any, X: Any, name: str | None = None) -> tuple[_core.Table, int]:
    """Columns of X, and the scores beside them."""
    values = np.ascontiguousarray(scores, dtype=np.float64)
    if values.ndim != 1:
        message = f"scores have {values.ndim} dimensions; give one number for each row, that of the positive class"
        raise EvenhandError(message, "shape")
    table = _core.Table()
    if X is not None:
        table = table_of(X if is_frame(X) or hasattr(X, "tocsc") else np.asarray(X))
        if table.rows != len(values):
            message = f"scores: {len(values)} where {table.rows} were expected, one for each row of X"
            raise EvenhandError(message, "length-mismatch")
    if name is None:
        name = SCORE
        while name in table.names:
            name += "_"
    table.add_numbers(name, values)
    return table, len(values)


def correct_scores(
    scores: Any,
    y: Any,
    *,
    sensitive_features: Any,
    X: Any = None,
    constraints: Constraints = "demographic_parity",
    notion: Constraints | None = None,
    with_group: bool = False,
    max_violation: Bound | None = None,
    max_difference: Bound | None = None,
    min_ratio: Bound | None = None,
    margin: float | None = None,
    min_group: int | None = None,
    groups: str | Sequence[str] | None = None,
    intersections: bool = False,
    measure: str = "decisions",
    threshold: str = "half",
    sample_weight: Any = None,
    pos_label: Any = None,
    l2: float | None = None,
) -> CorrectedScores:
    """Correct the scores of a model that there is already, without training it.

    Its probabilities are tilted by what X and the score tell of groups (Corollary 1 of the paper); without X it is
    the score alone that tells them. Decisions then depend on an estimate of who is in a group, or ``with_group`` on the
    group itself: who may not decide so trains with weights, by :class:`EvenhandClassifier`.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Probabilities of the positive class, from 0 to 1.
    y : array-like of shape (n_samples,)
        Labels, of two classes.
    sensitive_features
        As in :meth:`EvenhandClassifier.fit`; kept from what tells groups, also where X has them.
    X : frame or array, default=None
        Columns that tell groups.
    constraints, notion, max_violation, max_difference, min_ratio, margin, min_group
        As in :class:`EvenhandClassifier`.
    groups, intersections, measure, threshold, pos_label
        As in :class:`EvenhandClassifier`.
    with_group : bool, default=False
        Whether the group itself decides: ``sensitive_features`` are needed for new rows then.
    sample_weight : array-like of shape (n_samples,), default=None
        The user's own weights.
    l2 : float, default=None
        Penalty of the models of membership; None is 1.

    Returns
    -------
    CorrectedScores

    Examples
    --------
    >>> from evenhand import correct_scores
    >>> from evenhand.datasets import make_loans
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y, _ = make_loans(2000, random_state=1)
    >>> numbers = X[["income", "history"]].assign(female=X["sex"] == "female")
    >>> scores = LogisticRegression().fit(numbers, y).predict_proba(numbers)[:, 1]
    >>> corrected = correct_scores(scores, y, sensitive_features=X["sex"], with_group=True, max_violation=0.02)
    >>> corrected.n_fits_, corrected.violation_ <= 0.02
    (0, True)
    >>> corrected.predict(scores, sensitive_features=X["sex"]).shape
    (2000,)
    """
    target = target_of(y)
    positive = positive_of(target, pos_label)
    if len(target.classes) != 2:
        message = (
            f"`y` has {len(target.classes)} classes; scores are corrected for two: a score is the probability of one"
        )
        raise EvenhandError(message, "setting-invalid")
    table, rows = _table(scores, X)
    score = table.names[-1]
    if rows != len(target.codes):
        message = f"scores: {rows} where {len(target.codes)} were expected, one for each label"
        raise EvenhandError(message, "length-mismatch")
    sensitive = sensitive_of(sensitive_features, rows, groups=groups, intersections=intersections)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)

    def gathered() -> Data:
        return assemble(_table(scores, X)[0], target, sensitive, positive=positive, sample_weight=weight)

    data = gathered()
    settings = _core.Settings(
        spelled(constraints, notion),
        groups=data.groups,
        withhold=[],
        max_violation=limits_of("max_violation", max_violation),
        max_difference=limits_of("max_difference", max_difference),
        min_ratio=limits_of("min_ratio", min_ratio),
        measure=measure,
        threshold=threshold,
        margin=margin,
        min_group=min_group,
        l2=l2,
        apply="tilt",
        score=score,
        with_group=with_group,
    )
    found = _core.fit(data.table, data.roles, settings)
    warn_of(found.warnings, stacklevel=2, quiet=quiet_about(X))
    order = [found.classes.index(text) for text in target.texts]
    library = library_of(X, sensitive_features, y)
    grouping = {"groups": groups, "intersections": intersections, "library": library}
    return CorrectedScores(found, target.classes, order, score, grouping, gathered)
