"""Measures the peak memory of a fit on rows like Adult's, above the frame itself: `memory.py OUT LIBRARY [ROWS]`.

Thirteen categorical columns in a frame of LIBRARY, polars or pyarrow; five million rows unless told.
"""

import sys
import time
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from evenhand import EvenhandClassifier, __version__
from python_record import append

# As many categories as the thirteen columns of the Adult task have.
WIDTHS = [9, 16, 7, 15, 6, 5, 2, 42, 4, 4, 4, 4, 4]


def write(path: Path, count: int) -> None:
    """Made-up rows whose label leans on a few columns, one of them sensitive."""
    random = np.random.default_rng(0)
    codes = [random.integers(0, width, count, dtype=np.uint8) for width in WIDTHS]
    names = [pl.Series([f"value {at}" for at in range(width)]) for width in WIDTHS]
    columns = {f"c{at}": names[at].gather(pl.Series(codes[at])) for at in range(len(WIDTHS))}
    margin = 0.3 * (codes[6] == 1) + 0.1 * codes[1] - 1.5 + 0.05 * codes[7]
    y = pl.Series((random.random(count) < 1 / (1 + np.exp(-margin))).astype(np.int8))
    pl.DataFrame(columns).with_columns(pl.all().cast(pl.Categorical)).with_columns(y=y).write_parquet(path)


def read(path: Path, library: str) -> tuple[pl.DataFrame | pa.Table, np.ndarray]:
    if library == "polars":
        X = pl.read_parquet(path)
        return X, X.drop_in_place("y").to_numpy()
    X = pq.read_table(path, read_dictionary=[f"c{at}" for at in range(len(WIDTHS))])
    return X.drop_columns(["y"]), X["y"].to_numpy()


def status(key: str) -> float:
    """One line of what the kernel knows of this process, in GiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(key))) / 2**20


def main(out: Path, library: str, count: int = 5_000_000) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        # Made up by a process of its own: what that leaves behind in memory is not the fit's to use.
        maker = get_context("spawn").Process(target=write, args=(path, count))
        maker.start()
        maker.join()
        X, y = read(path, library)
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    started = time.perf_counter()
    clf = EvenhandClassifier(max_violation=0.01).fit(X, y, sensitive_features="c6")
    seconds = time.perf_counter() - started
    row = {"problem": "memory", "what": f"{library} frame of {before:.2f} GiB, Python included", "rows": count}
    row |= {"seconds": seconds, "fits": clf.n_fits_, "violation": clf.violation_, "peak_gib": status("VmHWM") - before}
    append(out, row | {"version": f"evenhand {__version__}, polars {pl.__version__}, pyarrow {pa.__version__}"})


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:4]))
