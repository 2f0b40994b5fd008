"""Turns the measurements of one run into RESULTS.csv, one line each, and the table of RESULTS.md."""

import csv
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

CONTENDERS = {
    "evenhand": ("evenhand, all cores", "seconds"),
    "evenhand-solve": ("evenhand, all cores, rows already encoded", "solve_seconds"),
    "evenhand-1": ("evenhand, one thread", "seconds"),
    "sparse": ("scikit-learn liblinear, sparse matrix", "seconds"),
    "dense": ("scikit-learn liblinear, dense matrix", "seconds"),
}

HEAD = """\
# The authors' loop: 100 fits of Adult, demographic parity

This page compares the time of the authors' loop in evenhand and in scikit-learn. Written by `bench/notebook/run`; every measurement is
in `RESULTS.csv`. Both use the same matrices in the same run, in alternating rounds.

Reading files is timed on neither side. For evenhand the time starts with the table in memory and includes encoding and groups; for
scikit-learn it starts with the encoded matrix. evenhand solves every fit to a Newton decrement of 1e-5; liblinear stops at its default
tolerance, so that the two differ by a few decisions. The notebooks used dense matrices; scikit-learn is faster with sparse ones.

| | seconds, median (least – most) | runs | times as fast as sparse liblinear | test error | test violation | training violation |
| --- | --- | --- | --- | --- | --- | --- |
"""


def cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main(measured: Path, out: Path) -> None:
    runs = {}
    for key in CONTENDERS:
        path = measured / key.removesuffix("-solve")
        runs[key] = [json.loads(line) for line in path.read_text().splitlines()]
    rust = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    where = [("machine", cpu()), ("cores", os.cpu_count()), ("system", platform.platform(terse=True)),
             ("rust", rust), ("python", platform.python_version())]
    with (out / "RESULTS.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        quality = ["fits", "test_error", "test_violation", "train_error", "train_violation", "version"]
        table.writerow(["method", "run", "seconds", *quality, *(name for name, _ in where)])
        for key, (_, field) in CONTENDERS.items():
            for number, run in enumerate(runs[key], 1):
                row = [key, number, f"{run[field]:.4f}", *(run[name] for name in quality)]
                table.writerow([*row, *(value for _, value in where)])
    median = {key: statistics.median(run[field] for run in runs[key]) for key, (_, field) in CONTENDERS.items()}
    text = HEAD
    for key, (name, field) in CONTENDERS.items():
        seconds, last = [run[field] for run in runs[key]], runs[key][-1]
        text += (
            f"| {name} | {median[key]:.3f} ({min(seconds):.3f} – {max(seconds):.3f}) | {len(seconds)} "
            f"| {median['sparse'] / median[key]:.1f} "
            f"| {last['test_error']:.5f} | {last['test_violation']:.5f} | {last['train_violation']:.5f} |\n"
        )
    versions = f"evenhand {runs['evenhand'][0]['version']}, scikit-learn {runs['sparse'][0]['version']}"
    text += f"\nAgainst the dense loop: {median['dense'] / median['evenhand']:.0f} times as fast. {versions}; "
    text += ", ".join(f"{name} {value}" for name, value in where) + ".\n"
    (out / "RESULTS.md").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
