"""scikit-learn's own checks, on every kind of learner, with no expected failures."""

from __future__ import annotations

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from evenhand import EvenhandClassifier

pytestmark = pytest.mark.filterwarnings("ignore")


@parametrize_with_checks(
    [
        EvenhandClassifier(),
        EvenhandClassifier(LogisticRegression()),
        EvenhandClassifier(KNeighborsClassifier(), method="sampling"),
    ]
)
def test_all_checks_pass(estimator, check):
    check(estimator)
