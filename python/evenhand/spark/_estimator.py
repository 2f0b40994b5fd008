"""The estimator: what is asked, and the fit that drives Spark. Its model is in ``_model``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

from .. import _core
from .._bounds import Bound, limits_of
from .._columns import quoted
from .._exceptions import warn_of
from ..constraints import Constraints
from ._columns import chosen, emptied, known_only, read_and_withheld
from ._model import EvenhandClassificationModel
from ._params import EvenhandParams
from ._rows import Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["EvenhandClassifier"]


class EvenhandClassifier(Estimator, EvenhandParams, DefaultParamsReadable, DefaultParamsWritable):
    """Classifier corrected for label bias, trained where the rows are.

    Raw columns go in: texts and booleans are categories, numbers are standardised. The label may be text or a number.
    Rows are computed once, and again where a machine is lost: what is drawn at random is cached first.

    Parameters
    ----------
    featuresCols : list of str, default all columns but the label, the weight and the frequency
    labelCol, weightCol, predictionCol, probabilityCol, rawPredictionCol : str
        As everywhere in Spark. The prediction is a double where labels are numbers, else the label's text; a column
        whose name is empty is left out.
    frequencyCol : str
        How many times each row counts, a whole number: the model is that of repeated rows, to the last bit.
    sensitiveCols : list of str
        What tells the groups: columns, or specifications as in ``evenhand fit --group``. Those that are not among
        ``featuresCols`` are kept from the learner.
    constraints : str, Constraint or list of these, default ["demographic_parity"]
        As in :class:`evenhand.EvenhandClassifier`.
    maxViolation, maxDifference, minRatio : float or dict
    intersections, margin, minGroup, notableChange, measure, withhold, missing, posLabel, l2, standardise, \
    interactions, maxFits
        As ``max_violation``, ``min_group`` and so on in :class:`evenhand.EvenhandClassifier`; ``categoricalCols`` and
        ``numericCols`` are its ``categorical`` and ``numeric``.
    method : {"weighting", "unconstrained"}, default "weighting"
        Whether labels are corrected.
    sampleRows : int, default as many as tell enough
        Multipliers are searched on about so many rows first, and from there on all.
    seed : int, default 0
        The seed of that sample.
    intermediateStorageLevel : str, default "MEMORY_AND_DISK_2"
        How packed rows and blocks are kept during a fit: on two machines, so that a lost one costs little. The default
        is "MEMORY_AND_DISK" where Spark runs in one process. Both take about 20 bytes a row and copy.

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
        intersections: bool | None = None,
        constraints: Constraints | None = None,
        weightCol: str | None = None,
        frequencyCol: str | None = None,
        predictionCol: str = "prediction",
        probabilityCol: str = "probability",
        rawPredictionCol: str = "rawPrediction",
        posLabel: Any = None,
        withhold: list[str] | None = None,
        categoricalCols: list[str] | None = None,
        numericCols: list[str] | None = None,
        missing: list[str] | None = None,
        maxViolation: Bound | None = None,
        maxDifference: Bound | None = None,
        minRatio: Bound | None = None,
        margin: float | None = None,
        minGroup: int | None = None,
        notableChange: float | None = None,
        measure: str | None = None,
        method: str | None = None,
        l2: float | None = None,
        standardise: bool | None = None,
        interactions: bool | None = None,
        maxFits: int | None = None,
        sampleRows: int | None = None,
        seed: int = 0,
        intermediateStorageLevel: str | None = None,
    ) -> None:
        super().__init__()
        self._setDefault(constraints=["demographic_parity"], sensitiveCols=[], intersections=False, withhold=[])
        self._setDefault(
            categoricalCols=[], numericCols=[], missing=[], measure="decisions", method="weighting", seed=0
        )
        self._set(**{name: value for name, value in self._input_kwargs.items() if value is not None})

    def _fit(self, dataset: DataFrame) -> EvenhandClassificationModel:
        label, weight, frequency = self.getLabelCol(), self._value("weightCol"), self._value("frequencyCol")
        known_only(dataset, self._columns_asked())
        named = self._settings(dataset, []).named_columns(dataset.columns)
        roles = _core.Roles(
            label,
            positive=self._value("posLabel"),
            weight=weight,
            categorical=self.getCategoricalCols(),
            numeric=self.getNumericCols(),
            missing=self.getMissing(),
            frequency=frequency,
        )
        read, withheld = read_and_withheld(
            dataset,
            features=self._value("featuresCols"),
            label=label,
            others=[name for name in (weight, frequency) if name is not None],
            withhold=self.getWithhold(),
            named=named,
        )
        settings = self._settings(dataset, withheld)
        chosen_rows = emptied(chosen(dataset, read), self.getMissing())
        with Rows(chosen_rows, level=self._value("intermediateStorageLevel")) as rows:
            found = _core.fit_remote(rows, roles, settings, sample_rows=self._value("sampleRows"), seed=self.getSeed())
        warn_of(found.warnings, stacklevel=2)
        model = EvenhandClassificationModel.of(found, dataset.schema[label].dataType)
        copied: EvenhandClassificationModel = self._copyValues(model)
        return copied

    def _settings(self, dataset: DataFrame, withhold: list[str]) -> _core.Settings:
        return _core.Settings(
            self.getConstraints(),
            groups=self._groups(dataset),
            withhold=withhold,
            max_violation=limits_of("maxViolation", self._value("maxViolation")),
            max_difference=limits_of("maxDifference", self._value("maxDifference")),
            min_ratio=limits_of("minRatio", self._value("minRatio")),
            margin=self._value("margin"),
            min_group=self._value("minGroup"),
            notable_change=self._value("notableChange"),
            measure=self.getMeasure(),
            method=self.getMethod(),
            l2=self._value("l2"),
            standardise=self._value("standardise"),
            interactions=self._value("interactions"),
            max_fits=self._value("maxFits"),
        )

    def _groups(self, dataset: DataFrame) -> list[str]:
        """Write the group specifications, one for all of them where intersections are asked for."""
        given = list(self.getSensitiveCols())
        if len(given) < 2 or not self.getIntersections():
            return given
        return ["*".join(quoted(one) if one in dataset.columns else one for one in given)]

    def _columns_asked(self) -> list[str]:
        """List the columns that parameters name, which must be there."""
        asked = [*(self._value("featuresCols") or ()), self.getLabelCol()]
        asked += [self._value("weightCol"), self._value("frequencyCol")]
        asked += [*self.getWithhold(), *self.getCategoricalCols(), *self.getNumericCols()]
        return [name for name in asked if name is not None]
