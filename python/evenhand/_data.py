"""One table of everything: features, label, weights and sensitive columns, each under a name of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ._columns import array_of, is_frame, is_missing, is_series, table_of, text_of
from ._core import Roles, Table
from ._exceptions import EvenhandError
from ._sensitive import Sensitive, sensitive_of

__all__ = [
    "Data",
    "Target",
    "add_sensitive",
    "assemble",
    "gather",
    "is_everyone",
    "positive_of",
    "quiet_about",
    "target_of",
]

EVERYONE = "everyone"


@dataclass
class Target:
    """Labels as numbers of classes."""

    name: str
    classes: NDArray[Any]
    codes: NDArray[np.int64]

    @property
    def texts(self) -> list[str]:
        """The classes as the engine writes them."""
        return [text_of(value) for value in self.classes]


@dataclass
class Data:
    """A table with roles, ready for the engine."""

    table: Table
    roles: Roles
    groups: list[str]
    withhold: list[str] = field(default_factory=list)
    label: str = ""
    weight: str | None = None
    shared: list[str] = field(default_factory=list)
    """Columns of X that are sensitive as well."""


def target_of(y: Any, name: str = "label", classes: NDArray[Any] | None = None) -> Target:
    """Check labels and number their classes; ``classes`` are those of training."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    label = str(getattr(y, "name", None) or name) if is_series(y) else name
    values = column_or_1d(array_of(y), warn=True)
    absent = [row for row, value in enumerate(values) if is_missing(value)] if values.dtype.kind == "O" else []
    if absent:
        count = f"{len(absent)} labels are" if len(absent) > 1 else "a label is"
        message = f"Input y contains NaN: {count} missing, the first in row {absent[0]} (counted from 0); drop or fill"
        raise EvenhandError(message, "label-missing")
    assert_all_finite(values, input_name="y")
    check_classification_targets(values)
    if classes is None:
        classes, codes = np.unique(values, return_inverse=True)
    else:
        place = {text_of(value): at for at, value in enumerate(classes)}
        strange = [value for value in np.unique(values) if text_of(value) not in place]
        if strange:
            known = ", ".join(f"`{text}`" for text in place)
            row = int(np.flatnonzero(np.asarray(values) == strange[0])[0])
            message = f"row {row} (counted from 0): `{strange[0]}` is none of the known classes: {known}"
            raise EvenhandError(message, "class-unknown")
        codes = np.fromiter((place[text_of(value)] for value in values), dtype=np.int64, count=len(values))
    return Target(label, classes, np.asarray(codes, dtype=np.int64))


def positive_of(target: Target, pos_label: Any) -> str | None:
    """Find the positive class as the engine writes it: the one asked for, else the second of two."""
    if pos_label is None:
        return target.texts[1] if len(target.classes) == 2 else None
    if text_of(pos_label) not in target.texts:
        known = ", ".join(f"`{text}`" for text in target.texts)
        raise EvenhandError(f"`pos_label` is {pos_label!r}, and the labels have: {known}", "positive-unknown")
    return text_of(pos_label)


def assemble(
    table: Table,
    target: Target,
    sensitive: Sensitive,
    *,
    positive: str | None = None,
    sample_weight: NDArray[np.float64] | None = None,
    known: Collection[str] = (),
    label: str | None = None,
    weight: str | None = None,
    groups_needed: bool = True,
    categorical: Sequence[str] | None = None,
    numeric: Sequence[str] | None = None,
    missing: Sequence[str] | None = None,
) -> Data:
    """Add label, weights and sensitive columns to the columns of X.

    A sensitive column that X has as well, under the same name and with the same values, is that one;
    under the same name with other values it gets another. ``known``, ``label`` and ``weight`` are names that
    training gave; ``categorical`` and ``numeric`` are columns of X, ``missing`` texts that
    mean a missing value.
    """
    specs, withhold, shared = add_sensitive(table, sensitive, known)
    if not specs and groups_needed:
        everyone = _free(EVERYONE, table)
        table.add_flags(everyone, np.ones(len(target.codes), dtype=np.bool_))
        specs, withhold = [f"`{everyone}`"], [*withhold, everyone]
    label = label if label is not None else _free(target.name, table)
    table.add_codes(label, target.codes, target.texts)
    if sample_weight is not None:
        weight = weight if weight is not None else _free("sample_weight", table)
        table.add_numbers(weight, np.ascontiguousarray(sample_weight, dtype=np.float64))
    roles = Roles(
        label,
        positive=positive,
        weight=weight if sample_weight is not None else None,
        categorical=_named(categorical, "categorical"),
        numeric=_named(numeric, "numeric"),
        missing=_named(missing, "missing", "texts"),
    )
    return Data(table, roles, specs, withhold, label, weight if sample_weight is not None else None, shared)


def gather(
    X: Any,
    target: Target,
    sensitive_features: Any,
    sample_weight: Any,
    *,
    positive: str | None,
    groups: str | Sequence[str] | None,
    intersections: bool = False,
    categorical: Sequence[str] | None,
    numeric: Sequence[str] | None,
    missing: Sequence[str] | None = None,
) -> Data:
    """Make raw inputs of the built-in learner one table: frames as they are, anything else as an array."""
    sensitive = sensitive_of(sensitive_features, len(target.codes), groups=groups, intersections=intersections)
    return assemble(
        table_of(X if is_frame(X) or hasattr(X, "tocsc") else np.asarray(X)),
        target,
        sensitive,
        positive=positive,
        sample_weight=None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64),
        categorical=categorical,
        numeric=numeric,
        missing=missing,
    )


def add_sensitive(
    table: Table, sensitive: Sensitive, known: Collection[str] = ()
) -> tuple[list[str], list[str], list[str]]:
    """Add sensitive columns; returns group specifications, columns added, and columns that X has as well."""
    specs: list[str] = list(sensitive.specs)
    withhold: list[str] = []
    shared: list[str] = []
    for name in sensitive.columns.names:
        other = f"{name} (sensitive)"
        if name in table.names and other not in known and table.same_column(name, sensitive.columns, name):
            shared.append(name)
            continue
        free = other if name in table.names else name
        table.add_column(free, sensitive.columns, name)
        withhold.append(free)
        if free != name:
            quoted = ["`" + one.replace("`", "``") + "`" for one in (name, free)]
            specs = [spec.replace(quoted[0], quoted[1]) for spec in specs]
    return specs, withhold, shared


def is_everyone(columns: Collection[str]) -> bool:
    """Whether these columns are the one that is made where there are no groups."""
    return len(columns) == 1 and next(iter(columns)).rstrip("_") == EVERYONE


def quiet_about(data: object) -> frozenset[str]:
    """Tell which warnings to leave out: whether numbers may be codes is asked only of columns that somebody named."""
    return frozenset() if is_frame(data) else frozenset({"possible-codes"})


def _named(columns: Sequence[str] | None, setting: str, what: str = "names of columns") -> list[str]:
    """Read names of columns, or other texts; a lone text would be taken letter by letter."""
    if isinstance(columns, str):
        message = f"`{setting}` is {columns!r}; allowed is a list of {what}, such as [{columns!r}]"
        raise EvenhandError(message, "setting-invalid")
    return [] if columns is None else [str(name) for name in columns]


def _free(name: str, table: Table) -> str:
    """Find a name that no column has."""
    while name in table.names:
        name += "_"
    return name
