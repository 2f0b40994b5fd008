"""Fits on Spark: the bits of one machine, whatever the partitions, and Spark's own manners."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import rand

from evenhand import EvenhandError
from evenhand.spark import EvenhandClassificationModel, EvenhandClassifier

ROWS = 12_000


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .appName("evenhand")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def people() -> pd.DataFrame:
    """Draw rows with texts, numbers, missing values and weights."""
    rng = np.random.default_rng(3)
    sex = rng.choice(["Female", "Male"], ROWS)
    race = rng.choice(["Black", "White", "Asian"], ROWS, p=[0.2, 0.6, 0.2])
    amount = np.where(rng.random(ROWS) < 0.05, np.nan, rng.lognormal(3, 1, ROWS))
    score = 0.8 * (sex == "Male") + 0.5 * (race == "White") + 0.2 * np.nan_to_num(np.log(amount)) - 1.4
    label = (rng.random(ROWS) < 1 / (1 + np.exp(-score))).astype(int)
    job = rng.choice(["a", "b", "c", None], ROWS)
    weight = rng.integers(1, 4, ROWS).astype(float)
    return pd.DataFrame({"sex": sex, "race": race, "job": job, "amount": amount, "weight": weight, "label": label})


@pytest.fixture(scope="session")
def frame(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(people()).cache()


def classifier(**settings: Any) -> EvenhandClassifier:
    asked = {"labelCol": "label", "sensitiveCols": ["sex", "race"], "weightCol": "weight", "sampleRows": 3_000}
    return EvenhandClassifier(**(asked | settings))


def bits(model: EvenhandClassificationModel) -> tuple[str, dict[str, float]]:
    body = json.loads(model._fitted().to_json())
    return json.dumps(body["learner"]["model"]["coefficients"]), model.multipliers


def test_partitions_do_not_show_in_a_bit(frame: DataFrame) -> None:
    found = [bits(classifier().fit(frame.repartition(parts))) for parts in (1, 2, 5, 16)]
    assert all(one == found[0] for one in found)


def test_many_partitions_of_which_some_are_empty(frame: DataFrame) -> None:
    first = classifier().fit(frame)
    spread = frame.where("label = 1").repartition(12).union(frame.where("label = 0").coalesce(1))
    assert bits(classifier().fit(spread)) == bits(first)
    assert first.violation < 0.01
    assert first.summary["rows"] == ROWS


def test_predictions_are_those_of_the_model_file(frame: DataFrame, tmp_path: Path) -> None:
    import evenhand

    model = classifier().fit(frame)
    model.save_model_file(str(tmp_path / "model.json"))
    rows = people()
    loaded = evenhand.EvenhandClassifier.load(tmp_path / "model.json")
    scored = model.transform(frame).toPandas()
    assert list(scored["prediction"]) == list(loaded.predict(rows).astype(float))
    np.testing.assert_array_equal(
        np.stack(scored["probability"].map(lambda v: v.toArray())), loaded.predict_proba(rows)
    )


def test_pipeline_tuning_and_saving(frame: DataFrame, tmp_path: Path) -> None:
    estimator = classifier(maxViolation=0.1)
    grid = ParamGridBuilder().addGrid(estimator.maxViolation, [0.05, 0.2]).build()
    evaluator = BinaryClassificationEvaluator(labelCol="label")
    best = CrossValidator(estimator=estimator, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, seed=1).fit(
        frame
    )
    assert len(best.avgMetrics) == 2
    pipeline = Pipeline(stages=[estimator]).fit(frame)
    pipeline.write().overwrite().save(str(tmp_path / "pipeline"))
    again = PipelineModel.load(str(tmp_path / "pipeline"))
    assert bits(again.stages[0]) == bits(pipeline.stages[0])
    assert again.transform(frame).count() == ROWS


def test_setters_and_getters(frame: DataFrame) -> None:
    estimator = EvenhandClassifier().setLabelCol("label").setSensitiveCols(["sex"]).setMaxViolation(0.03)
    assert estimator.getMaxViolation() == 0.03
    assert estimator.setWeightCol("weight").setSampleRows(3_000).fit(frame).violation <= 0.04


def test_what_is_wrong_is_said(frame: DataFrame) -> None:
    with pytest.raises(EvenhandError, match="no column `gender`"):
        classifier(sensitiveCols=["gender"]).fit(frame)
    with pytest.raises(EvenhandError, match="no value"):
        classifier().fit(frame.selectExpr("*").replace(1, None, subset=["label"]))
    with pytest.raises(EvenhandError, match="needs all rows in memory"):
        classifier(constraints=["disparate_impact"]).fit(frame)


def test_rows_that_change_are_noticed(frame: DataFrame) -> None:
    drawn = frame.where(rand() < 0.8)
    with pytest.raises(EvenhandError, match="changed"):
        classifier().fit(drawn)
