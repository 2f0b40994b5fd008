"""RESULTS.md from verdicts.csv."""

import csv
import sys
from pathlib import Path

HEAD = """# How often "met" is wrong

This page measures how often a bound that does not hold is called "met". Written by `bench/verdicts/run`; the counts are in
`verdicts.csv` beside this file.

Populations are synthetic with known true rates (`crates/evenhand-experiments/examples/verdicts/scenario.rs`), and every test set is a
new sample. In some scenarios training rows lack a group, or its positives; the groups are then learnt from them as in a fit. Every bound
is stricter than the truth by a thousandth, so that every "met" is wrong. Requirement: at most 5 % of test sets; the nominal share, at
95 % confidence, is 2.5 %.

| scenario | notion | rows | bound | test sets | called met | not met | too few rows | cannot tell | within 5 % |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def main(folder: Path) -> None:
    """Write the table."""
    with (folder / "verdicts.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    text, sets, wrong = HEAD, 0, 0
    for line in lines:
        count = int(line["sets"])
        met = int(line["met"])
        sets, wrong = sets + count, wrong + met
        shares = " | ".join(f"{int(line[name]) / count:.1%}" for name in ("met", "not_met", "too_few_rows", "cannot_tell"))
        within = "yes" if met <= 0.05 * count else "no"
        text += (
            f"| {line['scenario']} | {line['notion']} | {int(line['rows']):,} | {line['bound']} {line['limit']} "
            f"| {count:,} | {shares.replace('%', ' %')} | {within} |\n"
        )
    most = max(int(line["met"]) / int(line["sets"]) for line in lines)
    text += (
        f"\nIn all {sets // 3:,} test sets, three bounds each: {wrong:,} of {sets:,} verdicts are a wrong \"met\""
        f" ({wrong / sets:.2%}); the worst line has {most:.1%}.\n"
    ).replace("%", " %")
    (folder / "RESULTS.md").write_text(text)


main(Path(sys.argv[1]))
