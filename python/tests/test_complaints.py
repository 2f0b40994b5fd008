"""What people have asked of other libraries in vain, each as a test.

The complaints are open issues of fairlearn and AIF360 at the time of writing, in our words.
"""

from __future__ import annotations

import copy
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from evenhand import EvenhandClassifier, EvenhandError, EvenhandWarning, audit, violation, violation_scorer
from evenhand.constraints import DemographicParity


@pytest.mark.any_outcome
def test_two_attributes_are_constrained_without_their_intersections(loans):
    X, y, _ = loans
    clf = EvenhandClassifier().fit(X, y, sensitive_features=X[["sex", "age_band"]])
    names = [name.removeprefix("demographic-parity ") for name in clf.multipliers_]
    assert [name.split("=")[0] for name in names] == ["sex"] * 2 + ["age_band"] * 4
    crossed = EvenhandClassifier(intersections=True).fit(X, y, sensitive_features=X[["sex", "age_band"]])
    assert len(crossed.multipliers_) == 8
    assert all(" & " in name for name in crossed.multipliers_)


def test_sample_weight_changes_the_result_and_equals_duplicated_rows_for_as_much_penalty(loans):
    X, y, _ = loans
    times = np.where(np.arange(len(y)) % 3 == 0, 3, 1)
    rows = np.repeat(np.arange(len(y)), times)

    def fitted(**settings):
        # Weights count relative to their mean: with a penalty a row as large as that of the repeated rows.
        weighted = EvenhandClassifier(l2=1 / times.mean(), **settings)
        weighted.fit(X, y, sensitive_features=X["sex"], sample_weight=times)
        repeated = EvenhandClassifier(**settings)
        repeated.fit(X.iloc[rows], y.iloc[rows], sensitive_features=X["sex"].iloc[rows])
        plain = EvenhandClassifier(**settings).fit(X, y, sensitive_features=X["sex"])
        return [one.predict_proba(X)[:, 1] for one in (weighted, repeated, plain)]

    # A fixed number of loops: sums of the same numbers in another order.
    weighted, repeated, plain = fitted(preset="paper", max_fits=20)
    np.testing.assert_allclose(weighted, repeated, atol=1e-6)
    assert np.abs(weighted - plain).max() > 1e-3
    # The default stops when rows can tell no more, and more rows can tell a little more.
    weighted, repeated, plain = fitted()
    np.testing.assert_allclose(weighted, repeated, atol=1e-3)
    assert np.abs(weighted - plain).max() > 5e-3


@pytest.mark.any_outcome
@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_the_unit_of_sample_weight_does_not_matter(loans, estimator):
    X, y, _ = loans
    numbers = X[["income", "history"]]
    weight = np.where(X["income"] > 50, 2.5, 0.5)

    def fitted(sample_weight):
        clf = EvenhandClassifier(sklearn.clone(estimator) if estimator is not None else None)
        clf.fit(numbers, y, sensitive_features=X["sex"], sample_weight=sample_weight)
        return clf.predict_proba(numbers)

    for factor in (2.0**-40, 2.0**900):
        np.testing.assert_array_equal(fitted(weight), fitted(weight * factor))
    np.testing.assert_array_equal(fitted(None), fitted(np.full(len(y), 1 / len(y))))


def test_two_predict_calls_agree(loans):
    X, y, _ = loans
    clf = EvenhandClassifier().fit(X, y, sensitive_features=X["sex"])
    np.testing.assert_array_equal(clf.predict(X), clf.predict(X))
    np.testing.assert_array_equal(clf.predict_proba(X), clf.predict_proba(X))


@pytest.mark.any_outcome
def test_prediction_needs_no_groups(loans):
    X, y, _ = loans
    unseen = X.drop(columns="sex")
    clf = EvenhandClassifier().fit(unseen, y, sensitive_features=X["sex"])
    assert clf.predict(unseen).shape == y.shape
    assert "sex" not in clf.feature_names_in_


