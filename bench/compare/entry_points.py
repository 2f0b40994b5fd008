"""Measures the Python entry points on Adult: `entry_points.py OUT`.

A corrected fit from the raw frame, everything included, beside one plain fit on the matrix that is one-hot already; and how many
fits gradient boosting needs for a training violation of at most .01 by our search and by the paper's loop.
"""

import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
import xgboost
from evenhand import EvenhandClassifier, __version__
from python_record import append
from scipy import sparse
from sklearn.linear_model import LogisticRegression

GROUPS = ["sex", "race=Black,White"]
BOUND = 0.01
VERSION = f"evenhand {__version__}, scikit-learn {sklearn.__version__}, xgboost {xgboost.__version__}"


def adult() -> tuple[pd.DataFrame, pd.Series]:
    """The training rows as they are in the file, and their labels."""
    folder = Path(os.environ["EVENHAND_DATA"]) / "adult"
    names = (folder / "columns.txt").read_text().split()
    frame = pd.read_csv(
        folder / "adult.data.gz", names=names, header=None, skipinitialspace=True, keep_default_na=False
    )
    return frame.drop(columns=["fnlwgt", names[-1]]), frame[names[-1]]


def one_hot(X: pd.DataFrame) -> np.ndarray:
    """Categories one-hot, numbers centred and scaled: what is kindest to the plain fit."""
    numbers = X.select_dtypes("number")
    matrix = pd.get_dummies(X).astype(float)
    matrix[numbers.columns] = (numbers - numbers.mean()) / numbers.std()
    return matrix.to_numpy()


def medians(works: dict[str, Callable[[], object]], rounds: int = 7) -> dict[str, float]:
    """Median seconds of each. They take turns, so that a slow minute of the machine falls on everyone."""
    spent = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            started = time.perf_counter()
            work()
            spent[name].append(time.perf_counter() - started)
    return {name: statistics.median(times) for name, times in spent.items()}


def speed(out: Path) -> None:
    X, y = adult()
    matrix = one_hot(X)
    thin = sparse.csr_array(matrix)
    ours = {
        "EvenhandClassifier().fit, raw frame": EvenhandClassifier(),
        f"EvenhandClassifier(max_violation={BOUND}).fit, raw frame": EvenhandClassifier(max_violation=BOUND),
    }
    plain = {
        "LogisticRegression().fit, one-hot matrix": matrix,
        "LogisticRegression().fit, sparse one-hot matrix": thin,
    }
    works = {name: lambda clf=clf: clf.fit(X, y, sensitive_features=GROUPS) for name, clf in ours.items()}
    works |= {name: lambda features=features: LogisticRegression().fit(features, y) for name, features in plain.items()}
    for name, seconds in medians(works).items():
        clf = ours.get(name)
        found = {"fits": 1} if clf is None else {"fits": clf.n_fits_, "violation": clf.violation_}
        append(out, {"problem": "speed", "what": name, "rows": len(y), "seconds": seconds, "version": VERSION} | found)


def fits(out: Path) -> None:
    X, y = adult()
    matrix, positive = one_hot(X), (y == ">50K").astype(int)
    for name, settings in {
        "our search": {"max_violation": BOUND},
        "the paper's loop": {"preset": "paper"},
    }.items():
        clf = EvenhandClassifier(xgboost.XGBClassifier(), groups=GROUPS, **settings)
        started = time.perf_counter()
        clf.fit(matrix, positive, sensitive_features=X[["sex", "race"]])
        reached = next((one["fit"] for one in clf.history_ if one["violation"] <= BOUND), None)
        row = {"problem": "fits", "what": name, "rows": len(y), "seconds": time.perf_counter() - started}
        append(out, row | {"fits": clf.n_fits_, "reached": reached, "violation": clf.violation_, "version": VERSION})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    speed(Path(sys.argv[1]))
    fits(Path(sys.argv[1]))
