"""A row that counts several times is so many rows: one digest, wherever they are counted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from people import FEATURES, classifier, digest, people
from pyspark.sql import DataFrame, SparkSession

import evenhand
from evenhand import EvenhandError, _core
from evenhand.spark import audit, identify

pytestmark = pytest.mark.usefixtures("nothing_kept")

GROUPS = ["sex", "race"]


@pytest.fixture(scope="module")
def counted() -> pd.DataFrame:
    """Rows that count 0 to 4 times."""
    rows = people()
    return rows.assign(times=np.arange(len(rows)) % 5).drop(columns=["id", "weight"])


@pytest.fixture(scope="module")
def repeated(counted: pd.DataFrame) -> pd.DataFrame:
    """The same rows, each as often as it counts, in another order."""
    each = counted.loc[counted.index.repeat(counted["times"])].drop(columns="times")
    return each.sample(frac=1, random_state=1).reset_index(drop=True)


def _by_command_line(rows: pd.DataFrame, folder: Path, *more: str) -> Path:
    file, model = folder / f"{len(rows)}.parquet", folder / f"{len(rows)}.json"
    rows.to_parquet(file, row_group_size=7_000)
    program = Path(sys.executable).with_name("evenhand")
    asked = ["--label", "label", "--notion", "demographic-parity", "--group", "sex", "--group", "race"]
    done = subprocess.run([program, "fit", file, *asked, *more, "--model", model], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return model


def _digest(model: Path, rows: pd.DataFrame) -> str:
    """Hash a model, and what it decides of rows."""
    decisions = evenhand.EvenhandClassifier.load(model).predict(rows)
    return digest(json.loads(_core.Model.load(str(model)).to_json()), list(decisions.astype(float)))


def test_a_model_is_that_of_repeated_rows(
    spark: SparkSession, counted: pd.DataFrame, repeated: pd.DataFrame, tmp_path: Path
) -> None:
    in_chunks = ["--sample-rows", "3000"]
    expected = _digest(_by_command_line(repeated, tmp_path, *in_chunks), counted)
    found = {"command line": _digest(_by_command_line(counted, tmp_path, *in_chunks, "--frequency", "times"), counted)}
    estimator = classifier(frequencyCol="times")
    estimator.clear(estimator.weightCol)
    frame = spark.createDataFrame(counted)
    for parts in (1, 5):
        model = estimator.fit(frame.repartition(parts))
        assert model.summary["rows"] == len(repeated)
        model.save_model_file(str(tmp_path / "spark.json"))
        found[f"{parts} partitions"] = _digest(tmp_path / "spark.json", counted)
    assert found == dict.fromkeys(found, expected)


def test_in_memory_too(counted: pd.DataFrame, repeated: pd.DataFrame, tmp_path: Path) -> None:
    by_frequency = _digest(_by_command_line(counted, tmp_path, "--frequency", "times"), counted)
    classifier = evenhand.EvenhandClassifier(max_violation=None)
    classifier.fit(repeated.drop(columns="label"), repeated["label"], sensitive_features=GROUPS)
    classifier.save(tmp_path / "python.json")
    assert _digest(tmp_path / "python.json", counted) == by_frequency


def test_audits_and_biases_are_those_of_repeated_rows(
    spark: SparkSession, counted: pd.DataFrame, repeated: pd.DataFrame
) -> None:
    frame = spark.createDataFrame(counted).repartition(5)
    expected = evenhand.audit(repeated["label"], X=repeated, sensitive_features=GROUPS)
    assert audit(frame, sensitiveCols=GROUPS, frequencyCol="times").to_dict() == expected.to_dict()
    asked = {"sensitiveCols": ["sex=Female"], "featuresCols": FEATURES}
    each = spark.createDataFrame(repeated)
    for more in ({"sampleRows": 3_000}, {"sensitivity": True}):
        found, other = identify(frame, **asked, **more, frequencyCol="times"), identify(each, **asked, **more)
        assert found.to_dict() == other.to_dict()


def test_what_is_no_frequency_is_said(frame: DataFrame) -> None:
    with pytest.raises(EvenhandError, match=r"`1.5` is not a frequency.*of partition"):
        classifier(frequencyCol="half").fit(frame.selectExpr("*", "CAST(IF(id = 7, 1.5, 2) AS DOUBLE) AS half"))
    with pytest.raises(EvenhandError, match="no column `tims`"):
        classifier(frequencyCol="tims").fit(frame)
    with pytest.raises(EvenhandError, match="no rows"):
        audit(frame.selectExpr("*", "0 AS none"), sensitiveCols=["sex"], frequencyCol="none")
