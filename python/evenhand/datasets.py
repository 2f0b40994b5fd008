"""Made-up data whose true labels are known."""

from __future__ import annotations

from typing import Any

from . import _core
from ._results import frame_of

__all__ = ["make_loans"]


def make_loans(n_samples: int = 5000, *, random_state: int = 0, library: str = "pandas") -> tuple[Any, Any, Any]:
    """Make up applicants for a loan, past decisions on them, and what an even hand would have given.

    Repayment follows a logistic law that gives every group the same rate; the decisions are the closest
    distortion of it which a bias against women and against the young allows (Jiang & Nachum 2019, Prop. 1).

    Parameters
    ----------
    n_samples : int, default=5000
        1000 to 10,000,000.
    random_state : int, default=0
    library : {"pandas", "polars", "pyarrow"}, default="pandas"

    Returns
    -------
    X : frame
        ``income``, ``history``, ``region``, ``sex``, ``age_band``.
    approved : series
        The labels people gave: 1 or 0.
    deserved : series
        The labels nobody has.

    Examples
    --------
    >>> from evenhand.datasets import make_loans
    >>> X, approved, deserved = make_loans(1000)
    >>> list(X.columns)
    ['income', 'history', 'region', 'sex', 'age_band']
    """
    table = _core.population(n_samples, random_state)
    columns: dict[str, Any] = {}
    for name in table.names:
        texts, codes = table.values(name)
        if name in {"approved", "deserved"}:
            columns[name] = [int(texts[code] == "yes") for code in codes]
        elif table.kind(name) == "numeric":
            columns[name] = [float(texts[code]) for code in codes]
        else:
            columns[name] = [texts[code] for code in codes]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    frame = frame_of(rows, library)
    features = [name for name in columns if name not in {"approved", "deserved"}]
    X = frame.select(features) if library != "pandas" else frame[features]
    return X, frame["approved"], frame["deserved"]
