"""On Adult: a corrected fit from a raw frame, everything included, beside one plain fit on the one-hot matrix; and how
many fits gradient boosting needs for a training violation of at most .01, where the paper's loop takes 100.

Run: EVENHAND_DATA=... python bench/compare/entry_points.py
"""

from __future__ import annotations

import os
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import sklearn
from evenhand import EvenhandClassifier, __version__
from sklearn.linear_model import LogisticRegression
from xgboost import XGBClassifier

GROUPS = ["sex", "race=Black,White"]


def seconds(work: Callable[[], object], times: int = 5) -> float:
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        spent.append(time.perf_counter() - started)
    return statistics.median(spent)


def main() -> None:
    warnings.simplefilter("ignore")
    folder = Path(os.environ["EVENHAND_DATA"]) / "adult"
    names = (folder / "columns.txt").read_text().split()
    frame = pd.read_csv(
        folder / "adult.data.gz", names=names, header=None, skipinitialspace=True, keep_default_na=False
    )
    y = frame.pop(names[-1])
    X = frame.drop(columns="fnlwgt")
    numbers = X.select_dtypes("number")
    one_hot = pd.get_dummies(X).astype(float)
    one_hot[numbers.columns] = (numbers - numbers.mean()) / numbers.std()
    matrix = one_hot.to_numpy()

    def ours() -> EvenhandClassifier:
        return EvenhandClassifier(max_violation=0.01).fit(X, y, sensitive_features=GROUPS)

    def plain() -> LogisticRegression:
        return LogisticRegression(max_iter=1000).fit(matrix, y)

    fitted = ours()
    print(f"evenhand {__version__}, scikit-learn {sklearn.__version__}, {os.cpu_count()} cores, {len(X)} rows")
    print(f"EvenhandClassifier().fit, raw frame, {fitted.n_fits_} fits, violation {fitted.violation_:.4f}: {seconds(ours):.3f} s")
    print(f"LogisticRegression().fit, one-hot and scaled already: {seconds(plain):.3f} s")
    boosted = EvenhandClassifier(XGBClassifier(), max_violation=0.01, groups=GROUPS)
    started = time.perf_counter()
    boosted.fit(matrix, (y == ">50K").astype(int), sensitive_features=X[["sex", "race"]])
    spent = time.perf_counter() - started
    print(f"EvenhandClassifier(XGBClassifier()).fit: {boosted.n_fits_} fits, violation {boosted.violation_:.4f}: {spent:.1f} s")


if __name__ == "__main__":
    main()
