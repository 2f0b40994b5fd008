"""Rates of one's own, as objects and as strings, and the bias of other notions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand import EvenhandClassifier, EvenhandError, audit, identify
from evenhand.constraints import EqualOpportunity, KnownRate, Rate, TargetRate
from evenhand.datasets import make_loans

AGAINST = Rate("positive", given="sex=female", against="sex=male")


@pytest.fixture(scope="module")
def loans():
    return make_loans(4000, random_state=3)


def test_an_object_is_written_as_a_sentence():
    assert (
        str(Rate("wrongly", given="each group", at_most=0.2)) == "rate=predicted wrongly given each group at most 0.2"
    )
    assert str(Rate(2, against=0.1)) == "rate=predicted 2 against 0.1"


def test_the_rate_of_one_subset_becomes_that_of_another(loans):
    X, y, _ = loans
    clf = EvenhandClassifier(constraints=AGAINST, max_violation=0.02).fit(X, y, sensitive_features="sex")
    decided, sex = clf.predict(X) == clf.classes_[1], np.asarray(X["sex"])
    rates = [decided[sex == value].mean() for value in ("male", "female")]
    assert abs(rates[0] - rates[1]) <= 0.02
    assert list(clf.multipliers_) == [str(AGAINST)]


def test_a_rate_is_weighted_by_a_column(loans):
    X, y, _ = loans
    weighted = Rate("positive", given="sex=female", weighted_by="income")
    assert str(weighted) == "rate=predicted positive weighted by income given sex=female"
    assert "weighted by `in come`" in str(Rate("positive", against=0.1, weighted_by="in come"))
    clf = EvenhandClassifier(constraints=weighted, max_violation=0.02).fit(X, y, sensitive_features="sex")
    income, women = np.asarray(X["income"], dtype=float), np.asarray(X["sex"]) == "female"
    decided = np.asarray(clf.predict(X) == clf.classes_[1])
    assert abs(np.average(decided, weights=income) - np.average(decided[women], weights=income[women])) <= 0.02
    row = audit(y, sensitive_features=["sex"], X=X, constraints=weighted).to_dict()["rates"][0]
    positive = np.asarray(y) == np.unique(y)[1]
    expected = [np.average(positive[women], weights=income[women]), np.average(positive, weights=income)]
    assert [row["rate"], row["reference"]] == pytest.approx(expected, abs=1e-12)
    with pytest.raises(EvenhandError, match="without `weighted by`"):
        identify(X, y, sensitive_features="sex=female", constraints=weighted)


def test_the_general_spelling_of_equal_opportunity_is_the_same(loans):
    X, y, _ = loans
    spelled = "rate=predicted positive given each group and labelled positive"
    fixed, general = (
        EvenhandClassifier(constraints=one).fit(X, y, sensitive_features="sex") for one in (EqualOpportunity(), spelled)
    )
    assert list(fixed.multipliers_.values()) == list(general.multipliers_.values())


def test_an_audit_measures_it(loans):
    X, y, _ = loans
    found = audit(y, sensitive_features=["sex"], X=X, constraints=AGAINST)
    sex, positive = np.asarray(X["sex"]), np.asarray(y) == np.unique(y)[1]
    expected = [positive[sex == value].mean() for value in ("female", "male")]
    row = found.to_dict()["rates"][0]
    assert [row["rate"], row["reference"]] == pytest.approx(expected, abs=1e-12)
    assert len(found.rates) == 1


def test_an_audit_measures_given_rates_too(loans):
    X, y, _ = loans
    found = audit(y, sensitive_features=["sex"], X=X, constraints=[TargetRate(0.5), KnownRate("sex=female", 0.6)])
    sex, positive = np.asarray(X["sex"]), np.asarray(y) == np.unique(y)[1]
    everyone, women = found.to_dict()["rates"]
    assert [everyone["rate"], everyone["reference"]] == pytest.approx([positive.mean(), 0.5], abs=1e-12)
    assert [women["rate"], women["reference"]] == pytest.approx([positive[sex == "female"].mean(), 0.6], abs=1e-12)


def test_one_class_of_many_is_identified_by_itself():
    random = np.random.default_rng(2)
    code = random.integers(0, 400, 6000)
    digit = np.where(random.random(6000) < 0.2, 2, code % 10)
    X = pd.DataFrame({"code": [f"c{one}" for one in code]})
    found = identify(X, digit, sensitive_features=None, constraints=TargetRate(0.1, label=2))
    assert found.converged
    assert "a model of all 10 would have 4010 coefficients" in found.assumption
    assert found.effects["odds_ratio"][0] > 2


def test_the_bias_of_other_notions_is_identified(loans):
    X, y, _ = loans
    found = identify(X, y, sensitive_features="sex=female", constraints="equal_opportunity")
    assert found.converged
    assert "equal-opportunity" in found.assumption
    bound = identify(X, y, sensitive_features="sex=female", constraints="pinned=sex=female:0.9")
    assert not bound.converged
    assert "is a bound" in bound.missing


def test_what_cannot_be_read_says_where(loans):
    X, y, _ = loans
    with pytest.raises(EvenhandError, match="is expected after `given`") as raised:
        EvenhandClassifier(constraints="rate=predicted positive given").fit(X, y, sensitive_features="sex")
    assert raised.value.code == "notion-syntax"
