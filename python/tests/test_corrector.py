"""The search as an object to talk to: training loops elsewhere, in one process or in several."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from evenhand import Corrector, EvenhandClassifier, EvenhandError, EvenhandWarning


@pytest.fixture(scope="module")
def numbers(loans):
    X, _, _ = loans
    return X[["income", "history"]].assign(female=(X["sex"] == "female").astype(float))


def test_a_corrector_leads_any_training_loop(loans, numbers):
    X, y, _ = loans
    corrector = Corrector("demographic_parity", max_violation=0.02)
    with pytest.raises(EvenhandError, match="ask for `weights` first"):
        corrector.update(y)
    weights = corrector.weights(y, X["sex"])
    assert set(weights) == {1.0}
    models = []
    while not corrector.done:
        models.append(LogisticRegression().fit(numbers, y, sample_weight=weights))
        weights = corrector.update(models[-1].predict_proba(numbers)[:, 1])
    assert corrector.stop_ == "converged"
    assert corrector.violation_ <= 0.02
    assert corrector.n_fits_ == len(models) <= 12
    kept = EvenhandClassifier(LogisticRegression(), max_violation=0.02).fit(numbers, y, sensitive_features=X["sex"])
    assert kept.violation_ <= 0.02
    with pytest.raises(RuntimeError, match="done"):
        corrector.update(models[-1].predict_proba(numbers))


def test_a_corrector_that_is_left_alone_goes_away(loans):
    X, y, _ = loans
    threads = threading.active_count()
    for _ in range(3):
        Corrector().weights(y, X["sex"])
    assert threading.active_count() == threads


def test_without_groups_nothing_is_corrected_and_it_is_said(loans):
    _, y, _ = loans
    with pytest.warns(EvenhandWarning, match="nothing is corrected"):
        assert set(Corrector().weights(y, None)) == {1.0}
    with pytest.raises(EvenhandError, match="the labels have: `0`, `1`"):
        Corrector(pos_label=7).weights(y, loans[0]["sex"])


def finished(corrector, numbers, y):
    """Train on until the search ends."""
    while not corrector.done:
        model = LogisticRegression().fit(numbers, y, sample_weight=corrector.weights_)
        corrector.update(model.predict_proba(numbers)[:, 1])
    return corrector


@pytest.mark.parametrize("again", [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy, copy.copy])
@pytest.mark.parametrize("updates", [0, 1])
def test_a_search_goes_on_where_it_was_pickled(loans, numbers, again, updates):
    X, y, _ = loans
    corrector = Corrector("demographic_parity", max_violation=0.02)
    corrector.weights(y, X[["sex"]], sample_weight=1.0 + (X["income"] > 50))
    for _ in range(updates):
        model = LogisticRegression().fit(numbers, y, sample_weight=corrector.weights_)
        corrector.update(model.predict_proba(numbers)[:, 1])
    assert not corrector.done
    other = again(corrector)
    assert not other.done
    assert len(other.history_) == len(corrector.history_)
    np.testing.assert_array_equal(other.weights_, corrector.weights_)
    finished(other, numbers, y)
    assert not corrector.done, "a copy is a search of its own"
    finished(corrector, numbers, y)
    np.testing.assert_array_equal(other.weights_, corrector.weights_)
    assert (other.multipliers_, other.best_, other.stop_) == (corrector.multipliers_, corrector.best_, corrector.stop_)


def test_a_search_that_is_done_or_not_begun_is_pickled(loans, numbers):
    X, y, _ = loans
    fresh = pickle.loads(pickle.dumps(Corrector(max_violation=0.02)))
    assert not fresh.done
    assert fresh.history_ == []
    fresh.weights(y, X["sex"])
    done = pickle.loads(pickle.dumps(finished(fresh, numbers, y)))
    assert done.done
    assert done.multipliers_ == fresh.multipliers_
    assert len(done.history_) == done.n_fits_
    # Nothing that was only kept for the search is left in it.
    assert len(pickle.dumps(done)) < 3 * 8 * len(y)
    done.weights(y, X["sex"])
    assert not done.done
    assert not hasattr(done, "multipliers_")


def test_a_search_that_goes_another_way_when_repeated_says_so(loans, numbers):
    X, y, _ = loans
    corrector = Corrector()
    corrector.weights(y, X["sex"])
    corrector.weights_ = corrector.weights_ * 0.5
    with pytest.raises(EvenhandError, match="start over") as refused:
        pickle.loads(pickle.dumps(corrector))
    assert refused.value.code == "not-repeated"


@pytest.mark.parametrize(
    ("predictions", "message"),
    [(np.full(7, 0.5), "3000 rows of 2 probabilities"), (np.full((3000, 3), 0.3), "3000 rows of 2"), (None, "row 5")],
)
def test_predictions_that_cannot_be_meant_leave_the_search_where_it_was(loans, numbers, predictions, message):
    X, y, _ = loans
    corrector = Corrector()
    corrector.weights(y, X["sex"])
    if predictions is None:
        predictions = np.full(3000, 0.5)
        predictions[5] = np.nan
    with pytest.raises(EvenhandError, match=message):
        corrector.update(predictions)
    assert finished(corrector, numbers, y).stop_ == "converged"


@pytest.mark.parametrize("bad", [1.5, -0.2, float("nan")])
@pytest.mark.any_outcome
def test_predictions_that_are_no_probabilities_are_refused_and_can_be_given_again(loans, bad):
    X, y, _ = loans
    corrector = Corrector("demographic_parity")
    corrector.weights(y, X["sex"])
    scores = np.full(len(y), 0.5)
    scores[3] = bad
    with pytest.raises(EvenhandError, match=r"predictions, row 3 \(counted from 0\): the score .* is no probability"):
        corrector.update(scores)
    corrector.update(np.full(len(y), 0.5))
