"""Whether every link inside the built site leads to a page, a place on it or a file: `python check_links.py HTML`."""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what an element refers to, and what it is called."""
        for name, value in attrs:
            if name in {"href", "src"} and value and tag != "base":
                self.links.append(value)
            if name in {"id", "name"} and value:
                self.anchors.add(value)


read = cache(Page)


def complaints(html: Path) -> list[str]:
    """Links of any page that lead nowhere."""
    found = []
    for path in sorted(html.rglob("*.html")):
        # Its links are those of any page, written from the root.
        if path.name == "404.html":
            continue
        for link in read(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                found.append(f"{path.relative_to(html)}: {link}: no such page or file")
            elif target.suffix == ".html" and unquote(parts.fragment) not in read(target).anchors:
                found.append(f"{path.relative_to(html)}: {link}: no such place on that page")
    return found


if __name__ == "__main__":
    root = Path(sys.argv[1]).resolve()
    wrong = complaints(root)
    print(*wrong, f"links: {len(list(root.rglob('*.html')))} pages, {len(wrong)} dead links", sep="\n")
    sys.exit(1 if wrong else 0)
