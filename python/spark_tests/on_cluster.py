"""Fit on two executors, of which one is killed while rows are encoded, and another one in a pass for gradients.

`python on_cluster.py CLASSES` prints a line of JSON for each fit: how rows were kept, what was killed, how many
executors were lost, how often a partition was packed, how long it took, and the digest of the result. SPARK_HOME names
where Spark is.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from people import classifier, digest_on_spark, people, session
from pyspark.sql import DataFrame

from evenhand.spark import EvenhandClassificationModel, EvenhandClassifier, _rows

Work = Callable[[Iterator[Any]], Iterator[Any]]

# The pass over blocks that is disturbed: by then the sample is drawn and gradients are asked for.
GRADIENT = 4


def once(work: Work, flag: Path) -> Work:
    """Have whichever worker takes the flag first kill its executor, in the middle of its task."""
    place = str(flag)

    def killing(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in work(batches):
            try:
                os.rename(place, place + ".taken")
            except OSError:
                yield batch
                continue
            # A worker's parent is the daemon that forked it, whose parent is the executor.
            daemon = os.getppid()
            executor = int(Path(f"/proc/{daemon}/stat").read_text().rsplit(")", 1)[1].split()[1])
            assert b"CoarseGrainedExecutorBackend" in Path(f"/proc/{executor}/cmdline").read_bytes()
            os.kill(executor, signal.SIGKILL)
            time.sleep(60)

    return killing


def disturbed(killed: str, flag: Path) -> None:
    """Put the killing into the pass of that name, for the next fit alone."""
    encoding, asking = _rows.encoding, _rows.asking_blocks
    passes = 0

    def encode(task: bytes) -> Work:
        flag.touch()
        return once(encoding(task), flag)

    def ask(task: bytes) -> Work:
        nonlocal passes
        passes += 1
        if passes != GRADIENT:
            return asking(task)
        flag.touch()
        return once(asking(task), flag)

    if killed == "encoding":
        _rows.encoding = encode
    elif killed == "gradient":
        _rows.asking_blocks = ask


def counted(work: Work, place: Path) -> Work:
    """Add a byte to a file whenever the work is done on a partition."""
    file = str(place)

    def counting(batches: Iterator[Any]) -> Iterator[Any]:
        with open(file, "ab") as out:
            out.write(b".")
        yield from work(batches)

    return counting


def wait_for_executors(rows: DataFrame) -> None:
    """Wait until both executors are there: one that was lost is replaced a while later, and copies need both."""
    # With the driver.
    status = rows.sparkSession.sparkContext._jsc.sc().getExecutorMemoryStatus
    end = time.monotonic() + 60
    while status().size() < 3:
        assert time.monotonic() < end, "an executor that was lost was not replaced"
        time.sleep(0.1)


def fit(
    estimator: EvenhandClassifier, rows: DataFrame, killed: str, folder: Path
) -> tuple[EvenhandClassificationModel, dict[str, Any]]:
    """Fit with an executor killed in the pass of that name, and say how long it took."""
    place = Path(tempfile.mkdtemp(dir=folder))
    flag, packed = place / "flag", place / "packed"
    usual = _rows.packing, _rows.encoding, _rows.asking_blocks
    _rows.packing = lambda names: counted(usual[0](names), packed)
    disturbed(killed, flag)
    wait_for_executors(rows)
    start = time.monotonic()
    model = estimator.fit(rows)
    seconds = time.monotonic() - start
    _rows.packing, _rows.encoding, _rows.asking_blocks = usual
    lost = int(Path(f"{flag}.taken").exists())
    return model, {"killed": killed, "lost": lost, "packed": packed.stat().st_size, "seconds": seconds}


def main() -> None:
    spark = session("local-cluster[2,1,1024]")
    rows = spark.createDataFrame(people(int(sys.argv[1]))).repartition(4)
    with tempfile.TemporaryDirectory() as folder:
        for level in ("MEMORY_AND_DISK_2", "MEMORY_AND_DISK"):
            estimator = classifier(**({} if level == "MEMORY_AND_DISK_2" else {"intermediateStorageLevel": level}))
            for killed in ("", "encoding", "gradient"):
                model, found = fit(estimator, rows, killed, Path(folder))
                print(json.dumps({"level": level} | found | {"digest": digest_on_spark(model, rows)}), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
