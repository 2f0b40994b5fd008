"""Measures fits and predictions of more and more rows: `many.py PROGRAM FOLDER ROWS...`, a line of CSV a run.

Rows are those of `people.py`, made where they are not there yet. Beside the program stands what one would do without it: polars reads the files,
and scikit-learn's logistic regression is fitted once, without any correction. It is given up on a size where the one before took over ten minutes.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ASKED = ["--label", "approved", "--positive", "yes", "--group", "sex", "--group", "race", "--notion", "demographic-parity"]
PLAIN = """
import sys, polars as pl
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
rows = pl.read_parquet(sys.argv[1] + "/*.parquet")
texts = [name for name in rows.columns if rows[name].dtype not in (pl.Int16, pl.Float32) and name != "approved"]
encode = make_column_transformer((OneHotEncoder(), texts), (StandardScaler(), ["age", "hours", "amount"]))
make_pipeline(encode, LogisticRegression(max_iter=1000)).fit(rows.drop("approved"), rows["approved"])
"""


def run(command: list[str], output: Path) -> tuple[float, float, float]:
    """Seconds by the clock, seconds of processors, and the largest memory in megabytes."""
    start = time.monotonic()
    with output.open("w") as out:
        child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)])
        _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main(program: str, folder: Path, sizes: list[int]) -> None:
    print("what,rows,seconds,processor_seconds,megabytes,passes,fits,error,violation")
    slow, model, scored = False, str(folder / "model.json"), folder / "scored.parquet"
    for rows in sizes:
        people = folder / str(rows)
        if not people.exists():
            subprocess.run([sys.executable, HERE / "people.py", people, str(rows)], check=True)
        for name, more in {"fit": [], "fit --memory 1GiB": ["--memory", "1GiB"]}.items():
            used = run([program, "fit", str(people), *ASKED, *more, "--model", model, "--json", "--quiet"], folder / "found.json")
            found = json.loads((folder / "found.json").read_text())
            passes = found.get("passes", "")
            result = f"{passes},{found['fits']},{found['train']['error']:.6f},{found['train']['violation']:.6f}"
            print(f"{name},{rows}," + ",".join(f"{one:.1f}" for one in used) + f",{result}", flush=True)
        predict = [program, "predict", model, str(people), "--out", str(scored), "--json"]
        used = run(predict, folder / "predicted.json")
        print(f"predict to Parquet,{rows}," + ",".join(f"{one:.1f}" for one in used) + ",,,,", flush=True)
        scored.unlink()
        if not slow:
            used = run([sys.executable, "-c", PLAIN, str(people)], folder / "plain.txt")
            slow = used[0] > 600
            print(f"polars + LogisticRegression,{rows}," + ",".join(f"{one:.1f}" for one in used) + ",,,,", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [int(rows) for rows in sys.argv[3:]])
