"""Other people's learners where positives are rare, and where X is wide or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from evenhand import Corrector, EvenhandClassifier

ROWS = 12_000
FITS = 8


def people(rate: float, *, noise: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels and a group; about ``rate`` are positive, twice as many outside of the group as inside."""
    rng = np.random.default_rng(7)
    group = rng.random(ROWS) < 0.4
    x = rng.normal(size=(ROWS, 3 + noise))
    base = np.where(group, 0.6 * rate, 1.27 * rate)
    logits = np.log(base / (1 - base)) - 1.2 + 1.4 * x[:, 0] + 0.8 * x[:, 1]
    labels = rng.random(ROWS) < 1 / (1 + np.exp(-logits))
    return np.column_stack([x, group]), labels.astype(int), np.where(group, "in", "out")


def learner(name: str) -> Any:
    if name == "logistic":
        return LogisticRegression(max_iter=1000)
    if name == "lightgbm":
        lightgbm = pytest.importorskip("lightgbm")
        return lightgbm.LGBMClassifier(n_estimators=30, min_child_samples=40, verbose=-1, n_jobs=2)
    xgboost = pytest.importorskip("xgboost")
    return xgboost.XGBClassifier(n_estimators=30, max_depth=3, n_jobs=2)


@pytest.mark.filterwarnings("ignore:.*without correction:evenhand.EvenhandWarning")
@pytest.mark.parametrize("rate", [0.02, 0.06, 0.2])
@pytest.mark.parametrize("name", ["logistic", "lightgbm", "xgboost"])
@pytest.mark.parametrize("constraints", ["demographic_parity", "equal_opportunity"])
def test_a_corrector_converges_however_rare_positives_are(rate: float, name: str, constraints: str) -> None:
    x, labels, group = people(rate)
    corrector = Corrector(constraints, max_violation=0.02, margin=0.0)
    weights = corrector.weights(labels, group)
    seen = []
    while not corrector.done:
        assert not any(np.array_equal(weights, earlier) for earlier in seen), "the same weights twice"
        seen.append(weights)
        weights = corrector.update(learner(name).fit(x, labels, sample_weight=weights).predict_proba(x))
    assert corrector.stop_ == "converged"
    assert corrector.n_fits_ <= FITS


@pytest.mark.parametrize("form", ["wide", "sparse"])
@pytest.mark.parametrize("rate", [0.02, 0.06, 0.2])
@pytest.mark.parametrize("constraints", ["demographic_parity", "equal_opportunity"])
def test_wide_and_sparse_features_are_corrected(form: str, rate: float, constraints: str) -> None:
    x, labels, group = people(rate, noise=320 if form == "wide" else 20)
    # The rarer positives are, the smaller is the difference between their shares that is there to be corrected.
    bound = rate / 25 if constraints == "demographic_parity" else 0.02
    model = EvenhandClassifier(
        LogisticRegression(max_iter=1000), constraints=constraints, max_violation=bound, margin=0.0
    )
    model.fit(sparse.csr_matrix(x) if form == "sparse" else x, labels, sensitive_features=group)
    assert model.stop_ == "converged"
    assert 1 < model.n_fits_ <= FITS, "nothing was corrected, or it took long"
    assert model.violation_ <= bound
