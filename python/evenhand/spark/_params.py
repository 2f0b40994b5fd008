"""The parameters that the estimator and its model share, with Spark's manners.

Holds what each is called, what may be given and how it is looked up; what they mean is the engine's.
"""

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

from .._bounds import Bound, limits_of
from .._columns import text_of
from ..constraints import Constraints, spelled
from ._rows import storage_level

__all__ = ["EvenhandParams"]

Own = TypeVar("Own", bound="EvenhandParams")


def _param(name: str, doc: str, converter: Any) -> Any:
    return Param(Params._dummy(), name, doc, typeConverter=converter)


def _bound(name: str, doc: str) -> Any:
    """Make a parameter that is a number, or a dictionary of constraints and numbers."""

    def converted(value: Any) -> Bound:
        limits = limits_of(name, value)
        for_all = [notion for notion, _ in limits] == [None]
        return limits[0][1] if for_all else {notion or "all": limit for notion, limit in limits}

    return _param(name, f"{doc}: a number, or one for each constraint", converted)


def to_constraints(value: Any) -> list[str]:
    """Take one constraint or several, spelled or as objects of :mod:`evenhand.constraints`."""
    return spelled(value)


def to_storage_level(value: Any) -> str:
    """Take the name of one of Spark's storage levels."""
    name: str = TypeConverters.toString(value)
    storage_level(name)
    return name


def to_label(value: Any) -> str:
    """Take a label as the column has it, a number or a text."""
    return text_of(value)


