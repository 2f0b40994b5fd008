"""The solver before and now, in CPU seconds: `solver_speed.py BEFORE NOW OUT [ROUNDS]`.

BEFORE and NOW are two builds of the example `compare`. For every dataset and notion they take turns at fitting the published split without a bound; what
reading the files takes is measured apart and taken off. The page has medians over rounds, and the median of the ratios of a round.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from record import DATASETS, NOTIONS

# As many fits as take some seconds.
FITS = {"adult": 10, "bank": 10, "communities": 20, "compas": 40, "german": 40}

HEAD = """# The solver before and now: speed

This page compares the speed of sequential quadratic programming with that of the solver that it replaced. Written by
`bench/compare/solver_speed.py BEFORE NOW OUT` with two builds of the example `compare`: *before* is `ad292e8`, the last commit with the
old solver.

The table has CPU seconds of a whole fit of the published split without a bound, from the tables in memory to the fitted model. They are
medians of {rounds} rounds in which the two alternate, on one thread of a machine with other work to do. *Ratio* is now over before: the
median over rounds, with the smallest and the largest. *Before* uses today's recipe `communities`, whose groups are the outer thirds
(`5ef6f10`, its files under `crates/evenhand-datasets/src`).

| dataset | notion | fits | before | now | ratio |
| --- | --- | --- | --- | --- | --- |
"""


def cpu_seconds(program: str, dataset: str, notion: str, fits: int) -> tuple[float, int]:
    """CPU seconds of a process that fits so many times, and how many times the learner was called for the last."""
    command = [program, "measure", dataset, notion, "published", "default", str(fits)]
    before = os.times()
    found = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | {"RAYON_NUM_THREADS": "1"})
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    lines = found.stdout.splitlines()
    return used, json.loads(lines[-1])["fits"] if lines else 0


def row(programs: list[str], dataset: str, notion: str, rounds: int) -> str:
    count, times, calls = FITS[dataset], [], [0, 0]
    for _ in range(rounds):
        turn = []
        for at, program in enumerate(programs):
            reading, _ = cpu_seconds(program, dataset, notion, 0)
            used, calls[at] = cpu_seconds(program, dataset, notion, count)
            turn.append((used - reading) / count)
        times.append(turn)
    ratios = [now / before for before, now in times]
    before, now = (median(turn[at] for turn in times) for at in (0, 1))
    spread = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    return f"| {dataset} | {notion} | {calls[0]} → {calls[1]} | {before:.4f} | {now:.4f} | {spread} |"


if __name__ == "__main__":
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    lines = []
    for dataset in DATASETS:
        for notion in NOTIONS:
            lines.append(row(sys.argv[1:3], dataset, notion, rounds))
            print(lines[-1], flush=True)
    Path(sys.argv[3]).write_text(HEAD.format(rounds=rounds) + "\n".join(lines) + "\n")
