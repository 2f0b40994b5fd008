"""Two solvers side by side, split by split: `solver.py BEFORE.csv AFTER.csv`, each a quality-ours.csv; writes SOLVER.md.

Every bound that both were asked for, and none, is compared on the splits that both have. A difference is marked where it is
worse by more than two standard errors, those of the mean of the differences: in error, or in violation. Where no bound was asked for, the two may
stop at different places of the same frontier; there the error of the one before is read off its own frontier (the line through
the means of its bounds) at the violation of the one after.
"""

import csv
import statistics
import sys
from collections import defaultdict
from pathlib import Path

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
    lines, worse, fits = [], [], []
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
        f"Written by `bench/compare/run solver`; means over {splits} splits, differences with their standard errors. *Training error at its violation* is that of",
        "the new solver less that of the old one's frontier at the same training violation. *Worse* names what is worse by more than two standard errors on test rows.",
        "",
        f"Fits, mean over all rows: {statistics.mean(a for a, _ in fits):.1f} before, {statistics.mean(b for _, b in fits):.1f} now.",
        "",
        "| " + " | ".join(head) + " |",
        "|" + " --- |" * len(head),
        *lines,
        "",
    ]
    Path(__file__).with_name("SOLVER.md").write_text("\n".join(text), encoding="utf-8")
    print(f"{len(lines)} comparisons, {len(worse)} with something worse")


if __name__ == "__main__":
    main()
