"""Train even-handed classifiers from biased labels, without changing a label or a feature.

People decided who got the loan; the decisions became training labels; models inherit their bias. Evenhand finds one
multiplier per constraint that says how far labels were tilted against a group, and re-weights rows so
that the tilt is undone [Jiang & Nachum 2019]. The engine is written in Rust.

We correct, mitigate and assess; no number here makes a model right to use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._core import VERSION as __version__

if TYPE_CHECKING:
    from . import constraints, datasets, plotting
    from ._audit import Audit, audit, violation
    from ._classifier import EvenhandClassifier
    from ._corrector import Corrector
    from ._evaluate import Evaluation, evaluate
    from ._exceptions import (
        EvenhandError,
        EvenhandFileError,
        EvenhandInternalError,
        EvenhandLearnerError,
        EvenhandWarning,
    )
    from ._frontier import Frontier, frontier, sample_weights
    from ._identify import Identification, identify
    from ._metrics import GroupMetrics, metrics_by_group
    from ._network import Network
    from ._report import Report
    from ._scorers import BestWithin, best_within, violation_scorer
    from ._scores import CorrectedScores, correct_scores
    from ._verdict import BoundTest
    from ._verify import Check, Verification, verify

__all__ = [
    "Audit",
    "BestWithin",
    "BoundTest",
    "Check",
    "CorrectedScores",
    "Corrector",
    "Evaluation",
    "EvenhandClassifier",
    "EvenhandError",
    "EvenhandFileError",
    "EvenhandInternalError",
    "EvenhandLearnerError",
    "EvenhandWarning",
    "Frontier",
    "GroupMetrics",
    "Identification",
    "Network",
    "Report",
    "Verification",
    "__version__",
    "audit",
    "best_within",
    "constraints",
    "correct_scores",
    "datasets",
    "evaluate",
    "frontier",
    "identify",
    "metrics_by_group",
    "plotting",
    "sample_weights",
    "verify",
    "violation",
    "violation_scorer",
]

# Everything is loaded when it is first asked for: the command line needs nothing but the engine, and scikit-learn takes
# a second to import.
_MODULES = {
    "_audit": ("Audit", "audit", "violation"),
    "_classifier": ("EvenhandClassifier",),
    "_corrector": ("Corrector",),
    "_evaluate": ("Evaluation", "evaluate"),
    "_exceptions": (
        "EvenhandError",
        "EvenhandFileError",
        "EvenhandInternalError",
        "EvenhandLearnerError",
        "EvenhandWarning",
    ),
    "_frontier": ("Frontier", "frontier", "sample_weights"),
    "_identify": ("Identification", "identify"),
    "_metrics": ("GroupMetrics", "metrics_by_group"),
    "_network": ("Network",),
    "_report": ("Report",),
    "_scorers": ("BestWithin", "best_within", "violation_scorer"),
    "_scores": ("CorrectedScores", "correct_scores"),
    "_verdict": ("BoundTest",),
    "_verify": ("Check", "Verification", "verify"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

if not TYPE_CHECKING:  # or any name at all would be one of this module's

    def __getattr__(name: str) -> object:
        """Load what is asked for."""
        if name in ("constraints", "datasets", "plotting"):
            return import_module(f".{name}", __name__)
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_HOME[name]}", __name__), name)
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
