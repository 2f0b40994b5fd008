"""Model selection: scores of a violation, and the best candidate that keeps a bound."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.metrics import make_scorer

from ._audit import audit, violation
from ._exceptions import EvenhandError, EvenhandWarning
from .constraints import Constraint

__all__ = ["BestWithin", "best_within", "violation_scorer"]


def violation_scorer(
    constraint: str | Constraint = "demographic_parity",
    *,
    definition: str = "violation",
    pos_label: Any = None,
    sensitive_features: str | Sequence[str] | None = None,
) -> Any:
    """Make a scorer of a violation for ``GridSearchCV`` and ``cross_validate``.

    Violations and differences are negated, so that more is better; a ratio is as it is. Sensitive features are columns
    of X, named here (``sensitive_features="sex"``), and nothing is to be routed. Or they are not in X, and come by
    metadata routing: ``sklearn.set_config(enable_metadata_routing=True)`` and
    ``search.fit(X, y, sensitive_features=...)``.

    Parameters
    ----------
    constraint, definition, pos_label
        As in :func:`evenhand.violation`.
    sensitive_features : str or list of str, default=None
        Group specifications over the columns of X: ``"sex"``, ``["sex", "age<=30"]``. None asks for them by routing.

    Returns
    -------
    callable
        A scorer. Without ``sensitive_features`` it asks for them.

    Examples
    --------
    >>> from evenhand import EvenhandClassifier, violation_scorer
    >>> from evenhand.datasets import make_loans
    >>> X, y, _ = make_loans(2000, random_state=1)
    >>> clf = EvenhandClassifier(groups="sex", max_violation=0.02).fit(X, y)
    >>> violation_scorer(sensitive_features="sex")(clf, X, y) >= -0.02
    True
    """
    if sensitive_features is not None:
        return ColumnScorer(constraint, definition, pos_label, sensitive_features)
    scorer = make_scorer(
        _routed_violation,
        greater_is_better=definition == "ratio",
        constraint=constraint,
        definition=definition,
        pos_label=pos_label,
    )
    with config_context(enable_metadata_routing=True):
        return scorer.set_score_request(sensitive_features=True)


def _routed_violation(y_true: Any, y_pred: Any, *, sensitive_features: Any = None, **settings: Any) -> float:
    if sensitive_features is None:
        message = (
            "violation_scorer() got no sensitive_features: name columns of X, "
            "violation_scorer(sensitive_features='sex'), or route them, "
            "sklearn.set_config(enable_metadata_routing=True) and search.fit(X, y, sensitive_features=...)"
        )
        raise EvenhandError(message, "setting-invalid")
    return violation(y_true, y_pred, sensitive_features=sensitive_features, **settings)


@dataclass(frozen=True)
class ColumnScorer:
    """A scorer of a violation between groups that columns of X tell. Made by :func:`violation_scorer`."""

    constraint: str | Constraint
    definition: str
    pos_label: Any
    sensitive_features: str | Sequence[str]

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Measure the violation of an estimator's predictions: negated, unless it is a ratio."""
        found = audit(
            y,
            estimator.predict(X),
            sensitive_features=self.sensitive_features,
            X=X,
            pos_label=self.pos_label,
            intersections=False,
        ).violation(self.constraint, self.definition)
        if found is None:
            return float("nan")
        return found if self.definition == "ratio" else -found


@dataclass(frozen=True)
class BestWithin:
    """Chooses the best candidate that keeps a bound. Made by :func:`best_within`."""

    bound: str
    limit: float
    metric: str
    score: str

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Give the place of the candidate with the best score among those that keep the bound.

        Where none keeps it, that which comes nearest, and a warning says so.
        """
        kept, scores = (np.asarray(self._column(cv_results, name), dtype=float) for name in (self.metric, self.score))
        value = kept if self.bound == "min_ratio" else -kept
        keeps = value >= self.limit if self.bound == "min_ratio" else value <= self.limit
        if not keeps.any():
            nearest = int(np.nanargmax(kept))
            message = f"no candidate keeps {self.bound}={self.limit:g}; the nearest has {value[nearest]:.4f}"
            warnings.warn(EvenhandWarning(message, "bound-not-reached"), stacklevel=2)
            return nearest
        return int(np.nanargmax(np.where(keeps, scores, -np.inf)))

    @staticmethod
    def _column(cv_results: Mapping[str, Any], name: str) -> Any:
        column = f"mean_test_{name}"
        if column not in cv_results:
            known = [key.removeprefix("mean_test_") for key in cv_results if key.startswith("mean_test_")]
            message = f"best_within() looks for a score {name!r}; `scoring` has {', '.join(known)}"
            raise EvenhandError(message, "setting-invalid")
        return cv_results[column]


def best_within(
    *,
    max_violation: float | None = None,
    max_difference: float | None = None,
    min_ratio: float | None = None,
    metric: str = "violation",
    score: str = "accuracy",
) -> BestWithin:
    """Make a ``refit`` for ``GridSearchCV``: the best score among the candidates that keep a bound.

    By accuracy alone a search always takes the loosest bound that it is offered.

    Parameters
    ----------
    max_violation, max_difference, min_ratio : float, default=None
        The bound, one of the three: that of the definition which the scorer measures (``"violation"``,
        ``"difference"`` or ``"ratio"``). It is held against the mean over the folds.
    metric : str, default="violation"
        The name in ``scoring`` of a :func:`violation_scorer`.
    score : str, default="accuracy"
        The name in ``scoring`` of what is to be best, where more is better.

    Returns
    -------
    callable
        For ``GridSearchCV(refit=...)`` and its relatives. Where no candidate keeps the bound it takes the nearest, and
        warns (code ``bound-not-reached``).

    Examples
    --------
    >>> from evenhand import EvenhandClassifier, best_within, violation_scorer
    >>> from evenhand.datasets import make_loans
    >>> from sklearn.model_selection import GridSearchCV
    >>> X, y, _ = make_loans(2000, random_state=1)
    >>> search = GridSearchCV(
    ...     EvenhandClassifier(groups="sex"),
    ...     {"max_violation": [0.02, 0.2]},
    ...     scoring={"violation": violation_scorer(sensitive_features="sex"), "accuracy": "accuracy"},
    ...     refit=best_within(max_violation=0.06),
    ...     cv=3,
    ... ).fit(X, y)
    >>> search.best_params_
    {'max_violation': 0.02}
    """
    bounds = {"max_violation": max_violation, "max_difference": max_difference, "min_ratio": min_ratio}
    given = [(name, limit) for name, limit in bounds.items() if limit is not None]
    if len(given) != 1:
        raise EvenhandError("best_within() takes one of max_violation, max_difference and min_ratio", "setting-invalid")
    ((bound, limit),) = given
    return BestWithin(bound, float(limit), metric, score)
