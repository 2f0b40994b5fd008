"""The search for weights as an object to talk to, for training loops of any kind."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._bounds import Bound, limits_of
from ._data import assemble, positive_of, quiet_about, target_of
from ._exceptions import EvenhandError, EvenhandWarning, warn_of
from ._results import trade_off_of
from ._sensitive import sensitive_of
from .constraints import Constraints, spelled

__all__ = ["Corrector"]

FOUND = ("stop_", "trade_off_", "n_fits_", "best_", "multipliers_", "violations_", "violation_")


class Corrector:
    """Weights for a training loop of your own: in PyTorch, in Keras, on another machine.

    Ask for weights, train with them, come back with what the model predicts for the training rows,
    and repeat until ``done``. In the middle of a search it can be pickled and copied, so that training may go on in
    another process: until it is done it keeps labels, groups and the predictions it was given, and goes through
    the search again when it is loaded.

    Parameters
    ----------
    constraints, notion, max_violation, max_difference, min_ratio, notable_change, margin, min_group, max_fits
        As in :class:`EvenhandClassifier`.
    groups, intersections, measure, pos_label
        As in :class:`EvenhandClassifier`.
    apply, tilt
        As in :class:`EvenhandClassifier`, but that only weights are handed out, and that ``"expected"`` needs features,
        which nobody shows it: both are refused.

    Attributes
    ----------
    done : bool
        Whether the search has ended.
    classes_ : ndarray
        The classes, sorted: the columns of predictions.
    weights_ : ndarray of shape (n_samples,)
        The weights to train with next; those found, once it is done.
    multipliers_, violations_, violation_, stop_, trade_off_, n_fits_ : as in :class:`EvenhandClassifier`
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
        notion: Constraints | None = None,
        max_violation: Bound | None = None,
        max_difference: Bound | None = None,
        min_ratio: Bound | None = None,
        notable_change: float | None = None,
        margin: float | None = None,
        min_group: int | None = None,
        groups: str | Sequence[str] | None = None,
        intersections: bool = False,
        measure: str = "decisions",
        apply: str = "weights",
        tilt: str | None = None,
        max_fits: int | None = None,
        pos_label: Any = None,
    ) -> None:
        self.constraints = constraints
        self.notion = notion
        self.max_violation = max_violation
        self.max_difference = max_difference
        self.min_ratio = min_ratio
        self.notable_change = notable_change
        self.margin = margin
        self.min_group = min_group
        self.groups = groups
        self.intersections = intersections
        self.measure = measure
        self.apply = apply
        self.tilt = tilt
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
        # Copies: what pickling goes through again must not have changed meanwhile.
        given = copy.deepcopy((labels, groups, sample_weight))
        self._forget()
        self._start(*given)
        if groups is None and self.groups is None:
            message = "no groups were given: everyone is one group, nothing is corrected"
            warnings.warn(EvenhandWarning(message, "no-groups"), stacklevel=2)
        self._given = given
        self._answered: list[NDArray[Any]] = []
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
        if self.done:
            message = f"the correction is done ({self.stop_}): there is nothing to update; `weights` starts another"
            raise RuntimeError(message)
        if not hasattr(self, "_core"):
            raise EvenhandError("ask for `weights` first, and update with what was trained with them", "not-started")
        scores = np.array(predictions)
        self._answer(scores)
        self._answered.append(scores)
        return self._next()

    @property
    def done(self) -> bool:
        """Whether the search has ended."""
        return hasattr(self, "stop_")

    @property
    def history_(self) -> list[dict[str, Any]]:
        """The fits so far."""
        return self._core.history if hasattr(self, "_core") else getattr(self, "_history", [])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_given" not in state:
            return
        self._start(*self._given)
        for scores in self._answered:
            self._answer(scores)
        if not np.array_equal(self._core.weights, self.weights_):
            message = (
                "gone through again, the search asks for other weights than those it was pickled with: another version "
                "of evenhand made it; start over with `weights`"
            )
            raise EvenhandError(message, "not-repeated")

    def _start(self, labels: Any, groups: Any, sample_weight: Any) -> None:
        """Begin the search in the engine."""
        if self.apply != "weights":
            message = (
                f"`apply` of Corrector is {self.apply!r}; allowed is 'weights', which is what it hands out: to tilt "
                "probabilities that you have, see `correct_scores`"
            )
            raise EvenhandError(message, "setting-invalid")
        if self.tilt == "expected":
            message = (
                "`tilt` of Corrector is 'expected'; allowed is 'centred' or 'paper': it sees no features, which would "
                "have to tell who is in a group; give an estimator to EvenhandClassifier(tilt='expected')"
            )
            raise EvenhandError(message, "setting-invalid")
        target = target_of(labels)
        sensitive = sensitive_of(groups, len(target.codes), groups=self.groups, intersections=self.intersections)
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        positive = positive_of(target, self.pos_label)
        data = assemble(_core.Table(), target, sensitive, positive=positive, sample_weight=weight)
        settings = _core.Settings(
            spelled(self.constraints, self.notion),
            groups=data.groups,
            withhold=[],
            max_violation=limits_of("max_violation", self.max_violation),
            max_difference=limits_of("max_difference", self.max_difference),
            min_ratio=limits_of("min_ratio", self.min_ratio),
            notable_change=self.notable_change,
            measure=self.measure,
            margin=self.margin,
            min_group=self.min_group,
            max_fits=self.max_fits,
            tilt=self.tilt,
        )
        self._core = _core.Corrector(data.table, data.roles, settings)
        self.classes_ = target.classes
        self._order = [target.texts.index(text) for text in self._core.classes]

    def _answer(self, predictions: NDArray[Any]) -> None:
        """Hand predictions to the engine, in its order of classes."""
        scores = np.asarray(predictions, dtype=np.float64)
        classes = len(self.classes_)
        if scores.ndim == 1 and classes == 2:
            scores = np.column_stack([np.subtract(1.0, scores), scores])
        rows = len(self._core.weights)
        if scores.shape != (rows, classes):
            message = f"predictions of shape {scores.shape}; {rows} rows of {classes} probabilities were expected"
            raise EvenhandError(message, "shape")
        self._core.update(np.ascontiguousarray(scores[:, self._order]))

    def _forget(self) -> None:
        """Let go of an earlier search and of what it found."""
        for name in ("_core", "_given", "_answered", "_history", *FOUND):
            self.__dict__.pop(name, None)

    def _next(self) -> NDArray[np.float64]:
        self.weights_ = self._core.weights
        found = self._core.found
        if found is not None:
            self.stop_, self.n_fits_, self.best_ = found.stop, found.fits, found.best
            self.trade_off_ = trade_off_of(found.trade_off)
            self.multipliers_ = dict(found.multipliers)
            metrics = json.loads(found.train)
            self.violations_ = {one["name"]: one["value"] for one in metrics["violations"]}
            self.violation_ = metrics["violation"]
            self._history = self._core.history
            # What was kept to go through the search again is needed no more.
            del self._core, self._given, self._answered
            warn_of(found.warnings, quiet=quiet_about(None))
        return self.weights_
