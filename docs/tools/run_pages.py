"""Run every code block of the README and of the site's pages, two pages at a time, each in a folder of its own.

`python docs/tools/run_pages.py [PAGE ...]`. The program `evenhand` and the package are those of this Python's
environment. Public datasets come from the folder that EVENHAND_DATA names; without it the blocks that read them must
say so themselves. Pages that need more (``<!-- needs: spark -->``) run where they are named: `./check spark` does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from blocks import RUN, blocks_of, needs

ROOT = Path(__file__).resolve().parents[2]


def pages() -> list[Path]:
    """List the README, and every page of the site that is written by hand."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def environment(folder: Path) -> dict[str, str]:
    """Give what a block sees: this environment's programs, no colour, a cache that has the public datasets."""
    cache = folder / "cache"
    cache.mkdir()
    if data := os.environ.get("EVENHAND_DATA"):
        for dataset in Path(data).iterdir():
            (cache / dataset.name).symlink_to(dataset)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {"NO_COLOR": "1", "EVENHAND_CACHE": str(cache), "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    return {**os.environ, "PATH": path, **settings}


def run(page: Path) -> bool:
    """Run one page and say how it went."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "work"
        work.mkdir()
        command = [sys.executable, str(Path(__file__).with_name("run_page.py")), str(page)]
        done = subprocess.run(
            command, cwd=work, env=environment(Path(folder)), capture_output=True, text=True, check=False
        )
    said = (done.stdout + done.stderr).strip()
    fine = done.returncode == 0
    name = page.relative_to(ROOT)
    print(f"{'ok' if fine else 'FAILED'} {name}: {said} in {time.monotonic() - start:.1f} s", flush=True)
    return fine


def main() -> int:
    """Run the pages; 1 where one fails."""
    asked = [Path(name).resolve() for name in sys.argv[1:]] or [page for page in pages() if not needs(page)]
    with_code = [page for page in asked if any(block.language in RUN for block in blocks_of(page))]
    with ThreadPoolExecutor(2) as pool:
        failed = list(pool.map(run, with_code)).count(False)
    left = [(page, block) for page in asked for block in blocks_of(page) if block.not_run and block.language in RUN]
    for page, block in left:
        print(f"not run: {page.relative_to(ROOT)}:{block.line}: {block.not_run}")
    for page in set(pages()) - set(asked) if len(sys.argv) == 1 else ():
        print(f"not run: {page.relative_to(ROOT)}: it needs {needs(page)}")
    print(f"pages: {len(with_code) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
