"""A session on this machine, and rows that every test has."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

sys.path.insert(0, str(Path(__file__).parent))

from people import people, session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    started = session("local[2]")
    yield started
    started.stop()


@pytest.fixture(scope="session")
def frame(spark: SparkSession) -> DataFrame:
    rows = spark.createDataFrame(people()).cache()
    rows.count()
    return rows


@pytest.fixture
def nothing_kept(spark: SparkSession, frame: DataFrame) -> Iterator[None]:
    """Whatever a fit keeps while it runs is let go, also where it fails."""

    def kept() -> int:
        return int(spark.sparkContext._jsc.getPersistentRDDs().size())

    before = kept()
    yield
    assert kept() == before
