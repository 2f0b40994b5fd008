"""Other methods on the same rows: what they do, what they need, and what they refuse."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from evenhand import EvenhandClassifier, EvenhandError
from evenhand.constraints import KnownRate, TargetRate
from evenhand.datasets import make_loans

BY_GROUP = ["threshold-postprocessing", "thresholds", "percentile-thresholds"]


def rows():
    X, y, truth = make_loans(4000, random_state=5)
    return X, y, truth


def test_unconstrained_is_the_learner_alone():
    X, y, _ = rows()
    clf = EvenhandClassifier(method="unconstrained").fit(X, y, sensitive_features=X["sex"])
    assert clf.n_fits_ == 1
    assert np.unique(clf.sample_weight_).size == 1


def test_reweighing_makes_label_and_group_independent():
    X, y, _ = rows()
    clf = EvenhandClassifier(method="reweighing").fit(X, y, sensitive_features=X["sex"])
    weight, positive = clf.sample_weight_, np.asarray(y) == clf.classes_[1]
    rates = [np.average(positive[X["sex"] == sex], weights=weight[X["sex"] == sex]) for sex in X["sex"].unique()]
    assert np.ptp(rates) < 1e-12


def test_reweighing_goes_with_any_estimator():
    X, y, _ = rows()
    numbers = X[["income", "history"]]
    clf = EvenhandClassifier(LogisticRegression(), method="reweighing").fit(numbers, y, sensitive_features=X["sex"])
    assert clf.n_fits_ == 1
    assert np.unique(clf.sample_weight_).size == 4


@pytest.mark.parametrize("method", BY_GROUP)
def test_thresholds_by_group_are_even_in_training_and_need_the_group(method: str, tmp_path: Path):
    X, y, _ = rows()
    features, sex = X.drop(columns="sex"), X["sex"]
    clf = EvenhandClassifier(method=method).fit(features, y, sensitive_features=sex)
    assert clf.violation_ < (1e-9 if method == "threshold-postprocessing" else 0.01)
    decisions = clf.predict(features, sensitive_features=sex)
    assert (decisions == clf.predict(features, sensitive_features=sex)).all()
    positive = decisions == clf.classes_[1]
    assert np.ptp([positive[sex == one].mean() for one in sex.unique()]) < 0.05
    with pytest.raises(EvenhandError) as refused:
        clf.predict(features)
    assert refused.value.code == "group-needed"
    metrics = clf.evaluate(features, y, sensitive_features=sex)
    assert metrics["violation"] < 0.03
    again = pickle.loads(pickle.dumps(clf))
    assert (again.predict(features, sensitive_features=sex) == decisions).all()
    clf.save(tmp_path / "model.json")
    loaded = EvenhandClassifier.load(tmp_path / "model.json")
    assert loaded.method == method


def test_percentile_thresholds_are_those_of_numpy():
    X, y, _ = rows()
    clf = EvenhandClassifier(method="percentile-thresholds").fit(X, y, sensitive_features=X["sex"])
    scores, sex = clf.predict_proba(X)[:, 1], X["sex"].to_numpy()
    rate = np.mean(scores > 0.5)
    expected = np.zeros(len(X), dtype=bool)
    for one in np.unique(sex):
        expected[sex == one] = scores[sex == one] > np.percentile(scores[sex == one], 100 * (1 - rate))
    positive = clf.predict(X, sensitive_features=X["sex"]) == clf.classes_[1]
    # A row that lies on a percentile may fall on either side of it by rounding.
    assert np.count_nonzero(positive != expected) <= 2
    again = EvenhandClassifier(method="calibration").fit(X, y, sensitive_features=X["sex"])
    assert (again.predict(X, sensitive_features=X["sex"]) == clf.predict(X, sensitive_features=X["sex"])).all()


def test_one_threshold_sets_one_rate():
    X, y, _ = rows()
    with pytest.raises(EvenhandError, match="one threshold sets one rate") as refused:
        EvenhandClassifier(constraints="equalized_odds", method="percentile-thresholds").fit(
            X, y, sensitive_features=X["sex"]
        )
    assert refused.value.code == "setting-invalid"


def test_groups_that_are_features_need_not_be_given_again():
    X, y, _ = rows()
    clf = EvenhandClassifier(method="threshold-postprocessing").fit(X, y, sensitive_features="sex")
    assert (clf.predict(X) == clf.predict(X, sensitive_features="sex")).all()


def test_the_lagrangian_approach_brings_violations_down():
    X, y, _ = rows()
    plain = EvenhandClassifier(method="unconstrained").fit(X, y, sensitive_features=X["sex"])
    clf = EvenhandClassifier(method="lagrangian").fit(X, y, sensitive_features=X["sex"])
    assert clf.violation_ < 0.5 * plain.violation_
    assert clf.predict(X).shape == (4000,)


@pytest.mark.parametrize("method", [*BY_GROUP, "lagrangian"])
def test_what_is_not_trained_by_weighted_fits_is_refused_for_other_estimators(method: str):
    X, y, _ = rows()
    with pytest.raises(EvenhandError) as refused:
        EvenhandClassifier(LogisticRegression(), method=method).fit(X[["income"]], y, sensitive_features=X["sex"])
    assert refused.value.code == "setting-invalid"


def test_known_rates_find_back_to_the_truth():
    X, y, truth = rows()
    deserved = np.asarray(truth) == np.unique(truth)[1]
    groups = {"sex=female": X["sex"] == "female", "age_band=18-24": X["age_band"] == "18-24"}
    known = [KnownRate(name, float(deserved[mask].mean())) for name, mask in groups.items()]
    plain = EvenhandClassifier(method="unconstrained").fit(X, y, sensitive_features=X["sex"])
    asked = [*known, TargetRate(float(deserved.mean()))]
    clf = EvenhandClassifier(constraints=asked, measure="scores").fit(X, y)
    wrong = [np.mean(np.asarray(one.predict(X)) != np.asarray(truth)) for one in (plain, clf)]
    assert wrong[1] < wrong[0] - 0.005


def test_the_command_lines_words_are_understood():
    X, y, _ = make_loans(1500, random_state=3)
    ours = EvenhandClassifier(constraints="equal_opportunity", max_violation=0.05).fit(X, y, sensitive_features="sex")
    theirs = EvenhandClassifier(notion="equal-opportunity", max_violation=0.05, method="correction")
    theirs.fit(X, y, sensitive_features="sex")
    assert ours.multipliers_ == theirs.multipliers_
    with pytest.raises(EvenhandError, match="two names of one parameter"):
        EvenhandClassifier(constraints="equal_opportunity", notion="equalized-odds").fit(X, y, sensitive_features="sex")
