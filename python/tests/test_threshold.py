"""A threshold of its own: ``threshold="best"``."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from evenhand import EvenhandClassifier, EvenhandError, correct_scores, frontier
from evenhand.datasets import make_loans

pytestmark = pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")

# A strong penalty makes probabilities err at 0.5.
STRONG = 3000.0


@pytest.fixture(scope="module")
def loans() -> tuple[Any, Any, Any]:
    """Frame, labels and sex of made-up people."""
    X, y, _ = make_loans(3000, random_state=3)
    return X, y, X["sex"]


def numbers(X: Any) -> Any:
    """Columns that an estimator of scikit-learn takes."""
    return X[["income", "history"]].assign(female=(X["sex"] == "female").astype(float))


def error(clf: Any, X: Any, y: Any) -> float:
    """Share of rows decided otherwise than labelled."""
    return float(np.mean(clf.predict(X) != np.asarray(y)))


def test_the_built_in_learner_decides_by_it_and_keeps_it(loans: Any, tmp_path: Path) -> None:
    X, y, sex = loans
    settings: dict[str, Any] = {"method": "unconstrained", "l2": STRONG}
    half = EvenhandClassifier(**settings).fit(X, y, sensitive_features=sex)
    best = EvenhandClassifier(**settings, threshold="best").fit(X, y, sensitive_features=sex)
    assert half.threshold_ == 0.5 != best.threshold_
    assert error(best, X, y) < error(half, X, y)
    assert np.array_equal(best.predict_proba(X), half.predict_proba(X))
    positive = best.predict_proba(X)[:, 1] > best.threshold_
    assert np.array_equal(best.predict(X), best.classes_[positive.astype(int)])
    assert best.evaluate(X, y, sensitive_features=sex)["error"] == pytest.approx(error(best, X, y))
    best.save(tmp_path / "model.json")
    for again in (EvenhandClassifier.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(best))):
        assert again.threshold == "best"
        assert again.threshold_ == best.threshold_
        assert np.array_equal(again.predict(X), best.predict(X))
    assert f"above a probability of {best.threshold_:.4f}" in str(best.report())


@pytest.mark.parametrize("apply", ["weights", "tilt"])
def test_another_estimator_is_corrected_and_decides_by_it(loans: Any, apply: str) -> None:
    X, y, sex = loans
    weak = LogisticRegression(C=1e-4, solver="newton-cholesky")
    settings: dict[str, Any] = {"max_violation": 0.03, "apply": apply}
    half = EvenhandClassifier(weak, **settings).fit(numbers(X), y, sensitive_features=sex)
    best = EvenhandClassifier(weak, **settings, threshold="best").fit(numbers(X), y, sensitive_features=sex)
    assert error(best, numbers(X), y) <= error(half, numbers(X), y)
    found = best.evaluate(numbers(X), y, sensitive_features=sex)
    assert found["error"] == pytest.approx(error(best, numbers(X), y))
    assert found["violation"] == pytest.approx(best.violation_)
    again = pickle.loads(pickle.dumps(best))
    assert np.array_equal(again.predict(numbers(X)), best.predict(numbers(X)))


def test_a_frontier_and_scores_take_it(loans: Any) -> None:
    X, y, sex = loans
    points = frontier(X, y, sensitive_features=sex, points=3, threshold="best", l2=STRONG).points
    assert points["threshold"].iloc[0] != 0.5
    assert "threshold" not in frontier(X, y, sensitive_features=sex, points=3).points
    scores = 0.2 + 0.5 * LogisticRegression().fit(numbers(X), y).predict_proba(numbers(X))[:, 1]
    settings: dict[str, Any] = {"sensitive_features": sex, "with_group": True, "max_violation": 0.03}
    half, best = (correct_scores(scores, y, **settings, threshold=choice) for choice in ("half", "best"))
    wrong = [np.mean(one.predict(scores, sensitive_features=sex) != np.asarray(y)) for one in (half, best)]
    assert best.threshold_ != 0.5
    assert wrong[1] < wrong[0]


def test_what_cannot_be_chosen_is_refused(loans: Any) -> None:
    X, y, sex = loans
    with pytest.raises(EvenhandError, match="`threshold` is `middle`; allowed is `half` or `best`"):
        EvenhandClassifier(threshold="middle").fit(X, y, sensitive_features=sex)
    with pytest.raises(EvenhandError, match="no predict_proba"):
        EvenhandClassifier(LinearSVC(), threshold="best").fit(numbers(X), y, sensitive_features=sex)
    with pytest.raises(EvenhandError, match="`best` where scores are compared"):
        EvenhandClassifier(threshold="best", measure="scores").fit(X, y, sensitive_features=sex)
