"""Runs our own methods on every dataset and notion: `measure_ours.py PROGRAM OUT METHODS SPLITS REPETITIONS [NOTIONS]`.

PROGRAM is the example `compare`, whose head says what methods and splits are called.
"""

import json
import subprocess
import sys
from pathlib import Path

from record import DATASETS, NOTIONS, append


def measurements(program: str, dataset: str, methods: str, splits: str, repetitions: str, notions: str = ",".join(NOTIONS)):
    command = [program, "measure", dataset, notions, splits, methods, repetitions]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            found = json.loads(line)
            yield found | {"version": f"evenhand {found['version']}"}
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed")


if __name__ == "__main__":
    for dataset in DATASETS:
        append(Path(sys.argv[2]), measurements(sys.argv[1], dataset, *sys.argv[3:7]))
