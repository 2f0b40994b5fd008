"""Results as frames of the library the data came from, as JSON and as tables in notebooks."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ._columns import frame_library

__all__ = ["Recorded", "frame_of", "html_table", "library_of", "trade_off_of"]

# A half-transparent grey is a line on white and on black.
TABLE = "border-collapse:collapse;margin:0.5em 0;color:inherit;background:transparent;font-variant-numeric:tabular-nums"
CELL = "border:0;border-bottom:1px solid rgba(128,128,128,0.4);padding:0.2em 0.8em;color:inherit;background:transparent"
CAPTION = "caption-side:top;text-align:left;padding:0.2em 0;color:inherit"


class Recorded:
    """A result of which everything is in a dictionary."""

    _record: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Get everything, with the keys that the command line has in its JSON."""
        return dict(self._record)

    def to_json(self, indent: int | None = None) -> str:
        """Write everything as JSON."""
        return json.dumps(self._record, indent=indent)


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


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = "") -> str:
    """Write a table; every text in it is escaped. Colours are the notebook's own, be it dark or light."""

    def cell(value: object) -> str:
        shown = "&ndash;" if value is None else f"{value:.4f}" if isinstance(value, float) else escape(str(value))
        side = "left" if isinstance(value, str) and not value[:1].isdigit() else "right"
        return f'<td style="{CELL};text-align:{side}">{shown}</td>'

    body = "".join(f"<tr>{''.join(cell(value) for value in row)}</tr>" for row in rows)
    heads = "".join(f'<th style="{CELL};text-align:left">{escape(one)}</th>' for one in head)
    title = f'<caption style="{CAPTION}">{escape(caption)}</caption>' if caption else ""
    return f'<table style="{TABLE}">{title}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'


def trade_off_of(found: tuple[float, float, float] | None) -> dict[str, float] | None:
    """Name the numbers of a search that stopped for the cost."""
    return None if found is None else dict(zip(("bound", "violation", "cost"), found, strict=True))
