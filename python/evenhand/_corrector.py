"""The search for weights as an object to talk to, for training loops of any kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._data import assemble, target_of
from ._exceptions import EvenhandError, tell
from ._sensitive import sensitive_of
from .constraints import Constraints, spelled

__all__ = ["Corrector"]


class Corrector:
    """Weights for a training loop of your own: in PyTorch, in Keras, on another machine.

    Ask for weights, train with them, come back with what the model predicts for the training rows,
    and repeat until ``done``.

    Parameters
    ----------
    constraints, max_violation, max_difference, min_ratio, groups, intersections, measure, max_fits, pos_label
        As in :class:`EvenhandClassifier`.

    Attributes
    ----------
    done : bool
        Whether the search has ended.
    classes_ : ndarray
        The classes, sorted: the columns of predictions.
    weights_ : ndarray of shape (n_samples,)
        The weights to train with next; those found, once it is done.
    multipliers_, violations_, violation_, stop_, n_fits_ : as in :class:`EvenhandClassifier`
        Once it is done.
    best_ : int
        Which update, counted from 0, the multipliers found belong to: keep that model.
    history_ : list of dict
        The fits so far.

    Examples
    --------
    >>> from evenhand import Corrector
    >>> from evenhand.datasets import make_loans
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y, _ = make_loans(2000, random_state=1)
    >>> numbers = X[["income", "history"]].assign(female=X["sex"] == "female")
    >>> corrector = Corrector("demographic_parity", max_violation=0.02)
    >>> weights = corrector.weights(y, X["sex"])
    >>> models = []
    >>> while not corrector.done:
    ...     models.append(LogisticRegression().fit(numbers, y, sample_weight=weights))
    ...     weights = corrector.update(models[-1].predict_proba(numbers))
    >>> corrector.stop_, corrector.violation_ <= 0.02
    ('converged', True)
    >>> model = models[corrector.best_]
    """

    def __init__(
        self,
        constraints: Constraints = "demographic_parity",
        *,
        max_violation: float | None = None,
        max_difference: float | None = None,
        min_ratio: float | None = None,
        groups: str | Sequence[str] | None = None,
        intersections: bool = False,
        measure: str = "decisions",
        max_fits: int | None = None,
        pos_label: Any = None,
    ) -> None:
        self.constraints = constraints
        self.max_violation = max_violation
        self.max_difference = max_difference
        self.min_ratio = min_ratio
        self.groups = groups
        self.intersections = intersections
        self.measure = measure
        self.max_fits = max_fits
        self.pos_label = pos_label

    def weights(self, labels: Any, groups: Any, *, sample_weight: Any = None) -> NDArray[np.float64]:
        """Start a search for weights.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
        groups : column, columns, masks or matrix
            Sensitive features, as in :meth:`EvenhandClassifier.fit`.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        ndarray of shape (n_samples,)
            The weights to train with first.
        """
        target = target_of(labels)
        sensitive = sensitive_of(groups, len(target.codes), groups=self.groups, intersections=self.intersections)
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        positive = target.texts[1] if len(target.classes) == 2 else None
        if self.pos_label is not None:
            positive = next(
                text for text, value in zip(target.texts, target.classes, strict=True) if value == self.pos_label
            )
        data = assemble(_core.Table(), target, sensitive, positive=positive, sample_weight=weight)
        settings = _core.Settings(
            spelled(self.constraints),
            groups=data.groups,
            withhold=[],
            max_violation=self.max_violation,
            max_difference=self.max_difference,
            min_ratio=self.min_ratio,
            measure=self.measure,
            max_fits=self.max_fits,
        )
        self._core = _core.Corrector(data.table, data.roles, settings)
        self.classes_ = target.classes
        self._order = [target.texts.index(text) for text in self._core.classes]
        return self._next()

    def update(self, predictions: Any) -> NDArray[np.float64]:
        """Tell what the model trained with the last weights predicts for the training rows.

        Parameters
        ----------
        predictions : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities, a column for each of ``classes_``; or, of two classes, those of the second.

        Returns
        -------
        ndarray of shape (n_samples,)
            The weights to train with next; those found, once it is ``done``.
        """
        if not hasattr(self, "_core"):
            raise EvenhandError("ask for `weights` first, and update with what was trained with them", "not-started")
        scores = np.asarray(predictions, dtype=np.float64)
        if scores.ndim == 1 and len(self.classes_) == 2:
            scores = np.column_stack([np.subtract(1.0, scores), scores])
        self._core.update(np.ascontiguousarray(scores[:, self._order]))
        return self._next()

    @property
    def done(self) -> bool:
        """Whether the search has ended."""
        return hasattr(self, "_core") and self._core.done

    @property
    def history_(self) -> list[dict[str, Any]]:
        """The fits so far."""
        return self._core.history

    def _next(self) -> NDArray[np.float64]:
        self.weights_ = self._core.weights
        found = self._core.found
        if found is not None:
            multipliers, self.stop_, self.n_fits_, train, told, self.best_ = found
            self.multipliers_ = dict(multipliers)
            assessed = json.loads(train)
            self.violations_ = {one["name"]: one["value"] for one in assessed["violations"]}
            self.violation_ = assessed["violation"]
            tell(told)
        return self.weights_
