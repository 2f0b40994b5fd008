"""Measurements of the Python package: one line of CSV each, with the versions and the machine they were made on."""

import csv
from pathlib import Path

from record import machine

COLUMNS = ["problem", "what", "rows", "seconds", "fits", "reached", "violation", "peak_gib", "version", "machine"]
NUMBERS = ["rows", "seconds", "fits", "reached", "violation", "peak_gib"]


def append(path: Path, row: dict) -> None:
    """Adds a measurement as soon as it is made."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            table.writeheader()
        short = {name: round(value, 6) if isinstance(value, float) else value for name, value in row.items()}
        table.writerow({"machine": machine()} | short)


def load(path: Path) -> list[dict]:
    """All measurements of a file; what was not measured is None."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [row | {name: float(row[name]) if row[name] else None for name in NUMBERS} for row in rows]
