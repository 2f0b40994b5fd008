"""The code blocks of a page, in their order: what is run, what it must show, and what is left alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

RUN = {"sh", "bash", "python"}
FENCE = re.compile(r"^( *)(```+)(\w*)[^\n]*\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"^<!-- needs: *(\w+) *-->$", re.MULTILINE)
NOTE = re.compile(r"<!-- (not run|exit|shows): *(.*?) *-->\s*\Z")


@dataclass(frozen=True)
class Block:
    """One block: where it is, what it holds, and what is expected of it."""

    line: int
    language: str
    code: str
    not_run: str | None = None
    exit_code: int = 0


def needs(page: Path) -> str | None:
    """Whatever else than the package a page needs to run, as a comment in it says (``needs: spark``)."""
    said = NEEDS.search(page.read_text(encoding="utf-8"))
    return said and said[1]


def blocks_of(page: Path) -> list[Block]:
    """Every block of a page. A comment right before one says more of it: ``not run: WHY``, ``exit: CODE``."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        indent, _, language, code = match.groups()
        note = NOTE.search(text[: match.start()].rstrip(" "))
        kind, said = note.groups() if note else ("", "")
        if kind == "not run" and len(said) < 8:
            raise SystemExit(f"{page}: a block is not run, and nobody says why")
        code = "".join(line.removeprefix(indent) for line in code.splitlines(keepends=True))
        found.append(
            Block(
                line=text.count("\n", 0, match.start()) + 1,
                language=language,
                code=code,
                not_run=said if kind == "not run" else None,
                exit_code=int(said) if kind == "exit" else 0,
            )
        )
    return found
