"""What is wrong with rows or settings is said clearly, and nothing is left behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from people import ROWS, bits, classifier, people
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from evenhand import EvenhandError
from evenhand.spark import _rows

pytestmark = pytest.mark.usefixtures("nothing_kept")


def test_partitions_without_rows_do_not_matter(frame: DataFrame) -> None:
    # Of the first four partitions two at least are empty, and in each the label is the same throughout.
    spread = frame.where("label = 1").repartition(4, "sex").union(frame.where("label = 0").coalesce(1))
    plain = classifier(method="unconstrained")
    assert bits(plain.fit(spread)) == bits(plain.fit(frame))
    with pytest.raises(EvenhandError, match="no rows") as raised:
        classifier().fit(frame.where("id < 0"))
    assert raised.value.code == "no-rows"


@pytest.mark.parametrize(
    ("settings", "said", "code"),
    [
        ({"sensitiveCols": ["gender"]}, "no column `gender`", "column-unknown"),
        ({"featuresCols": ["sex", "gender"]}, "no column `gender`", "column-unknown"),
        ({"labelCol": "approved"}, "no column `approved`", "column-unknown"),
        ({"weightCol": "count"}, "no column `count`", "column-unknown"),
        ({"sensitiveCols": ["sex=Other"]}, "Other", "group-value"),
        ({"posLabel": "yes"}, "yes", "positive-unknown"),
        ({"constraints": ["evenness"]}, "evenness", "notion-syntax"),
        ({"constraints": ["disparate_impact"]}, "needs all rows in memory", "needs-memory"),
        ({"method": "sampling"}, "needs all rows in memory", "needs-memory"),
        ({"maxViolation": 3.0}, "max-violation", "setting-invalid"),
        ({"intermediateStorageLevel": "TWICE"}, "Spark knows .* MEMORY_AND_DISK_2", "setting-invalid"),
        ({"intermediateStorageLevel": "NONE"}, "Spark knows", "setting-invalid"),
    ],
)
def test_what_cannot_be_asked_is_said(frame: DataFrame, settings: dict[str, Any], said: str, code: str) -> None:
    with pytest.raises(EvenhandError, match=said) as raised:
        classifier(**settings).fit(frame)
    assert raised.value.code == code


def test_rows_without_a_label_are_said_with_their_partition(spark: SparkSession) -> None:
    rows = people().astype({"label": "Int64"})
    rows.loc[8_000, "label"] = None
    spread = spark.createDataFrame(rows).where("id >= 0").coalesce(1)
    with pytest.raises(EvenhandError, match=r"1 row has no value, the first in row 8000 .*partition 0") as raised:
        classifier().fit(spread)
    assert raised.value.code == "label-missing"


def test_numbers_that_are_none_are_refused(frame: DataFrame) -> None:
    with pytest.raises(EvenhandError, match="amount"):
        classifier().fit(frame.withColumn("amount", F.expr("if(id = 77, double('Infinity'), amount)")))
    with pytest.raises(EvenhandError, match="weight"):
        classifier().fit(frame.withColumn("weight", F.expr("if(id = 77, -1.0, weight)")))


def other_each_time(spark: SparkSession, by: str) -> DataFrame:
    """Make rows that come out otherwise whenever they are asked for."""

    def changed(batches: Iterator[Any]) -> Iterator[Any]:
        import time

        import pyarrow as pa

        for batch in batches:
            now = time.time_ns()
            if by == "number":
                yield batch.slice(0, max(0, batch.num_rows - now % 97))
                continue
            at = batch.schema.get_field_index("amount")
            amounts = [now % 9_973 / 7, *batch.column(at).to_pylist()[1:]]
            yield batch.set_column(at, batch.schema.field(at), pa.array(amounts, type=pa.float64()))

    frame = spark.createDataFrame(people())
    return frame.mapInArrow(changed, frame.schema)


@pytest.mark.parametrize("by", ["number", "value"])
@pytest.mark.parametrize("lost", ["_packed", "_blocks"])
def test_rows_that_come_out_otherwise_when_they_are_computed_again_are_noticed(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, by: str, lost: str
) -> None:
    """Whatever was kept is lost, as with the machines that had it."""
    passing = "encode" if lost == "_packed" else "on_blocks"
    usual = getattr(_rows.Rows, passing)

    def after_a_loss(rows: _rows.Rows, task: bytes) -> list[bytes]:
        getattr(rows, lost).unpersist(blocking=True)
        return list(usual(rows, task))

    monkeypatch.setattr(_rows.Rows, passing, after_a_loss)
    with pytest.raises(EvenhandError, match="changed while they were gone through") as raised:
        classifier().fit(other_each_time(spark, by))
    assert raised.value.code == "rows-changed"


def test_rows_are_computed_once(spark: SparkSession) -> None:
    # Those that are drawn at random are fitted as they came out first.
    assert classifier(sensitiveCols=["sex*race"]).fit(other_each_time(spark, "value")).summary["rows"] == ROWS
    counted = spark.sparkContext.accumulator(0)

    def counting(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            counted.add(batch.num_rows)
            yield batch

    rows = spark.createDataFrame(people())
    classifier(sensitiveCols=["sex*race"]).fit(rows.mapInArrow(counting, rows.schema))
    assert counted.value == ROWS


def test_rows_that_a_model_cannot_score_are_said(frame: DataFrame) -> None:
    model = classifier(method="unconstrained").fit(frame)
    with pytest.raises(EvenhandError, match="no column `age`") as raised:
        model.transform(frame.drop("age"))
    assert raised.value.code == "columns-lost"
    with pytest.raises(EvenhandError, match="there is a column `prediction` already"):
        model.transform(model.transform(frame))
    with pytest.raises(Exception, match="age"):
        model.transform(frame.withColumn("age", F.lit("old"))).toPandas()
