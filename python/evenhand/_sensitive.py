"""The forms in which sensitive features come.

One column, several, masks, a matrix of memberships, or group specifications over the columns of X: all become
columns of the engine and the specifications that make groups of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._columns import add_series, is_frame, is_series, quoted, refuse_lazy, table_of
from ._core import Table
from ._exceptions import EvenhandError

__all__ = ["Sensitive", "sensitive_of"]

UNNAMED = "sensitive_feature"


@dataclass
class Sensitive:
    """Columns that define groups, and how."""

    columns: Table = field(default_factory=Table)
    specs: list[str] = field(default_factory=list)
    """Group specifications; those of ``masks`` among them."""


def sensitive_of(given: Any, rows: int, *, groups: str | Sequence[str] | None, intersections: bool) -> Sensitive:
    """Read sensitive features of ``rows`` rows.

    ``groups`` are specifications that take the place of one group for each value.
    """
    refuse_lazy(given, "sensitive_features")
    found = Sensitive()
    masks: list[str] = []
    specs: list[str] = []
    if given is None:
        pass
    elif isinstance(given, str):
        specs = [given]
    elif _are_specs(given, rows):
        specs = list(given)
    elif isinstance(given, Mapping):
        _add_all(found.columns, [str(name) for name in given], list(given.values()), masks)
    elif is_frame(given):
        found.columns = table_of(given)
    elif is_series(given):
        add_series(found.columns, str(getattr(given, "name", None) or UNNAMED), given)
    elif _is_list_of_columns(given, rows):
        names = [str(getattr(one, "name", None) or f"group_{at}") for at, one in enumerate(given)]
        _add_all(found.columns, names, list(given), masks)
    else:
        _add_array(found.columns, np.asarray(given), masks)
    _check_rows(found.columns, rows)
    if groups is not None:
        found.specs = [groups] if isinstance(groups, str) else list(groups)
        return found
    plain = [quoted(name) for name in found.columns.names if name not in masks]
    whole = [f"{quoted(name)}=true" for name in masks]
    if intersections and (len(specs) > 1 or len(plain) > 1):
        found.specs = ["*".join([*specs, *plain]), *whole]
    else:
        found.specs = [*specs, *plain, *whole]
    return found


def _are_specs(given: Any, rows: int) -> bool:
    """Strings, and not one for each row: those are a column."""
    is_list = isinstance(given, (list, tuple)) and len(given) > 0
    return is_list and len(given) != rows and all(isinstance(one, str) for one in given)


def _is_list_of_columns(given: Any, rows: int) -> bool:
    if not isinstance(given, (list, tuple)) or not given:
        return False
    return all(is_series(one) or (not np.isscalar(one) and np.ndim(one) == 1 and len(one) == rows) for one in given)


def _add_all(table: Table, names: list[str], columns: list[Any], masks: list[str]) -> None:
    for name, column in zip(names, columns, strict=True):
        if not is_series(column):
            column = np.asarray(column)
        if str(column.dtype) in {"bool", "boolean", "Boolean"}:
            if len(column) and not column.any():
                message = f"sensitive_features: no row is in `{name}`, a mask without a single True; leave it out"
                raise EvenhandError(message, "group-empty")
            masks.append(name)
        add_series(table, name, column)


def _add_array(table: Table, array: Any, masks: list[str]) -> None:
    if array.ndim == 1:
        add_series(table, UNNAMED, array)
    elif array.ndim == 2:
        names = [f"{UNNAMED}_{at}" for at in range(array.shape[1])]
        _add_all(table, names, [array[:, at] for at in range(array.shape[1])], masks)
    else:
        message = f"sensitive_features have {array.ndim} dimensions; give a column, several, masks or specifications"
        raise EvenhandError(message, "shape")


def _check_rows(table: Table, rows: int) -> None:
    if table.names and table.rows != rows:
        message = f"sensitive_features: {table.rows} rows where {rows} were expected, one for each row of X"
        raise EvenhandError(message, "length-mismatch")