class EvenhandParams(HasLabelCol, HasWeightCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasSeed):
    """Columns, what should be equal, and by how much."""

    featuresCols = _param(
        "featuresCols",
        "raw columns that features are made of; all but label, weight, frequency and withheld ones unless said",
        TypeConverters.toListString,
    )
    sensitiveCols = _param(
        "sensitiveCols",
        "what tells the groups: columns, or specifications such as age<=30, race=White,Black|Hispanic and sex*race",
        TypeConverters.toListString,
    )
    intersections = _param(
        "intersections",
        "whether the groups are the intersections of several sensitive columns",
        TypeConverters.toBoolean,
    )
    constraints = _param(
        "constraints", "what should be equal across groups, as in evenhand.EvenhandClassifier", to_constraints
    )
    maxViolation = _bound("maxViolation", "largest |overall - group| rate that is asked for")
    maxDifference = _bound("maxDifference", "largest difference between two groups that is asked for")
    minRatio = _bound("minRatio", "smallest ratio between two groups that is asked for")
    margin = _param("margin", "how many standard errors to stay below a bound", TypeConverters.toFloat)
    minGroup = _param("minGroup", "groups with fewer rows are measured and not searched for", TypeConverters.toInt)
    notableChange = _param(
        "notableChange", "from which share on a change in what is predicted is warned of", TypeConverters.toFloat
    )
    measure = _param("measure", "whether decisions or scores are compared", TypeConverters.toString)
    method = _param("method", "weighting, or unconstrained for a fit without correction", TypeConverters.toString)
    withhold = _param("withhold", "columns the learner may not see", TypeConverters.toListString)
    categoricalCols = _param(
        "categoricalCols", "columns that hold numbers and are categories to the learner", TypeConverters.toListString
    )
    numericCols = _param(
        "numericCols",
        "columns that are numbers to the learner, even if groups are made of their values",
        TypeConverters.toListString,
    )
    missing = _param(
        "missing", "texts that mean a missing value, in every column of texts", TypeConverters.toListString
    )
    posLabel = _param("posLabel", "the positive one of two classes", to_label)
    l2 = _param("l2", "penalty on the squares of coefficients", TypeConverters.toFloat)
    standardise = _param("standardise", "whether numbers are centred and scaled", TypeConverters.toBoolean)
    interactions = _param(
        "interactions", "whether intersections among the groups are features too", TypeConverters.toBoolean
    )
    maxFits = _param("maxFits", "how many times to fit at most", TypeConverters.toInt)
    frequencyCol = _param(
        "frequencyCol", "how many times each row counts, as if it were there so many times", TypeConverters.toString
    )
    sampleRows = _param("sampleRows", "about how many rows a search begins on", TypeConverters.toInt)
    intermediateStorageLevel = _param(
        "intermediateStorageLevel",
        "how rows are kept during a fit: MEMORY_AND_DISK_2, or MEMORY_AND_DISK in one process, unless said",
        to_storage_level,
    )

    def _value(self, name: str) -> Any:
        """Look up what was set, or the default; None without either."""
        param = self.getParam(name)
        return self.getOrDefault(param) if self.isDefined(param) else None

    def _with(self: Own, **values: Any) -> Own:
        self._set(**values)
        return self

    def setFeaturesCols(self: Own, value: list[str]) -> Own:
        """Set ``featuresCols``."""
        return self._with(featuresCols=value)

    def getFeaturesCols(self) -> Any:
        """Look up ``featuresCols``."""
        return self.getOrDefault("featuresCols")

    def setSensitiveCols(self: Own, value: list[str]) -> Own:
        """Set ``sensitiveCols``."""
        return self._with(sensitiveCols=value)

    def getSensitiveCols(self) -> Any:
        """Look up ``sensitiveCols``."""
        return self.getOrDefault("sensitiveCols")

    def setIntersections(self: Own, value: bool) -> Own:
        """Set ``intersections``."""
        return self._with(intersections=value)

    def getIntersections(self) -> Any:
        """Look up ``intersections``."""
        return self.getOrDefault("intersections")

    def setConstraints(self: Own, value: Constraints) -> Own:
        """Set ``constraints``."""
        return self._with(constraints=value)

    def getConstraints(self) -> Any:
        """Look up ``constraints``."""
        return self.getOrDefault("constraints")

    def setMaxViolation(self: Own, value: Bound) -> Own:
        """Set ``maxViolation``."""
        return self._with(maxViolation=value)

    def getMaxViolation(self) -> Any:
        """Look up ``maxViolation``."""
        return self.getOrDefault("maxViolation")

    def setMaxDifference(self: Own, value: Bound) -> Own:
        """Set ``maxDifference``."""
        return self._with(maxDifference=value)

    def getMaxDifference(self) -> Any:
        """Look up ``maxDifference``."""
        return self.getOrDefault("maxDifference")

    def setMinRatio(self: Own, value: Bound) -> Own:
        """Set ``minRatio``."""
        return self._with(minRatio=value)

    def getMinRatio(self) -> Any:
        """Look up ``minRatio``."""
        return self.getOrDefault("minRatio")

    def setMargin(self: Own, value: float) -> Own:
        """Set ``margin``."""
        return self._with(margin=value)

    def getMargin(self) -> Any:
        """Look up ``margin``."""
        return self.getOrDefault("margin")

    def setMinGroup(self: Own, value: int) -> Own:
        """Set ``minGroup``."""
        return self._with(minGroup=value)

    def getMinGroup(self) -> Any:
        """Look up ``minGroup``."""
        return self.getOrDefault("minGroup")

    def setNotableChange(self: Own, value: float) -> Own:
        """Set ``notableChange``."""
        return self._with(notableChange=value)

    def getNotableChange(self) -> Any:
        """Look up ``notableChange``."""
        return self.getOrDefault("notableChange")

    def setMeasure(self: Own, value: str) -> Own:
        """Set ``measure``."""
        return self._with(measure=value)

    def getMeasure(self) -> Any:
        """Look up ``measure``."""
        return self.getOrDefault("measure")

    def setMethod(self: Own, value: str) -> Own:
        """Set ``method``."""
        return self._with(method=value)

    def getMethod(self) -> Any:
        """Look up ``method``."""
        return self.getOrDefault("method")

    def setWithhold(self: Own, value: list[str]) -> Own:
        """Set ``withhold``."""
        return self._with(withhold=value)

    def getWithhold(self) -> Any:
        """Look up ``withhold``."""
        return self.getOrDefault("withhold")

    def setCategoricalCols(self: Own, value: list[str]) -> Own:
        """Set ``categoricalCols``."""
        return self._with(categoricalCols=value)

    def getCategoricalCols(self) -> Any:
        """Look up ``categoricalCols``."""
        return self.getOrDefault("categoricalCols")

    def setNumericCols(self: Own, value: list[str]) -> Own:
        """Set ``numericCols``."""
        return self._with(numericCols=value)

    def getNumericCols(self) -> Any:
        """Look up ``numericCols``."""
        return self.getOrDefault("numericCols")

    def setMissing(self: Own, value: list[str]) -> Own:
        """Set ``missing``."""
        return self._with(missing=value)

    def getMissing(self) -> Any:
        """Look up ``missing``."""
        return self.getOrDefault("missing")

    def setPosLabel(self: Own, value: object) -> Own:
        """Set ``posLabel``."""
        return self._with(posLabel=value)

    def getPosLabel(self) -> Any:
        """Look up ``posLabel``."""
        return self.getOrDefault("posLabel")

    def setL2(self: Own, value: float) -> Own:
        """Set ``l2``."""
        return self._with(l2=value)

    def getL2(self) -> Any:
        """Look up ``l2``."""
        return self.getOrDefault("l2")

    def setStandardise(self: Own, value: bool) -> Own:
        """Set ``standardise``."""
        return self._with(standardise=value)

    def getStandardise(self) -> Any:
        """Look up ``standardise``."""
        return self.getOrDefault("standardise")

    def setInteractions(self: Own, value: bool) -> Own:
        """Set ``interactions``."""
        return self._with(interactions=value)

    def getInteractions(self) -> Any:
        """Look up ``interactions``."""
        return self.getOrDefault("interactions")

    def setMaxFits(self: Own, value: int) -> Own:
        """Set ``maxFits``."""
        return self._with(maxFits=value)

    def getMaxFits(self) -> Any:
        """Look up ``maxFits``."""
        return self.getOrDefault("maxFits")

    def setSampleRows(self: Own, value: int) -> Own:
        """Set ``sampleRows``."""
        return self._with(sampleRows=value)

    def getSampleRows(self) -> Any:
        """Look up ``sampleRows``."""
        return self.getOrDefault("sampleRows")

    def setIntermediateStorageLevel(self: Own, value: str) -> Own:
        """Set ``intermediateStorageLevel``."""
        return self._with(intermediateStorageLevel=value)

    def getIntermediateStorageLevel(self) -> Any:
        """Look up ``intermediateStorageLevel``."""
        return self.getOrDefault("intermediateStorageLevel")

    def setLabelCol(self: Own, value: str) -> Own:
        """Set ``labelCol``."""
        return self._with(labelCol=value)

    def setWeightCol(self: Own, value: str) -> Own:
        """Set ``weightCol``."""
        return self._with(weightCol=value)

    def setFrequencyCol(self: Own, value: str) -> Own:
        """Set ``frequencyCol``."""
        return self._with(frequencyCol=value)

    def getFrequencyCol(self) -> Any:
        """Look up ``frequencyCol``."""
        return self.getOrDefault("frequencyCol")

    def setPredictionCol(self: Own, value: str) -> Own:
        """Set ``predictionCol``."""
        return self._with(predictionCol=value)

    def setProbabilityCol(self: Own, value: str) -> Own:
        """Set ``probabilityCol``."""
        return self._with(probabilityCol=value)

    def setRawPredictionCol(self: Own, value: str) -> Own:
        """Set ``rawPredictionCol``."""
        return self._with(rawPredictionCol=value)

    def setSeed(self: Own, value: int) -> Own:
        """Set ``seed``."""
        return self._with(seed=value)
