"""Run the examples of every help text: `python docs/tools/help_examples.py`.

They run in a folder that holds the files they name; those of public datasets need EVENHAND_DATA. What would take
minutes, or writes where a user's own files are, is left out and said. An example may find that a bound is not met (exit
code 1): it is fine as long as it is understood.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from run_pages import environment

COMMANDS = [
    "demo", "audit", "identify", "fit", "correct", "frontier", "sweep", "paper", "predict", "evaluate", "verify",
    "inject", "completions", "man", "data", "data list", "data get",
]  # fmt: skip
# What an example is not run for, by a part of it.
LEFT_OUT = {
    "evenhand paper": "minutes to hours; bench/paper has what it prints",
    "| man": "there may be no `man` here",
    " ~/": "it writes into the folder of a user",
    " all": "it fetches every dataset",
    "--from": "it names a folder of the user's own",
    "https": "it uses the network",
}
# What an example needs public datasets for.
NEEDS_DATA = ("--recipe", "adult.json", "data get")
LOANS = "--label approved --positive yes --ignore deserved"
MODEL = "--label approved --positive yes --group sex --notion demographic-parity --quiet --model"
# The files that examples name.
SETUP = f"""
evenhand demo --rows 4000 --write loans.csv
evenhand fit loans.csv {LOANS} --group sex --notion demographic-parity --model model.json --quiet
evenhand predict model.json loans.csv --ignore deserved --out scored.csv
cp loans.csv new.csv && cp loans.csv applicants.csv
mkdir people
python - <<'END'
import pandas as pd
pd.read_csv("loans.csv").drop(columns="deserved").to_parquet("people/first.parquet")
loans = pd.read_csv("loans.csv").drop(columns="deserved").rename(columns={{"history": "age"}})
loans["approved"] = (loans["approved"] == "yes").astype(int)
loans.to_parquet("loans.parquet"), loans.to_parquet("later.parquet")
adult = loans.rename(columns={{"approved": "income", "income": "hours", "region": "race"}})
adult["income"] = adult["income"].map({{1: ">50K", 0: "<=50K"}})
adult.to_csv("adult.csv", index=False)
END
cp loans.csv whole.csv && cut -d, -f1-6 whole.csv > loans.csv && cp loans.csv later.csv
evenhand fit loans.csv {MODEL} model.json
evenhand predict model.json loans.csv --out scored.csv
cut -d, -f1-7 scored.csv | sed '1s/probability/p/' > scores.csv
openssl genpkey -algorithm ed25519 -out private.pem
openssl pkey -in private.pem -pubout -out public.pem
evenhand fit loans.csv {MODEL} model.json --sign private.pem
evenhand inject loans.csv --label approved --positive yes --group sex --multiplier sex=female=0.4 --out biased.csv
if [ -n "${{EVENHAND_DATA:-}}" ]; then
    evenhand fit --recipe adult --notion demographic-parity --model adult.json --quiet
fi
mkdir -p data results
"""


def examples(program: str, command: str) -> list[str]:
    """Give the commands under `Example` in the long help of a command, and in its short one."""
    found = []
    for option in ("--help", "--help-all"):
        shown = subprocess.run(
            [program, *command.split(), option],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "COLUMNS": "200"},
        ).stdout
        joined = re.sub(r" *\\\n\s*", " ", shown)
        found += [line.strip() for line in joined.splitlines() if re.match(r"\s+evenhand ", line)]
    # What stands behind several blanks is said about it.
    found = [re.split(r"\s{3,}|\s+\(", one)[0] for one in found]
    return [one for one in dict.fromkeys(found) if "<" not in one.replace(" < ", " ").replace("age<=", "")]


def run(example: str, folder: Path, variables: dict[str, str]) -> str | None:
    """Run an example in a folder of its own; what is wrong with it."""
    with tempfile.TemporaryDirectory() as copy:
        subprocess.run(["cp", "-r", f"{folder}/.", copy], check=True)
        done = subprocess.run(
            ["bash", "-c", example], cwd=copy, env=variables, capture_output=True, text=True, check=False
        )
    return None if done.returncode in {0, 1} else f"{example}\n  {done.stderr.strip()}"


def main() -> int:
    """Run all examples; 1 where one is refused."""
    program = str(Path(sys.executable).with_name("evenhand"))
    with tempfile.TemporaryDirectory() as place:
        variables = environment(Path(place))
        folder = Path(place) / "files"
        folder.mkdir()
        subprocess.run(["bash", "-euc", SETUP], cwd=folder, env=variables, check=True, capture_output=True)
        chosen, left = [], []
        for example in dict.fromkeys(one for command in COMMANDS for one in examples(program, command)):
            why = next((why for part, why in LEFT_OUT.items() if part in example), None)
            if why is None and "EVENHAND_DATA" not in os.environ and any(part in example for part in NEEDS_DATA):
                why = "EVENHAND_DATA names no folder of public datasets"
            (left if why else chosen).append((example, why))
        with ThreadPoolExecutor(2) as pool:
            wrong = [one for one in pool.map(lambda pair: run(pair[0], folder, variables), chosen) if one]
    print(*[f"not run: {example}: {why}" for example, why in left], *wrong, sep="\n")
    print(f"examples of help: {len(chosen) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
