"""Pictures of a terminal: `python docs/tools/terminal.py FOLDER` runs the commands below and draws what they print.

The site's build makes them anew each time, so that they stay true. Colours follow the reader's light or dark mode.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

# A name, the commands before it, the command that is shown, and how many of its lines.
LOANS = "--label approved --positive yes --ignore deserved --group sex"
PICTURES = {
    "demo": ("", "evenhand demo", 30),
    "identify": ("evenhand demo --write loans.csv > /dev/null", f"evenhand identify loans.csv {LOANS}=female", 30),
    "fit": (
        "evenhand demo --write loans.csv > /dev/null",
        f"evenhand fit loans.csv {LOANS} --notion demographic-parity --max-violation 0.03 --holdout 0.3 --seed 7",
        40,
    ),
}
WIDTH, LINE, CHARACTER, MARGIN = 100, 18, 7.8, 16
STYLE = """
svg { background: #fbfbfa; border-radius: 8px }
text { fill: #24292f; font: 13px ui-monospace, Menlo, Consolas, monospace; white-space: pre }
.prompt { fill: #57606a }
@media (prefers-color-scheme: dark) { svg { background: #1b1f24 } text { fill: #d0d7de } .prompt { fill: #8b949e } }
"""


def folded(line: str) -> list[str]:
    """Cut a line where it would leave the picture."""
    parts = []
    while len(line) > WIDTH:
        at = line.rfind(" ", 1, WIDTH)
        at = at if at > 0 else WIDTH
        parts.append(line[:at])
        line = "  " + line[at:].lstrip()
    return [*parts, line]


def picture(command: str, printed: str, most: int) -> str:
    """Draw a command and the first lines of what it prints."""
    lines = [part for line in printed.rstrip().splitlines() for part in folded(line)]
    lines = [*lines[: most - 1], "…"] if len(lines) > most else lines
    shown = [f"$ {folded(command)[0]}", *folded(command)[1:], *lines]
    prompt = len(folded(command))
    width, height = round(2 * MARGIN + (WIDTH + 2) * CHARACTER), 2 * MARGIN + LINE * len(shown)
    texts = ""
    for at, line in enumerate(shown):
        kind = ' class="prompt"' if at < prompt else ""
        texts += f'<text x="{MARGIN}" y="{MARGIN + LINE * at + 13}"{kind}>{escape(line)}</text>\n'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
    return f"{head}<title>{escape(command)}</title><style>{STYLE}</style>\n{texts}</svg>\n"


def draw(folder: Path, program: Path) -> None:
    """Run every command and leave its picture in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = os.pathsep.join([str(program.parent), os.environ.get("PATH", "")])
    variables = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": str(WIDTH)}
    for name, (before, command, most) in PICTURES.items():
        with tempfile.TemporaryDirectory() as place:
            if before:
                subprocess.run(["bash", "-euc", before], cwd=place, env=variables, check=True)
            done = subprocess.run(
                ["bash", "-euc", command], cwd=place, env=variables, capture_output=True, text=True, check=True
            )
        (folder / f"{name}.svg").write_text(picture(command, done.stdout, most), encoding="utf-8")


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.executable).with_name("evenhand"))
