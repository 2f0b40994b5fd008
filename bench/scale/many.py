"""Measures fits and predictions of more and more rows: `many.py PROGRAM FOLDER ROWS...`, a line of CSV a run.

Rows are those of `people.py`, made where they are not there yet. Beside the program stands what one would do without it (`rivals.py`), all of it or what
RIVALS names (`plain loop eg`, or nothing). Each of these has an hour of a processor and the memory that the machine has; who needs more is not asked about more
rows.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ASKED = [
    "--label",
    "approved",
    "--positive",
    "yes",
    "--group",
    "sex",
    "--group",
    "race",
    "--notion",
    "demographic-parity",
]
RIVALS = {
    "plain": "polars + LogisticRegression, no correction",
    "loop": "polars + LogisticRegression, the paper's loop",
    "eg": "polars + fairlearn ExponentiatedGradient",
}
HOUR = 3600
MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 1024


def used_by(command: list[str], output: Path) -> tuple[int, tuple[float, float, float]]:
    """The exit code; seconds by the clock, seconds of processors, and the largest memory in megabytes."""
    start = time.monotonic()
    with output.open("w") as out:
        child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)])
        _, status, used = os.wait4(child, 0)
    seconds = time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    return os.waitstatus_to_exitcode(status), seconds


def run(command: list[str], output: Path) -> tuple[float, float, float]:
    code, used = used_by(command, output)
    if code not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {code}")
    return used


def run_rival(name: str, people: Path, rows: int, output: Path) -> bool:
    """Whether it ended within its hour."""
    limit = ["/bin/bash", "-c", f'ulimit -t {HOUR} -v {MEMORY}; exec "$@"', "rival"]
    code, used = used_by([*limit, sys.executable, str(HERE / "rivals.py"), name, str(people)], output)
    figures = f"{RIVALS[name]},{rows}," + ",".join(f"{one:.1f}" for one in used)
    if code:
        print(f"{figures},,not ended ({code}),,", flush=True)
        return False
    found = json.loads(output.read_text())
    print(f"{figures},,{found['fits']},{found['error']:.6f},{found['violation']:.6f}", flush=True)
    return True


def main(program: str, folder: Path, sizes: list[int]) -> None:
    print("what,rows,seconds,processor_seconds,megabytes,passes,fits,error,violation")
    able = os.environ.get("RIVALS", " ".join(RIVALS)).split()
    model, scored = str(folder / "model.json"), folder / "scored.parquet"
    for rows in sizes:
        people = folder / str(rows)
        if not people.exists():
            subprocess.run([sys.executable, HERE / "people.py", people, str(rows)], check=True)
        for name, more in {"fit": [], "fit --memory 1GiB": ["--memory", "1GiB"]}.items():
            used = run(
                [program, "fit", str(people), *ASKED, *more, "--model", model, "--json", "--quiet"],
                folder / "found.json",
            )
            found = json.loads((folder / "found.json").read_text())
            passes = found.get("passes", "")
            result = f"{passes},{found['fits']},{found['train']['error']:.6f},{found['train']['violation']:.6f}"
            print(f"{name},{rows}," + ",".join(f"{one:.1f}" for one in used) + f",{result}", flush=True)
        predict = [program, "predict", model, str(people), "--out", str(scored), "--json"]
        used = run(predict, folder / "predicted.json")
        print(f"predict to Parquet,{rows}," + ",".join(f"{one:.1f}" for one in used) + ",,,,", flush=True)
        scored.unlink()
        able = [name for name in able if run_rival(name, people, rows, folder / "rival.json")]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [int(rows) for rows in sys.argv[3:]])
