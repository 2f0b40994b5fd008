"""Columns of a DataFrame by their names, whatever these hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import types as spark_types
from pyspark.sql.functions import col, when

from .._columns import quoted
from .._exceptions import EvenhandError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["chosen", "column", "emptied", "known_only", "read_and_withheld"]

# Columns of random numbers that Spark's own tuning adds to the rows it deals out.
TUNING = re.compile(r"(CrossValidator|TrainValidationSplit)_[0-9a-f]+_rand")


def column(name: str) -> Column:
    """Name a column to the letter: dots and blanks in it mean nothing."""
    return col(quoted(name))


def chosen(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """Take some columns."""
    return frame.select(*map(column, names))


def known_only(frame: DataFrame, names: Sequence[str], code: str = "column-unknown") -> None:
    """Refuse names that no column has, or more than one."""
    there = frame.columns
    for name in names:
        if name not in there:
            raise EvenhandError(f"no column `{name}`; the data have: {', '.join(there)}", code)
        if there.count(name) > 1:
            raise EvenhandError(
                f"{there.count(name)} columns are called `{name}`; rename all but one", "column-unknown"
            )


def read_and_withheld(
    frame: DataFrame,
    *,
    features: Sequence[str] | None,
    label: str,
    others: Sequence[str],
    withhold: Sequence[str],
    named: Sequence[str],
) -> tuple[list[str], list[str]]:
    """List the columns that are read, and of these the ones that the learner may not see.

    Without ``features`` all columns are some. ``named`` are those that groups are made of, ``others`` those that say
    what rows weigh and how often they count.
    """
    if features is None:
        return [name for name in frame.columns if not TUNING.fullmatch(name)], list(withhold)
    wanted = {*features, label, *others, *withhold, *named}
    read = [name for name in frame.columns if name in wanted]
    seen = {*features, label, *others, *withhold}
    return read, [*withhold, *(name for name in read if name not in seen)]


def emptied(frame: DataFrame, missing: Sequence[str]) -> DataFrame:
    """Take texts that mean a missing value out of all columns of texts."""
    if not missing:
        return frame

    def without(field: spark_types.StructField) -> Column:
        one = column(field.name)
        if not isinstance(field.dataType, spark_types.StringType):
            return one
        return when(one.isin(*missing), None).otherwise(one).alias(field.name)

    return frame.select(*map(without, frame.schema.fields))
