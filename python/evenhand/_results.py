"""Results as frames of the library the data came from, as JSON and as tables in notebooks."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ._columns import frame_library

__all__ = ["frame_of", "html_table", "library_of"]


def library_of(*given: object) -> str:
    """Choose the library of the first frame or series among these; without any, one that is installed."""
    for data in given:
        library = frame_library(data)
        if library in {"pandas", "polars"}:
            return library
        if library == "pyarrow":
            return "pyarrow"
    return next((name for name in ("pandas", "polars") if importlib.util.find_spec(name)), "")


def frame_of(rows: Sequence[dict[str, Any]], library: str) -> Any:
    """Make a frame of rows; without pandas and polars they stay a list."""
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame.from_records(rows)
    if library == "polars":
        import polars as pl

        return pl.DataFrame(rows, infer_schema_length=None)
    if library == "pyarrow":
        import pyarrow as pa

        return pa.Table.from_pylist(list(rows))
    return list(rows)


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table; every text in it is escaped."""

    def cell(value: object) -> str:
        if value is None:
            return "<td>&ndash;</td>"
        if isinstance(value, float):
            return f'<td style="text-align:right">{value:.4f}</td>'
        return f"<td>{escape(str(value))}</td>"

    body = "".join(f"<tr>{''.join(cell(value) for value in row)}</tr>" for row in rows)
    heads = "".join(f"<th>{escape(one)}</th>" for one in head)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
