"""Of which groups bounds speak, in audits and of classifiers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand import EvenhandClassifier, EvenhandError, EvenhandWarning, audit


def people(rows: dict[str, tuple[int, int, int]]) -> pd.DataFrame:
    """Rows of groups: how many, how many labelled positive, how many of those predicted so."""
    parts = [
        pd.DataFrame({"race": name, "y": (np.arange(n) < positive).astype(int), "x": (np.arange(n) < said).astype(int)})
        for name, (n, positive, said) in rows.items()
    ]
    return pd.concat(parts, ignore_index=True)


def test_an_audit_judges_bounds_with_intervals() -> None:
    few = people({"f": (20, 10, 8), "m": (20, 10, 9)})
    found = audit(few.y, few.x, sensitive_features=few.race, max_violation=0.1, min_ratio=0.1)
    assert [(one.bound, one.verdict) for one in found.bounds] == [
        ("max-violation", "too-few-rows"),
        ("min-ratio", "met"),
    ]
    assert found.bounds[0].high is not None
    assert found.bounds[0].high > 0.1
    assert "BOUNDS: predictions by demographic-parity" in str(found)
    assert "too few rows to tell whether it is met" in found.report().summary
    assert audit(few.y, few.x, sensitive_features=few.race).bounds == []


def test_a_group_that_cannot_be_measured_is_named() -> None:
    lost = people({"f": (300, 0, 0), "m": (300, 150, 100)})
    (one,) = audit(
        lost.y, lost.x, sensitive_features=lost.race, constraints="equal_opportunity", max_difference=0.9
    ).bounds
    assert (one.verdict, one.unmeasured) == ("cannot-tell", ("equal-opportunity race=f",))
    assert "cannot tell" in str(one)
    assert "equal-opportunity race=f" in str(one)
    with pytest.raises(EvenhandError, match="labels alone"):
        audit(lost.y, sensitive_features=lost.race, constraints="equal_opportunity", max_difference=0.9)


def test_a_group_that_is_everyone_is_not_judged() -> None:
    alone = people({"f": (300, 150, 100)})
    (one,) = audit(alone.y, alone.x, sensitive_features=alone.race, max_violation=0.02).bounds
    assert (one.verdict, one.value, one.own_reference) == ("cannot-tell", None, ("demographic-parity race=f",))


def test_a_classifier_is_judged_on_groups_that_training_lacked() -> None:
    train = people({"A": (600, 300, 200), "B": (400, 200, 130)})
    test = people({"A": (600, 300, 200), "B": (400, 200, 130), "D": (413, 200, 0)})
    clf = EvenhandClassifier(max_violation=0.06)
    clf.fit(train[["x"]], train.y, sensitive_features=train.race)
    with pytest.warns(EvenhandWarning, match="race=D"):
        (one,) = clf.test_bounds(test[["x"]], test.y, sensitive_features=test.race)
    assert (one.verdict, one.worst) == ("not-met", "demographic-parity race=D")


def test_a_number_that_misses_a_bound_is_shown_to_miss_it() -> None:
    # Ten thousand rows each, of two lines: .10003 and 0 of them are decided positive.
    sex, y = ["f", "f", "m", "m"], [1, 0, 1, 0]
    weights = [1000.3, 8999.7, 5000.0, 5000.0]
    (missed,) = audit(y, [1, 0, 0, 0], sensitive_features=sex, sample_weight=weights, max_difference=0.1).bounds
    assert missed.fails()
    assert "0.10003" in str(missed)
    (met,) = audit(y, [1, 0, 0, 0], sensitive_features=sex, sample_weight=weights, max_difference=0.2).bounds
    assert "groups 0.1000, interval" in str(met)
