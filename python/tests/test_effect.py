"""What a correction does beyond evenness, and rows without a value."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from evenhand import EvenhandClassifier, EvenhandError, EvenhandWarning, audit


def hires(lost: float = 0.0) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """Few are hired, by merit, of which men have more; the sex of some is not known."""
    draw = np.random.default_rng(5)
    rows = 6000
    sex = np.where(draw.random(rows) < 0.5, "f", "m").astype(object)
    merit = draw.uniform(0, 100, (rows, 3)).sum(axis=1) + 40 * (sex == "m")
    hired = (merit + draw.uniform(0, 100, rows) > 320).astype(int)
    sex[draw.random(rows) < lost] = None
    return pd.DataFrame({"merit": merit}), pd.Series(hired), pd.Series(sex, name="sex")


def fitted(**settings: object) -> tuple[EvenhandClassifier, dict[str, str]]:
    X, y, sex = hires()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = EvenhandClassifier(max_violation=0.02, **settings).fit(X, y, sensitive_features=sex)
    told = [one.message for one in caught if isinstance(one.message, EvenhandWarning)]
    return found, {one.code: str(one) for one in told}


def test_levelling_down_is_warned_of_and_kept() -> None:
    found, told = fitted()
    assert {"notable-change", "levelled-down"} <= set(told)
    assert "target-rate=0.0" in told["levelled-down"]
    effect = found.effect_
    assert effect["summary"].startswith("The correction changes more than evenness: ")
    assert effect["positive_rate"]["after"] < 0.8 * effect["positive_rate"]["before"]
    assert effect["helped"][0]["group"] == "sex=f"
    assert effect["summary"] in found._found_html().replace("&#x27;", "'")


def test_how_much_is_notable_is_a_setting(tmp_path) -> None:
    found, told = fitted(notable_change=1.0)
    assert not set(told) & {"notable-change", "levelled-down"}
    assert found.effect_["summary"] is None
    found.save(tmp_path / "model.json")
    again = EvenhandClassifier.load(tmp_path / "model.json")
    assert (again.notable_change, again.effect_) == (1.0, None)


def test_rows_without_a_value_are_a_row_of_every_frame() -> None:
    X, y, sex = hires(lost=0.2)
    frame = audit(y, y, sensitive_features=sex).by_group
    assert list(frame["group"]) == ["overall", "sex=f", "sex=m", "sex missing"]
    assert frame["rows"].iloc[-1] == sex.isna().sum()
    with pytest.warns(EvenhandWarning):
        found = EvenhandClassifier(max_violation=0.02).fit(X, y, sensitive_features=sex)
    assert found.evaluate(X, y, sensitive_features=sex)["groups"][-1]["name"] == "sex missing"
    assert found.effect_["missing"][0]["name"] == "sex missing"


def test_a_bound_for_each_constraint_is_a_dictionary(tmp_path) -> None:
    X, y, sex = hires()
    asked = {"all": 0.05, "target_rate": 0.005}
    found = EvenhandClassifier(
        constraints=["demographic_parity", "target-rate=0.1"], max_violation=asked, notable_change=1.0
    ).fit(X.assign(sex=sex), y, sensitive_features=sex)
    tests = found.test_bounds(X.assign(sex=sex), y, sensitive_features=sex)
    assert [(test.limit, test.notion) for test in tests] == [(0.05, None), (0.005, "target-rate=0.1")]
    assert str(tests[1]).startswith("max-violation target-rate=0.1=0.005 on 6000 rows")
    assert abs(found.evaluate(X.assign(sex=sex), y, sensitive_features=sex)["positive_rate"] - 0.1) <= 0.005
    found.save(tmp_path / "model.json")
    again = EvenhandClassifier.load(tmp_path / "model.json")
    assert again.max_violation == {"all": 0.05, "target-rate=0.1": 0.005}


@pytest.mark.parametrize("bound", [{"equal_opportunity": 0.01}, {1: 0.1}, {"all": "x"}, "0.1"])
def test_bounds_that_mean_nothing_are_refused(bound: object) -> None:
    X, y, sex = hires()
    with pytest.raises(EvenhandError, match=r"max.violation"):
        EvenhandClassifier(max_violation=bound).fit(X, y, sensitive_features=sex)


@pytest.mark.any_outcome
@pytest.mark.parametrize("method", ["weighting", "unconstrained"])
def test_the_same_decision_for_everyone_is_warned_of(method: str) -> None:
    rows = np.arange(2000)
    X, sex = pd.DataFrame({"other": rows % 7}), pd.Series(np.where(rows % 40 < 20, "f", "m"), name="sex")
    y = pd.Series(((rows % 20 == 0) | ((rows % 20 == 1) & (sex == "f"))).astype(int))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = EvenhandClassifier(method=method, numeric=["other"]).fit(X, y, sensitive_features=sex)
        found = audit(y, clf.predict(X), sensitive_features=sex)
    told = {one.message.code: str(one.message) for one in caught if isinstance(one.message, EvenhandWarning)}
    assert told["one-decision"].startswith("all 2000 rows are predicted `0`")
    assert [one["code"] for one in found.to_dict()["warnings"]] == ["one-decision"]


@pytest.mark.any_outcome
def test_what_searches_for_nothing_says_so() -> None:
    X, y, sex = hires()
    for method in ("unconstrained", "reweighing"):
        assert EvenhandClassifier(method=method).fit(X, y, sensitive_features=sex).stop_ == "not-searched"
    with pytest.warns(EvenhandWarning, match="max_violation=0.02 was not searched for") as caught:
        EvenhandClassifier(method="reweighing", max_violation=0.02).fit(X, y, sensitive_features=sex)
    assert "not-searched" in {one.message.code for one in caught}
