"""Reports from Python: the numbers are those of the classifier, and nothing is lost on the way."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from evenhand import EvenhandClassifier, EvenhandError, Report, audit, frontier, identify
from evenhand.datasets import make_loans


@pytest.fixture(scope="module")
def loans() -> tuple[Any, Any]:
    X, y, _ = make_loans(3000, random_state=1)
    return X, y


@pytest.fixture(scope="module")
def later() -> tuple[Any, Any]:
    X, y, _ = make_loans(2000, random_state=2)
    return X, y


def numbers_of(X: Any) -> Any:
    return np.column_stack([X.select_dtypes("number").to_numpy(), X["sex"] == "female"])


def test_training_rows_are_the_usual_ones(loans: tuple[Any, Any]) -> None:
    X, y = loans
    clf = EvenhandClassifier(max_violation=0.02).fit(X, y, sensitive_features=X["sex"])
    report = clf.report()
    record = report.to_dict()
    assert record["kind"] == "fit"
    assert record["about"]["are_training"]
    assert record["about"]["rows"] == 3000
    assert record["change"]["violation_after"] == clf.violation_
    assert {one["name"]: one["value"] for one in record["search"]["multipliers"]} == clf.multipliers_
    assert report.summary.startswith("Before correction, rows in sex=")
    assert len(record["tradeoff"]["points"]) == 13
    assert [baseline["method"] for baseline in record["tradeoff"]["baselines"]] == [
        "reweighing",
        "threshold-postprocessing",
        "lagrangian",
    ]
    assert record["verdicts"][0]["bound"] == {"max-violation": 0.02}


def test_other_rows_are_measured_as_assess_measures_them(loans: tuple[Any, Any], later: tuple[Any, Any]) -> None:
    (X, y), (other, labels) = loans, later
    clf = EvenhandClassifier(constraints="equalized_odds").fit(X, y, sensitive_features=X["sex"])
    record = clf.report(other, labels, sensitive_features=other["sex"]).to_dict()
    metrics = clf.evaluate(other, labels, sensitive_features=other["sex"])
    assert not record["about"]["are_training"]
    assert record["change"]["error_after"] == metrics["error"]
    assert record["change"]["violation_after"] == metrics["violation"]
    assert record["record"]["test_sha256"] != record["record"]["data_sha256"]


@pytest.mark.any_outcome
@pytest.mark.parametrize(
    ("estimator", "method"),
    [
        (LogisticRegression(), "weighting"),
        (RandomForestClassifier(10, min_samples_leaf=20), "weighting"),
        (RandomForestClassifier(10, min_samples_leaf=20, random_state=0), "sampling"),
    ],
)
def test_another_estimator_is_reported_as_it_was_fitted(
    loans: tuple[Any, Any], later: tuple[Any, Any], estimator: Any, method: str
) -> None:
    (X, y), (other, labels) = loans, later
    clf = EvenhandClassifier(estimator, method=method, max_fits=8)
    clf.fit(numbers_of(X), y, sensitive_features=X["sex"])
    own = clf.report().to_dict()
    assert own["change"]["violation_after"] == clf.violation_
    report = clf.report(numbers_of(other), labels, sensitive_features=other["sex"])
    record = report.to_dict()
    wrong = float(np.mean(clf.predict(numbers_of(other)) != labels))
    assert record["change"]["error_after"] == pytest.approx(wrong, abs=1e-12)
    assert record["record"]["learner"] == {"kind": "python", "name": type(estimator).__name__}
    assert len(record["tradeoff"]["points"]) == 6
    lagrangian = record["tradeoff"]["baselines"][-1]
    assert lagrangian["error"] is None
    assert "another kind" in lagrangian["why"]


def test_methods_that_decide_by_group_have_reports(loans: tuple[Any, Any], later: tuple[Any, Any]) -> None:
    (X, y), (other, labels) = loans, later
    clf = EvenhandClassifier(method="thresholds").fit(X, y, sensitive_features=X["sex"])
    record = clf.report(other, labels, sensitive_features=other["sex"]).to_dict()
    wrong = float(np.mean(clf.predict(other, sensitive_features=other["sex"]) != labels))
    assert record["change"]["error_after"] == pytest.approx(wrong, abs=1e-12)


def test_weights_masks_and_texts_are_reported(loans: tuple[Any, Any]) -> None:
    X, y = loans
    labels = np.where(y == 1, "<yes>", "no & never")
    masks = [(X["sex"] == "female").to_numpy(), (X["age_band"] == "18-24").to_numpy()]
    clf = EvenhandClassifier(pos_label="<yes>")
    clf.fit(X, labels, sensitive_features=masks, sample_weight=np.linspace(0.5, 2.0, len(y)))
    report = clf.report()
    record = report.to_dict()
    assert record["about"]["weighted"]
    assert record["about"]["positive"] == "<yes>"
    assert "<yes>" not in report.to_html()
    assert "&lt;yes&gt;" in report.to_markdown()


def test_a_classifier_without_its_rows_says_so(loans: tuple[Any, Any]) -> None:
    X, y = loans
    clf = EvenhandClassifier().fit(X, y, sensitive_features=X["sex"])
    for other in (pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)):
        with pytest.raises(EvenhandError, match="needs the rows it was fitted to"):
            other.report()
    with pytest.raises(EvenhandError, match="both X and y"):
        clf.report(X)


def test_rows_that_were_changed_are_noticed(loans: tuple[Any, Any]) -> None:
    X, y = loans
    X = X.copy()
    clf = EvenhandClassifier().fit(X, y, sensitive_features="sex")
    assert clf.report().summary
    X.loc[7, "sex"] = "male" if X.loc[7, "sex"] == "female" else "female"
    with pytest.raises(EvenhandError, match="were changed since they were fitted to") as caught:
        clf.report()
    assert caught.value.code == "rows-changed"


def test_files_are_written_by_their_names(loans: tuple[Any, Any], tmp_path: Path) -> None:
    X, y = loans
    report = EvenhandClassifier().fit(X, y, sensitive_features=X["sex"]).report()
    for name, shown in {"a.html": report.to_html(), "a.md": report.to_markdown(), "a.txt": str(report)}.items():
        report.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8") == shown
    with pytest.raises(EvenhandError, match=r"ends with \.html, \.md or \.txt"):
        report.save(tmp_path / "a.pdf")
    with pytest.raises(OSError, match="not_there"):
        report.save(tmp_path / "not_there" / "a.html")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.html", "a.md", "a.txt"]


def test_a_page_holds_all_of_its_numbers_and_is_the_same_every_time(loans: tuple[Any, Any]) -> None:
    X, y = loans
    first, second = (EvenhandClassifier().fit(X, y, sensitive_features=X["sex"]).report() for _ in range(2))
    page = first.to_html()
    assert page == second.to_html()
    inside = page.split('id="report">', 1)[1].split("</script>", 1)[0]
    assert json.loads(inside) == first.to_dict()
    again = pickle.loads(pickle.dumps(first))
    assert isinstance(again, Report)
    assert again.to_html() == page


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(loans: tuple[Any, Any]) -> None:
    X, y = loans
    report = EvenhandClassifier().fit(X, y, sensitive_features=X["sex"]).report()
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count("<") == 2
    assert 'sandbox="allow-scripts"' in shown
    assert repr(report) == "<evenhand.Report of fit, 3000 rows>"


def test_audits_identifications_and_frontiers_have_reports(loans: tuple[Any, Any], later: tuple[Any, Any]) -> None:
    (X, y), (other, labels) = loans, later
    audited = audit(y, sensitive_features=X["sex"])
    record = audited.report().to_dict()
    worst = max(record["panels"][0]["groups"], key=lambda line: abs(line["gap"]["value"]))
    assert abs(worst["gap"]["value"]) == audited.violation()
    found = identify(X, y, sensitive_features=X["sex"])
    caught = found.report().to_dict()["bias"]["groups"]
    assert [one["odds_ratio"] for one in caught] == [one["odds_ratio"] for one in found.to_dict()["effects"]]
    path = frontier(X, y, sensitive_features="sex", points=4, test=(other, labels, "sex"))
    points = path.report().to_dict()["tradeoff"]["points"]
    assert [point["error"] for point in points] == list(path.points["test_error"])
    assert [point["violation"] for point in points] == list(path.points["test_violation"])
