"""One question, asked of the command line, of the wheel's command line, of Python and of Rust: the same bits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from evenhand import EvenhandClassifier

RELEASE = Path(__file__).parents[2] / "target" / "release"
ASKED = [
    "--label",
    "approved",
    "--positive",
    "yes",
    "--ignore",
    "deserved",
    "--group",
    "sex",
    "--group",
    "age_band=18-24",
]


def built(path):
    """Give a program that `./check` has built before it runs these tests."""
    if path.exists():
        return str(path)
    message = f"SKIPPED FOR WANT OF {path.name.upper()}: cargo build --release --workspace --bins --examples"
    if os.environ.get("EVENHAND_DATA_REQUIRED") == "1":
        pytest.fail(message)
    pytest.skip(message)


def told(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


def by_command_line(program, loans):
    fit = [
        program,
        "fit",
        loans,
        *ASKED,
        "--notion",
        "demographic-parity",
        "--max-violation",
        "0.03",
        "--json",
        "--quiet",
    ]
    found = json.loads(told(*fit))
    multipliers = {one["name"]: one["value"] for one in found["multipliers"]}
    return {"multipliers": multipliers, "error": found["train"]["error"], "violation": found["train"]["violation"]}


def by_python(loans):
    X = pd.read_csv(loans).drop(columns="deserved")
    y = X.pop("approved")
    classifier = EvenhandClassifier(constraints="demographic_parity", max_violation=0.03, pos_label="yes")
    classifier.fit(X, y, sensitive_features=["sex", "age_band=18-24"])
    found = classifier.evaluate(X, y)
    return {"multipliers": classifier.multipliers_, "error": found["error"], "violation": found["violation"]}


def by_rust(program, loans):
    lines = [line.split("\t") for line in told(program, loans).splitlines()]
    multipliers = {name: float(value) for kind, name, value in lines if kind == "multiplier"}
    return {"multipliers": multipliers, **{kind: float(value) for kind, _, value in lines if kind != "multiplier"}}


def test_four_front_ends_give_the_same_bits(tmp_path):
    loans = tmp_path / "loans.csv"
    ours, rust = built(RELEASE / "evenhand"), built(RELEASE / "examples" / "fit_a_file")
    told(ours, "demo", "--rows", "4000", "--write", loans)
    expected = by_command_line(ours, loans)
    assert len(expected["multipliers"]) == 3
    assert by_command_line(Path(sys.executable).with_name("evenhand"), loans) == expected
    assert by_python(loans) == expected
    assert by_rust(rust, loans) == expected
