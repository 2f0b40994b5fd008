"""The estimator and its model, as Spark's pipelines take them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types
from pyspark.sql.functions import col

from .. import _core
from .._exceptions import EvenhandError, warn_of
from ..constraints import spelled
from ._params import EvenhandParams
from ._rows import Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["EvenhandClassificationModel", "EvenhandClassifier"]


class EvenhandClassifier(Estimator, EvenhandParams, DefaultParamsReadable, DefaultParamsWritable):
    """Classifier corrected for label bias, trained where the rows are.

    Raw columns go in: texts and booleans are categories, numbers are standardised. The label may be text or a number.
    Rows must not change while they are read: what is drawn at random is cached first.

    Parameters
    ----------
    featuresCols : list of str, default all columns but the label and the weight
    labelCol, weightCol, predictionCol, probabilityCol, rawPredictionCol : str
        As everywhere in Spark. The prediction is a double where labels are numbers, else the label's text.
    sensitiveCols : list of str
        What tells the groups: columns, or specifications as in ``evenhand fit --group``.
    constraints : list of str, default ["demographic_parity"]
    maxViolation, maxDifference, minRatio, margin, minGroup, l2, posLabel, withhold
        As ``max_violation`` and so on in :class:`evenhand.EvenhandClassifier`.
    sampleRows : int, default about two million
        Multipliers are searched on so many rows first, and from there on all.
    seed : int, default 0
        The seed of that sample.

    Examples
    --------
    >>> estimator = EvenhandClassifier(labelCol="approved", posLabel="yes", sensitiveCols=["sex"])  # doctest: +SKIP
    >>> model = estimator.setMaxViolation(0.02).fit(frame)  # doctest: +SKIP
    >>> model.transform(frame).select("prediction", "probability")  # doctest: +SKIP
    """

    @keyword_only
    def __init__(
        self,
        *,
        featuresCols: list[str] | None = None,
        labelCol: str = "label",
        sensitiveCols: list[str] | None = None,
        constraints: list[str] | None = None,
        weightCol: str | None = None,
        predictionCol: str = "prediction",
        probabilityCol: str = "probability",
        rawPredictionCol: str = "rawPrediction",
        posLabel: str | None = None,
        withhold: list[str] | None = None,
        maxViolation: float | None = None,
        maxDifference: float | None = None,
        minRatio: float | None = None,
        margin: float | None = None,
        minGroup: int | None = None,
        l2: float | None = None,
        sampleRows: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self._setDefault(constraints=["demographic_parity"], sensitiveCols=[], withhold=[], seed=0)
        given = {name: value for name, value in self._input_kwargs.items() if value is not None}
        self._set(**given)

    def _fit(self, dataset: DataFrame) -> EvenhandClassificationModel:
        label, weight = self.getLabelCol(), self._value("weightCol")
        roles = _core.Roles(label, positive=self._value("posLabel"), weight=weight)
        settings = _core.Settings(
            spelled(self.getOrDefault("constraints")),
            groups=self.getOrDefault("sensitiveCols"),
            withhold=self._withheld(dataset),
            max_violation=self._bound("maxViolation"),
            max_difference=self._bound("maxDifference"),
            min_ratio=self._bound("minRatio"),
            margin=self._value("margin"),
            min_group=self._value("minGroup"),
            l2=self._value("l2"),
        )
        rows = Rows(dataset.select(*self._columns(dataset)))
        try:
            found = _core.fit_remote(
                rows, roles, settings, sample_rows=self._value("sampleRows"), seed=self.getOrDefault("seed")
            )
        finally:
            rows.release()
        warn_of(found.warnings, stacklevel=2)
        model = EvenhandClassificationModel(found.model)
        model.summary = {
            "rows": found.rows,
            "sampleRows": found.sample_rows,
            "passes": found.passes,
            "fits": found.fits,
        }
        copied: EvenhandClassificationModel = self._copyValues(model._numbers_as(dataset, label))
        return copied

    def _columns(self, dataset: DataFrame) -> list[str]:
        """List the columns that are read: features, those that groups are made of, label and weight."""
        asked = self._value("featuresCols")
        if asked is None:
            return list(dataset.columns)
        wanted = {*asked, self.getLabelCol(), self._value("weightCol"), *self.getOrDefault("withhold")}
        specs = " ".join(self.getOrDefault("sensitiveCols"))
        missing = [name for name in asked if name not in dataset.columns]
        if missing:
            raise EvenhandError(
                f"no column `{missing[0]}`; the data have: {', '.join(dataset.columns)}", "column-unknown"
            )
        return [name for name in dataset.columns if name in wanted or name in specs]

    def _withheld(self, dataset: DataFrame) -> list[str]:
        """List the columns that groups are made of and that are no features."""
        withheld = list(self.getOrDefault("withhold"))
        asked = self._value("featuresCols")
        if asked is not None:
            others = {*asked, self.getLabelCol(), self._value("weightCol"), *withheld}
            withheld += [name for name in self._columns(dataset) if name not in others]
        return withheld


class EvenhandClassificationModel(Model, EvenhandParams, MLReadable, MLWritable):
    """A corrected classifier, which adds predictions to rows. The model file of the command line is inside."""

    def __init__(self, model: _core.Model | None = None) -> None:
        super().__init__()
        self._model = model
        self._numeric = False
        self.summary: dict[str, int] = {}

    @property
    def multipliers(self) -> dict[str, float]:
        """One number per constraint, lambda in the paper."""
        return {one["name"]: one["value"] for one in self._body()["multipliers"]}

    @property
    def violation(self) -> float:
        """The largest violation on the training rows: ``|overall - group|`` rate."""
        return float(self._body()["train"]["violation"])

    @property
    def classes(self) -> list[str]:
        """The classes, in the order of ``probability``; the positive one of two last."""
        return list(self._fitted().classes)

    def save_model_file(self, path: str) -> None:
        """Write the model file that ``evenhand predict`` and ``evenhand.EvenhandClassifier.load`` read."""
        self._fitted().save(path)

    def _transform(self, dataset: DataFrame) -> DataFrame:
        model, added = self._fitted(), self._added()
        columns = [name for name, _ in model.columns]
        missing = [name for name in columns if name not in dataset.columns]
        if missing:
            raise EvenhandError(
                f"no column `{missing[0]}`; the data have: {', '.join(dataset.columns)}", "columns-lost"
            )
        schema = spark_types.StructType([*dataset.schema.fields, *added])
        scored = dataset.mapInArrow(
            _scoring(model.to_json().encode(), columns, self._numeric, [f.name for f in added]), schema
        )
        for name in (field.name for field in added[1:]):
            scored = scored.withColumn(name, array_to_vector(col(name)))
        return scored

    def _added(self) -> list[spark_types.StructField]:
        numbers = spark_types.ArrayType(spark_types.DoubleType(), containsNull=False)
        prediction = spark_types.DoubleType() if self._numeric else spark_types.StringType()
        return [
            spark_types.StructField(self.getPredictionCol(), prediction),
            spark_types.StructField(self.getProbabilityCol(), numbers),
            spark_types.StructField(self.getRawPredictionCol(), numbers),
        ]

    def _numbers_as(self, dataset: DataFrame, label: str) -> EvenhandClassificationModel:
        self._numeric = isinstance(dataset.schema[label].dataType, spark_types.NumericType)
        return self

    def _fitted(self) -> _core.Model:
        if self._model is None:
            raise EvenhandError("the model was not fitted", "not-fitted")
        return self._model

    def _body(self) -> dict[str, Any]:
        return dict(json.loads(self._fitted().to_json()))

    def copy(self, extra: Any = None) -> EvenhandClassificationModel:
        """Copy with other parameters; the classifier is shared."""
        copied: EvenhandClassificationModel = super().copy(extra)
        return copied

    def write(self) -> MLWriter:
        """Write parameters and the classifier."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[EvenhandClassificationModel]:
        """Read what was written."""
        return _Reader()


