"""Writes RESULTS.md from the measurements beside it: `summarise.py FOLDER`."""

import csv
import sys
from collections import defaultdict
from math import log, sqrt
from pathlib import Path
from statistics import mean, stdev

HEAD = """\
# An injected label bias: found, and corrected

This page shows whether `evenhand identify` recovers a known bias, how often its intervals cover it, and what the correction gains.

Written by `bench/identify/run`; every measurement is in the CSV files beside this one. All rows are synthetic, from populations whose
truth is known (`crates/evenhand-datasets/src/synthetic/`): true labels give every group the overall rate, and observed ones follow
Proposition 1 with multipliers 0.45 for women and 0.12 for the young, two groups that overlap. Every draw is a new sample. The true
rates of the groups were made equal on 400,000 applicants, and are equal to about a tenth of a standard error at 50,000 rows.
"""

COVERAGE = """\
## Estimates of the bias

`evenhand identify` on each draw. Odds ratios are summarised by their logarithm. Requirement: nominal 95 % intervals cover in
92 to 98 % of draws. In {draws} draws a correct interval covers in 95 ± {error:.1f} %.
"""

BOOTSTRAP = """\
The same by the bootstrap, with 200 resamples each, in {draws} draws of {rows} rows ({error:.1f} % is the standard error of a share of 95 %):
"""

MULTIPLICITY = """\
## False claims where there is nothing to find

Seven groups of unequal size without any bias (`synthetic::unbiased`), {draws} datasets of each size. Intervals that hold for all groups
at once claim a bias against some group in 5 ± {error:.1f} % of datasets. Requirement: at most 6 %.
"""

ACCURACY = """\
## Accuracy by the true labels

Logistic regression with its default penalty, evaluated on 200,000 new applicants by the probability of each true label, so that
differences contain no noise from drawing labels. Means over {draws} draws; differences are paired, ± their standard error. Requirement: the
corrected classifier is within 0.1 points of one that was trained on the true labels.
"""

TRAINED = {
    "uncorrected": "observed labels, no correction",
    "scores": "**corrected: even scores**",
    "scores-shift-corrected": "the same, weights divided by φ",
    "decisions": "corrected: even decisions (the default)",
    "true-labels": "true labels",
}

SHIFT = """\
## When dividing by φ pays

Weights correct labels and shift features: training with them is training on corrected labels under a distribution of x that is φ(x)
times the data's [Theorem 1]. `--covariate-shift corrected` divides by φ, estimated by the learner's own fit without correction. There
are four populations, which differ in how well logistic regression on the plain columns can describe them, each with the bias above
(1) and twice that (2):

- **straight**: the model can describe the truth;
- **curve**: the effect of income falls off away from the middle;
- **women-more**, **women-less**: income counts more, or less, for women, but the model only adds the effects of sex and income.

All fits equalise scores. *By cells* divides by the φ of a richer model (the same with a coefficient for each of 120 cells of income,
history and sex), *by truth* by the true φ, which is unknown in practice: these two show the cost of estimating φ. Means over {draws} draws.

"""

WITHHELD = """\
## A group that the model may not see

These are people whose sex can be predicted only from their work, and only in part (`synthetic::WithheldGroup`). Skill, which determines the
truth, has the same distribution for women and men, and the model sees skill and work. Labels are biased by λ times what work predicts
about sex, `P(g|x)/Z − 1`, or by λ times sex itself, `g/Z − 1`. `evenhand identify --withhold sex` assumes the first with
`--tilt expected` and the second with `--tilt centred`. Means over {draws} draws.
"""

SENSITIVITY = """\
## Groups that truly differ

The same population, but the true rate of one group is below everyone's by the given difference. `evenhand identify --sensitivity`
estimates the bias under true differences from none to the observed one. Here its curve is read at the true difference, where it should
show the injected bias. *At no difference* is the estimate under the assumption of equal true rates, which takes the difference for bias.
Without any bias the tipping point, where the curve shows none, should be the true difference. Requirement: bands of nominal 95 % cover
in 92 to 98 % of {draws} populations of {rows} rows; correct ones cover in 95 ± {error:.1f} %.
"""