@pytest.mark.filterwarnings("ignore:.*without correction:evenhand.EvenhandWarning")
def test_more_than_two_classes_work():
    random = np.random.default_rng(0)
    sex = np.where(random.random(900) < 0.5, "f", "m")
    X = np.column_stack([random.normal(size=(900, 2)), sex == "m"])
    y = np.asarray(["low", "middle", "top"])[np.digitize(X[:, 0] + 0.8 * (sex == "m"), [-0.3, 0.7])]
    clf = EvenhandClassifier(max_violation=0.02).fit(X, y, sensitive_features=sex)
    before = EvenhandClassifier()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenhandWarning)
        before.fit(X, y)
    assert list(clf.classes_) == ["low", "middle", "top"]
    assert clf.predict_proba(X).shape == (900, 3)
    rates = [[np.mean(one.predict(X)[sex == s] == "top") for s in "fm"] for one in (before, clf)]
    assert abs(rates[1][0] - rates[1][1]) < 0.25 * abs(rates[0][0] - rates[0][1])


@pytest.mark.parametrize("routing", [False, True])
def test_weights_reach_the_last_step_of_a_pipeline(loans, routing):
    X, y, _ = loans
    numbers = X[["income", "history"]].assign(female=X["sex"] == "female")
    with sklearn.config_context(enable_metadata_routing=routing):
        pipeline = make_pipeline(StandardScaler(), LogisticRegression())
        clf = EvenhandClassifier(pipeline, max_violation=0.02).fit(numbers, y, sensitive_features=X["sex"])
        plain = make_pipeline(StandardScaler(), LogisticRegression()).fit(numbers, y)
    before = violation(y, plain.predict(numbers), sensitive_features=X["sex"])
    assert clf.violation_ <= 0.02 < before
    assert isinstance(clf.estimator_, Pipeline)


def test_it_is_a_step_of_a_pipeline_that_routes_sensitive_features(loans):
    X, y, _ = loans
    numbers = X[["income", "history"]].assign(female=X["sex"] == "female")
    with sklearn.config_context(enable_metadata_routing=True):
        clf = EvenhandClassifier().set_fit_request(sensitive_features=True, sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), clf)
        pipeline.fit(numbers, y, sensitive_features=X["sex"], sample_weight=np.ones(len(y)))
        assert violation(y, pipeline.predict(numbers), sensitive_features=X["sex"]) < 0.01


@pytest.mark.any_outcome
def test_grid_search_chooses_by_a_violation(loans):
    X, y, _ = loans
    with sklearn.config_context(enable_metadata_routing=True):
        clf = EvenhandClassifier().set_fit_request(sensitive_features=True)
        search = GridSearchCV(
            clf,
            {"max_violation": [0.1, 0.005]},
            scoring={"violation": violation_scorer("demographic_parity"), "accuracy": "accuracy"},
            refit="violation",
            cv=3,
        )
        search.fit(X, y, sensitive_features=X["sex"])
        assert search.best_params_ == {"max_violation": 0.005}
        assert (search.cv_results_["mean_test_violation"] <= 0).all()
        scores = cross_validate(
            clf, X, y, params={"sensitive_features": X["sex"]}, scoring=violation_scorer(definition="ratio"), cv=3
        )
        assert ((scores["test_score"] > 0.5) & (scores["test_score"] <= 1)).all()


def test_polars_frames_go_in_and_come_out(loans):
    X, y, _ = loans
    frame = pl.DataFrame({name: X[name].tolist() for name in X.columns})
    theirs = EvenhandClassifier().fit(frame, pl.Series("approved", y.tolist()), sensitive_features=frame.select("sex"))
    ours = EvenhandClassifier().fit(X, y, sensitive_features=X[["sex"]])
    np.testing.assert_array_equal(theirs.predict_proba(frame), ours.predict_proba(X))
    found = audit(y, ours.predict(X), sensitive_features=frame.select("sex"))
    assert isinstance(found.by_group, pl.DataFrame)


@pytest.mark.any_outcome
def test_a_missing_sensitive_value_is_in_no_group_and_still_trained_on(loans):
    X, y, _ = loans
    sex = X["sex"].where(np.arange(len(y)) % 10 != 0)
    with pytest.warns(EvenhandWarning, match="without a value") as caught:
        clf = EvenhandClassifier().fit(X.drop(columns="sex"), y, sensitive_features=sex)
    assert "missing-sensitive" in {one.message.code for one in caught}
    assert len(clf.multipliers_) == 2
    assert len(clf.sample_weight_) == len(y)
    for other in (
        sex.to_numpy(dtype=object, na_value=None),
        pl.Series("sex", [one if isinstance(one, str) else None for one in sex]),
        sex.astype("category"),
    ):
        with pytest.warns(EvenhandWarning, match="without a value"):
            same = EvenhandClassifier().fit(X.drop(columns="sex"), y, sensitive_features=other)
        np.testing.assert_array_equal(
            same.predict_proba(X.drop(columns="sex")), clf.predict_proba(X.drop(columns="sex"))
        )


