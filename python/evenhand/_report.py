"""Reports for others: one page, a section of a model card, or text."""

from __future__ import annotations

import json
import os
from html import escape
from typing import Any

from . import _core
from ._exceptions import EvenhandError

__all__ = ["Report"]

# A page of its own inside the notebook: its styles stay in it, and it may not reach anything outside.
FRAME = (
    '<iframe srcdoc="{page}" title="{title}" sandbox="allow-scripts" loading="lazy" '
    'style="width:100%;height:48em;border:1px solid rgba(128,128,128,0.4);resize:vertical"></iframe>'
)


class Report:
    """What was found, what it rests on, and what it cannot show. Made by ``report()`` of what it is about.

    In a notebook it shows itself. The page needs no network, and holds all of its numbers as JSON.
    """

    def __init__(self, inner: _core.Report) -> None:
        self._inner = inner

    @classmethod
    def _of(cls, inner: _core.Report | None, result: str) -> Report:
        """Show the report of a result, unless it is of rows on other machines."""
        if inner is None:
            message = f"{result} of rows on other machines has no report; print it, or take `to_dict()`"
            raise EvenhandError(message, "needs-memory")
        return cls(inner)

    @property
    def summary(self) -> str:
        """What was found, in plain words and with its uncertainty."""
        return " ".join(self._inner.summary())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it: one page (``.html``), a section of a model card (``.md``) or text (``.txt``).

        Parameters
        ----------
        path : path-like
            Where to; the file is written beside it and renamed.
        """
        self._inner.save(os.fspath(path))

    def to_html(self) -> str:
        """Get the page."""
        return self._inner.html()

    def to_markdown(self) -> str:
        """Get the section of a model card."""
        return self._inner.markdown()

    def to_dict(self) -> dict[str, Any]:
        """Get everything that the page shows, as the JSON in it has it."""
        record: dict[str, Any] = json.loads(self._inner.to_json())
        return record

    def to_json(self, indent: int | None = None) -> str:
        """Write everything as JSON."""
        return self._inner.to_json() if indent is None else json.dumps(self.to_dict(), indent=indent)

    def __str__(self) -> str:
        return self._inner.text()

    def __repr__(self) -> str:
        record = self.to_dict()
        return f"<evenhand.Report of {record['kind']}, {record['about']['rows']} rows>"

    def _repr_html_(self) -> str:
        return FRAME.format(page=escape(self.to_html()), title=escape(repr(self)[1:-1]))
