"""Audits of DataFrames: the numbers of rows in one memory."""

from __future__ import annotations

from typing import Any

import pytest
from people import people
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import evenhand
from evenhand import EvenhandError
from evenhand.spark import audit

pytestmark = pytest.mark.usefixtures("nothing_kept")

GROUPS = ["sex", "race", "age<=30"]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("predicted", [False, True])
def test_an_audit_is_that_of_all_rows_in_memory(frame: DataFrame, weighted: bool, predicted: bool) -> None:
    rows = people()
    decided = (rows.amount.fillna(0) > 25).astype(float)
    scored = frame.withColumn("decision", F.expr("double(ifnull(nanvl(amount, 0), 0) > 25)")).repartition(7)
    bounds: dict[str, Any] = {"max_violation": 0.05, "min_ratio": 0.8}
    expected = evenhand.audit(
        rows["label"],
        decided.astype(int) if predicted else None,
        X=rows,
        sensitive_features=GROUPS,
        sample_weight=rows["weight"] if weighted else None,
        **bounds,
    )
    found = audit(
        scored,
        labelCol="label",
        predictionCol="decision" if predicted else None,
        sensitiveCols=GROUPS,
        weightCol="weight" if weighted else None,
        maxViolation=0.05,
        minRatio=0.8,
    )
    assert found.to_dict() == expected.to_dict()
    assert str(found) == str(expected)
    with pytest.raises(EvenhandError, match="has no report"):
        found.report()


def test_what_an_audit_cannot_measure_is_said(frame: DataFrame) -> None:
    with pytest.raises(EvenhandError, match="no column `gender`"):
        audit(frame, sensitiveCols=["gender"])
    with pytest.raises(EvenhandError, match="no column `decision`"):
        audit(frame, sensitiveCols=["sex"], predictionCol="decision")
    with pytest.raises(EvenhandError, match="7"):
        audit(frame.withColumn("decision", F.lit(7.0)), sensitiveCols=["sex"], predictionCol="decision")
    with pytest.raises(EvenhandError, match="no rows"):
        audit(frame.where("id < 0"), sensitiveCols=["sex"])
