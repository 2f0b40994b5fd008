"""Intersections among the groups are features of the built-in learner too, where it sees their columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evenhand import EvenhandClassifier

# How much less often each sex of each race is positive: no sum of one number a sex and one a race.
SHIFTS = np.array([[0.0, 1.2, -0.9], [-0.8, -1.1, 1.0]])


@pytest.fixture(scope="module")
def people():
    """People of two sexes and three races."""
    random = np.random.default_rng(3)
    sex, race = random.integers(0, 2, 12000), random.integers(0, 3, 12000)
    score = 4 * random.random(12000) - 2
    odds = np.exp(1.6 * score - 0.6 + SHIFTS[sex, race])
    y = (random.random(12000) < odds / (1 + odds)).astype(int)
    return pd.DataFrame({"sex": np.array(["f", "m"])[sex], "race": np.array(list("ABC"))[race], "score": score}), y


def fitted(X, y, **settings):
    """Ask for equal opportunity of intersections."""
    given = (
        {"sensitive_features": X[["sex", "race"]]}
        if settings.get("intersections")
        else {"sensitive_features": "sex*race"}
    )
    return EvenhandClassifier(constraints="equal_opportunity", max_violation=0.03, **settings).fit(X, y, **given)


@pytest.mark.filterwarnings("ignore:.*without correction:evenhand.EvenhandWarning")
@pytest.mark.any_outcome
def test_intersections_are_evened_at_less_error(people):
    X, y = people
    seen, unseen = fitted(X, y), fitted(X, y, interactions=False)
    assert "sex=f & race=B" in seen.estimator_.feature_names
    assert "sex=f & race=B" not in unseen.estimator_.feature_names
    assert seen.estimator_.coefficients.shape == (1, len(seen.estimator_.feature_names) + 1)
    assert seen.score(X, y) > unseen.score(X, y) + 0.02
    by_frame = fitted(X, y, intersections=True)
    assert np.array_equal(by_frame.predict(X), seen.predict(X))


@pytest.mark.filterwarnings("ignore:.*without correction:evenhand.EvenhandWarning")
@pytest.mark.any_outcome
def test_a_withheld_column_makes_no_feature(people):
    X, y = people
    clf = EvenhandClassifier(withhold=["race"]).fit(X, y, sensitive_features="sex*race")
    assert not any("&" in name for name in clf.estimator_.feature_names)
