"""What errors and warnings say: rows as Python counts them, missing values only where they are news."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand import EvenhandClassifier, EvenhandError, EvenhandWarning, audit
from evenhand.constraints import spelled

ROWS = 80


def columns(**changed):
    values = {"x": [float(row % 7) for row in range(ROWS)], "sex": ["f", "m"] * (ROWS // 2)}
    return values | changed


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
@pytest.mark.any_outcome
def test_rows_are_counted_from_zero_and_it_is_said(frame):
    y = [0, 1, 1, 0] * (ROWS // 4)
    infinite = columns()
    infinite["x"][3] = np.inf
    with pytest.raises(EvenhandError, match=r"column `x`, row 3 \(counted from 0\): `inf` is not finite") as refused:
        EvenhandClassifier().fit(frame(infinite), y, sensitive_features="sex")
    assert refused.value.code == "value-not-finite"
    clf = EvenhandClassifier(numeric=["x"]).fit(frame(columns()), y, sensitive_features="sex")
    with pytest.raises(EvenhandError, match=r"row 3 \(counted from 0\)"):
        clf.predict(frame(infinite))


@pytest.mark.parametrize(
    "y",
    [
        np.asarray([0, 1, None, 1] + [0, 1] * 38, dtype=object),
        pd.Series(["a", "b", None, "b"] + ["a", "b"] * 38),
        pl.Series(["a", "b", None, "b"] + ["a", "b"] * 38),
        pa.array(["a", "b", None, "b"] + ["a", "b"] * 38),
        pa.chunked_array([["a", "b", None, "b"], ["a", "b"] * 38]).dictionary_encode(),
    ],
    ids=["numpy", "pandas", "polars", "pyarrow", "pyarrow, coded"],
)
def test_a_missing_label_is_found_by_its_row(y):
    with pytest.raises(EvenhandError, match=r"a label is missing, the first in row 2 \(counted from 0\)") as refused:
        EvenhandClassifier().fit(pd.DataFrame(columns()), y, sensitive_features="sex")
    assert refused.value.code == "label-missing"


def test_an_audit_without_x_asks_for_it_where_groups_are_named():
    with pytest.raises(EvenhandError, match=r"names columns of X \(sex\): give `X` too, or the column itself"):
        audit([0, 1, 1, 0], sensitive_features="sex")


def test_labels_and_groups_that_differ_by_capitals_alone_are_told():
    X = pd.DataFrame(columns(sex=["f", "m", "F", "M"] * (ROWS // 4)))
    with pytest.warns(EvenhandWarning) as said:
        EvenhandClassifier().fit(X, ["no", "yes", "Yes", "no"] * (ROWS // 4), sensitive_features="sex")
    messages = [str(one.message) for one in said if getattr(one.message, "code", "") == "alike-values"]
    assert any("`F` and `f`; `M` and `m`" in message for message in messages)
    assert any("`Yes` and `yes`" in message for message in messages)


def test_texts_that_are_mostly_numbers_are_told():
    amounts = [f"{1000 + row:,}" if row % 9 == 0 else f"{1000 + row}" for row in range(ROWS)]
    with pytest.warns(EvenhandWarning, match=r"column `x` has 80 distinct values.*most of them are numbers") as said:
        EvenhandClassifier().fit(pd.DataFrame(columns(x=amounts)), [0, 1, 1, 0] * (ROWS // 4), sensitive_features="sex")
    assert [one.message.code for one in said].count("nearly-unique") == 1


def test_a_strange_class_and_a_strange_weight_are_found_by_their_rows():
    y = [0, 1] * (ROWS // 2)
    with pytest.raises(EvenhandError, match=r"row 4 \(counted from 0\): `2` is none of the known classes"):
        audit(y, [0, 1, 0, 1, 2] + [0] * (ROWS - 5), sensitive_features=columns()["sex"])
    weights = np.ones(ROWS)
    weights[6] = -1
    with pytest.raises(EvenhandError, match=r"row 6 \(counted from 0\): `-1` is not a weight"):
        audit(y, y, sensitive_features=columns()["sex"], sample_weight=weights)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_predict_speaks_of_missing_values_only_where_training_had_none(frame):
    y = [0, 1, 1, 0] * (ROWS // 4)
    gaps = columns(z=[float(row % 5) for row in range(ROWS)], town=["a", "b", None, "c"] * (ROWS // 4))
    gaps["x"][1] = None
    with pytest.warns(EvenhandWarning, match="column `x`: 1 missing value"):
        clf = EvenhandClassifier(numeric=["x", "z"]).fit(frame(gaps), y, sensitive_features="sex")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.predict(frame(gaps))
        clf.predict_proba(frame(gaps))
    news = {name: list(values) for name, values in gaps.items()} | {"sex": ["f", None] * (ROWS // 2)}
    news["z"][0] = None
    with pytest.warns(EvenhandWarning) as caught:
        clf.predict(frame(news))
    said = sorted(str(one.message) for one in caught)
    assert [text.split(":")[0] for text in said] == ["column `sex`", "column `z`"]
    assert "training had none missing" in said[1]


def test_constraint_objects_of_fairlearn_are_understood_or_named():
    def moment(name):
        return type(name, (), {"__module__": "fairlearn.reductions._moments"})

    assert spelled(moment("TruePositiveRateParity")()) == ["equal-opportunity"]
    assert spelled([moment("EqualizedOdds"), "equal_accuracy"]) == ["equalized-odds", "equal_accuracy"]
    with pytest.raises(
        EvenhandError, match="fairlearn's BoundedGroupLoss; of fairlearn's these are understood: Demogr"
    ):
        spelled(moment("BoundedGroupLoss")())
    with pytest.raises(EvenhandError, match="holds a int"):
        spelled(3)
