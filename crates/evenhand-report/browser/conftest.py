"""What tests share: a browser, reports made once, and pictures of what failed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import reports
from looking import Form, Open, Opened

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


# The one without windows first: it draws the same pages with less than half of the work.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")


def program() -> str:
    """Find the system's own browser."""
    named = os.environ.get("CHROMIUM")
    path = named or next(filter(None, map(shutil.which, PROGRAMS)), None)
    assert path, f"no {', no '.join(PROGRAMS)}: install one, or name its program with CHROMIUM"
    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def made() -> dict[str, Path]:
    """Remember reports that were made already."""
    return {}


@pytest.fixture(scope="session")
def pages() -> dict[Form, Page]:
    """Remember the page of every form: another document takes a fraction of the time that another page takes."""
    return {}


@pytest.fixture
def opened(
    browser: Browser,
    made: dict[str, Path],
    pages: dict[Form, Page],
    tmp_path_factory: pytest.TempPathFactory,
    pictures: Path | None,
) -> Open:
    """Open a report in a form; a picture is left behind if the test fails."""

    def new(form: Form) -> Page:
        context = browser.new_context(
            viewport={"width": form.width, "height": 900}, color_scheme=form.scheme, java_script_enabled=form.script
        )
        page = context.new_page()
        if form.printed:
            page.emulate_media(media="print")
        return page

    @contextmanager
    def opened(report: str, form: Form) -> Iterator[Opened]:
        if report not in made:
            made[report] = reports.make(report, tmp_path_factory.mktemp(report))
        # Not among the remembered while it is in use: a page on which a test failed is not used again.
        page = pages.pop(form, None) or new(form)
        one = Opened(report, form, page)
        # Where the last test left the mouse, it would point at something.
        page.mouse.move(0, 0)
        try:
            with one.listening(made[report].as_uri()):
                page.goto(made[report].as_uri())
                if form.printed:
                    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
                if pictures and not (pictures / f"{report}-{form.name}.png").exists():
                    one.picture(pictures)
                yield one
        except Exception:
            failures = reports.ROOT / "target/browser-failures"
            failures.mkdir(parents=True, exist_ok=True)
            print(f"a picture of the page: {one.picture(failures)}")
            page.context.close()
            raise
        pages[form] = page

    return opened
