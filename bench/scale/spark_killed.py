"""Measures what a lost executor costs a fit on Spark: `spark_killed.py FOLDER ROWS`, a line of JSON a fit.

Two executors with a processor each (`local-cluster[2,1,1024]`), rows of `people.py` in a folder of Parquet files. The first fit starts Python on the executors and is
not compared; then one that nobody disturbs, one whose executor is killed while rows are encoded, and one where it is killed in a pass over blocks. SPARK_HOME names where Spark is.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "python" / "spark_tests"))

from on_cluster import fit  # noqa: E402
from people import session  # noqa: E402

from evenhand.spark import EvenhandClassifier  # noqa: E402


def main(folder: Path, rows: int) -> None:
    people = folder / str(rows)
    if not people.exists():
        subprocess.run([sys.executable, HERE / "people.py", people, str(rows)], check=True)
    spark = session("local-cluster[2,1,1024]")
    frame = spark.read.parquet(str(people)).repartition(4)
    estimator = EvenhandClassifier(labelCol="approved", posLabel="yes", sensitiveCols=["sex", "race"])
    with tempfile.TemporaryDirectory() as place:
        for killed in ("", "", "encoding", "gradient"):
            model, found = fit(estimator, frame, killed, Path(place))
            print(json.dumps(found | {"rows": rows, "violation": model.violation, **model.summary}), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