NOTIONS = """\

## Every notion that identifies a bias

There are people of two groups whose features differ (`crates/evenhand-experiments/examples/identify/notions.rs`). The truth is set so that
it satisfies the notion on 200,000 of them, which holds to a fraction of a standard error at 20,000 rows. Labels are biased by
Proposition 1 with the multipliers below, by formulas that share no code with the engine. `evenhand identify --notion` runs on each of
{draws} draws; where a group has a multiplier for every class, these add up to zero. In {draws} draws a correct interval covers in
95 ± {error:.1f} %. Of {means} means {near} are within two of their standard errors, and all within {far:.1f}.
"""

READING = """\
Conclusions:

- Where the model can describe the labels, division hardly changes anything: the best classifier is the same under any distribution
  of features. With few rows it costs a little, since divided weights vary more.
- Where it cannot, division by the **true** φ gives the true multipliers and the result of training on the true labels, as
  Theorem 1 says. But a model that cannot describe the true labels cannot describe the observed ones either, so that its estimate of φ
  is biased. The size of that bias decides: where income counts differently by sex, most of the log loss is recovered; with the curve,
  classifiers are worse than without division.
- A lower log loss does not always mean more correct decisions: compare *women-more* with *women-less*.
- A richer model would be the better classifier in the first place (last table). Dividing by its φ pays where the classifier itself has
  to stay simple; it then also recovers the multipliers, which are too small otherwise.
- The default therefore ignores the shift.
"""


def load(path: Path) -> list[dict]:
    with path.open() as file:
        return list(csv.DictReader(file))


def grouped(rows: list[dict], *names: str) -> dict[tuple, list[dict]]:
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return groups


