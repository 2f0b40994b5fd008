"""Writes TILTS.md: expected tilts where the learner sees the groups, beside centred ones, from tilts.csv.

`tilts.py FOLDER`. Differences are taken split by split; behind ± stand two standard errors of their mean.
"""

import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

from record import DATASETS, load

BOUNDS = ["", "@0.01", "@0.02", "@0.05"]
VALUES = ["train_error", "train_violation", "test_error", "test_violation"]
HEAD = """\
# Expected tilts where the learner sees the groups

This page compares two ways to correct rates among labels: `centred`, the default, and `expected`. `bench/compare/run tilts` writes it from
`tilts.csv`: 20 splits drawn at random, without a bound and with three bounds, on training rows and without a margin.

For these notions the theory's tilt contains the true label. `centred` replaces it by the observed label, so that rows of the other label
keep their weight; `expected` replaces it by the fitted probability of the label, so that the weights of both labels move. Numbers are
points, `expected` minus `centred`: below zero, `expected` is better. For rates among everyone the two are the same where the learner
sees the groups.

Neither has the better trade-off throughout, and `expected` needs one more fit at the start and a number per row. `centred` therefore
stays the default.

| dataset | notion | bound | training error | training violation | test error | test violation | fits |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def differences(pairs: list[tuple[dict, dict]], value: str) -> str:
    by = [100 * (expected[value] - centred[value]) for expected, centred in pairs]
    return f"{mean(by):+.2f} ± {2 * stdev(by) / len(by) ** 0.5:.2f}"


def main(folder: Path) -> None:
    found: dict = defaultdict(dict)
    for row in load(folder / "tilts.csv"):
        found[row["dataset"], row["notion"], row["method"]][row["split"]] = row
    lines = []
    for dataset in DATASETS:
        for notion in ("equal-opportunity", "equalized-odds"):
            for bound in BOUNDS:
                expected, centred = (found[dataset, notion, f"{tilt}{bound}"] for tilt in ("expected", "default"))
                pairs = [(expected[split], centred[split]) for split in expected if split in centred]
                if len(pairs) < 2:
                    continue
                fits = " → ".join(f"{mean(pair[side]['fits'] for pair in pairs):.1f}" for side in (1, 0))
                cells = [dataset, notion, bound[1:] or "none", *(differences(pairs, value) for value in VALUES), fits]
                lines.append("| " + " | ".join(cells) + " |")
    (folder / "TILTS.md").write_text(HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
