"""Measurements: one line of CSV each, with the versions and the machine they were made on."""

import csv
import os
import platform
from collections.abc import Iterable
from pathlib import Path

DATASETS = ["adult", "bank", "communities", "compas", "german"]
NOTIONS = ["demographic-parity", "disparate-impact", "equal-opportunity", "equalized-odds"]

KEYS = ["method", "dataset", "notion", "split"]
VALUES = ["seconds", "fits", "train_error", "train_violation", "test_error", "test_violation"]
WHERE = ["version", "machine"]


def load(path: Path) -> list[dict]:
    """All measurements of a file, none if it is not there yet."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [row | {name: float(row[name]) for name in VALUES} for row in csv.DictReader(file)]


def append(path: Path, rows: Iterable[dict]) -> None:
    """Adds measurements, each as soon as it is made."""
    for row in rows:
        is_new = not path.exists()
        with path.open("a", newline="") as file:
            table = csv.DictWriter(file, KEYS + VALUES + WHERE, lineterminator="\n", extrasaction="ignore")
            if is_new:
                table.writeheader()
            # Rates to a millionth: a single row of any dataset moves them by more.
            table.writerow({"machine": machine()} | row | {name: round(row[name], 6) for name in VALUES})


def machine() -> str:
    """What this runs on."""
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()
