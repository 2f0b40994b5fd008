"""Audits of rows that are counted where they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._audit import Audit
from .._columns import text_of
from .._results import library_of
from ..constraints import Constraints, spelled
from ._columns import chosen, known_only
from ._rows import Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["audit"]


def audit(
    frame: DataFrame,
    *,
    sensitiveCols: Sequence[str],
    labelCol: str = "label",
    predictionCol: str | None = None,
    weightCol: str | None = None,
    frequencyCol: str | None = None,
    posLabel: Any = None,
    intersections: bool = True,
    confidence: float = 0.95,
    constraints: Constraints = "demographic_parity",
    maxViolation: float | None = None,
    maxDifference: float | None = None,
    minRatio: float | None = None,
) -> Audit:
    """Show how labels, and predictions of any model, differ between groups.

    Rows are counted where they are, and the counts are merged: the numbers are those of :func:`evenhand.audit` of all
    rows in one memory, to the last bit.

    Parameters
    ----------
    frame : DataFrame
    sensitiveCols : list of str
        What tells the groups: columns, or specifications such as ``"age<=30"`` and ``"sex*race"``.
    labelCol : str, default="label"
    predictionCol : str, default=None
        Predicted labels. Without them the labels alone are audited.
    weightCol : str, default=None
    frequencyCol : str, default=None
        How many times each row counts, a whole number.
    posLabel : label, default=None
        The positive class; None is the second of two, and with more each in turn.
    intersections, confidence, constraints
        As in :func:`evenhand.audit`.
    maxViolation, maxDifference, minRatio : float, default=None
        Bounds, whose verdicts are in :attr:`evenhand.Audit.bounds`.

    Returns
    -------
    evenhand.Audit
        It has no report.
    """
    notions = _core.notions(spelled(constraints))
    named = _core.Settings(notions, groups=list(sensitiveCols), withhold=[]).named_columns(frame.columns)
    roles = [name for name in (labelCol, predictionCol, weightCol, frequencyCol) if name is not None]
    known_only(frame, [*roles, *named])
    wanted = {*roles, *named}
    with Rows(chosen(frame, [name for name in frame.columns if name in wanted]), _core.AuditTask) as rows:
        record, texts, _ = _core.audit_remote(
            rows,
            _core.Roles(
                labelCol,
                positive=None if posLabel is None else text_of(posLabel),
                weight=weightCol,
                frequency=frequencyCol,
            ),
            groups=list(sensitiveCols),
            predictions=predictionCol,
            confidence=confidence,
            intersections=intersections,
            notions=notions,
            max_violation=maxViolation,
            max_difference=maxDifference,
            min_ratio=minRatio,
        )
    return Audit(json.loads(record), texts, library_of(), None)
