"""What a fitted classifier says of rows: probabilities, decisions, and how these do where labels are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._bounds import limits_of
from ._exceptions import warn_of
from ._external import MEMBERSHIP, aligned_scores
from ._inputs import BY_GROUP, Inputs
from ._verdict import BoundTest

__all__ = ["Predicting"]


def _has(method: str) -> Callable[[Any], bool]:
    """Whether what predicts has a method; the built-in learner has them all."""

    def check(self: Predicting) -> bool:
        fitted = getattr(self, "estimator_", None)
        if self.estimator is None or isinstance(fitted, _core.Model):
            return True
        if self.apply == "tilt" and method == "decision_function":
            # Of tilted probabilities there are log odds, whatever the estimator has.
            return True
        return hasattr(fitted if fitted is not None else self.estimator, method)

    return check


class Predicting(Inputs):
    """Rows in, decisions out."""

    estimator_: Any
    threshold_: float
    _order: list[int]
    """For each of ``classes_``, its place among the classes of the engine."""
    _tilting: tuple[_core.Tilting, list[Any]] | None
    """How probabilities of another estimator are tilted, and the models of membership that this takes."""

    def predict(self, X: Any, *, sensitive_features: Any = None) -> NDArray[Any]:
        """Predict classes. No sensitive features are needed but where groups decide, and two calls agree.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
        sensitive_features : as in :meth:`fit`, default=None
            Needed with ``method="threshold-postprocessing"``, ``"thresholds"`` and ``"percentile-thresholds"``, which
            decide by group, and with ``apply="tilt"`` where X has some of the groups and not all; not looked at
            otherwise.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if isinstance(self.estimator_, _core.Model):
            decisions, found_warnings = self._decide(X, sensitive_features)
            warn_of(found_warnings, stacklevel=2)
            return np.asarray(self.classes_[np.argsort(self._order)[decisions]])
        if self._tilting is None and self.threshold_ == 0.5:
            return np.asarray(self.estimator_.predict(self._shown(self._new_rows(X))))
        decisions = self._binding.decide(self._scored(X, sensitive_features))
        return np.asarray(self.classes_[np.argsort(self._order)[decisions]])

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> NDArray[np.float64]:
        """Predict class probabilities, a column for each of ``classes_``; thresholds do not enter them.

        With ``apply="tilt"`` they are those after the tilt, which decide.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
        sensitive_features : as in :meth:`fit`, default=None
            Needed with ``apply="tilt"`` where X has some of the groups and not all; not looked at otherwise.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        if isinstance(self.estimator_, _core.Model):
            table = self._with_groups(self._new_table(X), X, sensitive_features, self._by_group())
            scores, _, found_warnings = self.estimator_.predict(table)
            warn_of(found_warnings, stacklevel=2)
            return scores[:, self._order]
        if self._tilting is not None:
            return self._tilted(X, sensitive_features)
        return np.asarray(self.estimator_.predict_proba(self._shown(self._new_rows(X))))

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Log odds of the second of two classes, or the log probability of each of more; no threshold enters them.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        if isinstance(self.estimator_, _core.Model) or self._tilting is not None:
            return _core.log_odds(np.ascontiguousarray(self.predict_proba(X)))
        return np.asarray(self.estimator_.decision_function(self._shown(self._new_rows(X))))

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Coefficients of the estimator, where it has some.

        Those of the built-in learner are of the features ``estimator_.feature_names``: a column of categories is a
        feature for each of its values, and numbers are centred and scaled unless ``standardise=False``. Shape
        (1, n_features) for two classes, towards ``classes_[1]``, else (n_classes, n_features).
        """
        if isinstance(self._learner(), _core.Model):
            return self._margins("coef_")[:, :-1]
        return np.asarray(self._learner().coef_)

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercepts of the estimator, where it has some."""
        if isinstance(self._learner(), _core.Model):
            return self._margins("intercept_")[:, -1]
        return np.asarray(self._learner().intercept_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """What the estimator says of the importance of its features, where it does."""
        if isinstance(self._learner(), _core.Model):
            raise AttributeError("the built-in learner has no feature_importances_; see coef_")
        return np.asarray(self._learner().feature_importances_)

    def _learner(self) -> Any:
        """Get what was trained: the last step of a pipeline."""
        if "estimator_" not in vars(self):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        fitted = self.estimator_
        return fitted[-1] if isinstance(fitted, Pipeline) else fitted

    def _margins(self, name: str) -> NDArray[np.float64]:
        """Get coefficients of the built-in learner, the intercept last, in the order of ``classes_``."""
        found = self.estimator_.coefficients
        if found is None:
            raise AttributeError(f"this learner has no {name}")
        if len(found) == 1:
            return np.asarray(found if self._order[1] == 1 else -found)
        return np.asarray(found[self._order])

    def test_bounds(
        self,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
        confidence: float = 0.95,
    ) -> list[BoundTest]:
        """Tell whether the bounds that were asked for hold, as far as labelled rows can tell.

        On rows the classifier was fitted to the verdict flatters; give others. A bound speaks of every group, also of
        one that was not in training; where one cannot be measured the verdict is ``"cannot-tell"``, and names it.

        Parameters
        ----------
        X, y, sensitive_features, sample_weight
            As in :meth:`fit`.
        confidence : float, default=0.95
            Of the intervals.

        Returns
        -------
        list of BoundTest
            One for each bound.
        """
        return [BoundTest.of(one) for one in self._evaluated(X, y, sensitive_features, sample_weight, confidence)[1]]

    def evaluate(self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None) -> dict[str, Any]:
        """Measure error, rates and violations (overall minus group) on labelled rows.

        Parameters
        ----------
        X, y, sensitive_features, sample_weight
            As in :meth:`fit`.

        Returns
        -------
        dict
            ``rows``, ``errors``, ``error``, ``violation``, ``violations``, ``positive_rate``, ``class_rates`` and
            ``groups``, among which rows without a value stand last, as in ``"race missing"``.
        """
        return self._evaluated(X, y, sensitive_features, sample_weight, 0.95)[0]

    def _decide(self, X: Any, sensitive_features: Any) -> tuple[NDArray[Any], list[tuple[str, str]]]:
        """Decide by the built-in model, as the engine numbers classes."""
        table = self._with_groups(self._new_table(X), X, sensitive_features, self._by_group())
        _, decisions, found_warnings = self.estimator_.predict(table)
        return decisions, found_warnings

    def _by_group(self) -> bool:
        """Whether the built-in model needs the groups of rows to decide."""
        return bool(self.estimator_.groups_needed)

    def _tilted(self, X: Any, sensitive_features: Any) -> NDArray[np.float64]:
        """Tilt the probabilities of another estimator, a column for each of ``classes_``."""
        assert self._tilting is not None
        tilting, models = self._tilting
        shown = self._shown(self._new_rows(X))
        order = np.argsort(self._order)
        scores = np.ascontiguousarray(aligned_scores(self.estimator_, shown, self.classes_)[:, order])
        members = [aligned_scores(model, shown, MEMBERSHIP) for model in models]
        table = self._columns(X) if tilting.needs_groups else _core.Table()
        table = self._with_groups(table, X, sensitive_features, tilting.needs_groups)
        tilted = tilting.apply(self._binding, scores, members, table)
        return np.asarray(tilted[:, self._order])

    def _scored(self, X: Any, sensitive_features: Any) -> NDArray[np.float64]:
        """Find what decides, by another estimator: probabilities, in the engine's order of classes."""
        if self._tilting is not None:
            scores = self._tilted(X, sensitive_features)
        else:
            scores = aligned_scores(self.estimator_, self._shown(self._new_rows(X)), self.classes_)
        return np.ascontiguousarray(scores[:, np.argsort(self._order)])

    def _engine_scores(self, X: Any, sensitive_features: Any) -> NDArray[np.float64]:
        """Find what is evaluated: probabilities or, where thresholds by group decide, decisions."""
        if self.method not in BY_GROUP:
            table = self._with_groups(self._new_table(X), X, sensitive_features, self._by_group())
            return np.asarray(self.estimator_.predict(table)[0])
        decisions, _ = self._decide(X, sensitive_features)
        return np.asarray(np.eye(len(self.classes_))[decisions])

    def _evaluated(
        self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any, confidence: float, **bounds: Any
    ) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
        """Find metrics, tests of bounds, and violations with their intervals."""
        check_is_fitted(self)
        if isinstance(self.estimator_, _core.Model):
            scores = np.ascontiguousarray(self._engine_scores(X, sensitive_features))
        else:
            scores = self._scored(X, sensitive_features)
        data = self._labelled(self._columns(X), y, sensitive_features, sample_weight)
        limits = {name: limits_of(name, bound) for name, bound in bounds.items()}
        metrics, tests, violations, warnings = self._binding.test_bounds(data.table, scores, confidence, **limits)
        warn_of(warnings, stacklevel=3)
        return json.loads(metrics), json.loads(tests), json.loads(violations)
