"""The model: it adds predictions to rows, and is written and read as Spark's own models are."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.ml import Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.util import (
    DefaultParamsReader,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types
from pyspark.sql.functions import arrow_udf
from pyspark.sql.utils import is_remote

from .. import _core
from .._exceptions import EvenhandError
from ._columns import column, known_only
from ._params import EvenhandParams

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

__all__ = ["EvenhandClassificationModel"]

SCORED = "evenhand_scored"


class EvenhandClassificationModel(Model, EvenhandParams, MLReadable, MLWritable):
    """A corrected classifier, which adds predictions to rows. The model file of the command line is inside.

    Attributes
    ----------
    summary : dict
        Of the fit: ``rows``, ``sampleRows`` (how many the search began on), ``distinctRows`` (how many are left, where
        rows that repeat were kept once in each partition), ``passes`` (over all encoded rows), ``fits`` and ``stop``.
    """

    def __init__(self, model: _core.Model | None = None) -> None:
        super().__init__()
        self._model = model
        self._numeric = False
        self.summary: dict[str, Any] = {}

    @classmethod
    def of(cls, found: _core.RemoteFit, label: spark_types.DataType) -> EvenhandClassificationModel:
        """Make the model of a fit to labels of that type."""
        model = cls(found.model)
        model._numeric = isinstance(label, spark_types.NumericType)
        model.summary = {
            "rows": found.rows,
            "sampleRows": found.sample_rows,
            "distinctRows": found.distinct_rows,
            "passes": found.passes,
            "fits": found.fits,
            "stop": found.stop,
        }
        return model

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
        model = self._fitted()
        columns = [name for name, _ in model.columns]
        known_only(dataset, columns, "columns-lost")
        added = {name: part for part, name in self._added().items() if name}
        for name in added:
            if name in dataset.columns:
                message = f"there is a column `{name}` already; drop it, or name the column of this model otherwise"
                raise EvenhandError(message, "column-repeated")
        scored = dataset.withColumn(SCORED, self._scoring()(*map(column, columns)))
        for name, part in added.items():
            one = column(SCORED)[part]
            scored = scored.withColumn(name, one if part == "prediction" else array_to_vector(one))
        return scored.drop(SCORED)

    def _added(self) -> dict[str, str]:
        """Say what each part of the scores is called."""
        names = [self.getPredictionCol(), self.getProbabilityCol(), self.getRawPredictionCol()]
        return dict(zip(["prediction", "probability", "margins"], names, strict=True))

    def _scoring(self) -> Any:
        """Make the function of columns: decision, probabilities and margins of every row."""
        model = self._fitted()
        columns = [name for name, _ in model.columns]
        numbers = spark_types.ArrayType(spark_types.DoubleType(), containsNull=False)
        decision = spark_types.DoubleType() if self._numeric else spark_types.StringType()
        fields = [("prediction", decision), ("probability", numbers), ("margins", numbers)]
        made = spark_types.StructType([spark_types.StructField(*field) for field in fields])
        return arrow_udf(_scores(model.to_json().encode(), columns, self._numeric), made)

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

    def _handleOverwrite(self, path: str) -> None:
        if not is_remote():
            super()._handleOverwrite(path)
        elif _is_there(path):
            message = f"{path}: what is there cannot be written over through Spark Connect; write it elsewhere"
            raise EvenhandError(message, "file-exists")

    def saveImpl(self, path: str) -> None:
        session = SparkSession.active()
        extra = {"numericLabels": self._instance._numeric, "summary": self._instance.summary}
        DefaultParamsWriter.saveMetadata(self._instance, path, session, extraMetadata=extra)
        body = self._instance._fitted().to_json()
        session.createDataFrame([(body,)], "model string").coalesce(1).write.parquet(f"{path}/model")


def _is_there(path: str) -> bool:
    try:
        SparkSession.active().read.text(f"{path}/metadata").first()
    except AnalysisException:
        return False
    return True


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


# Batches are small, and a worker scores many of them.
@lru_cache(maxsize=8)
def _restored(body: bytes) -> _core.Model:
    return _core.Model.restore(body)


def _scores(body: bytes, columns: list[str], numeric: bool) -> Callable[..., pa.Array]:
    # By its annotations Spark tells that it makes a column of columns.
    def work(*arrays: pa.Array) -> pa.Array:
        model = _restored(body)
        rows = pa.Table.from_arrays(list(arrays), names=columns)
        scores, decisions, _ = model.predict(_core.Table.from_arrow(rows))
        classes = pa.array([float(name) for name in model.classes] if numeric else model.classes)
        parts = [classes.take(pa.array(decisions)), _lists(scores), _lists(_margins(scores))]
        return pa.StructArray.from_arrays(parts, names=["prediction", "probability", "margins"])

    return work


def _margins(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the margin of every class: of two, the log odds against and for."""
    odds = _core.log_odds(scores)
    return odds if odds.ndim == 2 else np.column_stack([-odds, odds])


def _lists(numbers: NDArray[np.float64]) -> pa.ListArray:
    rows, width = numbers.shape
    ends = pa.array(np.arange(0, (rows + 1) * width, width, dtype=np.int32))
    return pa.ListArray.from_arrays(ends, pa.array(np.ascontiguousarray(numbers).reshape(-1)))
