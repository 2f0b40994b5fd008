"""Peak memory of a fit on five million rows of thirteen categorical columns, above the frame itself.

Run: python bench/compare/memory.py [ROWS]
"""

from __future__ import annotations

import sys
import time
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from evenhand import EvenhandClassifier

# As many categories as the thirteen columns of the Adult task have.
WIDTHS = [9, 16, 7, 15, 6, 5, 2, 42, 4, 4, 4, 4, 4]


def rows_of(count: int) -> tuple[pl.DataFrame, np.ndarray]:
    random = np.random.default_rng(0)
    codes = [random.integers(0, width, count, dtype=np.uint8) for width in WIDTHS]
    names = [pl.Series([f"value {at}" for at in range(width)]) for width in WIDTHS]
    columns = {f"c{at}": names[at].gather(pl.Series(codes[at])) for at in range(len(WIDTHS))}
    frame = pl.DataFrame(columns).with_columns(pl.all().cast(pl.Categorical))
    margin = 0.3 * (codes[6] == 1) + 0.1 * codes[1] - 1.5 + 0.05 * codes[7]
    return frame, (random.random(count) < 1 / (1 + np.exp(-margin))).astype(np.int8)


def write(path: Path, count: int) -> None:
    X, y = rows_of(count)
    X.with_columns(y=pl.Series(y)).write_parquet(path)


def status(key: str) -> float:
    """One line of what the kernel knows of this process, in GiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(key))) / 2**20


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        # Made up by a process of its own: what that leaves behind in memory is not the fit's to use.
        maker = get_context("spawn").Process(target=write, args=(path, count))
        maker.start()
        maker.join()
        X = pl.read_parquet(path)
    y = X.drop_in_place("y").to_numpy()
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    started = time.perf_counter()
    clf = EvenhandClassifier(max_violation=0.01).fit(X, y, sensitive_features="c6")
    seconds = time.perf_counter() - started
    above = status("VmHWM") - before
    print(f"{count} rows: {above:.2f} GiB above the frame at most; {seconds:.1f} s, {clf.n_fits_} fits, {clf.stop_}")


if __name__ == "__main__":
    main()
