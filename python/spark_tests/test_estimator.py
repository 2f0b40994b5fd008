"""The estimator and its model with Spark's own manners: parameters, pipelines, tuning, writing and reading, scoring."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from people import FEATURES, ROWS, bits, classifier, people
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.param import Param
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import evenhand
from evenhand import EvenhandError, EvenhandWarning
from evenhand.constraints import EqualOpportunity, KnownRate
from evenhand.spark import EvenhandClassificationModel, EvenhandClassifier

GIVEN = {
    "featuresCols": ["job", "age"],
    "labelCol": "approved",
    "sensitiveCols": ["sex", "age<=30"],
    "intersections": True,
    "constraints": ["equal-opportunity", "known-rate=sex=Female:0.3"],
    "weightCol": "count",
    "frequencyCol": "times",
    "predictionCol": "decision",
    "probabilityCol": "chances",
    "rawPredictionCol": "odds",
    "posLabel": "1",
    "withhold": ["race"],
    "categoricalCols": ["zip"],
    "numericCols": ["age"],
    "missing": ["?"],
    "maxViolation": 0.02,
    "maxDifference": {"equal-opportunity": 0.1},
    "minRatio": 0.8,
    "margin": 1.0,
    "minGroup": 50,
    "notableChange": 0.3,
    "measure": "scores",
    "method": "unconstrained",
    "l2": 0.5,
    "standardise": False,
    "interactions": False,
    "maxFits": 20,
    "sampleRows": 1000,
    "seed": 7,
    "intermediateStorageLevel": "DISK_ONLY",
}


def title(name: str) -> str:
    return name[0].upper() + name[1:]


def test_every_parameter_is_given_set_looked_up_and_written(spark: SparkSession, tmp_path: Path) -> None:
    estimator = EvenhandClassifier(**GIVEN)
    assert {param.name for param in estimator.params} == set(GIVEN)
    again = EvenhandClassifier()
    for name, value in GIVEN.items():
        assert getattr(again, f"set{title(name)}")(value) is again
        assert getattr(again, f"get{title(name)}")() == value == getattr(estimator, f"get{title(name)}")()
    estimator.write().overwrite().save(str(tmp_path / "estimator"))
    read = EvenhandClassifier.load(str(tmp_path / "estimator"))
    assert read.uid == estimator.uid
    assert {param.name: value for param, value in read.extractParamMap().items()} == GIVEN


def test_constraints_and_labels_may_be_objects_and_numbers() -> None:
    estimator = EvenhandClassifier(posLabel=1.0).setConstraints([EqualOpportunity(), KnownRate("sex=Female", 0.3)])
    assert estimator.getConstraints() == GIVEN["constraints"]
    assert estimator.getPosLabel() == "1"
    assert estimator.setConstraints("equalized_odds").getConstraints() == ["equalized_odds"]
    with pytest.raises(EvenhandError, match="`maxViolation` is 'much'; allowed is a number, or a dictionary"):
        estimator.setMaxViolation("much")


def test_what_is_set_is_what_is_asked_for(frame: DataFrame) -> None:
    estimator = classifier().setMaxViolation(0.03).setMargin(0.0)
    assert 0.01 < estimator.fit(frame).violation <= 0.03
    plain = classifier(method="unconstrained").fit(frame)
    assert plain.violation > 0.05
    assert plain.multipliers == {}
    assert plain.summary["rows"] == ROWS
    assert plain.summary["stop"]
    several = classifier(intersections=True, maxViolation={"demographic-parity": 0.05}).fit(frame)
    assert any("Female" in name and "Black" in name for name in several.multipliers)


def test_columns_that_groups_are_made_of_are_read_and_kept_from_the_learner(frame: DataFrame) -> None:
    plain = classifier(method="unconstrained", featuresCols=["job", "amount"], sensitiveCols=["age<=30", "sex"])
    assert {name for name, _ in plain.fit(frame)._fitted().columns} == {"job", "amount"}
    known = plain.copy().setSensitiveCols([]).setConstraints("known-rate=race=Black:0.4")
    assert {name for name, _ in known.fit(frame)._fitted().columns} == {"job", "amount"}
    everything = EvenhandClassifier(method="unconstrained", sensitiveCols=["sex"], weightCol="weight", withhold=["id"])
    assert {name for name, _ in everything.fit(frame)._fitted().columns} == set(FEATURES)


def test_names_with_dots_and_texts_that_mean_nothing(spark: SparkSession) -> None:
    rows = people().rename(columns={"job": "job.of `today`"}).assign(race=lambda rows: rows.race.replace("Asian", "?"))
    frame = spark.createDataFrame(rows)
    features = ["sex", "race", "job.of `today`", "age", "amount"]
    with pytest.warns(EvenhandWarning, match="race"):
        model = classifier(featuresCols=features, missing=["?"]).fit(frame)
    assert not any("?" in name for name in [*model.multipliers, *model._fitted().feature_names])
    # What was missing in training is missing in new rows, written either way.
    scored = model.transform(frame.limit(200)).toPandas()
    blank = model.transform(frame.limit(200).withColumn("race", F.expr("nullif(race, '?')"))).toPandas()
    assert list(scored["prediction"]) == list(blank["prediction"])


def test_predictions_are_those_of_the_model_file(frame: DataFrame, tmp_path: Path) -> None:
    model = classifier().fit(frame)
    model.save_model_file(str(tmp_path / "model.json"))
    rows = people()
    loaded = evenhand.EvenhandClassifier.load(tmp_path / "model.json")
    scored = model.transform(frame).toPandas()
    assert list(scored["prediction"]) == list(loaded.predict(rows).astype(float))
    chances = np.stack(scored["probability"].map(lambda v: v.toArray()))
    np.testing.assert_array_equal(chances, loaded.predict_proba(rows))
    odds = np.stack(scored["rawPrediction"].map(lambda v: v.toArray()))
    np.testing.assert_array_equal(odds[:, 1], loaded.decision_function(rows))
    np.testing.assert_array_equal(odds[:, 0], -odds[:, 1])


def test_texts_as_labels_and_columns_that_are_left_out(spark: SparkSession) -> None:
    rows = people(3).assign(label=lambda rows: rows.label.map({0: "no", 1: "later", 2: "yes"}))
    model = classifier().fit(spark.createDataFrame(rows))
    shown = model.setPredictionCol("decision").setProbabilityCol("").setRawPredictionCol("")
    scored = shown.transform(spark.createDataFrame(rows.drop(columns=["label"])))
    assert [name for name in scored.columns if name not in rows.columns] == ["decision"]
    assert {row.decision for row in scored.select("decision").distinct().collect()} <= {"no", "later", "yes"}
    assert model.classes == ["later", "no", "yes"]


def test_scoring_leaves_other_columns_and_empty_partitions_alone(frame: DataFrame) -> None:
    model = classifier(method="unconstrained").fit(frame)
    other = VectorAssembler(inputCols=["age", "weight"], outputCol="features").transform(frame)
    scored = model.transform(other.where("id < 10").repartition(20))
    assert scored.count() == 10
    first = scored.orderBy("id").first()
    assert first is not None
    assert len(first.features) == 2
    assert abs(sum(first.probability.toArray()) - 1) < 1e-12


def test_tuning_does_not_learn_from_the_numbers_it_deals_rows_by(frame: DataFrame) -> None:
    estimator = EvenhandClassifier(sensitiveCols=["sex"], weightCol="weight", withhold=["id"], sampleRows=3_000)
    grid = ParamGridBuilder().addGrid(estimator.maxViolation, [0.05, 0.2]).build()
    evaluator = BinaryClassificationEvaluator(labelCol="label")
    tuned = CrossValidator(
        estimator=estimator, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, seed=1, collectSubModels=True
    ).fit(frame.drop("race"))
    assert all(0.5 < metric < 1 for metric in tuned.avgMetrics)
    assert {model.getMaxViolation() for models in tuned.subModels for model in models} == {0.05, 0.2}
    for model in [tuned.bestModel, *(model for models in tuned.subModels for model in models)]:
        assert {name for name, _ in model._fitted().columns} == set(FEATURES) - {"race"}


def test_pipelines_and_models_are_written_and_read(frame: DataFrame, tmp_path: Path) -> None:
    fitted = Pipeline(stages=[classifier(maxViolation=0.1)]).fit(frame)
    fitted.write().overwrite().save(str(tmp_path / "pipeline"))
    again = PipelineModel.load(str(tmp_path / "pipeline"))
    model, read = fitted.stages[0], again.stages[0]
    assert isinstance(read, EvenhandClassificationModel)
    assert bits(read) == bits(model)
    assert (read.uid, read.summary, read.getMaxViolation()) == (model.uid, model.summary, 0.1)
    one, other = (found.transform(frame).select("id", "prediction").collect() for found in (fitted, again))
    assert one == other
    copied = model.copy({model.predictionCol: "other"})
    assert (copied.getPredictionCol(), model.getPredictionCol()) == ("other", "prediction")
    assert isinstance(copied.predictionCol, Param)
