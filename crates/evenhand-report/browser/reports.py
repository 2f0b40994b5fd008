"""The reports that are opened: of demo, adult and compas, and of rows that are hard to show.

Holds `make`, which writes one with the command line, and `HOSTILE`, the names that must stay text.
"""

from __future__ import annotations

import csv
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMMAND = Path(os.environ.get("EVENHAND_CLI", ROOT / "target/release/evenhand"))

COLUMN = '<b>team</b> "x"'
HOSTILE = (
    "<script>alert(1)</script>",
    "</script></svg><img src=x onerror=alert(2)>",
    "a \"double\" and 'single' & &amp; {{ 7 * 7 }}",
    "🦉 owl 👩🏽‍🔬",
    "קבוצה א (1)",
    "مجموعة ب",
    "long " + "x" * 195,
)
LABELS = ("no <i>", 'yes " onload="alert(3)')

LOANS = ["loans.csv", "--label", "approved", "--ignore", "deserved", "--group", "sex", "--group", "age_band=18-24"]
TEAMS = ["teams.csv", "--label", "label"]
FIVE = ["demographic-parity", "equal-opportunity", "predictive-equality", "equal-accuracy", "target-rate=0.4"]


def notions(*names: str) -> list[str]:
    """Arguments that ask for notions."""
    return [part for name in names for part in ("--notion", name)]


def make(name: str, folder: Path) -> Path:
    """Write a report and say where it is."""
    page = folder / f"{name}.html"
    arguments = REPORTS[name](folder)
    command = [str(COMMAND), *arguments, "--report", page.name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert page.is_file(), f"{' '.join(command)} wrote no report:\n{done.stdout}{done.stderr}"
    return page


def demo(folder: Path) -> list[str]:
    """Applicants of the demo."""
    write = [str(COMMAND), "demo", "--rows", "20000", "--write", "loans.csv"]
    subprocess.run(write, cwd=folder, capture_output=True, check=True)
    return LOANS


def recipe(name: str) -> list[str]:
    """Rows of a public dataset; without it the test is skipped, and says so."""
    place = os.environ.get("EVENHAND_DATA")
    if place and (Path(place) / name).is_dir():
        return ["--recipe", name, "--data", place]
    message = f"SKIPPED FOR WANT OF DATA: {name}; name its folder with EVENHAND_DATA"
    if os.environ.get("EVENHAND_DATA_REQUIRED") == "1":
        pytest.fail(message)
    pytest.skip(message)


def teams(
    folder: Path, sizes: dict[str, int], column: str = "team", labels: tuple[str, ...] = ("no", "yes")
) -> list[str]:
    """Rows of some teams, the label leaning with the team and a score; predictions lean a little less."""
    teams = [team for team, size in sizes.items() for _ in range(size)]
    lean = {team: 7 * (at % 5) for at, team in enumerate(sizes)}

    def label(total: float) -> str:
        return labels[min(int(total * len(labels) / 150), len(labels) - 1)]

    with (folder / "teams.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["score", column, "label", "predicted"])
        for row, team in enumerate(teams):
            # A number that runs through 0 to 96 in no order that teams share.
            score = row * 31 % 97
            noise = row * 13 % 29
            table.writerow([score, team, label(score + lean[team] + noise), label(score + lean[team] / 2 + 20)])
    positive = ["--positive", labels[1]] if len(labels) == 2 else []
    return [*TEAMS, *positive, "--ignore", "predicted"]


def forty(folder: Path) -> list[str]:
    """Forty groups, of sizes that differ."""
    return teams(folder, {f"team {at}": 40 + 5 * at for at in range(40)})


def three(folder: Path) -> list[str]:
    """Three groups of the same size."""
    return teams(folder, {f"team {at}": 400 for at in range(3)})


def hostile(folder: Path) -> list[str]:
    """Names that would break a page that took them for markup."""
    rows = teams(folder, dict.fromkeys(HOSTILE, 200), COLUMN, LABELS)
    return [*rows, "--group", COLUMN]


def few(folder: Path) -> list[str]:
    """Three people among many others."""
    return teams(folder, {"team 0": 300, "team 1": 300, "three people": 3})


def classes(folder: Path) -> list[str]:
    """Three classes."""
    return teams(folder, {f"team {at}": 400 for at in range(3)}, labels=("low", "middle", "high"))


def scored(folder: Path, rows: dict[str, int], column: str = "team", label: str = "yes") -> list[str]:
    """Rows with probabilities, which are too high for every other team."""
    teams = [team for team, size in rows.items() for _ in range(size)]
    high = {team: 12 * (at % 2) for at, team in enumerate(rows)}
    with (folder / "scored.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["p", column, "label"])
        for row, team in enumerate(teams):
            score = row * 31 % 97 + 1
            table.writerow([score / 98, team, label if row * 57 % 101 < score - high[team] else f"not {label}"])
    groups = ["--group", column, "--positive", label]
    return ["scored.csv", "--label", "label", "--score", "p", "--threshold", "0.6", *groups]


def predicted(arguments: list[str]) -> list[str]:
    """Give the same rows with their predictions, for an audit."""
    return [*arguments[: arguments.index("--ignore")], "--predictions", "predicted"]


PARITY = notions("demographic-parity")
TEAM = ["--group", "team"]
REPORTS: dict[str, Callable[[Path], list[str]]] = {
    "demo": lambda folder: ["fit", *demo(folder), *PARITY, "--holdout", "0.3", "--max-violation", "0.03"],
    "adult": lambda _: ["fit", *recipe("adult"), *PARITY],
    "compas": lambda _: ["fit", *recipe("compas"), *notions("equalized-odds")],
    "demo-frontier": lambda folder: ["frontier", *demo(folder), *PARITY, "--holdout", "0.3"],
    "compas-frontier": lambda _: ["frontier", *recipe("compas"), *notions("equalized-odds")],
    "demo-audit": lambda folder: ["audit", *demo(folder)],
    "compas-identify": lambda _: ["identify", *recipe("compas"), "--sensitivity"],
    "predictions-audit": lambda folder: ["audit", *predicted(three(folder)), *TEAM],
    "scores-audit": lambda folder: [
        "audit",
        *scored(folder, {"team 0": 600, "team 1": 500, "team 2": 300, "a few people": 9}),
    ],
    "hostile-scores-audit": lambda folder: [
        "audit",
        *scored(folder, dict.fromkeys(HOSTILE, 200), COLUMN, LABELS[1]),
    ],
    "hostile": lambda folder: ["fit", *hostile(folder), *PARITY, "--holdout", "0.3"],
    "hostile-audit": lambda folder: ["audit", *hostile(folder)],
    "hostile-identify": lambda folder: ["identify", *hostile(folder), "--sensitivity"],
    "forty-groups": lambda folder: ["fit", *forty(folder), *TEAM, *PARITY],
    "one-group": lambda folder: ["fit", *three(folder), "--group", "team=team 0", *PARITY, "--holdout", "0.3"],
    "three-people": lambda folder: ["fit", *few(folder), *TEAM, *PARITY],
    "five-notions": lambda folder: ["fit", *three(folder), *TEAM, *notions(*FIVE), "--holdout", "0.3"],
    "three-classes": lambda folder: ["fit", *classes(folder), *TEAM, *PARITY, "--holdout", "0.3"],
    "thresholds": lambda folder: [
        "fit",
        *demo(folder),
        *PARITY,
        "--holdout",
        "0.3",
        "--method",
        "threshold-postprocessing",
    ],
}
