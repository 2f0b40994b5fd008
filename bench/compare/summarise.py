"""Writes RESULTS.md from the measurements beside it: `summarise.py FOLDER`."""

import sys
from pathlib import Path

from cells import OURS, Cell, Estimate, cells
from record import DATASETS, NOTIONS, load

METHODS = {
    "unconstrained": "no correction, evenhand",
    "default": "(a) **evenhand, default**",
    "notebook": "(b) evenhand, notebook preset",
    "liblinear-loop": "(c) scikit-learn liblinear loop",
    "exponentiated-gradient": "(d) fairlearn ExponentiatedGradient",
    "threshold-optimizer": "(e) fairlearn ThresholdOptimizer",
}
RIVALS = [method for method in METHODS if method not in ("unconstrained", OURS)]

HEAD = """\
# Evenhand and others: five datasets, four notions

This page compares the time, error and violation of Evenhand with those of scikit-learn and fairlearn.
Written by `bench/compare/run`; every measurement is in `speed.csv`, `quality-ours.csv` and `quality-rivals.csv`.

- **Same matrices, same learner.** All train on the rows, features and groups of our recipes, with logistic regression of
  penalty 1 on coefficients and intercept. For disparate impact the columns that determine a group are left out.
- **Time** is the median over the rounds of one run, on the published split. Our time starts with the table in memory and includes
  encoding and groups; the others' starts with the encoded matrix, in the faster form (scikit-learn sparse; fairlearn dense,
  the only form it accepts). Reading files is not timed for any of them.
- **Violation** is the largest |overall rate − group rate| over groups; for equalized odds over true and false positive rates.
- **Communities**: fewer than 30 training rows with `racePctWhite>0.92` are labelled positive. (a) measures their true positive
  rate but does not correct for it (`--min-group`), and its violations of equal opportunity and equalized odds are those of that group.
- **Published split**: seconds, fits and the columns before the splits are of the run in `speed.csv`: one round, in which ours are
  repeated five times.
- **Splits**: as many training and test rows as published, drawn at random, 20 times; mean ± standard error of the mean.
- (c) is the procedure of (b), fit by fit, and is not run on the drawn splits: {agreement}
- (d) and (e) decide partly at random, and are evaluated by expected decisions. Their one sensitive feature is the combination of
  groups a row is in; combinations without both labels in training count as the commonest one.
- (e) needs the groups of the rows that it predicts. **For disparate impact no other method may use them**, so that (e) solves
  an easier task there.
- **◀** marks a rival whose mean test error and mean test violation are both lower than those of (a) by more than two
  standard errors of the mean of the differences by split.
"""

SPEED = [("liblinear-loop", 200), ("exponentiated-gradient", 100)]
COST = {"demographic-parity": 5, "equal-opportunity": 5, "equalized-odds": 10}


def number(value: float | None, digits: int = 4) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def interval(estimate: Estimate | None) -> str:
    return "" if estimate is None else f"{estimate.mean:.4f} ± {estimate.error:.4f}"


def verdict(met: bool | None) -> str:
    return "not measured" if met is None else "yes" if met else "**no**"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def speed(found: dict) -> str:
    """Asked on Adult and Bank: how much faster than rivals, how much slower than no correction."""
    rows = []
    for dataset in ("adult", "bank"):
        for notion, cost in COST.items():
            cell = found[dataset, notion]
            times = [(cell.times_ours(method), least) for method, least in SPEED]
            own = cell.times_ours(OURS, "unconstrained")
            known = own is not None and all(times_ours is not None for times_ours, _ in times)
            met = own <= cost and all(times_ours >= least for times_ours, least in times) if known else None
            shown = [f"{number(times_ours, 0)} (at least {least})" for times_ours, least in times]
            rows.append([dataset, notion, *shown, f"{number(own, 1)} (at most {cost})", verdict(met)])
    head = ["dataset", "notion", "time of (c) / (a)", "time of (d) / (a)", "time of (a) / no correction", "met"]
    return "## Required speed\n\n" + table(head, rows)


def quality(found: dict) -> str:
    """Asked everywhere: no rival better in both respects."""
    # The one method that is told what the notion withholds.
    knowing = lambda *cell: ", which knows the groups" if cell == ("disparate-impact", "threshold-optimizer") else ""
    beaten = [
        f"- {dataset}, {notion}: {METHODS[method]}{knowing(notion, method)}"
        for dataset in DATASETS
        for notion in NOTIONS
        for method in RIVALS
        if found[dataset, notion].is_dominated_by(method)
    ]
    text = "## Rivals better than (a) in both test error and test violation\n\n"
    return text + ("\n".join(beaten) if beaten else "None.") + "\n\n"


