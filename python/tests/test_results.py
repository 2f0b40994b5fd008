"""Audits, their forms, scorers and pictures."""

from __future__ import annotations

import json

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand import EvenhandError, audit, frontier, identify, plotting, violation
from evenhand._core import Table

mpl.use("Agg")

LABELS = [1, 1, 0, 0, 1, 0]
PREDICTED = [1, 0, 0, 1, 1, 0]
SEX = ["f", "f", "f", "m", "m", "m"]


def test_an_audit_counts_as_one_would_by_hand():
    found = audit(LABELS, PREDICTED, sensitive_features=pd.Series(SEX, name="sex"))
    rows = found.by_group.set_index("group")
    assert rows.loc["sex=f", "positive_rate"] == pytest.approx(1 / 3)
    assert rows.loc["sex=m", "positive_rate"] == pytest.approx(2 / 3)
    assert rows.loc["sex=f", "true_positive_rate"] == pytest.approx(1 / 2)
    assert rows.loc["overall", "accuracy"] == pytest.approx(4 / 6) == found.accuracy
    assert (rows["positive_rate_low"] <= rows["positive_rate"]).all()
    assert found.violation() == pytest.approx(1 / 6)
    assert found.violation(definition="difference") == pytest.approx(1 / 3)
    assert found.violation("true_positive_rate_parity", "ratio") == pytest.approx(1 / 2)


def test_labels_alone_are_audited_for_demographic_parity_only():
    found = audit(LABELS, sensitive_features=SEX)
    assert found.violation() == pytest.approx(1 / 6)
    assert found.accuracy is None
    with pytest.raises(EvenhandError, match="does not measure equalized-odds"):
        found.violation("equalized_odds")
    with pytest.raises(EvenhandError, match="`definition` is 'gap'"):
        found.violation(definition="gap")


def test_every_form_holds_the_same_numbers_and_escapes_texts():
    groups = pd.Series(["<b>", "<b>", "<b>", "m", "m", "m"], name="s")
    found = audit(LABELS, PREDICTED, sensitive_features=groups)
    record = json.loads(found.to_json())
    assert record == found.to_dict()
    assert record["rows"] == 6
    html = found._repr_html_()
    assert "s=&lt;b&gt;" in html
    assert "<b>" not in html
    assert "largest |overall - group|" in html
    assert "s=m" in str(found)
    assert "6 rows" in repr(found)


def test_frames_come_back_in_the_library_they_came_in():
    frames = {
        pd.DataFrame: pd.DataFrame({"sex": SEX}),
        pl.DataFrame: pl.DataFrame({"sex": SEX}),
        pa.Table: pa.table({"sex": SEX}),
    }
    for kind, frame in frames.items():
        found = audit(LABELS, PREDICTED, sensitive_features=frame)
        assert isinstance(found.by_group, kind)
        assert isinstance(found.violations, kind)


def test_weights_count_as_repeated_rows():
    times = [2, 1, 1, 3, 1, 1]
    weighted = audit(LABELS, PREDICTED, sensitive_features=SEX, sample_weight=times)
    rows = np.repeat(np.arange(6), times)
    repeated = audit(*(np.asarray(one)[rows] for one in (LABELS, PREDICTED)), sensitive_features=np.asarray(SEX)[rows])
    assert weighted.violation("equalized_odds") == pytest.approx(repeated.violation("equalized_odds"), abs=1e-12)


def test_predictions_of_other_rows_are_refused():
    with pytest.raises(EvenhandError, match="y_pred has 2 rows, and y_true 6") as refused:
        audit(LABELS, [0, 1], sensitive_features=SEX)
    assert refused.value.code == "length-mismatch"


def test_several_classes_are_taken_in_turn():
    labels, predicted = ["a", "b", "c", "a", "b", "c"], ["a", "b", "b", "a", "c", "c"]
    found = audit(labels, predicted, sensitive_features=SEX)
    assert list(found.violations["positive"].unique()) == ["a", "b", "c"]
    assert violation(labels, predicted, sensitive_features=SEX) == found.violation()
    with pytest.raises(EvenhandError, match="none of the known classes") as refused:
        audit(labels, ["z"] * 6, sensitive_features=SEX)
    assert refused.value.code == "class-unknown"


def test_pictures_are_drawn(loans):
    X, y, _ = loans
    axes = plotting.plot_audit(audit(y, y, sensitive_features=X["sex"]))
    assert [label.get_text().split(" ")[0] for label in axes.get_yticklabels()] == ["sex=male", "sex=female"]
    path = frontier(X, y, sensitive_features="sex", points=3)
    axes = plotting.plot_frontier(path)
    assert list(axes.lines[0].get_xdata()) == list(path.points["violation"])
    found = identify(X, y, sensitive_features="sex=female", sensitivity=True)
    axes = plotting.plot_sensitivity(found, "sex=female")
    assert list(axes.lines[0].get_ydata()) == list(found.sensitivity["odds_ratio"])
    with pytest.raises(ValueError, match="there is no curve of 'sex=male': sex=female"):
        plotting.plot_sensitivity(found, "sex=male")
    with pytest.raises(ValueError, match="sensitivity=True"):
        plotting.plot_sensitivity(identify(X, y, sensitive_features="sex=female"))


def test_tables_go_out_as_arrow_streams():
    table = Table()
    table.add_numbers("x", np.asarray([1.0, np.nan]))
    table.add_codes("s", np.asarray([0, -1]), ["a"])
    assert pa.table(table).to_pylist() == [{"x": 1.0, "s": "a"}, {"x": None, "s": None}]
    assert pl.DataFrame(table).to_dicts() == [{"x": 1.0, "s": "a"}, {"x": None, "s": None}]
