"""Choosing among candidates by a bound, and what the estimator inside has."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evenhand import EvenhandClassifier, EvenhandError, EvenhandWarning, Network, best_within, violation_scorer
from evenhand.datasets import make_loans

pytestmark = pytest.mark.any_outcome

GRID = {"max_violation": [0.01, 0.3]}


@pytest.fixture(scope="module")
def loans():
    X, y, _ = make_loans(3000, random_state=7)
    return X, y


def scoring(**of):
    return {"violation": violation_scorer(**of), "accuracy": "accuracy"}


def test_accuracy_takes_the_loosest_bound_and_best_within_does_not(loans):
    X, y = loans
    search = GridSearchCV(
        EvenhandClassifier(groups="sex"), GRID, scoring=scoring(sensitive_features="sex"), refit="accuracy", cv=3
    ).fit(X, y)
    assert search.best_params_ == {"max_violation": 0.3}
    search = sklearn.clone(search).set_params(refit=best_within(max_violation=0.05)).fit(X, y)
    assert search.best_params_ == {"max_violation": 0.01}
    assert search.best_estimator_.violation_ <= 0.01


def test_sensitive_features_may_come_by_routing(loans):
    X, y = loans
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            EvenhandClassifier().set_fit_request(sensitive_features=True),
            GRID,
            scoring=scoring(),
            refit=best_within(max_violation=0.05),
            cv=3,
        ).fit(X, y, sensitive_features=X["sex"])
    assert search.best_params_ == {"max_violation": 0.01}


def test_a_scorer_that_is_asked_for_columns_works_with_routing_too(loans):
    X, y = loans
    clf = EvenhandClassifier(groups="sex", max_violation=0.02)
    plain = cross_validate(clf, X, y, scoring=scoring(sensitive_features="sex"), cv=3)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_validate(clf, X, y, scoring=scoring(sensitive_features="sex"), cv=3)
    np.testing.assert_array_equal(plain["test_violation"], routed["test_violation"])
    assert (plain["test_violation"] <= 0).all()
    ratio = violation_scorer(definition="ratio", sensitive_features=["sex=female", "sex=male"])
    assert 0.5 < ratio(clf.fit(X, y), X, y) <= 1


def test_a_scorer_without_sensitive_features_says_how_they_come(loans):
    X, y = loans
    clf = EvenhandClassifier(groups="sex", max_violation=0.02).fit(X, y)
    with pytest.raises(EvenhandError, match="name columns of X"):
        violation_scorer()(clf, X, y)


def test_where_no_candidate_keeps_the_bound_the_nearest_is_taken_and_told():
    results = {"mean_test_violation": [-0.3, -0.2], "mean_test_accuracy": [0.9, 0.8], "mean_test_ratio": [0.7, 0.9]}
    assert best_within(max_violation=0.3)(results) == 0
    assert best_within(min_ratio=0.8, metric="ratio")(results) == 1
    with pytest.warns(EvenhandWarning, match="the nearest has 0.2000"):
        assert best_within(max_violation=0.1)(results) == 1
    with pytest.raises(EvenhandError, match="`scoring` has violation, accuracy, ratio"):
        best_within(max_violation=0.1, score="auc")(results)
    with pytest.raises(EvenhandError, match="takes one of"):
        best_within(max_violation=0.1, min_ratio=0.8)


def test_what_the_estimator_has_is_passed_through(loans):
    X, y = loans
    numbers = X[["income", "history"]].assign(female=X["sex"] == "female").astype(float)
    forest = EvenhandClassifier(RandomForestClassifier(n_estimators=5, random_state=1), max_fits=2, notable_change=1)
    assert not hasattr(forest, "feature_importances_")
    forest.fit(numbers, y, sensitive_features=X["sex"])
    assert forest.feature_importances_.shape == (3,)
    assert not hasattr(forest, "coef_")
    lines = EvenhandClassifier(make_pipeline(StandardScaler(), LogisticRegression()), max_fits=3, notable_change=1)
    lines.fit(numbers, y, sensitive_features=X["sex"])
    np.testing.assert_array_equal(lines.coef_, lines.estimator_[-1].coef_)
    np.testing.assert_array_equal(lines.intercept_, lines.estimator_[-1].intercept_)
    chosen = SelectFromModel(lines, prefit=True).transform(numbers.to_numpy())
    assert 1 <= chosen.shape[1] <= 3


def test_coefficients_of_the_built_in_learner_lead_to_classes_1(loans):
    X, y = loans
    numbers = X[["income", "history"]].to_numpy(dtype=float)
    first, other = (
        EvenhandClassifier(standardise=False, pos_label=label).fit(numbers, y, sensitive_features=X["sex"])
        for label in (1, 0)
    )
    for clf in (first, other):
        log_odds = numbers @ clf.coef_[0] + clf.intercept_[0]
        np.testing.assert_allclose(clf.decision_function(numbers), log_odds, atol=1e-9)
    three = np.where(numbers[:, 0] > np.median(numbers[:, 0]), 2, np.asarray(y))
    many = EvenhandClassifier(standardise=False).fit(numbers, three, sensitive_features=X["sex"])
    scores = numbers @ many.coef_.T + many.intercept_
    np.testing.assert_array_equal(many.classes_[scores.argmax(axis=1)], many.predict(numbers))
    deep = EvenhandClassifier(Network(layers=(4,), steps=20), max_fits=2)
    assert not hasattr(deep.fit(numbers, y, sensitive_features=X["sex"]), "coef_")


def test_effects_are_what_weights_do_to_the_odds_of_a_group(loans):
    X, y = loans
    clf = EvenhandClassifier(max_violation=0.01).fit(X, y, sensitive_features=X["sex"])
    weight = {
        (sex, label): clf.sample_weight_[(X["sex"] == sex).to_numpy() & (np.asarray(y) == label)].mean()
        for sex in ("female", "male")
        for label in (1, 0)
    }
    odds = {sex: weight[sex, 1] / weight[sex, 0] for sex in ("female", "male")}
    assert clf.effects_["demographic-parity sex=female"] == pytest.approx(odds["female"] / odds["male"], rel=1e-9)
    assert clf.effects_["demographic-parity sex=female"] > 1.2


def test_effects_are_in_the_model_file(loans, tmp_path):
    X, y = loans
    for settings in ({}, {"constraints": "disparate_impact"}, {"apply": "tilt", "withhold": ["sex"]}):
        clf = EvenhandClassifier(max_violation=0.02, **settings).fit(X, y, sensitive_features=X["sex"])
        clf.save(tmp_path / "model.json")
        loaded = EvenhandClassifier.load(tmp_path / "model.json")
        assert loaded.effects_ == clf.effects_
        assert len(loaded.effects_) == 2
        (women,) = (factor for name, factor in loaded.effects_.items() if name.endswith("sex=female"))
        assert women > 1.05
    plain = EvenhandClassifier(method="unconstrained").fit(X, y, sensitive_features=X["sex"])
    plain.save(tmp_path / "model.json")
    assert plain.effects_ == {}
    assert EvenhandClassifier.load(tmp_path / "model.json").effects_ == {}
