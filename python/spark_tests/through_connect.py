"""Fit, score, write, read and refuse through Spark Connect: `python through_connect.py FOLDER` prints what came out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from people import classifier, digest_on_spark, people, session
from pyspark.ml import Pipeline
from pyspark.sql import functions as F

from evenhand import EvenhandError
from evenhand.spark import EvenhandClassificationModel, _rows


def main() -> None:
    folder = Path(sys.argv[1])
    spark = session("connect:local[2]")
    frame = spark.createDataFrame(people())
    kept, copies = [], []

    class Watched(_rows.Rows):
        def encode(self, task: bytes) -> list[bytes]:
            found = super().encode(task)
            kept.append(self._blocks)
            copies.append(self._level.replication)
            return found

    from evenhand.spark import _estimator

    _estimator.Rows = Watched
    model = classifier().fit(frame.repartition(3))
    found = {"session": type(spark).__module__, "fitted": digest_on_spark(model, frame)}
    model.write().overwrite().save(str(folder / "model"))
    read = EvenhandClassificationModel.load(str(folder / "model"))
    try:
        model.write().overwrite().save(str(folder / "model"))
    except EvenhandError as error:
        found["there"] = error.code
    found["read"] = digest_on_spark(read, frame)
    piped = Pipeline(stages=[classifier(method="unconstrained")]).fit(frame)
    found["piped"] = piped.transform(frame).count()
    try:
        classifier().fit(frame.withColumn("label", F.expr("if(id = 5, null, label)")))
    except EvenhandError as error:
        found["refused"] = error.code
    found["copies"] = copies[0]
    found["kept"] = any(blocks.storageLevel.useMemory for blocks in kept)
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
