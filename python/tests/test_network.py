"""The built-in network as the learner."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn import clone
from sklearn.model_selection import GridSearchCV

from evenhand import EvenhandClassifier, EvenhandError, Network

SMALL = Network(layers=(12, 8), steps=200, random_state=1)


@pytest.fixture(scope="module")
def fitted(loans):
    X, y, _ = loans
    return EvenhandClassifier(SMALL, max_fits=4).fit(X, y, sensitive_features="sex")


def test_raw_frames_are_corrected(loans, fitted):
    X, _, _ = loans
    assert fitted.violation_ < fitted.history_[0]["violation"] / 2
    probabilities = fitted.predict_proba(X)
    assert probabilities.shape == (len(X), 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    assert fitted.n_fits_ <= 4


def test_the_same_seed_gives_the_same_bits_and_another_does_not(loans, fitted):
    X, y, _ = loans
    again = clone(fitted).fit(X, y, sensitive_features="sex")
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    other = clone(fitted).set_params(estimator__random_state=2).fit(X, y, sensitive_features="sex")
    assert not np.array_equal(other.predict_proba(X), fitted.predict_proba(X))


def test_it_is_saved_loaded_and_pickled(loans, fitted, tmp_path):
    X, _, _ = loans
    expected = fitted.predict_proba(X)
    fitted.save(tmp_path / "model.json")
    np.testing.assert_array_equal(EvenhandClassifier.load(tmp_path / "model.json").predict_proba(X), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(X), expected)
    whole = (tmp_path / "model.json").read_bytes()
    (tmp_path / "changed.json").write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
    with pytest.raises(EvenhandError):
        EvenhandClassifier.load(tmp_path / "changed.json")


def test_it_is_searched_over_as_any_estimator(loans):
    X, y, _ = loans
    plain = EvenhandClassifier(Network(steps=40), method="unconstrained")
    grid = GridSearchCV(plain, {"estimator__layers": [(4,), (8, 4)]}, cv=2, error_score="raise")
    grid.fit(X, y, sensitive_features=X["sex"])
    assert grid.best_params_["estimator__layers"] in [(4,), (8, 4)]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"layers": (8, 0)}, "`layers` is 8,0"),
        ({"layers": "8"}, "`layers` of Network is '8'"),
        ({"layers": 8}, "`layers` of Network is 8"),
        ({"layers": np.array(8)}, "a sequence of whole numbers"),
        ({"layers": (8.5,)}, "a sequence of whole numbers"),
        ({"layers": (-1,)}, "a sequence of whole numbers"),
        ({"learning_rate": float("nan")}, "`learning_rate` is NaN"),
        ({"learning_rate": "fast"}, "allowed is a number"),
        ({"steps": 0}, "`steps` is 0"),
        ({"batch": 0}, "`batch` is 0"),
        ({"batch": 10**10}, "`batch` is 10000000000; allowed is at most 268 million"),
        ({"batches": "all"}, "`drawn` or `weighted`"),
        ({"random_state": -1}, "a whole number from 0"),
    ],
)
def test_bad_settings_are_refused(loans, settings, said):
    X, y, _ = loans
    with pytest.raises(EvenhandError, match=said) as raised:
        EvenhandClassifier(Network(**settings)).fit(X, y, sensitive_features="sex")
    assert raised.value.code == "setting-invalid"


@pytest.mark.any_outcome
def test_layers_may_be_an_array(loans):
    X, y, _ = loans
    array, listed = (
        EvenhandClassifier(Network(layers=layers, steps=20), max_fits=1).fit(X, y, sensitive_features="sex")
        for layers in (np.array([6, 4]), [6, 4])
    )
    np.testing.assert_array_equal(array.predict_proba(X), listed.predict_proba(X))


def test_what_belongs_to_the_linear_learner_does_not_go_with_it(loans):
    X, y, _ = loans
    for other in ({"l2": 1.0}, {"method": "lagrangian"}):
        with pytest.raises(EvenhandError, match="allowed is"):
            EvenhandClassifier(SMALL, **other).fit(X, y, sensitive_features="sex")


def test_labels_of_one_class_are_refused(loans):
    X, _, _ = loans
    with pytest.raises(EvenhandError):
        EvenhandClassifier(SMALL).fit(X, np.ones(len(X)), sensitive_features="sex")


def test_a_callback_stops_it_and_the_best_is_kept(loans):
    X, y, _ = loans
    stopped = EvenhandClassifier(SMALL, callback=lambda _: False).fit(X, y, sensitive_features="sex")
    assert stopped.stop_ == "cancelled"
    assert stopped.n_fits_ == 1