def numbers(rows: list[dict], name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def standard_error(values: list[float]) -> float:
    return stdev(values) / sqrt(len(values))


def difference(values: list[float], digits: int = 3) -> str:
    return f"{mean(values):+.{digits}f} ± {standard_error(values):.{digits}f}"


def thousands(rows: str) -> str:
    return f"{int(rows):,}"


def yes(met: bool) -> str:
    return "yes" if met else "**no**"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def covered(rows: list[dict], low: str = "low", high: str = "high") -> float:
    return mean(float(row[low]) <= float(row["truth"]) <= float(row[high]) for row in rows)


def coverage(rows: list[dict]) -> str:
    lines, draws = [], set()
    for (size, of, group), found in grouped(rows, "rows", "of", "group").items():
        scale = log if of == "odds-ratio" else float
        values, truth = [scale(value) for value in numbers(found, "value")], scale(float(found[0]["truth"]))
        share = covered(found)
        draws.add(len(found))
        name = f"{'log odds ratio' if of == 'odds-ratio' else 'λ'} {group}"
        estimate = f"{mean(values):.4f} ± {standard_error(values):.4f}"
        spread = [f"{stdev(values):.4f}", f"{mean(numbers(found, 'standard_error')):.4f}"]
        met = yes(0.92 <= share <= 0.98)
        lines.append([thousands(size), name, f"{truth:.4f}", estimate, *spread, f"{100 * share:.1f} %", met])
    head = ["rows", "", "truth", "mean", "standard deviation", "mean standard error", "covered", "met"]
    text = COVERAGE.format(draws=max(draws), error=100 * sqrt(0.95 * 0.05 / max(draws)))
    return text + table(head, lines)


def bootstrap(rows: list[dict]) -> str:
    lines, count = [], 0
    for (of, group), found in grouped(rows, "of", "group").items():
        count = len(found)
        again = covered(found, "resampled_low", "resampled_high")
        lines.append([f"{of.replace('-', ' ')} {group}", f"{100 * again:.1f} %", f"{100 * covered(found):.1f} %"])
    error = 100 * sqrt(0.95 * 0.05 / count)
    text = BOOTSTRAP.format(draws=count, rows=thousands(rows[0]["rows"]), error=error)
    return text + table(["", "covered by draws", "covered by derivatives"], lines)


def multiplicity(rows: list[dict]) -> str:
    lines, draws = [], 0
    for (size,), found in grouped(rows, "rows").items():
        draws = len(found)
        shares = [100 * mean(int(row[name]) > 0 for row in found) for name in ("claims", "claims_by_plain_intervals")]
        smallest = f"{mean(numbers(found, 'smallest_group')):,.0f}"
        lines.append([thousands(size), smallest, *(f"{share:.1f} %" for share in shares), yes(shares[0] <= 6)])
    head = ["rows", "of the smallest group", "datasets with a claim", "by plain intervals", "at most 6 %"]
    return MULTIPLICITY.format(draws=f"{draws:,}", error=100 * sqrt(0.95 * 0.05 / draws)) + table(head, lines)


def paired(rows: list[dict], name: str, one: str, other: str, scale: float = 1.0) -> list[float]:
    """How much more one method has than another, draw by draw."""
    of = {trained: {row["draw"]: float(row[name]) for row in found} for (trained,), found in grouped(rows, "trained").items()}
    return [scale * (of[one][draw] - of[other][draw]) for draw in of[one]]


def accuracy(rows: list[dict]) -> str:
    lines, draws = [], 0
    for (size,), found in grouped(rows, "rows").items():
        for (trained,), own in grouped(found, "trained").items():
            draws = len(own)
            less = paired(found, "accuracy", trained, "true-labels", 100.0)
            judged = trained not in ("uncorrected", "true-labels")
            met = yes(mean(less) >= -0.1) if judged else ""
            apart = "" if trained == "true-labels" else difference(less, 4)
            level = f"{100 * mean(numbers(own, 'accuracy')):.3f} %"
            lines.append([thousands(size), TRAINED[trained], level, apart, met])
    head = ["rows", "trained on", "accuracy", "points more than true labels", "within 0.1"]
    return ACCURACY.format(draws=draws) + table(head, lines)


def shift(rows: list[dict]) -> str:
    straight = [row for row in rows if row["model"] == "Straight"]
    cells = [row for row in rows if row["model"] == "Cells"]
    draws = len({row["draw"] for row in rows})
    pieces = [SHIFT.format(draws=draws)]
    levels, apart, lambdas = [], [], []
    for (population, strength, size), found in grouped(straight, "population", "strength", "rows").items():
        of = {trained: own for (trained,), own in grouped(found, "trained").items()}
        at = [population, strength, thousands(size)]
        accuracy = lambda trained: f"{100 * mean(numbers(of[trained], 'accuracy')):.2f}"
        names = ["uncorrected", "shift-ignored", "shift-corrected", "shift-corrected-by-cells", "shift-corrected-by-truth", "true-labels"]
        levels.append(at + [accuracy(name) for name in names])
        more = lambda name: difference(paired(found, "accuracy", name, "shift-ignored", 100.0))
        loss = lambda name: difference(paired(found, "loss", name, "shift-ignored", 1000.0), 2)
        apart.append(at + [of(name) for of in (more, loss) for name in ("shift-corrected", "shift-corrected-by-truth")])
        middle = lambda trained, at: f"{mean(numbers(of[trained], f'multiplier_{at}')):.3f}"
        multiplier = lambda trained: f"{middle(trained, 1)}, {middle(trained, 2)}"
        truth = f"{0.45 * float(strength):.2f}, {0.12 * float(strength):.2f}"
        lambdas.append(at + [truth] + [multiplier(name) for name in names[1:-1]])
    at = ["population", "bias", "rows"]
    head = [*at, "no correction", "shift ignored", "corrected", "corrected by cells", "corrected by truth", "true labels"]
    pieces += ["Accuracy by the true labels, in %:\n", table(head, levels)]
    head = [*at, "accuracy, points: corrected", "corrected by truth", "log loss, thousandths: corrected", "corrected by truth"]
    pieces += ["How much more than with the shift ignored (± standard error; less log loss is better):\n", table(head, apart)]
    head = [*at, "truth", "shift ignored", "corrected", "corrected by cells", "corrected by truth"]
    pieces += ["Multipliers, women and young:\n", table(head, lambdas)]
    pieces += ["The richer model as the classifier itself (accuracy in %; difference of divided weights from others in points):\n"]
    pieces += [flexible(cells), READING]
    return "".join(pieces)


def flexible(rows: list[dict]) -> str:
    lines = []
    for (population, strength, size), found in grouped(rows, "population", "strength", "rows").items():
        of = {trained: own for (trained,), own in grouped(found, "trained").items()}
        levels = [f"{100 * mean(numbers(of[name], 'accuracy')):.2f}" for name in ("uncorrected", "shift-ignored", "shift-corrected", "true-labels")]
        more = difference(paired(found, "accuracy", "shift-corrected", "shift-ignored", 100.0))
        loss = difference(paired(found, "loss", "shift-corrected", "shift-ignored", 1000.0), 2)
        lines.append([population, strength, thousands(size), *levels, more, loss])
    head = ["population", "bias", "rows", "no correction", "shift ignored", "corrected", "true labels", "corrected − ignored", "log loss, thousandths"]
    return table(head, lines)


def withheld(rows: list[dict]) -> str:
    lines, draws = [], 0
    biases = {"seen": "what work predicts", "group": "sex itself"}
    for (size, bias, truth, tilt), found in grouped(rows, "rows", "bias", "truth", "tilt").items():
        draws, found = len(found), [row for row in found if row["value"]]
        values = numbers(found, "value")
        estimate = f"{mean(values):.4f} ± {standard_error(values):.4f}"
        spread = [f"{stdev(values):.4f}", f"{mean(numbers(found, 'standard_error')):.4f}"]
        share = f"{100 * covered(found):.1f} %"
        lines.append([thousands(size), biases[bias], f"`{tilt}`", f"{float(truth):.2f}", estimate, *spread, share])
    head = ["rows", "biased by", "assumed", "λ", "mean", "standard deviation", "mean standard error", "covered"]
    return WITHHELD.format(draws=draws) + table(head, lines)


def sensitivity(rows: list[dict]) -> str:
    lines, draws = [], 0
    names = {"multiplier": "λ", "odds-ratio": "log odds ratio", "tipping-point": "tipping point"}
    for (group, difference, of), found in grouped(rows, "group", "difference", "of").items():
        draws = len(found)
        scale = log if of == "odds-ratio" else float
        values, even = [scale(value) for value in numbers(found, "value")], [row["even"] for row in found]
        share = covered(found)
        at_none = f"{mean(scale(float(value)) for value in even):.4f}" if all(even) else ""
        observed = f"{100 * mean(numbers(found, 'observed')):.1f}"
        estimate = f"{mean(values):.4f} ± {standard_error(values):.4f}"
        truth = f"{scale(float(found[0]['truth'])):.4f}"
        points = f"{100 * float(difference):.0f}"
        lines.append([group, points, observed, names[of], truth, estimate, at_none, f"{100 * share:.1f} %", yes(0.92 <= share <= 0.98)])
    head = ["group", "true difference, points", "observed", "", "truth", "mean", "at no difference", "covered", "met"]
    error = 100 * sqrt(0.95 * 0.05 / draws)
    return SENSITIVITY.format(draws=draws, rows=thousands(rows[0]["rows"]), error=error) + table(head, lines)


def notions(rows: list[dict]) -> str:
    lines, draws, off = [], 0, []
    for (notion, size, name), found in grouped(rows, "notion", "rows", "multiplier").items():
        draws, found = len(found), [row for row in found if row["value"]]
        values = numbers(found, "value")
        estimate = f"{mean(values):.4f} ± {standard_error(values):.4f}"
        spread = [f"{stdev(values):.4f}", f"{mean(numbers(found, 'standard_error')):.4f}"]
        of = name.rsplit(" ", 1)[-1] if "class=" in name else next((kind for kind in ("tpr", "fpr") if f" {kind} " in name), "")
        truth, share = float(found[0]["truth"]), f"{100 * covered(found):.1f} %"
        off.append(abs(mean(values) - truth) / standard_error(values))
        lines.append([notion, of, thousands(size), f"{truth:.2f}", estimate, *spread, share])
    head = ["notion", "", "rows", "λ", "mean", "standard deviation", "mean standard error", "covered"]
    near = sum(distance <= 2 for distance in off)
    said = NOTIONS.format(draws=draws, error=100 * sqrt(0.95 * 0.05 / draws), means=len(off), near=near, far=max(off))
    return said + table(head, lines)


def main(folder: Path) -> None:
    parts = [
        HEAD + "\n",
        coverage(load(folder / "coverage.csv")),
        bootstrap(load(folder / "bootstrap.csv")),
        multiplicity(load(folder / "multiplicity.csv")),
        accuracy(load(folder / "accuracy.csv")),
        shift(load(folder / "shift.csv")) + "\n",
        withheld(load(folder / "withheld.csv")) + "\n",
        sensitivity(load(folder / "sensitivity.csv")),
        notions(load(folder / "notions.csv")),
    ]
    (folder / "RESULTS.md").write_text("".join(parts))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
