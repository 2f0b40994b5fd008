"""Ways to look at a page, and a page that is looked at.

Holds `Form` and `Opened`, which asks the questions of `probe.js`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from playwright.sync_api import Dialog, Page, Request

PROBE = (Path(__file__).parent / "probe.js").read_text(encoding="utf-8").partition("\n")[2]


@dataclass(frozen=True)
class Form:
    """How a page is looked at."""

    name: str
    width: int
    scheme: Literal["light", "dark"] = "light"
    printed: bool = False
    script: bool = True


LIGHT = Form("light", 1280)
DARK = Form("dark", 1280, scheme="dark")
NARROW = Form("narrow", 390)
NARROWEST = Form("narrowest", 320)
# A4 without its margins, in pixels of CSS.
PRINTED = Form("printed", 680, printed=True)
UNSCRIPTED = Form("unscripted", 1280, script=False)


@dataclass
class Opened:
    """A page in a form, and everything it did that it should not."""

    report: str
    form: Form
    page: Page
    noise: list[str] = field(default_factory=list)

    @contextmanager
    def listening(self, address: str) -> Iterator[None]:
        """Write down what goes wrong, and what is asked of the network."""

        def dialog(asked: Dialog) -> None:
            self.noise.append(f"dialog: {asked.message}")
            asked.dismiss()

        def request(sent: Request) -> None:
            if sent.url != address and not sent.url.startswith("data:"):
                self.noise.append(f"request: {sent.url}")

        listeners: dict[Any, Callable[[Any], None]] = {
            "console": lambda said: self.noise.append(f"console {said.type}: {said.text}"),
            "pageerror": lambda error: self.noise.append(f"error: {error}"),
            "requestfailed": lambda request: self.noise.append(f"failed: {request.url}"),
            "dialog": dialog,
            "request": request,
        }
        for event, listener in listeners.items():
            self.page.on(event, listener)
        yield
        for event, listener in listeners.items():
            self.page.remove_listener(event, listener)

    def probe(self, question: str) -> Any:
        """Ask the page something of `probe.js`."""
        return self.page.evaluate(f"(() => {{ const probe = {PROBE}; return probe.{question}; }})()")

    def unfold(self) -> None:
        """Open everything that is folded."""
        self.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    def thin(self) -> None:
        """Keep the first of many rows that are alike in all but their numbers, and no marks of drawings."""
        self.page.evaluate(
            """document.querySelectorAll("tbody tr:nth-child(n+4), .line:nth-child(n+5), svg > *")
                .forEach((one) => one.remove())"""
        )

    def picture(self, folder: Path, name: str = "") -> Path:
        """Write what is seen; a very long page has no picture of all of it."""
        place = folder / f"{self.report}-{self.form.name}{name}.png"
        box = self.page.locator("main").bounding_box()
        self.page.screenshot(path=place, full_page=box is not None and box["height"] < 16000)
        return place

    def data(self) -> Any:
        """Give the report inside the page."""
        return self.page.evaluate("JSON.parse(document.getElementById('report').textContent)")

    def check(self, faults: list[str], what: str) -> None:
        """Fail with page, form and elements, where there are faults."""
        assert not faults, f"{self.report}, {self.form.name}: {what}:\n  " + "\n  ".join(faults[:20])


Open: TypeAlias = Callable[[str, Form], AbstractContextManager[Opened]]
