"""Estimators of other libraries as learners of the engine.

The engine asks for a fit with weights on some rows, and for what the fitted one predicts for some rows. Rows
stay here, as they came.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import clone, config_context
from sklearn.utils import _safe_indexing

from ._exceptions import EvenhandError
from ._interrupt import Interrupts

__all__ = ["MEMBERSHIP", "Learner", "Predictor", "aligned_scores", "weight_parameter"]

# The classes of a model of who is in a group.
MEMBERSHIP = np.asarray([0, 1])


def weight_parameter(estimator: Any) -> str | None:
    """Find the parameter of ``fit`` that takes weights: of a pipeline, that of its last step."""
    steps = getattr(estimator, "steps", None)
    if steps:
        name, last = steps[-1]
        inner = weight_parameter(last)
        return None if inner is None else f"{name}__{inner}"
    fit = getattr(estimator, "fit", None)
    parameters = inspect.signature(fit).parameters if fit is not None else {}
    return "sample_weight" if "sample_weight" in parameters else None


def aligned_scores(estimator: Any, X: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Get class probabilities in the order of ``classes``; decisions stand in where there are none."""
    scores = np.zeros((_rows(X), len(classes)), dtype=np.float64)
    own = np.asarray(getattr(estimator, "classes_", classes))
    if hasattr(estimator, "predict_proba"):
        scores[:, np.searchsorted(classes, own)] = np.asarray(estimator.predict_proba(X))
    else:
        predicted = np.asarray(estimator.predict(X))
        strange = predicted[~np.isin(predicted, classes)]
        if len(strange):
            message = f"`{type(estimator).__name__}.predict` gave `{strange[0]}`, which is no class; give a classifier"
            raise EvenhandError(message, "learner-failed")
        decided = np.searchsorted(classes, predicted)
        scores[np.arange(len(decided)), decided] = 1.0
    return scores


@dataclass
class Predictor:
    """A fitted estimator, and the rows it can be asked about."""

    estimator: Any
    learner: Learner
    of_membership: bool = False

    def __call__(self, rows: NDArray[np.uintp] | None) -> NDArray[np.float64]:
        """Score some rows, in the engine's order of classes."""
        X = self.learner.rows(rows)
        with self.learner.interrupts.minded():
            if self.of_membership:
                return aligned_scores(self.estimator, X, MEMBERSHIP)
            scores = aligned_scores(self.estimator, X, self.learner.classes)
        return np.ascontiguousarray(scores[:, self.learner.order])


@dataclass
class Learner:
    """Fits clones of an estimator to weighted rows."""

    estimator: Any
    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    order: list[int]
    """For each class of the engine, its place in ``classes``."""
    unweighted: bool
    """Whether rows are in or out, and weigh nothing but the user's own weights."""
    own: NDArray[np.float64] | None
    """The user's own weights, if there are any."""
    interrupts: Interrupts = field(default_factory=Interrupts)
    others: Any = None
    """Rows that were not trained on, counted on from those that were."""

    def __post_init__(self) -> None:
        self.parameter = weight_parameter(self.estimator)
        name = type(self.estimator).__name__
        if self.parameter is None and not self.unweighted:
            message = (
                f"`{name}.fit` takes no sample_weight; give method='sampling', which samples rows instead, or "
                "apply='tilt', which tilts its probabilities"
            )
            raise EvenhandError(message, "learner-weights")

    def rows(self, rows: NDArray[np.uintp] | None) -> Any:
        """Find rows by their numbers: some of the training rows, or all that were not trained on."""
        if rows is None:
            return self.X
        if len(rows) and rows[0] >= len(self.y):
            return self.others
        return _safe_indexing(self.X, rows.astype(np.intp))

    def _repeated(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows as often as they weigh: a row of weight 2 comes twice."""
        if self.own is None:
            return rows
        times = self.own[rows].astype(np.intp)
        if not np.array_equal(times, self.own[rows]):
            message = (
                f"`{type(self.estimator).__name__}.fit` takes no sample_weight, so rows are repeated instead, and "
                "these weights are no whole numbers; leave them out, or take another estimator"
            )
            raise EvenhandError(message, "learner-weights")
        return np.repeat(rows, times)

    def __call__(
        self,
        weights: NDArray[np.float64],
        rows: NDArray[np.uintp] | None,
        members: NDArray[np.bool_] | None = None,
    ) -> Callable[..., Any]:
        """Fit a clone to labels or, where ``members`` are given, to who is in a group."""
        X, y = self.X, self.y
        if members is not None:
            y = np.zeros(len(self.y), dtype=np.int64)
            y[slice(None) if rows is None else rows.astype(np.intp)] = members
        chosen = None if rows is None else rows.astype(np.intp)
        if self.unweighted:
            kept = np.flatnonzero(weights)
            weights = weights[kept]
            chosen = kept if chosen is None else chosen[kept]
            if self.parameter is None:
                chosen = self._repeated(chosen)
        if chosen is not None:
            X, y = _safe_indexing(X, chosen), y[chosen]
        estimator = clone(self.estimator)
        with self.interrupts.minded(), config_context(enable_metadata_routing=False):
            if self.parameter is None or (self.unweighted and self.own is None):
                estimator.fit(X, y)
            else:
                estimator.fit(X, y, **{self.parameter: weights})
        return Predictor(estimator, self, members is not None)


def _rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
