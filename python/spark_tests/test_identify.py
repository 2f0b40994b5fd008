"""The bias that labels have, by all rows of a DataFrame or by some that are drawn."""

from __future__ import annotations

import pytest
from people import FEATURES, ROWS, people
from pyspark.sql import DataFrame

import evenhand
from evenhand import EvenhandError, EvenhandWarning
from evenhand.spark import identify

pytestmark = pytest.mark.usefixtures("nothing_kept")


def test_a_bias_is_identified_by_all_rows_where_they_are(frame: DataFrame) -> None:
    rows = people()
    expected = evenhand.identify(
        rows[FEATURES], rows["label"], sensitive_features=["sex=Female"], sample_weight=rows["weight"]
    )
    found = identify(frame, sensitiveCols=["sex=Female"], featuresCols=FEATURES, weightCol="weight", sampleRows=3_000)
    (one,), (other,) = found.to_dict()["effects"], expected.to_dict()["effects"]
    assert (one["group"], one["rows"], found.to_dict()["rows"]) == (other["group"], other["rows"], ROWS)
    for name in ("odds_ratio", "low", "high"):
        assert one[name] == pytest.approx(other[name], rel=1e-3)
    with pytest.raises(EvenhandError, match="has no report"):
        found.report()


def test_what_needs_rows_in_memory_says_on_how_many_it_was_done(frame: DataFrame) -> None:
    asked = {"sensitiveCols": ["sex=Female"], "featuresCols": FEATURES, "sensitivity": True}
    whole = identify(frame, **asked)
    assert len(whole.tipping_points) == 1
    assert whole.report().summary
    with pytest.warns(EvenhandWarning, match=r"identified on \d+ rows that were drawn at random from 12000") as warned:
        drawn = identify(frame, **asked, sampleRows=4_000)
    assert "rows-sampled" in [getattr(one.message, "code", "") for one in warned]
    assert 3_700 < drawn.to_dict()["rows"] < 4_300


def test_what_cannot_be_identified_is_said(frame: DataFrame) -> None:
    with pytest.raises(EvenhandError, match="no column `gender`"):
        identify(frame, sensitiveCols=["gender"])
    with pytest.raises(EvenhandError, match="no rows"):
        identify(frame.where("id < 0"), sensitiveCols=["sex"], featuresCols=FEATURES)
