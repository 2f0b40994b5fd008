"""The estimator beyond scikit-learn's checks: inputs, settings, callbacks, interruption."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import clone
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from evenhand import (
    EvenhandClassifier,
    EvenhandError,
    EvenhandLearnerError,
    EvenhandWarning,
    frontier,
    identify,
    sample_weights,
)
from evenhand.constraints import EqualizedOdds, TargetRate


def test_raw_frames_of_every_library_give_the_same_bits(loans):
    X, y, _ = loans
    columns = {name: X[name].tolist() for name in X.columns}
    expected = EvenhandClassifier().fit(X, y, sensitive_features="sex").predict_proba(X)
    categories = X.astype({"region": "category", "sex": "category", "age_band": "object"})
    for frame in (
        pl.DataFrame(columns),
        pa.table(columns),
        categories,
        pl.DataFrame(columns).cast({"sex": pl.Categorical}),
    ):
        clf = EvenhandClassifier().fit(frame, y, sensitive_features="sex")
        np.testing.assert_array_equal(clf.predict_proba(frame), expected)
        np.testing.assert_array_equal(clf.predict_proba(X) if isinstance(frame, pd.DataFrame) else expected, expected)


def test_missing_values_booleans_and_categories_are_taken_as_they_are(loans):
    X, y, _ = loans
    raw = X.assign(owner=X["income"] > 50, region=X["region"].where(X["region"] != "east"))
    raw.loc[::7, "income"] = np.nan
    with pytest.warns(EvenhandWarning, match="missing value"):
        clf = EvenhandClassifier().fit(raw, y, sensitive_features="sex")
    assert clf.estimator_.feature_names[:3] == ["income", "income is missing", "history"]
    assert {"owner=false", "owner=true", "region is missing"} <= set(clf.estimator_.feature_names)
    assert clf.n_features_in_ == 6
    fresh = raw.iloc[1:6].assign(region="atlantis")
    with pytest.warns(EvenhandWarning, match="did not have, such as `atlantis`"):
        assert clf.predict(fresh).shape == (5,)


def test_sparse_and_dense_agree(loans):
    X, y, _ = loans
    matrix = pd.get_dummies(X).to_numpy(dtype=float)
    dense = EvenhandClassifier().fit(matrix, y, sensitive_features=X["sex"])
    for make in (sparse.csr_array, sparse.csc_matrix):
        thin = EvenhandClassifier().fit(make(matrix), y, sensitive_features=X["sex"])
        np.testing.assert_array_equal(thin.predict_proba(make(matrix)), dense.predict_proba(matrix))


def test_labels_of_any_type_come_back_as_they_went_in(loans):
    X, y, _ = loans
    for values in (y.map({0: "no", 1: "yes"}), y.astype(bool), y.map({0: -1, 1: 1}), y.map({0: "9", 1: "10"})):
        clf = EvenhandClassifier().fit(X, values, sensitive_features="sex")
        predicted = clf.predict(X)
        assert set(predicted) <= set(np.unique(values))
        # scikit-learn's classes are sorted, and the columns of probabilities with them.
        assert list(clf.classes_) == sorted(set(values))
        np.testing.assert_array_equal(clf.classes_[clf.predict_proba(X).argmax(axis=1)], predicted)
        assert clf.score(X, values) > 0.65


def test_the_positive_class_can_be_the_first(loans):
    X, y, _ = loans
    ours = EvenhandClassifier(constraints="equal_opportunity", pos_label=0).fit(X, y, sensitive_features="sex")
    flipped = EvenhandClassifier(constraints="equal_opportunity").fit(X, 1 - y, sensitive_features="sex")
    np.testing.assert_allclose(ours.predict_proba(X)[:, 0], flipped.predict_proba(X)[:, 1], atol=1e-12)
    outside = EvenhandClassifier(LogisticRegression(), "equal_opportunity", pos_label=0)
    numbers = X[["income", "history"]]
    outside.fit(numbers, y, sensitive_features=X["sex"])
    mirrored = EvenhandClassifier(LogisticRegression(), "equal_opportunity").fit(
        numbers, 1 - y, sensitive_features=X["sex"]
    )
    assert outside.violation_ == pytest.approx(mirrored.violation_, abs=1e-9)


@pytest.mark.filterwarnings("ignore:.*without correction:evenhand.EvenhandWarning")
def test_several_constraints_and_objects_are_taken(loans):
    X, y, _ = loans
    clf = EvenhandClassifier(constraints=[EqualizedOdds(), TargetRate(0.6)]).fit(X, y, sensitive_features="sex")
    assert len(clf.multipliers_) == 5
    alone = EvenhandClassifier(constraints=TargetRate(0.5), max_violation=0.01).fit(X, y)
    assert abs(alone.predict(X).mean() - 0.5) <= 0.01
    with pytest.raises(EvenhandError, match="holds a int"):
        EvenhandClassifier(constraints=[3]).fit(X, y, sensitive_features="sex")


@pytest.mark.parametrize(
    ("settings", "given", "code"),
    [
        ({"constraints": "fairness"}, "sex", "notion-syntax"),
        ({"max_violation": 2}, "sex", "setting-invalid"),
        ({"preset": "mine"}, "sex", "setting-invalid"),
        ({"method": "lots"}, "sex", "setting-invalid"),
        ({"validation": "folds"}, "sex", "setting-invalid"),
        ({"l2": -1}, "sex", "setting-invalid"),
        ({"max_violation": "a little"}, "sex", "setting-invalid"),
        ({"max_fits": 2.5}, "sex", "setting-invalid"),
        ({"random_state": None}, "sex", "setting-invalid"),
        ({"random_state": -1}, "sex", "setting-invalid"),
        ({"pos_label": "maybe"}, "sex", "positive-unknown"),
        ({}, {"nobody": np.zeros(3000, dtype=bool)}, "group-empty"),
        ({}, ["sex", "income<=-5"], "group-empty"),
        ({}, pl.LazyFrame({"sex": ["f", "m"]}), "column-type"),
        ({"covariate_shift": "gone"}, "sex", "setting-invalid"),
        ({"covariate_shift": "corrected", "constraints": "equal_accuracy"}, "sex", "setting-invalid"),
        ({"margin": -1}, "sex", "setting-invalid"),
        ({"margin": 1, "preset": "paper"}, "sex", "setting-invalid"),
        ({}, "height", "column-unknown"),
        ({}, "sex=other", "group-value"),
        ({}, "sex<=3", "column-kind"),
        ({"groups": "age_band/5"}, None, "column-kind"),
        ({}, ["f", "m"] * 5, "column-unknown"),
        ({}, np.zeros(7), "length-mismatch"),
        ({}, np.zeros((7, 2, 2)), "shape"),
    ],
)
def test_bad_settings_are_value_errors_with_a_slug(loans, settings, given, code):
    X, y, _ = loans
    with pytest.raises(ValueError) as refused:  # noqa: PT011 the slug says which
        EvenhandClassifier(**settings).fit(X, y, sensitive_features=given)
    assert isinstance(refused.value, EvenhandError)
    assert refused.value.code == code


@pytest.mark.any_outcome
def test_fit_changes_neither_settings_nor_the_estimator_and_starts_afresh(loans):
    X, y, _ = loans
    numbers = X[["income", "history"]]
    inner = LogisticRegression()
    clf = EvenhandClassifier(inner)
    before = clf.get_params(deep=False).copy()
    clf.fit(numbers, y, sensitive_features=X["sex"])
    first = clf.predict_proba(numbers)
    assert clf.get_params(deep=False) == before
    assert not hasattr(inner, "coef_")
    clf.fit(numbers.iloc[:1500], y.iloc[:1500], sensitive_features=X["sex"].iloc[:1500])
    clf.fit(numbers, y, sensitive_features=X["sex"])
    np.testing.assert_array_equal(clf.predict_proba(numbers), first)
    assert clone(clf).get_params(deep=False).keys() == before.keys()


def test_a_callback_hears_of_every_fit_and_may_stop(loans):
    X, y, _ = loans
    heard = []
    EvenhandClassifier(callback=heard.append).fit(X, y, sensitive_features="sex")
    assert [one["fit"] for one in heard] == list(range(1, len(heard) + 1))
    assert heard[-1]["violation"] < heard[0]["violation"]
    for estimator in (None, LogisticRegression()):
        clf = EvenhandClassifier(estimator, callback=lambda done: done["fit"] < 2)
        clf.fit(X[["income"]], y, sensitive_features=X["sex"])
        assert clf.stop_ == "cancelled"
        assert clf.n_fits_ == 2

    def broken(done):
        raise KeyError("mine")

    for estimator in (None, LogisticRegression()):
        with pytest.raises(KeyError, match="mine"):
            EvenhandClassifier(estimator, callback=broken).fit(X[["income"]], y, sensitive_features=X["sex"])


def test_a_progress_bar_is_shown(loans, capsys):
    X, y, _ = loans
    EvenhandClassifier(progress=True).fit(X, y, sensitive_features="sex")
    assert "violation=" in capsys.readouterr().err


class Slow(ClassifierMixin, BaseEstimator):
    """Takes a while after its second fit, and calls back when that begins."""

    fits = 0
    slowing = staticmethod(lambda: None)

    def fit(self, X, y, sample_weight=None):
        Slow.fits += 1
        if Slow.fits > 2:
            self.slowing()
            time.sleep(20)
        self.inner_ = LogisticRegression().fit(X, y, sample_weight)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, X):
        return self.inner_.predict_proba(X)

    def predict(self, X):
        return self.inner_.predict(X)


@pytest.fixture
def listening():
    """Hear Ctrl-C even where a shell has started the tests in the background, deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.any_outcome
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as Unix has them")
@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("keep", [False, True])
def test_ctrl_c_stops_an_estimator_within_a_second(loans, keep, monkeypatch):
    X, y, _ = loans
    Slow.fits, pressed = 0, []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    # Not before the estimator works, however long that takes: a signal before the fit would end the tests.
    monkeypatch.setattr(Slow, "slowing", staticmethod(threading.Timer(0.2, press).start))
    clf = EvenhandClassifier(Slow(), on_interrupt="keep" if keep else "raise", max_violation=0.0)
    if keep:
        clf.fit(X[["income", "history"]], y, sensitive_features=X["sex"])
        assert clf.stop_ == "cancelled"
        assert clf.predict(X[["income", "history"]]).shape == y.shape
    else:
        with pytest.raises(KeyboardInterrupt):
            clf.fit(X[["income", "history"]], y, sensitive_features=X["sex"])
    assert time.monotonic() - pressed[0] < 5  # a second, and what a busy machine adds; the fit itself takes twenty


