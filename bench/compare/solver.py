"""Two solvers side by side, split by split: `solver.py BEFORE.csv AFTER.csv`, each a quality-ours.csv; writes SOLVER.md.

Every bound that both were asked for, and none, is compared on the splits that both have. A difference is marked where it is
worse by more than two standard errors, those of the mean of the differences: in error, or in violation. Where no bound was asked for, the two may
stop at different places of the same frontier; there the error of the one before is read off its own frontier (the line through
the means of its bounds) at the violation of the one after.

Of many comparisons some are worse by chance: below the table stands how many, and which are left if that is allowed for (Holm 1979). Splits share most of
their rows, so that 20 of them tell less than 20 samples would: the standard error that allows for it (Nadeau & Bengio 2003) is given too.
"""

import csv
import math
import statistics
import sys
from collections import defaultdict
from pathlib import Path

# Test rows for each training row: the parts of the published splits, which drawn ones have too.
TEST_SHARE = {
    "adult": 16_281 / 32_561,
    "bank": 8_238 / 32_950,
    "communities": 499 / 1_495,
    "compas": 2_099 / 4_073,
    "german": 330 / 670,
}

BOUNDS = ["default", "default@0.01", "default@0.02", "default@0.05"]


def read(path: str) -> dict[tuple[str, str, str], dict[str, dict[str, float]]]:
    found: dict = defaultdict(dict)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            numbers = ("fits", "train_error", "train_violation", "test_error", "test_violation")
            found[row["dataset"], row["notion"], row["method"]][row["split"]] = {
                name: float(row[name]) for name in numbers
            }
    return found


def mean(rows: dict[str, dict[str, float]], name: str) -> float:
    return statistics.mean(row[name] for row in rows.values())


def difference(before: dict, after: dict, name: str) -> tuple[float, float]:
    each = [after[split][name] - before[split][name] for split in sorted(before.keys() & after.keys())]
    return statistics.mean(each), statistics.stdev(each) / len(each) ** 0.5


