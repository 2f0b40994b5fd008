"""Runs rivals on every dataset and notion: `measure_rivals.py PROGRAM OUT METHODS SPLITS [NOTIONS]`.

PROGRAM is the example `compare`, which writes the matrices; METHODS are names of `rivals`,
with a bound of their own as `exponentiated-gradient@0.02`; SPLITS is `published` or seeds as `1-20`. What OUT has already is not measured again, so that
a run can be taken up where it ended.
"""

import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from subprocess import run

from part import evaluate, read
from record import KEYS, NOTIONS, append, load
from rivals import RIVALS

# Small ones first, then the others; within each, split by split, so that all fill evenly.
STAGES = [["german", "communities", "compas"], ["bank", "adult"]]


def main(program: str, out: Path, methods: list[str], splits: list[str], notions: list[str]) -> None:
    done = {tuple(row[key] for key in KEYS) for row in load(out)}
    for datasets in STAGES:
        for split in splits:
            for dataset in datasets:
                for notion in notions:
                    missing = [one for one in methods if (one, dataset, notion, split) not in done]
                    if missing:
                        append(out, measurements(program, missing, dataset, notion, split))


def measurements(program: str, methods: list[str], dataset: str, notion: str, split: str):
    with tempfile.TemporaryDirectory() as folder:
        run([program, "export", dataset, notion, split, folder], check=True)
        train, test = (read(Path(folder) / name) for name in ("train", "test"))
    for method in methods:
        names = {"method": method, "dataset": dataset, "notion": notion, "split": split}
        name, _, bound = method.partition("@")
        yield names | measure(RIVALS[name], train, test, notion, [float(bound)] if bound else [])


def measure(rival, train, test, notion: str, bound: list[float]) -> dict:
    if rival.FORM == "dense":
        train, test = train.dense(), test.dense()
    start = time.perf_counter()
    decide, fits = rival.fit(train, notion, *bound)
    seconds = time.perf_counter() - start
    found = {"seconds": seconds, "fits": fits}
    for name, part in (("train", train), ("test", test)):
        found[f"{name}_error"], found[f"{name}_violation"] = evaluate(decide(part), part, notion)
    return found | {"version": f"{rival.PACKAGE} {version(rival.PACKAGE)}"}


def listed(splits: str) -> list[str]:
    if "-" not in splits:
        return [splits]
    first, last = splits.split("-")
    return [str(seed) for seed in range(int(first), int(last) + 1)]


if __name__ == "__main__":
    notions = sys.argv[5].split(",") if len(sys.argv) > 5 else list(NOTIONS)
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3].split(","), listed(sys.argv[4]), notions)
