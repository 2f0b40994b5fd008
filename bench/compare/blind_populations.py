"""Is a difference on german one of methods, or of its 1,000 rows? `blind_populations.py PROGRAM OUT DRAWS`, completed as `measure_rivals.py` does.

PROGRAM is the example `compare`, which writes german's matrix without age. Two populations have german's rows, with labels and membership drawn anew
by models of all of them: logistic regressions, and forests, which no linear learner follows. 670 rows are drawn to train on and 30,000
to test on, so that, unlike splits of one dataset, training sets share nothing but the population; `splits` are splits of german's own rows, more than on the page.

Tilts are those of Corollary 1 for the one group that german has, with every multiplier of a grid, by the learner that ExponentiatedGradient has:
what any search for them can find. Its error at a rival's violation is read off its training rows, as in `blind.py`.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from part import Part, read
from rivals import RIVALS
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

BOUNDS = [0.02, 0.01, 0.005]
MULTIPLIERS = np.linspace(-2, 2, 161)
COLUMNS = ["population", "draw", "bound", "method", "train_error", "train_violation", "test_error", "test_violation"]


def learner() -> LogisticRegression:
    return LogisticRegression(solver="liblinear", C=1.0)


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(300, min_samples_leaf=8, random_state=0)


def exported(program: str, split: int) -> tuple[Part, Part]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "export", "german", "disparate-impact", str(split), folder], check=True)
        return tuple(read(Path(folder) / name).dense() for name in ("train", "test"))


class Population:
    """Rows that are drawn with replacement, with labels and membership by models of them."""

    def __init__(self, parts: tuple[Part, Part], model) -> None:
        self.matrix = np.vstack([part.matrix for part in parts])
        labels, groups = (np.concatenate([getattr(part, name) for part in parts]) for name in ("labels", "groups"))
        self.positive = model().fit(self.matrix, labels).predict_proba(self.matrix)[:, 1]
        self.member = model().fit(self.matrix, groups[:, 0]).predict_proba(self.matrix)[:, 1]

    def draw(self, count: int, seed: int) -> Part:
        random = np.random.default_rng(seed)
        rows = random.integers(0, len(self.matrix), count)
        labels = (random.random(count) < self.positive[rows]).astype(int)
        members = (random.random(count) < self.member[rows]).astype(float)
        return Part(self.matrix[rows], labels, members[:, None])


def evaluate(decisions: np.ndarray, part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Errors and violations of sets of (expected) decisions, one a line."""
    rates = decisions @ part.groups / part.groups.sum(0)
    return np.abs(decisions - part.labels).mean(1), np.abs(decisions.mean(1)[:, None] - rates).max(1)


def tilted(train: Part, test: Part) -> list[tuple[float, ...]]:
    """Training error and violation, test error and violation of every multiplier."""
    labels, members = learner().fit(train.matrix, train.labels), learner().fit(train.matrix, train.groups[:, 0])

    def decisions(part: Part) -> np.ndarray:
        tilt = members.predict_proba(part.matrix)[:, 1] / train.groups[:, 0].mean() - 1
        return (labels.decision_function(part.matrix) + MULTIPLIERS[:, None] * tilt > 0).astype(float)

    return list(zip(*evaluate(decisions(train), train), *evaluate(decisions(test), test), strict=True))


def read_off(points: list[tuple[float, ...]], violation: float) -> tuple[float, float, float]:
    """Training error, test error and test violation at a training violation, on the line through the points that no other beats."""
    kept: list[tuple[float, ...]] = []
    for point in sorted(points, key=lambda point: (point[1], point[0])):
        if not kept or point[0] < kept[-1][0]:
            kept.append(point)
    where = [point[1] for point in kept]
    return tuple(float(np.interp(violation, where, [point[at] for point in kept])) for at in (0, 2, 3))


def measure(train: Part, test: Part):
    points, rival = tilted(train, test), RIVALS["exponentiated-gradient"]
    for bound in BOUNDS:
        decide, _ = rival.fit(train, "disparate-impact", bound)
        found = [float(one[0]) for part in (train, test) for one in evaluate(decide(part)[None, :], part)]
        error, test_error, test_violation = read_off(points, found[1])
        yield bound, "exponentiated-gradient", *found
        yield bound, "tilt", error, found[1], test_error, test_violation


def main(program: str, out: Path, draws: int) -> None:
    done = set()
    if out.exists():
        with out.open(newline="") as file:
            done = {(row["population"], int(row["draw"])) for row in csv.DictReader(file)}
    parts = exported(program, 1)
    populations = {"logistic": Population(parts, learner), "forest": Population(parts, forest)}
    tests = {name: one.draw(30_000, 999) for name, one in populations.items()}
    with out.open("a", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        if not done:
            table.writerow(COLUMNS)
        for draw in range(1, draws + 1):
            for name in [*populations, "splits"]:
                if (name, draw) in done:
                    continue
                rows = exported(program, draw) if name == "splits" else (populations[name].draw(670, draw), tests[name])
                table.writerows([name, draw, bound, method, *(round(one, 6) for one in found)] for bound, method, *found in measure(*rows))
                file.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
