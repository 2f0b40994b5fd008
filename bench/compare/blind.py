"""Writes BLIND.md: disparate impact, ours beside fairlearn's reduction, from blind-ours.csv and blind-rivals.csv.

`blind.py FOLDER`. Our error at a rival's violation is read off our frontier: the points of a dataset and split, with those that another beats left
out, joined by straight lines. Differences are taken split by split; behind ± stand two standard errors of their mean.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

from record import DATASETS, load

BOUNDS = ["0.04", "0.02", "0.01", "0.005"]
FRONTIERS = {"tilt": "`--apply tilt`", "default": "weights"}


def number(row: dict, name: str) -> float:
    return float(row[name])


def frontier(rows: list[dict], by: str) -> list[tuple[float, float]]:
    """Violations on training rows with errors of the kind `by`; points that another beats on training rows are left out."""
    points = sorted((number(row, "train_violation"), number(row, "train_error"), number(row, by)) for row in rows)
    kept: list[tuple[float, float, float]] = []
    for point in points:
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return [(violation, error) for violation, _, error in kept]


def at(points: list[tuple[float, float]], violation: float) -> float:
    """The error of a frontier at a violation, between two points by a straight line; beyond the ends that of the end."""
    below = [point for point in points if point[0] <= violation]
    above = [point for point in points if point[0] > violation]
    if not below:
        return points[0][1]
    if not above:
        return points[-1][1]
    (x0, y0), (x1, y1) = below[-1], above[0]
    return y0 + (y1 - y0) * (violation - x0) / (x1 - x0)


def compare(ours: dict, rivals: dict, dataset: str, name: str, bound: str) -> str | None:
    differences = []
    for (data, split), rival in rivals.items():
        found = rival.get(f"exponentiated-gradient@{bound}")
        if data != dataset or found is None:
            continue
        own = ours[dataset, split]
        rows = [row for method, row in own.items() if method.startswith(f"{name}@") or method in (name, "unconstrained")]
        differences.append(at(frontier(rows, "test_error"), number(found, "train_violation")) - number(found, "test_error"))
    if len(differences) < 2:
        return None
    spread = 2 * stdev(differences) / len(differences) ** 0.5
    return f"{100 * mean(differences):+.2f} ± {100 * spread:.2f} ({len(differences)})"


def means(ours: dict, rivals: dict, dataset: str, method: str, splits: set[str]) -> str:
    table = ours if method in ours[dataset, next(iter(splits))] else rivals
    rows = [table[dataset, split][method] for split in sorted(splits) if method in table.get((dataset, split), {})]
    if not rows:
        return "–"
    part = [mean(number(row, name) for row in rows) for name in ("train_error", "train_violation", "test_error", "test_violation")]
    return "{:.4f} / {:.4f} | {:.4f} / {:.4f}".format(*part)


def injected(path: Path) -> list[str]:
    """How much of the loss that biased labels bring is given back: 100 % is training on the true ones, blind as well."""
    errors = defaultdict(lambda: defaultdict(list))
    for line in path.read_text().splitlines():
        row = json.loads(line)
        errors[row["dataset"]][row["method"]].append(row["error"])
    head = "| dataset | true labels | biased, unconstrained | identified, then blind | weights | tilt | centred weights |"
    lines = [head, "| --- |" + " --- |" * 6]
    for dataset, methods in errors.items():
        found = {method: mean(values) for method, values in methods.items()}
        loss = found["unconstrained"] - found["truth"]
        back = {name: f"{found[name]:.4f} ({(found['unconstrained'] - found[name]) / loss:.0%})" for name in ("identified", "expected", "tilt", "centred")}
        lines.append(f"| {dataset} | {found['truth']:.4f} | {found['unconstrained']:.4f} | " + " | ".join(back.values()) + " |")
    return lines


def main(folder: Path) -> None:
    ours, rivals = defaultdict(dict), defaultdict(dict)
    for path, table in ((folder / "blind-ours.csv", ours), (folder / "blind-rivals.csv", rivals)):
        for row in load(path):
            if row["notion"] == "disparate-impact":
                table[row["dataset"], row["split"]][row["method"]] = row
    lines = [
        "# Disparate impact: the learner may not see the groups",
        "",
        "`bench/compare/run blind` makes this page from `blind-ours.csv` and `blind-rivals.csv`: 20 splits drawn at random, the learner, features and groups of the published experiments. The rival is "
        "fairlearn's ExponentiatedGradient, a lottery among dozens of classifiers, judged by its expected decisions; ours are one classifier each. Numbers in brackets are how many splits both were measured on.",
        "",
        "## Our test error minus that of ExponentiatedGradient at its training violation, in points",
        "",
        "Read off our frontier of training rows (see `blind.py`), ± two standard errors.",
        "",
        "| dataset | ours | " + " | ".join(f"its bound {bound}" for bound in BOUNDS) + " |",
        "| --- | --- |" + " --- |" * len(BOUNDS),
    ]
    for dataset in DATASETS:
        for name, shown in FRONTIERS.items():
            cells = [compare(ours, rivals, dataset, name, bound) or "–" for bound in BOUNDS]
            lines.append(f"| {dataset} | {shown} | " + " | ".join(cells) + " |")
    lines += ["", "## Means over the splits that ExponentiatedGradient was measured on", ""]
    for dataset in DATASETS:
        splits = {split for data, split in rivals if data == dataset}
        lines += [
            f"### {dataset} ({len(splits)} splits)",
            "",
            "| method | training error / violation | test error / violation |",
            "| --- | --- | --- |",
        ]
        methods = ["lot", "unconstrained", "notebook", "centred", "default", "tilt"]
        methods += [f"{name}@{bound}" for bound in BOUNDS for name in ("exponentiated-gradient", "tilt", "default", "centred")]
        lines += [f"| {method} | {means(ours, rivals, dataset, method, splits)} |" for method in methods]
        lines.append("")
    lines += [
        "`lot` decides by lot at the share of positive labels: its violations are what chance alone shows on so many rows of each group. `default` are weights of expected tilts, `centred` those of before, `notebook` the loop of the paper's authors; `@` stands before the bound that was asked for, on training rows and without a margin.",
        "",
    ]
    lines += [
        "## Bias put into labels",
        "",
        "Test error by true labels, and how much of the loss is given back (`examples/injected_blind.rs`, 20 splits; on COMPAS by four times the multipliers of `evenhand paper --injected`, since those cost a blind learner nothing). "
        "What is known is the true rate of every group. *Identified, then blind*: a model that sees the groups finds the bias, and a learner that does not see them is trained with the weights that undo it (`evenhand identify --weights`). "
        "The other three ask the blind learner's own scores for the true rates. Its model of the true labels does not have them where labels depend on the group beyond what features tell; then they are the wrong thing to ask of it.",
        "",
        *injected(folder / "blind-injected.jsonl"),
        "",
    ]
    (folder / "BLIND.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
