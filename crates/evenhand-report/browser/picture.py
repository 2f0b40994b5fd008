"""The picture of a report that the README and the site show: `python picture.py` draws docs/report.png anew.

What the pictured part of the page says is kept in the picture as text, so that a test can tell when it is no longer
true. Needs what the tests of this folder need: `target/browser-tools/bin/python` has it after `./check browser`.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import reports

PICTURE = reports.ROOT / "docs" / "report.png"
# That of docs/report.md.
COMMAND = (
    "fit loans.csv --label approved --positive yes --ignore deserved --group sex --group age_band=18-24"
    " --notion demographic-parity --max-violation 0.03 --holdout 0.3 --seed 7 --report report.html --quiet"
)
SIZE = {"width": 840, "height": 1080}
SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEY = b"Description\0"


def report(folder: Path) -> Path:
    """Make the report that is pictured."""
    for command in ("demo --write loans.csv", COMMAND):
        done = subprocess.run(
            [str(reports.COMMAND), *command.split()], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1), done.stderr
    return folder / "report.html"


def opened(browser: Browser, page: Path) -> Page:
    """Open the report as it is pictured."""
    context = browser.new_context(viewport=SIZE, device_scale_factor=1.5, color_scheme="light")  # type: ignore[arg-type]
    found = context.new_page()
    found.goto(page.as_uri())
    return found


def said(page: Page) -> str:
    """Give the words of the pictured part: the summary, and the rates of the first chart."""
    parts = [page.locator("main > header"), page.locator("section .dots").first]
    return "\n".join(" ".join(part.inner_text().split()) for part in parts)


def kept() -> str:
    """Give the words that the picture was drawn of."""
    data, at = PICTURE.read_bytes(), len(SIGNATURE)
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        chunk = data[at + 8 : at + 8 + length]
        if data[at + 4 : at + 8] == b"iTXt" and chunk.startswith(KEY):
            return chunk[len(KEY) + 4 :].decode()
        at += 12 + length
    return ""


def with_text(picture: bytes, text: str) -> bytes:
    """Put words into a picture, behind its first chunk."""
    # No compression, no language, no translated key.
    chunk = b"iTXt" + KEY + bytes(4) + text.encode()
    head = len(SIGNATURE) + 25
    put = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return picture[:head] + put + picture[head:]


def main() -> int:
    """Draw it anew."""
    from conftest import FLAGS, program

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        page = opened(browser, report(Path(folder)))
        PICTURE.write_bytes(with_text(page.screenshot(), said(page)))
        browser.close()
    print(f"{PICTURE}: {PICTURE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