@pytest.mark.any_outcome
@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_a_fitted_object_is_pickled_and_copied(loans, estimator, tmp_path):
    X, y, _ = loans
    numbers = X[["income", "history"]]
    clf = EvenhandClassifier(estimator).fit(numbers, y, sensitive_features=X["sex"])
    joblib.dump(clf, tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf), joblib.load(tmp_path / "model")):
        np.testing.assert_array_equal(again.predict_proba(numbers), clf.predict_proba(numbers))
        assert again.evaluate(numbers, y, sensitive_features=X["sex"]) == clf.evaluate(
            numbers, y, sensitive_features=X["sex"]
        )


def test_a_constraint_object_serves_two_fits(loans):
    X, y, _ = loans
    constraint = DemographicParity()
    half = len(y) // 2
    first = EvenhandClassifier(constraints=constraint).fit(X[:half], y[:half], sensitive_features=X["sex"][:half])
    EvenhandClassifier(constraints=constraint).fit(X[half:], y[half:], sensitive_features=X["sex"][half:])
    again = EvenhandClassifier(constraints=constraint).fit(X[:half], y[:half], sensitive_features=X["sex"][:half])
    np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))


@pytest.mark.any_outcome
def test_a_bound_is_met_out_of_sample_or_it_is_said_that_it_is_not(loans):
    X, y, _ = loans
    half = len(y) // 2
    sex = X["sex"]
    clf = EvenhandClassifier(max_violation=0.2).fit(X[:half], y[:half], sensitive_features=sex[:half])
    (loose,) = clf.test_bounds(X[half:], y[half:], sensitive_features=sex[half:])
    assert loose.verdict == "met"
    assert loose.high <= 0.2
    tight = EvenhandClassifier(max_violation=0.001).fit(X[:half], y[:half], sensitive_features=sex[:half])
    (tested,) = tight.test_bounds(X[half:], y[half:], sensitive_features=sex[half:])
    assert tested.verdict == "too-few-rows"
    assert "too few rows to tell" in str(tested)
    measured = violation(y[half:], tight.predict(X[half:]), sensitive_features=sex[half:])
    assert tested.value == pytest.approx(measured, abs=1e-12)


@pytest.mark.any_outcome
def test_a_bound_that_weights_cannot_reach_is_told_of(loans):
    X, y, _ = loans
    with pytest.warns(EvenhandWarning, match="was not reached") as caught:
        EvenhandClassifier(max_violation=0.01, max_fits=1).fit(X, y, sensitive_features=X[["sex", "age_band"]])
    assert "not-converged" in {one.message.code for one in caught}


def test_an_estimator_without_sample_weight_is_sampled_for(loans):
    X, y, _ = loans
    numbers = X[["income", "history"]].assign(female=5.0 * (X["sex"] == "female"))
    with pytest.raises(EvenhandError, match="method='sampling'") as refused:
        EvenhandClassifier(KNeighborsClassifier(25)).fit(numbers, y, sensitive_features=X["sex"])
    assert refused.value.code == "learner-weights"
    plain = KNeighborsClassifier(25).fit(numbers, y)
    before = violation(y, plain.predict(numbers), sensitive_features=X["sex"])
    clf = EvenhandClassifier(KNeighborsClassifier(25), method="sampling").fit(numbers, y, sensitive_features=X["sex"])
    assert violation(y, clf.predict(numbers), sensitive_features=X["sex"]) < 0.5 * before


def test_masks_may_overlap(loans):
    X, y, _ = loans
    masks = {"women": (X["sex"] == "female").to_numpy(), "young": (X["age_band"] == "18-24").to_numpy()}
    matrix = np.column_stack(list(masks.values()))
    by_name = EvenhandClassifier().fit(X, y, sensitive_features=masks)
    assert list(by_name.multipliers_) == ["demographic-parity women=true", "demographic-parity young=true"]
    for given in (matrix, list(masks.values()), ["sex=female", "age_band=18-24"]):
        clf = EvenhandClassifier().fit(X, y, sensitive_features=given)
        np.testing.assert_array_equal(clf.predict_proba(X), by_name.predict_proba(X))


