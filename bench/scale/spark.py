"""Measures fits on Spark: `spark.py MASTER FOLDER ROWS PARTITIONS`, a line of JSON.

Rows are those of `people.py`, made where they are not there yet. Needs the package with its extra `spark`, and a Java. A pass is what the driver waits for
between asking all blocks and having the merged sums; beside passes stand jobs that hand the same blocks to Python and do nothing with them, and jobs
without any rows. MASTER is `local[2]` or another one.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

from evenhand.spark import EvenhandClassifier, _estimator, _rows

HERE = Path(__file__).parent
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "3g",
}


def session(master: str) -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


class Timed(_rows.Rows):
    """Rows whose tasks are timed."""

    seconds: dict[str, list[float]] = {}

    def timed(self, what: str, work):
        start = time.monotonic()
        found = work()
        self.seconds.setdefault(what, []).append(time.monotonic() - start)
        return found

    def on_rows(self, task: bytes) -> list[bytes]:
        return self.timed("columns", lambda: super(Timed, self).on_rows(task))

    def encode(self, task: bytes) -> list[bytes]:
        found = self.timed("encoding", lambda: super(Timed, self).encode(task))
        for _ in range(5):
            self.timed(
                "handing over", lambda: _rows._answers(self._blocks.select("block").mapInArrow(nothing, _rows.ANSWER))
            )
        return found

    def on_blocks(self, task: bytes) -> list[bytes]:
        return self.timed("pass", lambda: super(Timed, self).on_blocks(task))


def nothing(batches):
    """Takes blocks, and does nothing with them."""
    for batch in batches:
        assert batch.num_rows
    return iter(())


def main(master: str, folder: Path, rows: int, partitions: int) -> None:
    people = folder / str(rows)
    if not people.exists():
        subprocess.run([sys.executable, HERE / "people.py", people, str(rows)], check=True)
    spark = session(master)
    frame = spark.read.parquet(str(people)).coalesce(partitions)
    _estimator.Rows = Timed
    estimator = EvenhandClassifier(labelCol="approved", posLabel="yes", sensitiveCols=["sex", "race"])
    start = time.monotonic()
    model = estimator.fit(frame)
    seconds = time.monotonic() - start
    empty = []
    for _ in range(5):
        start = time.monotonic()
        spark.range(partitions, numPartitions=partitions).mapInArrow(nothing, _rows.ANSWER).toArrow()
        empty.append(time.monotonic() - start)
    found = {"master": master, "rows": rows, "partitions": partitions, "seconds": seconds, **model.summary}
    found |= {"violation": model.violation, "empty job": statistics.median(empty)}
    for what, times in Timed.seconds.items():
        found[what] = {"count": len(times), "median": statistics.median(times), "all": sum(times)}
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
