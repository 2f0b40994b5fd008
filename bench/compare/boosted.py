"""Writes BOOSTED.md: gradient boosting on Adult, corrected by tilted probabilities, by weights and by fairlearn's thresholds.

`boosted.py OUT`. One LightGBM for all of them, sex as a feature like any other. Violations are the largest |overall - group| rate by sex, errors those of
decisions; ThresholdOptimizer decides by lot near its thresholds, and is judged by its expected decisions.
"""

import os
import sys
import time
import warnings
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
from evenhand import EvenhandClassifier, __version__
from fairlearn import __version__ as fairlearn_version
from fairlearn.postprocessing import ThresholdOptimizer
from lightgbm import LGBMClassifier

NOTIONS = {"demographic-parity": "demographic_parity", "equal-opportunity": "true_positive_rate_parity"}
BOUNDS = [0.04, 0.02, 0.01, 0.005]
HEAD = f"""\
# Gradient boosting, corrected three ways

This page compares three corrections of gradient boosting on Adult, with its own training and test rows. `bench/compare/run boosted` writes it:
LightGBM {lightgbm.__version__} with 100 trees, evenhand {__version__}, fairlearn {fairlearn_version}.

The learner sees sex, and the violation is by sex. `--apply tilt` and ThresholdOptimizer use one model that is fitted once; with weights
the model is fitted again for each set of weights. ThresholdOptimizer accepts no bound, needs sex for prediction, and decides at random
near its thresholds. Ours are given a bound on training rows, without a margin.
"""


def adult(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    folder = Path(os.environ["EVENHAND_DATA"]) / "adult"
    names = (folder / "columns.txt").read_text().split()
    frame = pd.read_csv(folder / name, names=names, header=None, skipinitialspace=True, comment="|", keep_default_na=False)
    positive = frame.pop(names[-1]).str.startswith(">50K").to_numpy().astype(int)
    frame = frame.drop(columns="fnlwgt")
    return frame, positive


def encoded() -> tuple[tuple[pd.DataFrame, np.ndarray], tuple[pd.DataFrame, np.ndarray]]:
    """Training and test rows, categories alike in both."""
    (X, y), (X_test, y_test) = adult("adult.data.gz"), adult("adult.test.gz")
    for name in X.columns[~X.dtypes.map(pd.api.types.is_numeric_dtype)]:
        kind = pd.CategoricalDtype(sorted(X[name].unique()))
        X[name], X_test[name] = X[name].astype(kind), X_test[name].astype(kind)
    return (X, y), (X_test, y_test)


def learner() -> LGBMClassifier:
    return LGBMClassifier(n_estimators=100, random_state=0, n_jobs=2, verbose=-1)


def evaluated(positive: np.ndarray, X: pd.DataFrame, y: np.ndarray, notion: str) -> tuple[float, float]:
    """Error and violation of decisions, or of the probabilities with which they are positive."""
    among = np.ones(len(y), bool) if notion == "demographic-parity" else y == 1
    rates = [positive[among & (X["sex"] == sex)].mean() for sex in ("Female", "Male")]
    return float(np.abs(positive - y).mean()), max(abs(positive[among].mean() - rate) for rate in rates)


def measured(notion: str, train: tuple, test: tuple) -> list[list[str]]:
    lines = []

    def add(name: str, decide, fits: int, seconds: float) -> None:
        parts = [evaluated(decide(X), X, y, notion) for X, y in (train, test)]
        told = [f"{error:.4f} / {violation:.4f}" for error, violation in parts]
        lines.append([name, *told, str(fits), f"{seconds:.1f}"])

    begun = time.perf_counter()
    plain = learner().fit(*train)
    add("no correction", lambda X: plain.predict(X).astype(float), 1, time.perf_counter() - begun)
    begun = time.perf_counter()
    thresholds = ThresholdOptimizer(estimator=plain, constraints=NOTIONS[notion], predict_method="predict_proba", prefit=True)
    thresholds.fit(*train, sensitive_features=train[0]["sex"])
    add(
        "ThresholdOptimizer",
        lambda X: thresholds._pmf_predict(X, sensitive_features=X["sex"])[:, 1],
        1,
        time.perf_counter() - begun,
    )
    for apply in ("tilt", "weights"):
        for bound in [*BOUNDS, None]:
            begun = time.perf_counter()
            ours = EvenhandClassifier(learner(), constraints=notion, apply=apply, max_violation=bound, margin=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours.fit(*train, sensitive_features=["sex"])
            seconds = time.perf_counter() - begun
            asked = "no bound" if bound is None else f"bound {bound}"
            add(
                f"`apply=\"{apply}\"`, {asked}",
                lambda X, ours=ours: ours.predict(X, **({"sensitive_features": ["sex"]} if ours.apply == "tilt" else {})).astype(float),
                ours.n_fits_,
                seconds,
            )
    return lines


def main(out: Path) -> None:
    train, test = encoded()
    pieces = [HEAD]
    for notion in NOTIONS:
        head = ["method", "training error / violation", "test error / violation", "fits", "seconds"]
        rows = [head, ["---"] * len(head), *measured(notion, train, test)]
        pieces += [f"\n## {notion.replace('-', ' ').capitalize()}\n\n", *(f"| {' | '.join(row)} |\n" for row in rows)]
    out.write_text("".join(pieces))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
