"""May the intercept of tilted probabilities follow the tilt? `blind_intercepts.py PROGRAM OUT SPLITS`, dataset by dataset; one that OUT has is left as it is.

PROGRAM is the example `compare`, which writes the matrices. Tilts are centred, and change no intercept; each classifier of ExponentiatedGradient is trained anew, with its own. Five
rules for a shift of all exponents, chosen on training rows for every multiplier by itself:

- `none`: no shift;
- `mean`: the mean tilted probability is the share of positive labels as the model had it (calibration in the large);
- `weighted`: the score equation of the intercept under the weights of Corollary 1, E[w(x, y) (p(x) − y)] = 0, which is what a learner with such weights
  has, and holds without a shift where the model is right;
- `share`: as many are decided positive as without the tilt;
- `error`: the threshold of least training error, which is `--threshold best` chosen anew for every multiplier.

Multipliers are searched for with every rule, from along the convex problem that the search starts from. Errors are read off each rule's own frontier at the violation of
ExponentiatedGradient on training rows, as in `blind.py`.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from part import Part, read
from record import load
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

DATASETS = ["german", "bank", "compas", "adult"]
BOUNDS = ["0.04", "0.02", "0.01", "0.005"]
RULES = ["none", "mean", "weighted", "share", "error"]
LENGTHS = [1.2, 2.0]
EVALUATIONS = 150
COLUMNS = ["dataset", "split", "rule", "bound", "train_difference", "test_difference"]


def learner() -> LogisticRegression:
    return LogisticRegression(solver="liblinear", C=1.0)


def root(value, slope) -> float:
    """Where an increasing function is zero, by Newton's method: its slope there is that of a sum of probabilities."""
    at = 0.0
    for _ in range(8):
        at -= np.clip(value(at) / max(slope(at), 1e-9), -1, 1)
    return at


def of_least_error(logits: np.ndarray, labels: np.ndarray) -> float:
    """The shift of least error, nearest to zero among equals."""
    order = np.argsort(-logits)
    sorted_logits, sorted_labels = logits[order], labels[order]
    errors = np.concatenate([[labels.sum()], labels.sum() + np.cumsum(1 - 2 * sorted_labels)]).astype(float)
    errors[1:-1][sorted_logits[:-1] == sorted_logits[1:]] = np.inf
    between = (sorted_logits[:-1] + sorted_logits[1:]) / 2
    thresholds = np.concatenate([[sorted_logits[0] + 1], between, [sorted_logits[-1] - 1]])
    least = np.flatnonzero(errors == errors.min())
    return -thresholds[least[np.argmin(abs(thresholds[least]))]]


def shift_of(rule: str, logits: np.ndarray, tilted: np.ndarray, labels: np.ndarray) -> float:
    exponents = tilted - logits
    if rule == "mean":
        weights, wanted = np.ones(len(logits)), expit(logits)
    elif rule == "weighted":
        weights, wanted = np.where(labels == 1, expit(exponents), expit(-exponents)), labels
    elif rule == "share":
        positive = int((logits > 0).sum())
        return -float(np.sort(tilted)[-positive - 1 : len(tilted) - positive + 1].mean())
    else:
        return of_least_error(tilted, labels) if rule == "error" else 0.0
    slope = lambda shift: weights @ (expit(tilted + shift) * expit(-tilted - shift))
    return root(lambda shift: weights @ (expit(tilted + shift) - wanted), slope)


def path(logits: np.ndarray, tilts: np.ndarray) -> list[np.ndarray]:
    """Multipliers from weak to strong: the dual of the best decisions by expectation, smoothed (`correction/solvers/convex_start.rs`)."""
    ahead, width = 2 * expit(logits) - 1, 0.03
    largest = np.abs(tilts.T @ expit(ahead / width)).max() / len(tilts)

    def dual(at: np.ndarray, epsilon: float):
        scaled = (ahead + tilts @ at) / width
        size = np.sqrt(at**2 + 1e-8)
        return width * np.logaddexp(0, scaled).mean() + epsilon * size.sum(), tilts.T @ expit(scaled) / len(tilts) + epsilon * at / size

    here, found = np.zeros(tilts.shape[1]), [np.zeros(tilts.shape[1])]
    for step in range(1, 11):
        here = minimize(dual, here, args=(largest * 0.65**step,), jac=True, method="L-BFGS-B", options={"maxiter": 100}).x
        found += [length * here for length in LENGTHS]
    return found


