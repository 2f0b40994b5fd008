"""Train even-handed classifiers from biased labels, without changing a label or a feature.

People decided who got the loan; the decisions became training labels; models inherit their bias. Evenhand finds one
multiplier per constraint that says how far labels were tilted against a group, and re-weights rows so
that the tilt is undone [Jiang & Nachum 2019]. The engine is written in Rust.

We correct, mitigate and assess; no number here makes a model right to use.
"""

from __future__ import annotations

from . import constraints, datasets, plotting
from ._audit import Audit, audit, violation
from ._classifier import EvenhandClassifier
from ._core import VERSION as __version__
from ._corrector import Corrector
from ._exceptions import (
    EvenhandError,
    EvenhandFileError,
    EvenhandInternalError,
    EvenhandLearnerError,
    EvenhandWarning,
)
from ._frontier import Frontier, frontier, sample_weights
from ._identify import Identification, identify
from ._network import Network
from ._report import Report
from ._scorers import violation_scorer
from ._scores import CorrectedScores, correct_scores
from ._verdict import BoundTest

__all__ = [
    "Audit",
    "BoundTest",
    "CorrectedScores",
    "Corrector",
    "EvenhandClassifier",
    "EvenhandError",
    "EvenhandFileError",
    "EvenhandInternalError",
    "EvenhandLearnerError",
    "EvenhandWarning",
    "Frontier",
    "Identification",
    "Network",
    "Report",
    "__version__",
    "audit",
    "constraints",
    "correct_scores",
    "datasets",
    "frontier",
    "identify",
    "plotting",
    "sample_weights",
    "violation",
    "violation_scorer",
]