def beyond(t: float, degrees: int) -> float:
    """The probability that Student's t is above `t`: by Simpson's rule, with t = tan(angle) √degrees."""
    low, steps = math.atan(t / math.sqrt(degrees)), 2_000
    width = (math.pi / 2 - low) / steps
    weights = [1, *([4, 2] * (steps // 2))[:-1], 1]
    area = sum(weight * max(math.cos(low + width * at), 0.0) ** (degrees - 1) for at, weight in enumerate(weights)) * (
        width / 3
    )
    return area * math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)


def holm(chances: list[float]) -> list[float]:
    """Adjusted probabilities: if all below 5 % are called real, one or more is not in at most 5 % of such tables."""
    adjusted, largest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = largest
    return adjusted


def chance(mean: float, error: float, splits: int) -> float:
    """That a difference is this much worse if there is none."""
    return beyond(mean / error, splits - 1) if error > 0 else 1.0


def by_chance(compared: list[tuple[list[str], dict[str, tuple[float, float]]]], splits: int) -> list[str]:
    """What is worse by more than two standard errors, and how likely that is where nothing is worse."""
    text = [
        "## How much of it is due to chance",
        "",
        f"Where nothing is worse, a difference of {splits} splits is above two standard errors in {100 * beyond(2, splits - 1):.1f} % of comparisons. *p* is the probability of a",
        f"difference at least as large by chance, *Holm* that probability adjusted for all {len(compared)} comparisons. The splits are drawn from the same rows, so that their differences are",
        "correlated and the standard error above is too small; *p, splits overlap* takes the variance (1/splits + test rows/training rows) times that of a split [Nadeau & Bengio 2003].",
        "",
    ]
    for name in ("error", "violation"):
        other = "violation" if name == "error" else "error"
        differ = [one for _, one in compared if one[name][1] > 0]
        chances = [chance(*one[name], splits) for _, one in compared]
        wider = [
            chance(one[name][0], one[name][1] * math.sqrt(1 + splits * TEST_SHARE[labels[0]]), splits)
            for labels, one in compared
        ]
        worse = [at for at, (_, one) in enumerate(compared) if one[name][0] > 2 * one[name][1] > 0]
        better = sum(one[name][0] < -2 * one[name][1] for _, one in compared)
        adjusted, adjusted_wider = holm(chances), holm(wider)
        real = [at for at, one in enumerate(adjusted) if one < 0.05]
        text += [
            f"**Test {name}**: worse by more than two standard errors in {len(worse)}, better in {better}. By chance alone {beyond(2, splits - 1) * len(differ):.1f} of the {len(differ)} that differ at all would be expected on either side. "
            f"Below 5 % after Holm: {len(real)}, of which {sum(compared[at][1][other][0] < 0 for at in real)} have the lower {other} for it; with the variance of overlapping splits: {sum(one < 0.05 for one in adjusted_wider)}.",
            "",
            f"| dataset | notion | bound | test {name} | test {other} | p | Holm | p, splits overlap |",
            "|" + " --- |" * 8,
        ]
        for at in sorted(worse, key=chances.__getitem__):
            labels, one = compared[at]
            cells = [f"{one[which][0]:+.4f} ± {one[which][1]:.4f}" for which in (name, other)]
            cells += [f"{value:.4f}" for value in (chances[at], adjusted[at], wider[at])]
            text.append("| " + " | ".join(labels + cells) + " |")
        text.append("")
    return text


def frontier(before: dict, dataset: str, notion: str) -> list[tuple[float, float]]:
    rows = [
        rows for (a, b, method), rows in before.items() if (a, b) == (dataset, notion) and method.startswith("default")
    ]
    return sorted((mean(one, "train_violation"), mean(one, "train_error")) for one in rows)


def error_at(points: list[tuple[float, float]], violation: float) -> float:
    """The lowest error of the line through the points at a violation; at the ends, that of the end."""
    for (low, low_error), (high, high_error) in zip(points, points[1:]):
        if low <= violation <= high:
            return low_error + (high_error - low_error) * (violation - low) / max(high - low, 1e-12)
    return points[0][1] if violation < points[0][0] else points[-1][1]


def main() -> None:
    before, after = read(sys.argv[1]), read(sys.argv[2])
    lines, worse, fits, compared = [], [], [], []
    for (dataset, notion, method), new in after.items():
        old = before.get((dataset, notion, method))
        if method not in BOUNDS or not old:
            continue
        (error, error_se), (violation, violation_se) = (
            difference(old, new, name) for name in ("test_error", "test_violation")
        )
        at_its_violation = mean(new, "train_error") - error_at(
            frontier(before, dataset, notion), mean(new, "train_violation")
        )
        fits.append((mean(old, "fits"), mean(new, "fits")))
        marks = []
        if error > 2 * error_se:
            marks.append("error")
        if violation > 2 * violation_se:
            marks.append("violation")
        if marks:
            worse.append((dataset, notion, method, marks))
        cells = [dataset, notion, method.removeprefix("default@") if "@" in method else "none"]
        compared.append((cells.copy(), {"error": (error, error_se), "violation": (violation, violation_se)}))
        cells += [f"{a:.1f} → {b:.1f}" for a, b in [fits[-1]]]
        for name in ("train", "test"):
            cells.append(
                f"{mean(old, name + '_error'):.4f} / {mean(old, name + '_violation'):.4f} → "
                f"{mean(new, name + '_error'):.4f} / {mean(new, name + '_violation'):.4f}"
            )
        cells += [
            f"{error:+.4f} ± {error_se:.4f}",
            f"{violation:+.4f} ± {violation_se:.4f}",
            f"{at_its_violation:+.4f}",
            ", ".join(marks),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    head = ["dataset", "notion", "bound", "fits", "training error / violation", "test error / violation"]
    head += ["test error", "test violation", "training error at its violation", "worse"]
    splits = len(next(iter(after.values())))
    text = [
        "# The solver before, and sequential quadratic programming",
        "",
        "This page compares sequential quadratic programming with the solver that it replaced.",
        "",
        f"Written by `bench/compare/run solver`; means over {splits} splits, differences with their standard errors. *Training error at its violation* is that of the new solver",
        "minus that of the old one's frontier at the same training violation. *Worse* names the measures that are worse by more than two standard errors on test rows.",
        "",
        "On communities fewer than 30 training rows with `racePctWhite>0.92` are labelled positive. The true positive rate of such a group is measured, shown and tested, but no",
        "longer corrected for (`--min-group`); the violations of equal opportunity and equalized odds there are those of that group.",
        "",
        f"Fits, mean over all rows: {statistics.mean(a for a, _ in fits):.1f} before, {statistics.mean(b for _, b in fits):.1f} now.",
        "",
        "| " + " | ".join(head) + " |",
        "|" + " --- |" * len(head),
        *lines,
        "",
        *by_chance(compared, splits),
    ]
    Path(__file__).with_name("SOLVER.md").write_text("\n".join(text), encoding="utf-8")
    print(f"{len(lines)} comparisons, {len(worse)} with something worse")


if __name__ == "__main__":
    main()
