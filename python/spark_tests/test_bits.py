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


def test_lost_executors_do_not_show_in_a_bit(expected: dict[str, str]) -> None:
    import pyspark

    script = Path(__file__).with_name("on_cluster.py")
    environment = os.environ | {"SPARK_HOME": str(Path(pyspark.__file__).parent)}
    done = subprocess.run(
        [sys.executable, script, "3"], env=environment, capture_output=True, text=True, check=False, timeout=1500
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [one["killed"] for one in found] == ["", "encoding", "gradient"]
    assert [one["lost"] for one in found] == [0, 1, 1]
    assert [one["digest"] for one in found] == [expected["three classes"]] * 3
