"""Writes PYTHON.md from python.csv beside it: `summarise_python.py FOLDER`."""

import sys
from pathlib import Path

from python_record import load
from summarise import number, table, verdict

HEAD = """\
# The Python entry points, measured

This page has the time and memory of the Python package. Written by `EVENHAND_DATA=… bench/compare/run python`; every measurement is in
`python.csv`. The wheel is built from this workspace and measured as installed. All fits are for demographic parity of Female, Male,
Black and White; **violation** is the largest |overall rate − group rate| on the training rows. Seconds are comparable only within a table.

"""

BOUND, MOST_FITS, MOST_GIB = 0.01, 12, 1.5


def speed(rows: list[dict]) -> str:
    """Asked: a corrected fit from the raw frame takes less time than a plain one on the matrix."""
    times = {row["what"]: row["seconds"] for row in rows}
    first = times["EvenhandClassifier().fit, raw frame"]
    lines = [
        [row["what"], number(row["seconds"], 3), f"{row['seconds'] / first:.2f}", number(row["fits"], 0), number(row["violation"])]
        for row in rows
    ]
    met = all(first < seconds for what, seconds in times.items() if what.startswith("LogisticRegression"))
    text = f"## Adult, {rows[0]['rows']:.0f} rows: a corrected fit beside one plain fit\n\n"
    text += "Our time starts with the raw frame and includes encoding, groups and all fits of the search. The plain fit is given the encoded matrix with scaled "
    text += "numbers, and uses scikit-learn's defaults. Medians of seven rounds in which all alternate.\n\n"
    text += table(["what", "seconds", "times the first", "fits", "violation"], lines)
    return text + f"Requirement: the first takes less time than one plain fit. Met: {verdict(met)}.\n\n"


def fits(rows: list[dict]) -> str:
    """Asked: few fits of an outside estimator."""
    lines = [
        [row["what"], number(row["fits"], 0), number(row["reached"], 0) or "never", number(row["violation"]), number(row["seconds"], 1)]
        for row in rows
    ]
    ours = rows[0]
    met = ours["fits"] <= MOST_FITS and ours["violation"] <= BOUND
    text = "## Adult: fits of `XGBClassifier()` for a violation of at most .01\n\n"
    text += table(["how", "fits in all", "first fit at most .01", "violation of the model returned", "seconds"], lines)
    return text + f"Requirement: at most {MOST_FITS} fits. Met: {verdict(met)}.\n\n"


def memory(rows: list[dict]) -> str:
    """Asked: little memory above the frame."""
    lines = [
        [row["what"], f"{row['rows']:,.0f}", number(row["peak_gib"], 2), number(row["seconds"], 1), number(row["fits"], 0)]
        for row in rows
    ]
    met = all(row["peak_gib"] < MOST_GIB for row in rows)
    text = "## Memory: rows of thirteen categorical columns\n\n"
    text += table(["frame", "rows", "peak above it, GiB", "seconds", "fits"], lines)
    return text + f"Requirement: less than {MOST_GIB} GiB. Met: {verdict(met)}.\n\n"


def main(folder: Path) -> None:
    found = load(folder / "python.csv")
    of = lambda problem: [row for row in found if row["problem"] == problem]
    several = lambda name: "; ".join(sorted({row[name] for row in found}))
    text = HEAD + speed(of("speed")) + fits(of("fits")) + memory(of("memory"))
    (folder / "PYTHON.md").write_text(text + f"{several('version')}; {several('machine')}.\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