@pytest.mark.any_outcome
def test_sensitive_columns_are_hidden_from_the_learner_when_asked(loans):
    X, y, _ = loans
    clf = EvenhandClassifier(constraints="disparate_impact").fit(X, y, sensitive_features=X[["sex"]])
    other = X.assign(sex=X["sex"].map({"female": "male", "male": "female"}))
    np.testing.assert_array_equal(clf.predict_proba(X), clf.predict_proba(other))
    numbers = X[["income"]].assign(female=(X["sex"] == "female").astype(float))
    outside = EvenhandClassifier(LogisticRegression(), "disparate_impact")
    outside.fit(numbers, y, sensitive_features=numbers[["female"]])
    assert list(outside.estimator_.feature_names_in_) == ["income"]


def test_results_are_pandas_for_pandas(loans):
    X, y, _ = loans
    found = audit(y, y, sensitive_features=X["sex"])
    assert isinstance(found.by_group, pd.DataFrame)


class Margins(LogisticRegression):
    """Gives margins where probabilities are asked for."""

    def predict_proba(self, X):
        margins = self.decision_function(X)
        return np.column_stack([-margins, margins])


def test_scores_of_an_estimator_that_are_no_probabilities_are_refused(loans):
    X, y, _ = loans
    with pytest.raises(
        EvenhandError, match=r"`Margins`, row \d+ \(counted from 0\): the score .* is no probability"
    ) as refused:
        EvenhandClassifier(Margins()).fit(X[["income", "history"]], y, sensitive_features=X["sex"])
    assert refused.value.code == "score-invalid"


def test_texts_that_mean_missing_travel_in_the_model_file(loans, tmp_path):
    X, y, _ = loans
    raw = X.astype({"history": object})
    raw.loc[raw.index[::7], "history"] = "?"
    known = raw.assign(history=raw["history"].replace("?", None))
    plain = EvenhandClassifier().fit(known, y, sensitive_features="sex")
    clf = EvenhandClassifier(missing=["?"]).fit(raw, y, sensitive_features="sex")
    np.testing.assert_array_equal(clf.predict_proba(raw), plain.predict_proba(known))
    clf.save(tmp_path / "model.json")
    loaded = EvenhandClassifier.load(tmp_path / "model.json")
    assert loaded.missing == ["?"]
    np.testing.assert_array_equal(loaded.predict_proba(raw), plain.predict_proba(known))


def test_blanks_around_categories_do_not_make_them_unseen(loans):
    X, y, _ = loans
    clf = EvenhandClassifier().fit(X, y, sensitive_features="sex")
    blank = X.assign(sex=" " + X["sex"].astype(str))
    np.testing.assert_array_equal(clf.predict_proba(blank), clf.predict_proba(X))
    with pytest.warns(EvenhandWarning) as caught:
        clf.predict_proba(X.assign(sex=X["sex"].astype(str).str.upper()))
    said = {one.message.code: str(one.message) for one in caught}
    assert "by blanks or case alone, such as `FEMALE` from `female`" in said["nearly-known"]


@pytest.mark.any_outcome
@pytest.mark.parametrize("kind", ["pandas", "nullable", "polars", "numpy"])
def test_group_codes_beyond_doubles_do_not_merge(loans, kind):
    X, y, _ = loans
    codes = np.where(X["sex"] == "female", 2**53, 2**53 + 1)
    column = {
        "pandas": pd.Series(codes, index=X.index, name="code"),
        "nullable": pd.Series(codes, index=X.index, name="code", dtype="Int64"),
        "polars": pl.Series("code", codes),
        "numpy": codes,
    }[kind]
    with pytest.raises(EvenhandError, match="`9007199254740993` has more digits than a number keeps here") as refused:
        EvenhandClassifier().fit(X[["income"]], y, sensitive_features=column)
    assert refused.value.code == "value-rounded"
    texts = pd.Series(codes, index=X.index).astype(str)
    clf = EvenhandClassifier().fit(X[["income"]], y, sensitive_features=texts)
    assert len(clf.multipliers_) == 2
