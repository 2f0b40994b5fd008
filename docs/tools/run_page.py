"""Run the blocks of one page from top to bottom, in the folder of this process: `python run_page.py PAGE`.

Shell blocks run in bash, Python blocks in one namespace. A `text` block right behind a block that was run is what it
shows: each of its lines must be in the output, in that order; a line of `…` stands for any others.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

from blocks import RUN, Block, blocks_of


class Wrong(Exception):
    """A block that does not do what the page says."""


def run_shell(block: Block) -> str:
    """Run a block in bash, any command of which may fail it; give what it printed."""
    command = ["bash", "-euo", "pipefail", "-c", block.code]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != block.exit_code:
        raise Wrong(f"exit code {done.returncode}, expected {block.exit_code}\n{done.stdout}")
    return done.stdout


def run_python(block: Block, names: dict[str, object], place: str) -> str:
    """Run a block in the page's namespace; give what it printed."""
    printed = io.StringIO()
    # Its line numbers are those of the page.
    code = compile("\n" * block.line + block.code, place, "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def check_shown(expected: str, printed: str) -> None:
    """Whether the lines that a page shows were printed, in that order."""
    lines = iter([line.rstrip() for line in printed.splitlines()])
    for wanted in expected.splitlines():
        if wanted.strip() in {"", "…"}:
            continue
        if not any(line == wanted.rstrip() for line in lines):
            raise Wrong(f"the page shows\n  {wanted}\nand this was printed:\n{printed}")


def run(page: Path) -> int:
    """Run a page; 1 where a block fails."""
    warnings.simplefilter("ignore")
    names: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    count = 0
    for block in blocks_of(page):
        place = f"{page}:{block.line}"
        try:
            if block.language == "text":
                if printed is not None and block.not_run is None:
                    check_shown(block.code, printed)
                printed = None
                continue
            printed = None
            if block.language not in RUN or block.not_run is not None:
                continue
            printed = run_python(block, names, place) if block.language == "python" else run_shell(block)
            count += 1
        except Wrong as wrong:
            print(f"{place}: {wrong}")
            return 1
        except BaseException:
            print(f"{place}: {traceback.format_exc()}")
            return 1
    print(f"{count} blocks")
    return 0


if __name__ == "__main__":
    sys.stdout.flush()
    code = run(Path(sys.argv[1]))
    sys.stdout.flush()
    # Threads of learners are not waited for.
    os._exit(code)