class CallingBack(Slow):
    """Is interrupted while C code calls Python back, where what is raised goes nowhere."""

    named = "_next_wrapper"

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)

        def called_back():
            os.kill(os.getpid(), signal.SIGINT)
            return 1

        called_back.__code__ = called_back.__code__.replace(co_name=self.named)
        ctypes.CFUNCTYPE(ctypes.c_int)(called_back)()
        for _ in range(500):
            time.sleep(0.01)
        return self


class Losing(CallingBack):
    """Loses the interrupt."""

    named = "anything"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as Unix has them")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize(("kind", "seconds"), [(CallingBack, 3), (Losing, 15)])
def test_ctrl_c_is_not_lost_in_a_library_that_calls_back(loans, kind, seconds):
    X, y, _ = loans
    Slow.fits = -100
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        EvenhandClassifier(kind()).fit(X[["income", "history"]], y, sensitive_features=X["sex"])
    # The one is stopped in its five seconds of work, the other after them, before the next fit.
    assert time.monotonic() - started < seconds
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


ENDLESS = """
import os, signal, sys, threading, time
import numpy as np
from evenhand import EvenhandClassifier
signal.signal(signal.SIGINT, signal.default_int_handler)
random = np.random.default_rng(0)
X = random.normal(size=(1_500_000, 12))
y = (X[:, 0] + random.normal(size=len(X)) > 0).astype(int)
clf = EvenhandClassifier(constraints="equalized_odds", validation="k-fold=10", max_violation=0.0)
def press():
    global pressed
    pressed = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(2.0, press).start()
try:
    clf.fit(X, y, sensitive_features=X[:, 1] > 0)
except KeyboardInterrupt:
    print(time.monotonic() - pressed)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as Unix has them")
def test_ctrl_c_stops_the_built_in_learner_within_a_second():
    done = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, timeout=120, check=True)
    # A pass over the rows may be under way, and another program may have the cores.
    assert float(done.stdout) < 2.0, done.stderr


def test_what_an_estimator_raises_is_raised(loans):
    X, y, _ = loans
    with pytest.raises(ValueError, match="could not convert string"):
        EvenhandClassifier(LogisticRegression()).fit(X, y, sensitive_features="sex")

    class Torn(LogisticRegression):
        def predict_proba(self, X):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        EvenhandClassifier(Torn()).fit(X[["income"]], y, sensitive_features=X["sex"])


def test_what_cannot_be_meant_is_refused_in_words(loans):
    X, y, _ = loans
    numbers = X[["income", "history"]]
    with pytest.raises(EvenhandError, match="is no class; give a classifier"):
        EvenhandClassifier(LinearRegression()).fit(numbers, y, sensitive_features=X["sex"])
    with pytest.raises(EvenhandError, match="`collect` it first"):
        EvenhandClassifier().fit(pl.LazyFrame({"income": X["income"].to_numpy()}), y, sensitive_features=X["sex"])
    for frame in (X.assign(lists=[[1]] * len(y)), X.assign(when=pd.Timestamp("2020-01-01"))):
        with pytest.raises(EvenhandError, match="has no meaning here") as refused:
            EvenhandClassifier().fit(frame, y, sensitive_features="sex")
        assert refused.value.code == "column-type"


def test_scores_that_are_no_numbers_are_refused(loans):
    X, y, _ = loans

    class Broken(Slow):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    Slow.fits = -100
    with pytest.raises(EvenhandLearnerError, match=r"`Broken`, row 0 .*: the score NaN is no probability"):
        EvenhandClassifier(Broken()).fit(X[["income"]], y, sensitive_features=X["sex"])


def test_an_estimator_without_probabilities_is_judged_by_its_decisions(loans):
    X, y, _ = loans
    numbers = (X[["income", "history"]] / 50).assign(female=(X["sex"] == "female").astype(float))
    clf = EvenhandClassifier(LinearSVC(), max_violation=0.03).fit(numbers, y, sensitive_features=X["sex"])
    assert clf.violation_ <= 0.03
    assert not hasattr(clf, "predict_proba")
    assert clf.decision_function(numbers).shape == y.shape


@pytest.mark.any_outcome
@pytest.mark.parametrize("validation", ["holdout=0.3", "k-fold=3"])
def test_multipliers_are_chosen_by_rows_the_estimator_has_not_seen(loans, validation):
    X, y, _ = loans
    numbers = X[["income", "history"]].assign(female=(X["sex"] == "female").astype(float))
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    clf = EvenhandClassifier(tree, validation=validation, max_fits=20).fit(numbers, y, sensitive_features=X["sex"])
    assert min(one["violation"] for one in clf.history_) < clf.history_[0]["violation"]
    assert clf.sample_weight_.shape == y.shape


def test_without_groups_nothing_is_corrected_and_it_is_said(loans):
    X, y, _ = loans
    with pytest.warns(EvenhandWarning, match="nothing is corrected") as caught:
        clf = EvenhandClassifier().fit(X, y)
    assert caught[0].message.code == "no-groups"
    assert set(clf.sample_weight_) == {0.5}
    assert clf.n_fits_ == 1


def test_a_sensitive_column_with_the_name_but_not_the_values_of_a_feature_is_another(loans):
    X, y, _ = loans
    other = X["sex"].map({"female": "a", "male": "b"}).rename("sex")
    clf = EvenhandClassifier().fit(X, y, sensitive_features=other)
    assert list(clf.multipliers_) == [
        "demographic-parity sex (sensitive)=a",
        "demographic-parity sex (sensitive)=b",
    ]
    assert clf.evaluate(X, y, sensitive_features=other)["violation"] == pytest.approx(clf.violation_, abs=1e-12)


def test_sample_weights_are_those_of_the_classifier(loans):
    X, y, _ = loans
    clf = EvenhandClassifier(constraints="equal_opportunity").fit(X, y, sensitive_features="sex")
    weights = sample_weights(X, y, sensitive_features="sex", constraints="equal_opportunity")
    np.testing.assert_array_equal(weights, clf.sample_weight_)


@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_the_shift_of_features_is_undone_if_asked(loans, estimator, tmp_path):
    X, y, _ = loans
    numbers = X[["income", "history"]].assign(female=(X["sex"] == "female").astype(float))
    kept = EvenhandClassifier(estimator, max_violation=0.02).fit(numbers, y, sensitive_features=X["sex"])
    clf = EvenhandClassifier(estimator, max_violation=0.02, covariate_shift="corrected")
    clf.fit(numbers, y, sensitive_features=X["sex"])
    assert clf.violation_ <= 0.02
    # A number per row, not per cell: divided by what weights would make its features count for, 1 on average.
    assert len(np.unique(kept.sample_weight_)) == 4 < len(np.unique(clf.sample_weight_))
    assert clf.sample_weight_.mean() == pytest.approx(1.0, abs=0.05)
    assert 0.001 < np.abs(clf.predict_proba(numbers) - kept.predict_proba(numbers)).max() < 0.2
    if estimator is None:
        clf.save(tmp_path / "model.json")
        assert EvenhandClassifier.load(tmp_path / "model.json").covariate_shift == "corrected"


def test_a_margin_is_how_far_below_a_bound_is_aimed(loans):
    X, y, _ = loans
    found = [
        EvenhandClassifier(max_violation=0.08, margin=margin).fit(X, y, sensitive_features="sex").violation_
        for margin in (0.0, None, 4.0)
    ]
    assert 0.08 >= found[0] > found[1] > found[2]
    assert found[0] > 0.07


def test_a_frontier_has_test_rows_and_goes_down(loans):
    X, y, _ = loans
    half = len(y) // 2
    test = (X[half:], y[half:], X["sex"][half:])
    path = frontier(X[:half], y[:half], sensitive_features=X["sex"][:half], points=5, test=test)
    points = path.points
    assert points["violation"].is_monotonic_decreasing
    assert points["test_error"].between(0, 1).all()
    assert path.n_fits >= 5
    assert "<table" in path._repr_html_()


def test_identify_finds_the_bias_that_was_put_in(loans):
    X, y, _ = loans
    found = identify(X, y, sensitive_features=["sex=female", "age_band=18-24"], resamples=20)
    # 0.45 and 0.12 in units of g/Z - 1; 3,000 rows know them to some 0.05.
    low, high = found.multipliers["low"], found.multipliers["high"]
    assert low[0] - 0.1 < 0.45 < high[0] + 0.1
    assert found.converged
    assert "only if" in found.assumption
    assert str(found).index("only if") < str(found).index("Positive labels for")
    assert "<table" in found._repr_html_()
    effects = found.effects
    assert (effects["simultaneous_low"] < effects["low"]).all()
    assert (effects["high"] < effects["simultaneous_high"]).all()
    assert effects["sentence"].str.contains("for all 2 groups at once").all()


def test_identify_says_how_far_groups_would_have_to_differ(loans):
    X, y, _ = loans
    plain = identify(X, y, sensitive_features=["sex=female", "age_band=18-24"])
    assert len(plain.sensitivity) == len(plain.tipping_points) == 0
    found = identify(X, y, sensitive_features=["sex=female", "age_band=18-24"], sensitivity=True)
    curves, tipping = found.sensitivity, found.tipping_points
    assert list(tipping["group"]) == ["sex=female", "age_band=18-24"] == list(curves["group"].unique())
    first = curves[curves["difference"] == 0]
    assert np.allclose(first["odds_ratio"], found.effects["odds_ratio"], rtol=1e-6)
    assert np.allclose(first["overall_rate"], first["group_rate"], atol=1e-6)
    observed = y.mean() - y[X["sex"] == "female"].mean()
    assert np.isclose(curves["observed"][0], observed)
    women = tipping.iloc[0]
    # Groups overlap, and a small penalty smooths: the labels' own difference, up to that.
    assert abs(women["difference"] - observed) < 0.01
    assert women["low"] < women["difference"] < women["high"]
    assert f"deserve positive labels {100 * women['difference']:.1f} points less often" in women["sentence"]
    assert women["sentence"] in str(found)
    assert "If groups truly differ" in str(found.report())


def test_identify_says_nothing_without_a_solution(loans):
    X, y, _ = loans
    told = X.assign(leak=np.where(y == 1, "p", "q"))
    found = identify(told, y, sensitive_features="leak")
    assert not found.converged
    assert "no multipliers were found" in found.missing
    assert len(found.effects) == len(found.multipliers) == 0
    assert str(found).startswith("There is no estimate: no multipliers")
    assert "<table" not in found._repr_html_()
    assert "odds" not in found.report().summary
