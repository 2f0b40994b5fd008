"""How a search ends, and what it leaves out: warnings, trade-offs, groups of a few rows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from evenhand import Corrector, EvenhandClassifier, EvenhandError, EvenhandWarning, frontier


def codes_of(work):
    """Give what a call returns, and the codes of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        done = work()
    return done, {one.message.code: str(one.message) for one in caught}


def test_a_search_that_stops_for_the_cost_says_what_going_on_would_cost(loans, tmp_path):
    X, y, _ = loans
    numbers = X[["income", "history"]]
    clf, codes = codes_of(lambda: EvenhandClassifier().fit(numbers, y, sensitive_features=X["sex"]))
    assert clf.stop_ == "too-costly"
    assert set(clf.trade_off_) == {"bound", "violation", "cost"}
    assert 0.0 <= clf.trade_off_["violation"] < clf.violation_
    assert clf.trade_off_["cost"] > 0.0
    assert "was tried, and cost " in codes["too-costly"]
    clf.save(tmp_path / "model.json")
    assert EvenhandClassifier.load(tmp_path / "model.json").trade_off_ == clf.trade_off_
    asked = float(codes["too-costly"].rpartition("=")[2].split()[0])
    bounded, codes = codes_of(
        lambda: EvenhandClassifier(max_violation=asked, margin=0).fit(numbers, y, sensitive_features=X["sex"])
    )
    assert bounded.trade_off_ is None
    assert "too-costly" not in codes


def test_a_search_that_converged_has_no_trade_off(loans):
    X, y, _ = loans
    clf = EvenhandClassifier(max_violation=0.02).fit(X, y, sensitive_features=X["sex"])
    assert (clf.stop_, clf.trade_off_) == ("converged", None)


def test_a_search_that_ends_short_is_warned_of(loans):
    X, y, _ = loans
    with pytest.warns(EvenhandWarning, match="all iterations that were allowed were run") as caught:
        EvenhandClassifier(max_violation=0.01, max_fits=1).fit(X, y, sensitive_features=X["sex"])
    assert "not-converged" in {one.message.code for one in caught}
    numbers = X[["income", "history"]].assign(female=X["sex"] == "female")

    def search():
        corrector = Corrector(max_violation=0.01, max_fits=1)
        weights = corrector.weights(y, X["sex"])
        while not corrector.done:
            model = LogisticRegression().fit(numbers, y, sample_weight=weights)
            weights = corrector.update(model.predict_proba(numbers))
        return corrector

    corrector, codes = codes_of(search)
    assert (corrector.stop_, corrector.trade_off_) == ("iteration-limit", None)
    assert codes["not-converged"].startswith("max_violation=0.01 was not reached (all iterations")


def test_the_loop_of_the_paper_is_not_said_to_have_ended_short(loans):
    X, y, _ = loans
    clf = EvenhandClassifier(preset="paper", max_fits=2).fit(X, y, sensitive_features=X["sex"])
    assert (clf.stop_, clf.trade_off_) == ("iteration-limit", None)


@pytest.mark.any_outcome
def test_groups_of_a_few_rows_are_measured_but_not_searched_for(loans):
    X, y, _ = loans
    rare = np.where(np.arange(len(y)) < 12, "rare", X["sex"])
    fit = lambda **settings: EvenhandClassifier(**settings).fit(X, y, sensitive_features=rare)  # noqa: E731
    clf, codes = codes_of(lambda: fit(max_violation=0.05))
    assert "are based on fewer than 30 rows" in codes["not-searched"]
    assert any(name.endswith("rare") for name in clf.violations_)
    _, codes = codes_of(lambda: fit(max_violation=0.05, min_group=5))
    assert "not-searched" not in codes
    _, codes = codes_of(lambda: frontier(X, y, sensitive_features=rare, points=2, min_group=5))
    assert "not-searched" not in codes
    _, codes = codes_of(lambda: Corrector(max_violation=0.05, min_group=5).weights(y, rare))
    assert "not-searched" not in codes


@pytest.mark.parametrize("other", [{"preset": "paper"}, {"method": "reweighing"}])
def test_min_group_belongs_to_the_search(loans, other):
    X, y, _ = loans
    with pytest.raises(EvenhandError, match="`min_group` is given with") as refused:
        EvenhandClassifier(min_group=5, **other).fit(X, y, sensitive_features=X["sex"])
    assert refused.value.code == "setting-invalid"