def frontier(found: dict) -> str:
    """Asked of COMPAS, Communities and disparate impact: less error at the notebook preset's violation."""
    text = "## At the notebook preset's violation\n\nOur test error is interpolated between our fits without a bound and with "
    text += "several bounds, at the mean violation of (b): first on the training rows, which both methods use, then on the test rows, "
    text += "where chance adds to the violation of every classifier.\n\n"
    head = ["dataset", "notion", "violation of (b)", "test error of (b)", "our test error there", "(b) less ours", "ours lower"]
    for rows in ("train", "test"):
        lines = []
        for dataset in DATASETS:
            for notion in NOTIONS:
                if dataset in ("compas", "communities") or notion == "disparate-impact":
                    lines.append([dataset, notion, *against_notebook(found[dataset, notion], rows)])
        text += f"By the violation on {'training' if rows == 'train' else 'test'} rows:\n\n" + table(head, lines)
    return text


def against_notebook(cell: Cell, rows: str) -> list[str]:
    violation, error = (cell.estimate("notebook", value) for value in (f"{rows}_violation", "test_error"))
    if violation is None:
        return ["", "", "", "", verdict(None)]
    shown = [number(violation.mean), number(error.mean)]
    ours = cell.on_frontier(rows, violation.mean)
    if ours is None:
        least = min(cell.estimate(one, f"{rows}_violation").mean for one in cell.splits if one.startswith(OURS))
        return [*shown, f"not reached; our least violation is {least:.4f}", "", verdict(False)]
    less = cell.difference("notebook", "test_error", ours)
    return [*shown, number(error.mean - less.mean), interval(less), verdict(less.mean > 0)]


def everything(found: dict) -> str:
    head = ["dataset", "notion", "method", "seconds", "times (a)", "fits", "training error", "training violation"]
    head += ["test error", "test violation", "test error, splits", "test violation, splits", ""]
    rows = []
    for dataset in DATASETS:
        for notion in NOTIONS:
            for method in METHODS:
                rows.append([dataset, notion, METHODS[method], *columns(found[dataset, notion], method)])
    return "## All\n\n" + table(head, rows)


def columns(cell: Cell, method: str) -> list[str]:
    # (c) stands for (b) on the drawn splits, and says so rather than repeat its numbers.
    one = cell.published.get(method, [{}])[-1]
    times = cell.times_ours(method)
    shown = [number(cell.seconds(method)), "" if times is None else f"{times:.3g}", number(one.get("fits"), 0)]
    shown += [number(one.get(name)) for name in ("train_error", "train_violation", "test_error", "test_violation")]
    if method == "liblinear-loop":
        return [*shown, "as (b)", "as (b)", ""]
    estimates = [interval(cell.estimate(method, value)) for value in ("test_error", "test_violation")]
    return [*shown, *estimates, "◀" if method in RIVALS and cell.is_dominated_by(method) else ""]


def agreement(found: dict) -> str:
    """How far (b) and (c) are apart on the published splits."""
    apart = []
    for cell in found.values():
        ours, theirs = (cell.published.get(method) for method in ("notebook", "liblinear-loop"))
        if ours and theirs:
            apart.append([abs(ours[-1][name] - theirs[-1][name]) for name in ("test_error", "test_violation")])
    if not apart:
        return "not measured."
    error, violation = map(max, zip(*apart))
    text = f"on {len(apart)} published splits the two differ by at most {error:.4f} in test error and {violation:.4f} in test violation"
    return text + " (liblinear stops at its default tolerance, ours at the optimum)."


def versions(folder: Path) -> str:
    rows = [row for name in ("speed", "quality-ours", "quality-rivals") for row in load(folder / f"{name}.csv")]
    several = lambda name: ", ".join(sorted({row[name] for row in rows}))
    return f"{several('version')}; {several('machine')}.\n"


def main(folder: Path) -> None:
    found = cells(folder)
    text = HEAD.format(agreement=agreement(found)) + "\n" + speed(found) + quality(found) + frontier(found)
    (folder / "RESULTS.md").write_text(text + everything(found) + versions(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
