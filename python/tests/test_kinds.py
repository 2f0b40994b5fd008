"""Columns of codes: what groups are made of is a category to the learner too, and what may be codes is reported."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.tree import DecisionTreeClassifier

from evenhand import Corrector, EvenhandClassifier, EvenhandError, EvenhandWarning, audit, frontier, identify

# By how much each code is above the middle: neither rising nor falling with the code, so that no straight line through
# codes can make up for it.
SHIFTS = np.array([7, -7, 9, -5, 8, -6])


@pytest.fixture(scope="module")
def census():
    """People with a code from 1, hours that differ by code, and a label that depends on hours."""
    random = np.random.default_rng(5)
    code = random.integers(0, 6, 6000)
    hours = (SHIFTS[code] + 60 * random.random(6000)).round(2)
    y = (60 * random.random(6000) < hours).astype(int)
    return pd.DataFrame({"RAC1P": code + 1, "hours": hours}), y


def kinds(clf: EvenhandClassifier) -> dict[str, str]:
    """Tell as what the model takes each column."""
    return dict(clf.estimator_.columns)


def fitted(X, y, sensitive_features, **settings):
    """Fit with warnings as errors, as all tests do."""
    return EvenhandClassifier(**settings).fit(X, y, sensitive_features=sensitive_features)


@pytest.mark.any_outcome
def test_groups_of_codes_are_evened_and_as_numbers_they_are_not(census):
    X, y = census
    forms = ["RAC1P", "RAC1P=1,2,5", ["RAC1P=1,2", "RAC1P=5"], X[["RAC1P"]], X["RAC1P"], {"RAC1P": X["RAC1P"]}]
    for given in forms:
        clf = fitted(X, y, given)
        assert kinds(clf) == {"RAC1P": "categorical", "hours": "numeric"}
        assert clf.violation_ < 0.01
        old = fitted(X, y, given, numeric=["RAC1P"])
        assert kinds(old)["RAC1P"] == "numeric"
        assert old.violation_ > 0.05


def test_joined_values_are_one_group(census, tmp_path):
    X, y = census
    clf = fitted(X, y, "RAC1P=5|1,2")
    assert list(clf.multipliers_) == ["demographic-parity RAC1P=1|5", "demographic-parity RAC1P=2"]
    assert kinds(clf)["RAC1P"] == "categorical"
    clf.save(tmp_path / "model.json")
    again = EvenhandClassifier.load(tmp_path / "model.json")
    assert np.array_equal(again.predict(X), clf.predict(X))
    audited = audit(y, clf.predict(X), sensitive_features="RAC1P=1|5", X=X).by_group
    rows = audited.loc[audited["group"] == "RAC1P=1|5", "rows"]
    assert list(rows) == [X["RAC1P"].isin([1, 5]).sum()]
    with pytest.raises(EvenhandError, match="is named twice in one group"):
        fitted(X, y, "RAC1P=1|1.0")
    with pytest.raises(EvenhandError, match="a value is missing"):
        fitted(X, y, "RAC1P=1|")


def test_groups_beside_a_column_and_intersections_count_and_comparisons_do_not(census):
    X, y = census
    assert kinds(fitted(X, y, None, groups=["RAC1P=1,2"]))["RAC1P"] == "categorical"
    assert kinds(fitted(X, y, "RAC1P=1*hours<=30"))["RAC1P"] == "categorical"
    assert kinds(fitted(X, y, "RAC1P<=3"))["RAC1P"] == "numeric"
    assert kinds(fitted(X, y, None, groups=["RAC1P/2"]))["RAC1P"] == "numeric"


def test_every_library_and_every_form_of_a_code_give_the_same_bits(census):
    X, y = census
    clf = fitted(X, y, "RAC1P")
    expected = clf.predict_proba(X)
    columns = {name: X[name].tolist() for name in X.columns}
    for frame in (pl.DataFrame(columns), pa.table(columns)):
        np.testing.assert_array_equal(fitted(frame, y, "RAC1P").predict_proba(frame), expected)
    for code in (
        X["RAC1P"].astype(float),
        X["RAC1P"].astype(str),
        X["RAC1P"].astype("category"),
        X["RAC1P"].astype("Int8"),
    ):
        np.testing.assert_array_equal(clf.predict_proba(X.assign(RAC1P=code)), expected)
    np.testing.assert_array_equal(fitted(X.astype({"RAC1P": "category"}), y, "RAC1P").predict_proba(X), expected)
    np.testing.assert_array_equal(fitted(X, y, "RAC1P", categorical=["RAC1P"]).predict_proba(X), expected)


@pytest.mark.any_outcome
@pytest.mark.filterwarnings("ignore:.*without correction:evenhand.EvenhandWarning")
def test_what_may_be_codes_is_told_of_once_and_in_frames_alone(census):
    X, y = census
    X = X.assign(MAR=X["RAC1P"] % 4)
    sex = np.where(X["hours"] > 30, "a", "b")
    for frame in (X, pl.DataFrame({name: X[name].tolist() for name in X.columns})):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted(frame, y, sex)
        (codes,) = [one for one in caught if one.message.code == "possible-codes"]
        assert "`RAC1P` (6), `MAR` (4)" in str(codes.message)
        assert codes.filename == __file__
    fitted(X, y, sex, categorical=["RAC1P"], numeric=["MAR"])
    fitted(X.to_numpy(), y, sex)
    fitted(X, y, sex, estimator=DecisionTreeClassifier(max_depth=3, random_state=0), max_fits=2)
    Corrector().weights(y, X[["RAC1P"]])


def test_identify_and_frontier_take_codes_alike(census):
    X, y = census
    assert identify(X, y, sensitive_features="RAC1P=2").converged
    assert not identify(X, y, sensitive_features="RAC1P=2", numeric=["RAC1P"]).converged

    def is_useful_where_even(**settings):
        # A straight line through codes is even only where it decides alike for everyone.
        points = frontier(X, y, sensitive_features="RAC1P", points=3, **settings).points
        return bool(((points["violation"] < 0.02) & (points["error"] < 0.3)).any())

    assert is_useful_where_even()
    assert not is_useful_where_even(numeric=["RAC1P"])
    for call in (identify, frontier):
        with pytest.warns(EvenhandWarning, match="whole-number"):
            call(X, y, sensitive_features=np.where(X["hours"] > 30, "a", "b"))


@pytest.mark.any_outcome
def test_a_saved_model_knows_what_was_said(census, tmp_path):
    X, y = census
    clf = fitted(X, y, "RAC1P", numeric=["RAC1P"])
    clf.save(tmp_path / "model.json")
    loaded = EvenhandClassifier.load(tmp_path / "model.json")
    assert loaded.numeric == ["RAC1P"]
    np.testing.assert_array_equal(loaded.predict_proba(X), clf.predict_proba(X))


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"numeric": ["nothing"]}, "column-unknown"),
        ({"categorical": ["nothing"]}, "column-unknown"),
        ({"categorical": ["hours"], "numeric": ["hours"]}, "setting-invalid"),
        ({"categorical": "hours"}, "setting-invalid"),
        ({"numeric": ["hours"], "estimator": DecisionTreeClassifier()}, "setting-invalid"),
    ],
)
def test_kinds_that_make_no_sense_are_refused(census, settings, code):
    X, y = census
    with pytest.raises(EvenhandError) as caught:
        fitted(X, y, "RAC1P", **settings)
    assert caught.value.code == code
