"""How far labels were tilted, by rows where they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
from pyspark.sql.functions import sum as total

from .. import _core
from .._columns import text_of
from .._exceptions import EvenhandError, warn_of
from .._identify import Identification
from .._results import library_of
from ..constraints import Constraints, spelled
from ._columns import chosen, column, emptied, known_only, read_and_withheld
from ._rows import Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["identify"]

# So many rows may be gathered in one memory.
SAMPLE_ROWS = 1 << 21


def identify(
    frame: DataFrame,
    *,
    sensitiveCols: Sequence[str],
    labelCol: str = "label",
    featuresCols: Sequence[str] | None = None,
    weightCol: str | None = None,
    frequencyCol: str | None = None,
    posLabel: Any = None,
    withhold: Sequence[str] | None = None,
    categoricalCols: Sequence[str] | None = None,
    numericCols: Sequence[str] | None = None,
    missing: Sequence[str] | None = None,
    constraints: Constraints = "demographic_parity",
    confidence: float = 0.95,
    resamples: int = 0,
    l2: float | None = None,
    sensitivity: bool = False,
    sampleRows: int | None = None,
    seed: int = 0,
) -> Identification:
    """Estimate how far labels were tilted for or against each group.

    For demographic parity of two classes all rows are asked where they are, as a fit asks them, and intervals are those
    of all rows. Anything else needs rows in one memory: all of them where there are no more than ``sampleRows`` (about
    two million), else about so many that are drawn at random, with a warning that says so. Which ones are drawn depends
    on the seed and on how rows are partitioned; intervals are then those of the rows that were drawn.

    Parameters
    ----------
    frame : DataFrame
    sensitiveCols, labelCol, featuresCols, weightCol, frequencyCol, withhold, categoricalCols, numericCols, missing, \
    posLabel
        As in :class:`EvenhandClassifier`.
    constraints, confidence, resamples, l2, sensitivity
        As in :func:`evenhand.identify`.
    sampleRows : int, default=None
        The search begins on about so many rows, and so many are gathered at most; unless said, as many as tell enough,
        and about two million.
    seed : int, default=0
        Of what is drawn.

    Returns
    -------
    evenhand.Identification
        It has a report where rows were gathered.
    """
    notions, groups, texts = spelled(constraints), list(sensitiveCols), list(missing or ())
    named = _core.Settings(notions, groups=groups, withhold=[]).named_columns(frame.columns)
    others = [name for name in (weightCol, frequencyCol) if name is not None]
    asked = [*(featuresCols or ()), labelCol, *others, *(withhold or ())]
    known_only(frame, [*asked, *(categoricalCols or ()), *(numericCols or ()), *named])
    read, withheld = read_and_withheld(
        frame, features=featuresCols, label=labelCol, others=others, withhold=withhold or (), named=named
    )
    rows = emptied(chosen(frame, read), texts)
    roles = _core.Roles(
        labelCol,
        positive=None if posLabel is None else text_of(posLabel),
        weight=weightCol,
        categorical=categoricalCols,
        numeric=numericCols,
        missing=texts,
        frequency=frequencyCol,
    )
    settings: dict[str, Any] = {
        "groups": groups,
        "withhold": withheld,
        "confidence": confidence,
        "resamples": resamples,
        "sensitivity": sensitivity,
        "l2": l2,
        "notions": notions,
        "seed": seed,
    }
    try:
        with Rows(rows) as remote:
            record, found_warnings, _ = _core.identify_remote(remote, roles, sample_rows=sampleRows, **settings)
        report = None
    except EvenhandError as error:
        if error.code != "needs-memory":
            raise
        gathered, drawn = _gathered(rows, frequencyCol, sampleRows or SAMPLE_ROWS, seed)
        more = [] if drawn is None else [_drawn(*drawn)]
        record, _, found_warnings, report = _core.identify(gathered, roles, **settings)
        found_warnings = [*found_warnings, *more]
    warn_of(found_warnings, stacklevel=2)
    return Identification(json.loads(record), library_of(), report)


def _drawn(rows: int, drawn_from: int) -> tuple[str, str]:
    said = f"the bias was identified on {rows} rows that were drawn at random from {drawn_from}"
    return "rows-sampled", f"{said}; intervals are those of the rows drawn"


def _gathered(
    frame: DataFrame, frequency: str | None, most: int, seed: int
) -> tuple[_core.Table, tuple[int, int] | None]:
    """Bring rows here: all of them, or so many drawn at random; then also how many, and from how many."""
    rows = frame.count() if frequency is None else frame.select(total(column(frequency))).toArrow()[0][0].as_py()
    if rows is None or rows <= most:
        return _core.Table.from_arrow(frame.toArrow()), None
    drawn = frame.sample(fraction=most / rows, seed=seed).toArrow()
    of_them = drawn.num_rows if frequency is None else pc.sum(drawn[frequency]).as_py() or 0
    return _core.Table.from_arrow(drawn), (int(of_them), int(rows))
