"""Input adapters: frames, arrays and series become columns of the engine.

Nothing is computed here. Numbers stay numbers, everything else becomes texts with a dictionary; a
missing value of any library is a missing value of the engine.
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ._core import Table
from ._exceptions import EvenhandError

__all__ = [
    "add_series",
    "array_of",
    "frame_library",
    "is_frame",
    "is_series",
    "quoted",
    "refuse_lazy",
    "table_of",
    "text_of",
]


def frame_library(data: object) -> str | None:
    """Name the library whose frame or series this is, if there is one."""
    module = type(data).__module__.partition(".")[0]
    return module if module in {"pandas", "polars", "pyarrow"} else None


def is_frame(data: object) -> bool:
    """Tell whether this has named columns: a pandas, polars or Arrow table."""
    if frame_library(data) == "pandas":
        return hasattr(data, "columns")
    # Arrow arrays and polars series have the stream too, and no columns.
    return hasattr(data, "__arrow_c_stream__") and (hasattr(data, "columns") or hasattr(data, "column_names"))


def is_series(data: object) -> bool:
    """Tell whether this is one column of a frame."""
    return frame_library(data) is not None and not is_frame(data)


def refuse_lazy(data: object, name: str) -> None:
    """Say what to do with a frame that is only planned."""
    if type(data).__name__ == "LazyFrame":
        raise EvenhandError(f"{name} is a LazyFrame, which has no rows yet; `collect` it first", "column-type")


def table_of(data: Any, names: Iterable[str] | None = None) -> Table:
    """Make columns of a frame, a sparse matrix, or a two-dimensional array whose columns are named."""
    if is_frame(data):
        return _pandas_table(data) if frame_library(data) == "pandas" else Table.from_arrow(data)
    table = Table()
    columns = list(names) if names is not None else [f"x{at}" for at in range(data.shape[1])]
    if sparse.issparse(data):
        by_column = cast("Any", data).tocsc()
        for at, name in enumerate(columns):
            dense = by_column[:, [at]].toarray().ravel()
            table.add_numbers(name, np.asarray(dense, dtype=np.float64))
    else:
        table.add_matrix(columns, np.asarray(data, dtype=np.float64))
    return table


def add_series(table: Table, name: str, values: Any) -> None:
    """Add one column: a series, a one-dimensional array, or a list."""
    library = frame_library(values)
    if library == "pandas":
        _add_pandas(table, name, values)
    elif library in {"polars", "pyarrow"} and hasattr(values, "__arrow_c_stream__"):
        _add_arrow(table, name, values)
    else:
        _add_array(table, name, np.asarray(values))


def array_of(values: Any) -> Any:
    """Make a numpy array of a column of any library; what belongs to none is left as it is."""
    library = frame_library(values)
    if library == "pyarrow":
        import pyarrow as pa

        if pa.types.is_dictionary(values.type):
            # On its way to numpy, a missing value of a coded column in several chunks becomes the last category.
            values = values.cast(values.type.value_type)
        return np.asarray(values)
    return values.to_numpy() if library is not None else values


def text_of(value: object) -> str:
    """Write a value as the engine does: ``1`` for 1.0, ``true`` for True."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and float(value).is_integer():
        return str(int(float(value)))
    return str(value)


def quoted(name: str) -> str:
    """Write a column's name so that a group specification takes it to the letter."""
    return "`" + name.replace("`", "``") + "`"


def _pandas_table(frame: Any) -> Table:
    table = Table()
    for at, name in enumerate(frame.columns):
        _add_pandas(table, str(name), frame.iloc[:, at])
    return table


def _add_pandas(table: Table, name: str, series: Any) -> None:
    import pandas as pd

    dtype = series.dtype
    if dtype == np.bool_:
        table.add_flags(name, np.ascontiguousarray(series.to_numpy(dtype=np.bool_)))
    elif isinstance(dtype, pd.CategoricalDtype):
        codes = np.asarray(series.cat.codes, dtype=np.int64)
        table.add_codes(name, codes, [text_of(value) for value in dtype.categories])
    elif pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_string_dtype(dtype) or dtype.kind == "O":
        try:
            codes, values = pd.factorize(series)
        except TypeError as error:  # lists, dictionaries and their like
            raise _no_column(name, dtype) from error
        _add_codes(table, name, codes, values)
    elif pd.api.types.is_integer_dtype(dtype):
        missing = np.asarray(series.isna(), dtype=np.bool_)
        whole = np.uint64 if "uint64" in str(dtype).lower() else np.int64
        table.add_whole(
            name, series.to_numpy(dtype=whole, na_value=0) if missing.any() else series.to_numpy(whole), missing
        )
    elif pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        table.add_numbers(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    else:
        raise _no_column(name, dtype)


def _add_arrow(table: Table, name: str, values: Any) -> None:
    if frame_library(values) == "polars":
        frame = values.rename(name).to_frame()
    else:
        import pyarrow as pa

        frame = pa.table({name: values})
    table.add_column(name, Table.from_arrow(frame), name)


def _add_array(table: Table, name: str, values: NDArray[Any]) -> None:
    if values.ndim != 1:
        raise EvenhandError(f"column `{name}` has {values.ndim} dimensions; give one value a row", "shape")
    kind = values.dtype.kind
    if kind == "b":
        table.add_flags(name, np.ascontiguousarray(values))
    elif values.dtype == np.uint64:
        table.add_whole(name, np.ascontiguousarray(values, dtype=np.uint64))
    elif kind in "iu":
        table.add_whole(name, np.ascontiguousarray(values, dtype=np.int64))
    elif kind == "f":
        table.add_numbers(name, np.asarray(values, dtype=np.float64))
    elif kind in "OUS":
        try:
            codes, found = _factorized(values)
        except TypeError as error:
            raise _no_column(name, values.dtype) from error
        _add_codes(table, name, codes, found)
    else:
        raise _no_column(name, values.dtype)


def _add_codes(table: Table, name: str, codes: NDArray[Any], values: Iterable[object]) -> None:
    """Add texts. An empty one is missing, as in a file; values that are written alike are one."""
    dictionary: dict[str, int] = {}
    place = [-1 if (text := text_of(value)) == "" else dictionary.setdefault(text, len(dictionary)) for value in values]
    moved = np.asarray([*place, -1], dtype=np.int64)[codes]
    table.add_codes(name, moved, list(dictionary))


def _factorized(values: NDArray[Any]) -> tuple[NDArray[np.int64], list[object]]:
    """Give distinct values numbers in order of appearance; missing ones are -1."""
    if values.dtype.kind != "O":
        distinct, codes = np.unique(values, return_inverse=True)
        return codes.astype(np.int64), [str(value) for value in distinct]
    seen: dict[Hashable, int] = {}
    number = (-1 if is_missing(value) else seen.setdefault(value, len(seen)) for value in values)
    return np.fromiter(number, dtype=np.int64, count=len(values)), list(seen)


def is_missing(value: object) -> bool:
    """Tell whether a value of an object array is none: None, NaN, pandas' NA or NaT."""
    return (
        value is None or type(value).__name__ in {"NAType", "NaTType"} or (isinstance(value, float) and value != value)
    )


def _no_column(name: str, dtype: object) -> EvenhandError:
    message = (
        f"column `{name}` is of type {dtype}, and holds what has no meaning here; "
        "numbers, texts, categories and booleans have: convert it, or leave it out"
    )
    return EvenhandError(message, "column-type")
