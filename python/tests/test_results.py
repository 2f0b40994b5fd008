"""Audits, their forms, scorers and pictures."""

from __future__ import annotations

import json

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import brier_score_loss, roc_auc_score

from evenhand import EvenhandError, _core, audit, frontier, identify, metrics_by_group, plotting, violation
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


def people(rows=400):
    rng = np.random.default_rng(3)
    scores = rng.uniform(size=rows).round(2)
    return scores, (rng.uniform(size=rows) < scores).astype(int), np.where(rng.uniform(size=rows) < 0.4, "f", "m")


def test_scores_are_ranked_and_calibrated_by_group():
    scores, labels, sex = people()
    found = audit(labels, scores=scores, threshold=0.6, sensitive_features=pd.Series(sex, name="sex"))
    rows = found.scores.set_index("group")
    for group, inside in {"overall": sex != "", "sex=f": sex == "f", "sex=m": sex == "m"}.items():
        assert rows.loc[group, "auc"] == pytest.approx(roc_auc_score(labels[inside], scores[inside]))
        assert rows.loc[group, "calibration"] == pytest.approx(scores[inside].mean() - labels[inside].mean())
    assert ((rows["auc_low"] < rows["auc"]) & (rows["auc"] < rows["auc_high"])).all()
    decided = audit(labels, (scores >= 0.6).astype(int), sensitive_features=pd.Series(sex, name="sex"))
    assert found.by_group.equals(decided.by_group)
    assert found.reliability.groupby("group")["rows"].sum()["overall"] == len(labels)
    assert "SCORES" in str(found)
    assert len(str(found).splitlines()) * 3 < len(found.text(full=True).splitlines())
    assert "auc" in found._repr_html_()
    assert decided.scores.empty


def test_predictions_alone_are_audited_for_demographic_parity_only():
    scores, labels, sex = people()
    decided = (scores >= 0.6).astype(int)
    found = audit(None, decided, sensitive_features=sex)
    both = audit(labels, decided, sensitive_features=sex)
    assert found.violation() == both.violation()
    assert found.accuracy is None
    assert list(found.violations["notion"]) == ["demographic-parity"]
    assert "Without labels" in str(found)
    assert found.report().to_html()


@pytest.mark.parametrize(("pos_label", "rate"), [(None, 0.0), (1, 0.0), (0, 1.0)])
def test_predictions_alone_may_all_be_alike(pos_label, rate):
    _, labels, sex = people()
    found = audit(None, np.zeros(len(labels), dtype=int), sensitive_features=sex, pos_label=pos_label)
    assert found.by_group["positive"].iloc[0] == ("1" if pos_label is None else str(pos_label))
    assert found.violation() == 0.0
    assert list(found.by_group["positive_rate"]) == [rate] * 3
    with pytest.raises(EvenhandError, match="one class only"):
        audit(np.zeros(len(labels), dtype=int), sensitive_features=sex)


def test_what_is_given_in_the_wrong_place_is_said():
    scores, labels, sex = people()
    for wrong, match in [
        ({"y_pred": scores}, "give probabilities as `scores`, with a `threshold`"),
        ({"threshold": 0.5}, "`threshold` decides by `scores`"),
        ({"scores": scores[:5]}, "scores has 5 rows, and y_true 400"),
        ({"scores": scores + 1}, "score"),
    ]:
        with pytest.raises(EvenhandError, match=match):
            audit(labels, sensitive_features=sex, **wrong)
    with pytest.raises(EvenhandError, match="nothing to audit without predictions"):
        audit(None, sensitive_features=sex)
    with pytest.raises(EvenhandError, match="without labels, which scores are compared with"):
        audit(None, labels, scores=scores, sensitive_features=sex)


def test_metrics_of_ones_own_are_measured_in_each_group():
    scores, labels, sex = people()
    weights = np.arange(1.0, 401.0)
    metrics = {"auc": roc_auc_score, "brier": brier_score_loss}
    found = metrics_by_group(
        metrics, labels, scores, sensitive_features=pd.Series(sex, name="sex"), sample_weight=weights
    )
    rows = found.by_group.set_index("group")
    for group in ("f", "m"):
        inside = sex == group
        for name, metric in metrics.items():
            expected = metric(labels[inside], scores[inside], sample_weight=weights[inside])
            assert rows.loc[f"sex={group}", name] == pytest.approx(expected)
    assert found.overall["brier"] == pytest.approx(brier_score_loss(labels, scores, sample_weight=weights))
    assert found.difference("auc") == pytest.approx(abs(rows["auc"]["sex=f"] - rows["auc"]["sex=m"]))
    assert found.difference("auc", against="overall") <= found.difference("auc")
    assert 0 < found.ratio("brier") <= 1
    assert "brier" in found._repr_html_()
    assert rows["rows"].sum() == 400


def test_a_metric_that_a_group_does_not_have_is_not_a_number():
    scores, _, sex = people(60)
    found = metrics_by_group(roc_auc_score, (sex == "f").astype(int), scores, sensitive_features=sex)
    assert found.by_group["roc_auc_score"].isna().all()
    assert np.isnan(found.difference())
    with pytest.raises(EvenhandError, match="these were measured: 'roc_auc_score'"):
        found.difference("f1")
    with pytest.raises(EvenhandError, match="which cannot be called"):
        metrics_by_group({"f1": "f1"}, scores, scores, sensitive_features=sex)
    with pytest.raises(EvenhandError, match="y_pred has 5 rows"):
        metrics_by_group(roc_auc_score, scores, scores[:5], sensitive_features=sex)


def test_polars_stays_polars_and_specifications_name_columns_of_x():
    scores, labels, sex = people()
    frame = pl.DataFrame({"sex": sex, "age": np.arange(400) % 70})
    found = metrics_by_group(roc_auc_score, labels, scores, sensitive_features=["sex", "age<=30"], X=frame)
    assert isinstance(found.by_group, pl.DataFrame)
    assert found.by_group["group"].to_list() == ["sex=f", "sex=m", "age<=30"]


def test_rows_that_are_elsewhere_give_the_same_audit():
    scores, labels, sex = people()
    frame = pa.table({"sex": sex, "label": labels, "score": scores, "weight": np.arange(400) % 7 + 0.1})
    asked = {"groups": ["sex"], "score": "score", "threshold": 0.3, "max_violation": 0.1}
    roles = _core.Roles("label", positive="1", weight="weight")
    expected, text, _, _ = _core.audit(Table.from_arrow(frame), roles, **asked)

    class Workers:
        def on_rows(self, task):
            task = _core.AuditTask(task)
            answers = [task.on_rows(Table.from_arrow(frame.slice(at, 90))) for at in range(0, 400, 90)]
            return [task.merge(answers[:2]), *answers[2:]]

    found, told, _ = _core.audit_remote(Workers(), roles, **asked)
    assert json.loads(found) == json.loads(expected)
    assert told == text

    class Broken:
        def on_rows(self, task):
            raise RuntimeError("a machine is lost")

    with pytest.raises(RuntimeError, match="a machine is lost"):
        _core.audit_remote(Broken(), roles, **asked)
