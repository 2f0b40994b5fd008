"""Scores for model selection that receive the sensitive features by metadata routing."""

from __future__ import annotations

from typing import Any

from sklearn import config_context
from sklearn.metrics import make_scorer

from ._audit import violation
from .constraints import Constraint

__all__ = ["violation_scorer"]


def violation_scorer(
    constraint: str | Constraint = "demographic_parity", *, definition: str = "violation", pos_label: Any = None
) -> Any:
    """Make a scorer of a violation for ``GridSearchCV`` and ``cross_validate``.

    Violations and differences are negated, so that more is better; a ratio is as it is. The sensitive features
    come by metadata routing: ``sklearn.set_config(enable_metadata_routing=True)`` and
    ``search.fit(X, y, sensitive_features=...)``.

    Parameters
    ----------
    constraint, definition, pos_label
        As in :func:`evenhand.violation`.

    Returns
    -------
    callable
        A scorer that asks for ``sensitive_features``.
    """
    scorer = make_scorer(
        violation,
        greater_is_better=definition == "ratio",
        constraint=constraint,
        definition=definition,
        pos_label=pos_label,
    )
    with config_context(enable_metadata_routing=True):
        return scorer.set_score_request(sensitive_features=True)
