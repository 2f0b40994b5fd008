"""Corrections by what features tell of groups: ``apply`` and ``tilt``."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from evenhand import Corrector, EvenhandClassifier, EvenhandError, audit, correct_scores, frontier, sample_weights
from evenhand.constraints import PaperDisparateImpact
from evenhand.datasets import make_loans

pytestmark = pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")


@pytest.fixture(scope="module")
def loans() -> tuple[Any, Any, Any]:
    """Frame, labels and sex of made-up people; the history tells the sex in part."""
    X, y, _ = make_loans(3000, random_state=3)
    sex = X["sex"]
    rng = np.random.default_rng(1)
    X = X.assign(hint=np.where(rng.random(len(X)) < 0.8, sex == "female", sex != "female").astype(float))
    return X, y, sex


def numbers(X: Any) -> Any:
    """Columns that an estimator of scikit-learn takes."""
    return X[["income", "history", "hint"]]


def gap(predicted: Any, sex: Any) -> float:
    """Difference of positive rates."""
    positive = np.asarray(predicted) == np.unique(predicted)[-1]
    return abs(float(positive[np.asarray(sex == "female")].mean() - positive[np.asarray(sex != "female")].mean()))


def test_a_tilt_of_another_estimator_takes_one_fit_where_it_sees_the_group(loans: Any) -> None:
    X, y, sex = loans
    told = numbers(X).assign(female=(sex == "female").astype(float))
    boosted = GradientBoostingClassifier(n_estimators=20, random_state=0)
    clf = EvenhandClassifier(boosted, max_violation=0.01, apply="tilt").fit(told, y, sensitive_features="female")
    assert clf.n_fits_ == 1
    assert clf.memberships_ is not None
    assert len(clf.memberships_) == 0
    plain = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(told, y)
    assert gap(clf.predict(told), sex) < 0.03 < gap(plain.predict(told), sex)
    assert np.array_equal(clf.estimator_.predict_proba(told), plain.predict_proba(told))


def test_a_blind_tilt_takes_a_fit_for_each_group(loans: Any) -> None:
    X, y, sex = loans
    boosted = GradientBoostingClassifier(n_estimators=20, random_state=0)
    clf = EvenhandClassifier(boosted, max_violation=0.02, apply="tilt").fit(numbers(X), y, sensitive_features=sex)
    # One sex is whoever is not of the other: one model of membership.
    assert clf.n_fits_ == 2
    assert list(clf.memberships_.columns) == ["group", "labelled", "auc"]
    assert list(clf.memberships_["labelled"]) == [None]
    assert 0.7 < clf.memberships_["auc"][0] < 0.95
    plain = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(numbers(X), y)
    assert gap(clf.predict(numbers(X)), sex) < 0.05 < gap(plain.predict(numbers(X)), sex)
    many = X["sex"] + X["hint"].astype(str)
    three = EvenhandClassifier(LogisticRegression(), apply="tilt").fit(X[["income"]], y, sensitive_features=many)
    assert three.n_fits_ == 1 + many.nunique() == 1 + len(three.memberships_)


def test_what_predicts_is_what_was_measured(loans: Any) -> None:
    X, y, sex = loans
    for estimator in (None, LogisticRegression(max_iter=1000)):
        for features, groups in ((numbers(X), sex), (numbers(X).assign(female=sex == "female"), "female")):
            clf = EvenhandClassifier(estimator, apply="tilt", max_violation=0.02)
            clf.fit(features, y, sensitive_features=groups)
            again = clf.evaluate(features, y, sensitive_features=groups)
            assert again["violation"] == pytest.approx(clf.violation_, abs=1e-12)
            probabilities = clf.predict_proba(features)
            assert np.array_equal(clf.classes_[probabilities.argmax(axis=1)], clf.predict(features))
            assert np.allclose(probabilities.sum(axis=1), 1.0)
            odds = np.log(probabilities[:, 1] / probabilities[:, 0])
            assert np.allclose(clf.decision_function(features), odds)
            copied = pickle.loads(pickle.dumps(clf))
            assert np.array_equal(copied.predict_proba(features), probabilities)
            report = str(clf.report())
            assert "no row counts differently" in report
            assert ("How well features tell the group" in report) == (groups is sex)


def test_rows_of_certain_labels_are_told_apart_among_themselves(loans: Any) -> None:
    X, y, sex = loans
    clf = EvenhandClassifier(LogisticRegression(max_iter=1000), "equalized_odds", apply="tilt")
    clf.fit(numbers(X), y, sensitive_features=sex)
    assert clf.n_fits_ == 3
    assert sorted(clf.memberships_["labelled"]) == sorted(str(one) for one in np.unique(y))


def test_an_estimator_without_sample_weight_will_do(loans: Any) -> None:
    X, y, sex = loans
    with pytest.raises(EvenhandError, match="apply='tilt'"):
        EvenhandClassifier(KNeighborsClassifier(50)).fit(numbers(X), y, sensitive_features=sex)
    clf = EvenhandClassifier(KNeighborsClassifier(50), apply="tilt").fit(numbers(X), y, sensitive_features=sex)
    assert clf.n_fits_ == 2
    wide = sparse.csr_matrix(numbers(X).to_numpy())
    sparsely = EvenhandClassifier(LogisticRegression(), apply="tilt").fit(wide, y, sensitive_features=sex)
    assert (sparsely.n_fits_, len(sparsely.memberships_)) == (2, 1)
    assert sparsely.predict(wide).shape == (len(y),)


def test_blind_weights_are_chosen_by_themselves_for_disparate_impact(loans: Any) -> None:
    X, y, sex = loans
    clf = EvenhandClassifier(constraints="disparate-impact").fit(numbers(X), y, sensitive_features=sex)
    assert len(clf.memberships_) == 1
    assert len(np.unique(clf.sample_weight_)) > 4
    centred = EvenhandClassifier(tilt="centred").fit(numbers(X), y, sensitive_features=sex)
    assert centred.memberships_ is None
    assert len(np.unique(centred.sample_weight_)) <= 4
    other = EvenhandClassifier(LogisticRegression(), max_fits=5).fit(numbers(X), y, sensitive_features=sex)
    assert other.memberships_ is None
    asked = EvenhandClassifier(LogisticRegression(), max_fits=5, tilt="expected")
    assert len(asked.fit(numbers(X), y, sensitive_features=sex).memberships_) == 1


def test_the_model_file_keeps_the_tilt(loans: Any, tmp_path: Path) -> None:
    X, y, sex = loans
    for apply in ("tilt", "weights"):
        clf = EvenhandClassifier(apply=apply, tilt="expected").fit(numbers(X), y, sensitive_features=sex)
        clf.save(tmp_path / "model.json")
        loaded = EvenhandClassifier.load(tmp_path / "model.json")
        assert loaded.apply == apply
        assert np.array_equal(loaded.predict_proba(numbers(X)), clf.predict_proba(numbers(X)))
        assert loaded.memberships_.equals(clf.memberships_)


def test_a_frontier_of_tilts(loans: Any) -> None:
    X, y, sex = loans
    path = frontier(numbers(X), y, sensitive_features=sex, apply="tilt", points=4, test=(numbers(X), y, sex))
    assert path.n_fits == 2
    assert np.allclose(path.points["violation"], path.points["test_violation"])
    assert len(path.memberships) == 1
    assert "How well features tell the group" in path.report().to_markdown()
    sighted = frontier(X, y, sensitive_features="sex", points=3, tilt="paper")
    assert sighted.memberships is None


def test_bad_settings_are_refused(loans: Any) -> None:
    X, y, sex = loans
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"apply": "thresholds"}, "`apply` is `thresholds`"),
        ({"tilt": "bare"}, "`tilt` is `bare`"),
        ({"apply": "tilt", "method": "sampling"}, "`technique` is sampling where probabilities are tilted"),
        ({"apply": "tilt", "tilt": "centred"}, "`tilt` is another one where probabilities are tilted"),
        ({"apply": "tilt", "preset": "paper"}, "`preset` is the loop of the paper"),
        ({"apply": "tilt", "estimator": LinearSVC()}, "no predict_proba: there is nothing to tilt"),
    ]
    for settings, message in wrong:
        with pytest.raises(EvenhandError, match=message) as caught:
            EvenhandClassifier(**settings).fit(numbers(X), y, sensitive_features=sex)
        assert caught.value.code == "setting-invalid"
    with pytest.raises(EvenhandError, match="no row weights"):
        sample_weights(X, y, sensitive_features="sex", apply="tilt")
    with pytest.raises(EvenhandError, match="`apply` of Corrector is 'tilt'"):
        Corrector(apply="tilt").weights(y, sex)
    with pytest.raises(EvenhandError, match="`tilt` of Corrector is 'expected'"):
        Corrector(tilt="expected").weights(y, sex)


def test_scores_of_another_model_are_corrected_without_training_it(loans: Any, tmp_path: Path) -> None:
    X, y, sex = loans
    told = numbers(X).assign(female=(sex == "female").astype(float))
    model = LogisticRegression(max_iter=1000).fit(told, y)
    scores = model.predict_proba(told)[:, 1]
    before = gap(model.predict(told), sex)
    blind = correct_scores(scores, y, sensitive_features=sex, X=numbers(X), max_violation=0.02)
    assert blind.n_fits_ == len(blind.memberships_) == 1
    assert gap(blind.predict(scores, numbers(X)), sex) < 0.06 < before
    group = correct_scores(scores, y, sensitive_features=sex, with_group=True, max_violation=0.02)
    assert (group.n_fits_, len(group.memberships_)) == (0, 0)
    assert gap(group.predict(scores, sensitive_features=sex), sex) < 0.05
    # The same as a tilt of the model itself, where both see the group alone.
    fitted = EvenhandClassifier(LogisticRegression(max_iter=1000), apply="tilt", max_violation=0.02)
    fitted.fit(told, y, sensitive_features="female")
    assert gap(fitted.predict(told), sex) == pytest.approx(
        gap(group.predict(scores, sensitive_features=sex), sex), abs=0.01
    )
    alone = correct_scores(scores, y, sensitive_features=sex)
    probabilities = alone.predict_proba(scores)
    assert np.array_equal(alone.classes_[probabilities.argmax(axis=1)], alone.predict(scores))
    copied = pickle.loads(pickle.dumps(blind))
    assert np.array_equal(copied.predict_proba(scores, numbers(X)), blind.predict_proba(scores, numbers(X)))
    blind.save(tmp_path / "model.json")
    frame = numbers(X).assign(score=scores)
    loaded = EvenhandClassifier.load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict_proba(frame), blind.predict_proba(scores, numbers(X)))


def test_bad_scores_are_refused(loans: Any) -> None:
    X, y, sex = loans
    good = np.full(len(y), 0.5)
    high, missing = good.copy(), good.copy()
    high[7], missing[8] = 1.5, np.nan
    three = np.where(np.arange(len(y)) == 3, 2, np.arange(len(y)) % 2)
    wrong: list[tuple[Any, Any, dict[str, Any], str]] = [
        (high, y, {}, "row 7.*1.5 is no probability"),
        (missing, y, {}, "row 8.*is no probability"),
        (good[:-1], y, {}, f"scores: {len(y) - 1} where {len(y)} were expected"),
        (good[:-1], y, {"X": numbers(X)}, f"scores: {len(y) - 1} where {len(y)} were expected"),
        (np.column_stack([good, good]), y, {}, "scores have 2 dimensions"),
        (good, three, {}, "`y` has 3 classes"),
    ]
    for scores, labels, more, message in wrong:
        with pytest.raises(EvenhandError, match=message):
            correct_scores(scores, labels, sensitive_features=sex, **more)
    corrected = correct_scores(X["income"] / 200, y, sensitive_features=sex)
    with pytest.raises(EvenhandError, match="no probability"):
        corrected.predict(high)


def test_the_papers_disparate_impact_withholds_the_indicators_of_groups_alone(loans: Any, tmp_path: Path) -> None:
    X, y, _ = loans
    clf = EvenhandClassifier(constraints="paper_disparate_impact", groups="region=north,south").fit(X, y)
    names = clf.estimator_.feature_names
    assert [name for name in names if name.startswith("region")] == ["region=east", "region=west"]
    assert clf.memberships_ is not None
    assert str(PaperDisparateImpact()) == "paper-disparate-impact"
    clf.save(tmp_path / "model.json")
    again = EvenhandClassifier.load(tmp_path / "model.json")
    assert again.constraints == ["paper-disparate-impact"]
    assert np.array_equal(again.predict(X), clf.predict(X))
    audited = audit(y, clf.predict(X), sensitive_features=X["sex"])
    assert audited.violation("paper_disparate_impact") == audited.violation("demographic_parity")


def test_another_estimator_makes_its_own_indicators(loans: Any) -> None:
    X, y, sex = loans
    for asked in ({"constraints": "paper_disparate_impact"}, {"notion": "paper-disparate-impact"}):
        clf = EvenhandClassifier(LogisticRegression(), **asked)
        with pytest.raises(EvenhandError, match="'disparate_impact' with an estimator"):
            clf.fit(numbers(X), y, sensitive_features=sex)


def test_corrected_scores_are_reported_on_their_rows_and_on_others(loans: Any) -> None:
    X, y, sex = loans
    scores = LogisticRegression().fit(numbers(X), y).predict_proba(numbers(X))[:, 1]
    corrected = correct_scores(scores, y, sensitive_features=sex, X=numbers(X), max_violation=0.02)
    own = corrected.report()
    assert own.to_dict()["about"]["are_training"]
    assert own.to_dict()["change"]["violation_after"] == pytest.approx(corrected.violation_)
    half = slice(0, 1500)
    other = corrected.report(scores[half], y[half], sensitive_features=sex[half], X=numbers(X)[half]).to_dict()
    assert (other["about"]["rows"], other["about"]["are_training"]) == (1500, False)
    told = correct_scores(scores, y, sensitive_features=sex, with_group=True, sample_weight=np.ones(len(y)))
    assert told.report(scores, y, sensitive_features=sex).to_dict()["about"]["rows"] == len(y)
    with pytest.raises(EvenhandError, match="both scores and y"):
        corrected.report(scores)
    again = pickle.loads(pickle.dumps(corrected))
    assert np.array_equal(again.predict(scores, numbers(X)), corrected.predict(scores, numbers(X)))
    with pytest.raises(EvenhandError, match="needs the rows that were corrected"):
        again.report()


@pytest.mark.parametrize("constraints", ["demographic_parity", "equal_opportunity"])
def test_a_feature_that_tells_a_withheld_column_is_named(loans: Any, constraints: str) -> None:
    X, y, sex = loans
    copied = X.assign(gender=(sex == "female").astype(int))
    told = "column `sex` is withheld from the learner, but the feature `gender` determines it exactly"
    for apply in ("weights", "tilt"):
        hidden = EvenhandClassifier(constraints=constraints, withhold=["sex"], apply=apply)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            hidden.fit(copied, y, sensitive_features="sex")
        assert any(told in str(one.message) for one in caught)
        assert "determines it exactly" in hidden.report().to_html()
    # Groups that are given beside the features, for a learner that may see them.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        EvenhandClassifier(constraints=constraints).fit(copied.drop(columns="sex"), y, sensitive_features=sex)
    assert not [one for one in caught if "determines" in str(one.message)]