def evaluate(positive: np.ndarray, part: Part) -> tuple[float, float]:
    rates = positive @ part.groups / part.groups.sum(0)
    return abs(positive - part.labels).mean(), np.abs(positive.mean() - rates).max()


class Tilts:
    """One model, whose probabilities multipliers tilt, with an intercept that follows them by a rule."""

    def __init__(self, train: Part, test: Part, rule: str, models: tuple) -> None:
        self.train, self.test, self.rule = train, test, rule
        self.logits, self.tilts = models
        self.points: list[tuple[float, float, float]] = []

    def at(self, multipliers: np.ndarray) -> tuple[float, float]:
        """Training error and violation."""
        moved = [one + tilt @ multipliers for one, tilt in zip(self.logits, self.tilts, strict=True)]
        shift = shift_of(self.rule, self.logits[0], moved[0], self.train.labels)
        parts = zip(moved, (self.train, self.test), strict=True)
        (error, violation), (test_error, _) = (evaluate((one + shift > 0).astype(float), part) for one, part in parts)
        self.points.append((violation, error, test_error))
        return error, violation

    def search(self, starts: list[np.ndarray], violation: float) -> None:
        """Nelder and Mead from the best of the starts, by the merit function of the search."""
        merit = lambda at: (found := self.at(at))[0] + 20 * max(found[1] - violation, 0.0)
        best = min(starts, key=merit)
        sizes = 0.2 * (np.eye(len(best)) * np.maximum(abs(best), 0.2))
        simplex = np.vstack([best, best + sizes])
        minimize(merit, best, method="Nelder-Mead", options={"maxfev": EVALUATIONS, "initial_simplex": simplex})

    def frontier(self) -> list[tuple[float, float, float]]:
        """Training violation, training error and test error of the multipliers that no other beats on training rows."""
        kept: list[tuple[float, float, float]] = []
        for point in sorted(self.points):
            if not kept or point[1] < kept[-1][1]:
                kept.append(point)
        return kept


def fitted(train: Part, test: Part) -> tuple:
    labels = learner().fit(train.matrix, train.labels)
    members = [learner().fit(train.matrix, group) for group in train.groups.T]
    logits = [labels.decision_function(part.matrix) for part in (train, test)]
    shares = train.groups.mean(0)
    tilt = lambda part: np.stack([one.predict_proba(part.matrix)[:, 1] / share - 1 for one, share in zip(members, shares, strict=True)], 1)
    return logits, [tilt(train), tilt(test)]


def main(program: str, out: Path, splits: int) -> None:
    rivals = {(row["dataset"], row["split"], row["method"]): row for row in load(Path(__file__).parent / "blind-rivals.csv")}
    done = set()
    if out.exists():
        with out.open(newline="") as file:
            done = {(row["dataset"], row["split"]) for row in csv.DictReader(file)}
    with out.open("a", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        if not done:
            table.writerow(COLUMNS)
        for dataset in DATASETS:
            for split in map(str, range(1, splits + 1)):
                if (dataset, split) in done:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    subprocess.run([program, "export", dataset, "disparate-impact", split, folder], check=True)
                    parts = [read(Path(folder) / name) for name in ("train", "test")]
                models = fitted(*parts)
                starts = path(models[0][0], models[1][0])
                for rule in RULES:
                    tilts, found = Tilts(*parts, rule, models), {bound: rivals[dataset, split, f"exponentiated-gradient@{bound}"] for bound in BOUNDS}
                    for rival in found.values():
                        tilts.search(starts, float(rival["train_violation"]))
                    points = tilts.frontier()
                    for bound, rival in found.items():
                        at = [np.interp(float(rival["train_violation"]), [point[0] for point in points], [point[place] for point in points]) for place in (1, 2)]
                        apart = [round(one - float(rival[name]), 6) for one, name in zip(at, ("train_error", "test_error"), strict=True)]
                        table.writerow([dataset, split, rule, bound, *apart])
                file.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
