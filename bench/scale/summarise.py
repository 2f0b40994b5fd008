"""Writes RESULTS.md from the measurements beside it: `summarise.py FOLDER`."""

import csv
import os
import platform
import sys
from collections import defaultdict
from pathlib import Path

HEAD = """\
# Time and memory by the number of rows

This page shows how time and memory grow with the number of rows. Written by `bench/scale/run`; every measurement is in
[scale.csv](scale.csv). The rows are the synthetic population of `evenhand demo --write` as a CSV file (two numbers, three categories,
six groups), which every command reads again; {machine}. The least of {rounds}.

The table has wall-clock seconds, processor seconds, and the largest memory in megabytes. Requirement: from 1 to 5 million rows every
command is linear within 30 %, by the processor time per row, which other work on the machine disturbs less than the wall clock.
{waited}
"""

WAITED = """\
Other work ran at the same time: wall-clock time was {times:.0f} times the processor time, so that it means little here.
"""


def load(path: Path) -> dict[tuple[str, int], list[dict]]:
    runs = defaultdict(list)
    with path.open() as file:
        for row in csv.DictReader(file):
            runs[row["command"], int(row["rows"])].append(row)
    return runs


def main(folder: Path) -> None:
    runs = load(folder / "scale.csv")
    commands, sizes = list(dict.fromkeys(command for command, _ in runs)), sorted({rows for _, rows in runs})
    rounds = max(map(len, runs.values()))
    least = lambda command, rows, name: min(float(row[name]) for row in runs[command, rows])
    head = ["command", *(f"{rows:,} rows: s, processor s, MB" for rows in sizes), "µs per row at 1 M", "at 5 M", "ratio", "linear within 30 %"]
    lines = [head, ["---"] * len(head)]
    for command in commands:
        cells = [", ".join(f"{least(command, rows, name):,.{digits}f}" for name, digits in (("seconds", 1), ("processor_seconds", 1), ("megabytes", 0))) for rows in sizes]
        small, large = (1e6 * least(command, rows, "processor_seconds") / rows for rows in sizes[-2:])
        ratio = large / small
        lines.append([f"`{command}`", *cells, f"{small:.2f}", f"{large:.2f}", f"{ratio:.2f}", "yes" if ratio <= 1.3 else "**no**"])
    clock, used = (sum(float(row[name]) for run in runs.values() for row in run) for name in ("seconds", "processor_seconds"))
    waited = WAITED.format(times=clock / used) if clock > 2 * used else ""
    text = HEAD.format(waited=waited, machine=f"{platform.system()}, {os.cpu_count()} processors", rounds="one round" if rounds == 1 else f"{rounds} rounds")
    (folder / "RESULTS.md").write_text(text + "".join(f"| {' | '.join(line)} |\n" for line in lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