class _Writer(MLWriter):
    def __init__(self, instance: EvenhandClassificationModel) -> None:
        super().__init__()
        self._instance = instance

    def saveImpl(self, path: str) -> None:
        session = SparkSession.active()
        extra = {"numericLabels": self._instance._numeric, "summary": self._instance.summary}
        DefaultParamsWriter.saveMetadata(self._instance, path, session, extraMetadata=extra)
        body = self._instance._fitted().to_json()
        session.createDataFrame([(body,)], "model string").coalesce(1).write.parquet(f"{path}/model")


class _Reader(MLReader[EvenhandClassificationModel]):
    def load(self, path: str) -> EvenhandClassificationModel:
        session = SparkSession.active()
        metadata = DefaultParamsReader.loadMetadata(path, session)
        body = session.read.parquet(f"{path}/model").first()
        if body is None:
            raise EvenhandError(f"{path}: there is no model in it", "model-format")
        model = EvenhandClassificationModel(_core.Model.restore(body["model"].encode()))
        model._numeric, model.summary = metadata["numericLabels"], metadata["summary"]
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _margins(scores: Any) -> list[Any]:
    """Give the margin of every class: of two, the log odds for and against."""
    odds = _core.log_odds(scores)
    return list(odds) if odds.ndim == 2 else [[-one, one] for one in odds]


def _scoring(body: bytes, columns: list[str], numeric: bool, names: list[str]) -> Any:
    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        model = _core.Model.restore(body)
        classes = [float(name) for name in model.classes] if numeric else list(model.classes)
        for batch in batches:
            rows = pa.Table.from_batches([batch]).select(columns)
            scores, decisions, _ = model.predict(_core.Table.from_arrow(rows))
            added = [
                pa.array([classes[one] for one in decisions], type=pa.float64() if numeric else pa.string()),
                pa.array(list(scores), type=pa.list_(pa.float64())),
                pa.array(_margins(scores), type=pa.list_(pa.float64())),
            ]
            yield pa.RecordBatch.from_arrays([*batch.columns, *added], [*batch.schema.names, *names])

    return work
