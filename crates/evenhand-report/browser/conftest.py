"""What tests share: a browser, reports made once, and pictures of what failed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import reports

# No sandbox: it does not start as root. The others keep the browser itself from the network.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
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

    def listen(self, address: str) -> None:
        """Write down what goes wrong, and what is asked of the network."""
        page = self.page
        page.on("console", lambda said: self.noise.append(f"console {said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        page.on("requestfailed", lambda request: self.noise.append(f"failed: {request.url}"))

        def dialog(asked: Any) -> None:
            self.noise.append(f"dialog: {asked.message}")
            asked.dismiss()

        def request(sent: Any) -> None:
            if sent.url != address and not sent.url.startswith("data:"):
                self.noise.append(f"request: {sent.url}")

        page.on("dialog", dialog)
        page.on("request", request)

    def probe(self, question: str) -> Any:
        """Ask the page something of `probe.js`."""
        return self.page.evaluate(f"(() => {{ const probe = {PROBE}; return probe.{question}; }})()")

    def unfold(self) -> None:
        """Open everything that is folded."""
        self.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    def thin(self) -> None:
        """Keep the first of many rows and marks that are alike in all but their numbers."""
        self.page.evaluate(
            """document.querySelectorAll("tbody tr:nth-child(n+5), .line:nth-child(n+7), .curve > :nth-child(n+5)")
                .forEach((one) => one.remove())"""
        )

    def data(self) -> Any:
        """Give the report inside the page."""
        return self.page.evaluate("JSON.parse(document.getElementById('report').textContent)")

    def check(self, faults: list[str], what: str) -> None:
        """Fail with page, form and elements, where there are faults."""
        assert not faults, f"{self.report}, {self.form.name}: {what}:\n  " + "\n  ".join(faults[:20])


class Open(Protocol):
    """Open a report in a form."""

    def __call__(self, report: str, form: Form, /) -> Any: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add where to put pictures."""
    parser.addoption("--pictures", type=Path, help="folder to write a picture of every page in every form to")


@pytest.fixture(scope="session")
def pictures(request: pytest.FixtureRequest) -> Path | None:
    """Give the folder for pictures, if any were asked for."""
    folder: Path | None = request.config.getoption("--pictures")
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the system's own browser."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "no chromium: install it, or name its program with CHROMIUM"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Remember reports that were made already."""
    return {}


@pytest.fixture
def opened(browser: Browser, made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Open:
    """Open a report in a form; a picture is left behind if the test fails."""

    @contextmanager
    def opened(report: str, form: Form) -> Iterator[Opened]:
        if report not in made:
            made[report] = reports.make(report, tmp_path_factory.mktemp(report))
        context = browser.new_context(
            viewport={"width": form.width, "height": 900}, color_scheme=form.scheme, java_script_enabled=form.script
        )
        page = context.new_page()
        if form.printed:
            page.emulate_media(media="print")
        address = made[report].as_uri()
        one = Opened(report, form, page)
        one.listen(address)
        try:
            page.goto(address)
            if form.printed:
                page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
            yield one
        except Exception:
            failures = reports.ROOT / "target/browser-failures"
            failures.mkdir(parents=True, exist_ok=True)
            picture = failures / f"{report}-{form.name}.png"
            # A very long page has no picture of all of it.
            page.screenshot(path=picture, full_page=page.evaluate("document.body.scrollHeight") < 16000)
            print(f"a picture of the page: {picture}")
            raise
        finally:
            context.close()

    return opened
