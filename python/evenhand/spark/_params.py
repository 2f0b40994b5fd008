"""The parameters that the estimator and its model share, with Spark's manners."""

from __future__ import annotations

from typing import Any, TypeVar

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasSeed,
    HasWeightCol,
)

__all__ = ["EvenhandParams"]

Own = TypeVar("Own", bound="EvenhandParams")


def _param(name: str, doc: str, converter: Any) -> Any:
    return Param(Params._dummy(), name, doc, typeConverter=converter)


class EvenhandParams(HasLabelCol, HasWeightCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasSeed):
    """Columns, what should be equal, and by how much."""

    featuresCols = _param(
        "featuresCols",
        "raw columns that features are made of; all but the label, the weight and the sensitive ones that are withheld",
        TypeConverters.toListString,
    )
    sensitiveCols = _param(
        "sensitiveCols",
        "what tells the groups: columns, or specifications such as age<=30, race=Black,White and sex*race",
        TypeConverters.toListString,
    )
    constraints = _param(
        "constraints",
        "what should be equal across groups, as in evenhand.EvenhandClassifier",
        TypeConverters.toListString,
    )
    withhold = _param("withhold", "columns the learner may not see", TypeConverters.toListString)
    posLabel = _param("posLabel", "the positive one of two classes", TypeConverters.toString)
    maxViolation = _param("maxViolation", "largest |overall - group| rate that is asked for", TypeConverters.toFloat)
    maxDifference = _param(
        "maxDifference", "largest difference between two groups that is asked for", TypeConverters.toFloat
    )
    minRatio = _param("minRatio", "smallest ratio between two groups that is asked for", TypeConverters.toFloat)
    margin = _param("margin", "how many standard errors to stay below a bound", TypeConverters.toFloat)
    minGroup = _param("minGroup", "groups with fewer rows are measured and not searched for", TypeConverters.toInt)
    l2 = _param("l2", "penalty on the squares of coefficients", TypeConverters.toFloat)
    sampleRows = _param("sampleRows", "about how many rows a search begins on", TypeConverters.toInt)

    def _value(self, name: str) -> Any:
        """Look up what was set, or the default; None without either."""
        param = self.getParam(name)
        return self.getOrDefault(param) if self.isDefined(param) else None

    def _bound(self, name: str) -> list[tuple[str | None, float]]:
        value = self._value(name)
        return [] if value is None else [(None, value)]


def _with_setters(names: list[str]) -> None:
    """Give every parameter a setter, and those of this package a getter."""
    for name in names:
        title = name[0].upper() + name[1:]

        def setter(self: Own, value: Any, name: str = name) -> Own:
            self._set(**{name: value})
            return self

        def getter(self: EvenhandParams, name: str = name) -> Any:
            return self.getOrDefault(name)

        setter.__doc__, getter.__doc__ = f"Set ``{name}``.", f"Look up ``{name}``."
        setter.__name__, getter.__name__ = f"set{title}", f"get{title}"
        setattr(EvenhandParams, f"set{title}", setter)
        if not hasattr(EvenhandParams, f"get{title}"):
            setattr(EvenhandParams, f"get{title}", getter)


SETTABLE = [
    "featuresCols",
    "sensitiveCols",
    "constraints",
    "withhold",
    "posLabel",
    "maxViolation",
    "maxDifference",
    "minRatio",
    "margin",
    "minGroup",
    "l2",
    "sampleRows",
    "labelCol",
    "weightCol",
    "predictionCol",
    "probabilityCol",
    "rawPredictionCol",
    "seed",
]
_with_setters(SETTABLE)
