"""RESULTS.md from verdicts.csv."""

import csv
import sys
from pathlib import Path

HEAD = """# How often "met" is wrong

Written by `bench/verdicts/run`; the counts are in `verdicts.csv` beside this file. Populations are made up and their true
rates known (`crates/evenhand-experiments/examples/verdicts/scenario.rs`); every test set is a new sample. Training rows lack groups, or their
positives, as the scenario says, and what they teach goes through the code of a fit. Every bound is a thousandth inside the truth, so that every
"met" is wrong. Asked: at most 5 % of test sets; meant, at 95 % confidence: 2.5 %.

| scenario | notion | rows | bound | test sets | said to be met | not met | too few rows | cannot tell | within 5 % |
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
