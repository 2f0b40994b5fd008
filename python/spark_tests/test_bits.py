"""One digest of coefficients, multipliers and decisions: in memory, in a scratch file, on Spark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from people import classifier, digest, digest_on_spark, people
from pyspark.sql import SparkSession

import evenhand
from evenhand import _core

LEVELS = ("MEMORY_AND_DISK_2", "MEMORY_AND_DISK")
KINDS = {"two classes": 2, "three classes": 3}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Fit with the command line, whose rows are in memory or in a scratch file."""
    folder = tmp_path_factory.mktemp("rows")
    found = {}
    for name, classes in KINDS.items():
        file = folder / f"{classes}.parquet"
        people(classes).to_parquet(file, row_group_size=5_000)
        of_memory = {memory: _by_command_line(file, classes, memory) for memory in ("1GiB", "1B")}
        assert len(set(of_memory.values())) == 1, of_memory
        found[name] = of_memory["1GiB"]
    return found


def _by_command_line(file: Path, classes: int, memory: str) -> str:
    model = file.with_suffix(f".{memory}.json")
    asked = ["--notion", "demographic-parity", "--group", "sex", "--group", "race", "--label", "label"]
    rows = ["--weight", "weight", "--ignore", "id", "--sample-rows", "3000", "--memory", memory]
    program = Path(sys.executable).with_name("evenhand")
    done = subprocess.run(
        [program, "fit", file, *asked, *rows, "--model", model], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "passes" in done.stdout + done.stderr
    loaded = evenhand.EvenhandClassifier.load(model)
    return digest(
        json.loads(_core.Model.load(str(model)).to_json()), list(loaded.predict(people(classes)).astype(float))
    )


@pytest.mark.parametrize("kind", KINDS)
def test_partitions_do_not_show_in_a_bit(spark: SparkSession, expected: dict[str, str], kind: str) -> None:
    rows = spark.createDataFrame(people(KINDS[kind])).cache()
    found = {}
    for parts in (1, 2, 5, 16) if kind == "two classes" else (1, 5):
        spread = rows.repartition(parts)
        found[parts] = digest_on_spark(classifier().fit(spread), spread)
    assert found == dict.fromkeys(found, expected[kind])
    rows.unpersist()


def test_rows_that_repeat_are_kept_once_and_no_bit_shows_it(spark: SparkSession, tmp_path: Path) -> None:
    # Without the number of many values, and with few ages: some 600 different rows.
    rows = people().drop(columns=["amount", "weight"])
    rows["age"] = rows["age"] // 10 * 10
    file = tmp_path / "rows.parquet"
    rows.to_parquet(file, row_group_size=5_000)
    program = Path(sys.executable).with_name("evenhand")
    asked = ["--notion", "demographic-parity", "--group", "sex", "--group", "race", "--label", "label"]
    found = {}
    # Where next to no memory is to be taken, rows are not looked for that repeat.
    for memory in ("1GiB", "1B"):
        saved = tmp_path / f"{memory}.json"
        more = ["--ignore", "id", "--sample-rows", "3000", "--memory", memory, "--model", saved, "--json"]
        done = subprocess.run([program, "fit", file, *asked, *more], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert ("distinct_rows" in json.loads(done.stdout)) == (memory == "1GiB")
        decisions = evenhand.EvenhandClassifier.load(saved).predict(rows).astype(float)
        found[memory] = digest(json.loads(_core.Model.load(str(saved)).to_json()), list(decisions))
    frame = spark.createDataFrame(rows).cache()
    estimator = classifier(featuresCols=["sex", "race", "job", "age"])
    estimator.clear(estimator.weightCol)
    for parts in (1, 3):
        spread = frame.repartition(parts)
        model = estimator.fit(spread)
        assert model.summary["distinctRows"] < parts * 700
        found[parts] = digest_on_spark(model, spread)
    assert len(set(found.values())) == 1, found
    frame.unpersist()


def test_lost_executors_do_not_show_in_a_bit(expected: dict[str, str]) -> None:
    import pyspark

    script = Path(__file__).with_name("on_cluster.py")
    environment = os.environ | {"SPARK_HOME": str(Path(pyspark.__file__).parent)}
    done = subprocess.run(
        [sys.executable, script, "3"], env=environment, capture_output=True, text=True, check=False, timeout=1500
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [one["killed"] for one in found] == ["", "encoding", "gradient"] * 2
    assert [one["lost"] for one in found] == [0, 1, 1] * 2
    assert [one["digest"] for one in found] == [expected["three classes"]] * 6
    # What is kept on two executors is not computed again where one of them is lost.
    copies = {level: [one["packed"] for one in found if one["level"] == level] for level in LEVELS}
    assert copies["MEMORY_AND_DISK_2"] == [4, 4, 4]
    undisturbed, *disturbed = copies["MEMORY_AND_DISK"]
    assert undisturbed == 4
    assert min(disturbed) > 4, copies
