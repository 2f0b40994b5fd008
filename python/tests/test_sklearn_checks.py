"""scikit-learn's own checks, on every kind of learner.

One is expected to fail: that weights are counts of rows. Here they count relative to their mean, so that their unit
does not change the penalty; ``test_complaints.py`` has what holds instead.
"""

from __future__ import annotations

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from evenhand import EvenhandClassifier

pytestmark = pytest.mark.filterwarnings("ignore")


def not_counts(estimator):
    """Name the checks that take weights for counts, of learners with a penalty."""
    if isinstance(estimator.estimator, KNeighborsClassifier):
        return {}
    reason = "weights count relative to their mean: repeated rows are more rows for the penalty"
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}


@parametrize_with_checks(
    [
        EvenhandClassifier(),
        EvenhandClassifier(LogisticRegression()),
        EvenhandClassifier(KNeighborsClassifier(), method="sampling"),
    ],
    expected_failed_checks=not_counts,
)
def test_all_checks_pass(estimator, check):
    check(estimator)
