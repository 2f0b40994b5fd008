"""Runs every command on ever more rows: `measure.py PROGRAM FOLDER ROUNDS`, a line of CSV a run.

Seconds are those by the clock and those of all processors; other work on the machine lengthens the first far more than the second.
"""

import os
import sys
import time
from pathlib import Path

ROWS = [100_000, 1_000_000, 5_000_000]

DATA = ["people.csv", "--label", "approved", "--positive", "yes", "--ignore", "deserved"]
GROUPS = ["--group", "sex", "--group", "age_band"]
FIT = ["fit", *DATA, *GROUPS, "--notion", "demographic-parity", "--max-violation", "0.02"]
AUDIT = ["people.csv", "--label", "deserved", "--positive", "yes", "--predictions", "approved"]

# In this order: `predict` takes the model that `fit` leaves.
COMMANDS = {
    "fit": [*FIT, "--model", "model.json"],
    "audit": ["audit", *AUDIT, *GROUPS],
    "predict": ["predict", "model.json", "people.csv", "--out", "scored.csv"],
    "frontier": ["frontier", *DATA, *GROUPS, "--notion", "demographic-parity"],
    "identify": ["identify", *DATA, *GROUPS],
    "fit --report": [*FIT, "--report", "report.html"],
}


def run(program: str, arguments: list[str], folder: Path) -> tuple[float, float, float]:
    """Seconds by the clock, seconds of processors, and the largest memory in megabytes."""
    start = time.monotonic()
    child = os.posix_spawn("/bin/sh", ["sh", "-c", 'cd "$1" && shift && exec "$@" > output.txt 2> errors.txt', "sh", str(folder), program, *arguments], os.environ)
    _, status, used = os.wait4(child, 0)
    seconds = time.monotonic() - start
    # 1 is a bound that was missed.
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(arguments)}: {(folder / 'errors.txt').read_text()}")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main(program: str, folder: Path, rounds: int) -> None:
    print("command,rows,round,seconds,processor_seconds,megabytes")
    for rows in ROWS:
        run(program, ["demo", "--rows", str(rows), "--write", "people.csv"], folder)
        for number in range(1, rounds + 1):
            for name, arguments in COMMANDS.items():
                seconds, of_processors, megabytes = run(program, arguments, folder)
                print(f"{name},{rows},{number},{seconds:.2f},{of_processors:.2f},{megabytes:.0f}", flush=True)
                print(f"{name}, {rows:,} rows: {seconds:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
