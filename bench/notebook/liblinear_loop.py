"""The authors' loop with scikit-learn: 100 liblinear fits of Adult, demographic parity.

Reads the matrices that `notebook_loop` wrote, so that both sides train on the same numbers,
and prints one line of JSON a repetition. Reading is not timed.

Conventions are those of the authors' notebooks: weights sigma(2 * sum of lambda over a row's
groups) for positives and its complement for negatives, hard decisions on the training rows,
lambda moves by overall minus group rate, the last of 100 models is judged. liblinear penalises
the intercept, which it carries as a feature, and stops at scikit-learn's default tolerance.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse
import sklearn
from sklearn.linear_model import LogisticRegression

LOOPS = 100


def read(folder: Path):
    """Returns the matrix, the labels and the membership (rows x groups) of one part."""
    array = lambda name, kind: np.fromfile(folder / name, dtype=kind)
    ends, columns = array("indptr", "<u4"), array("indices", "<u4")
    rows = len(ends) - 1
    width = int((folder.parent / "width").read_text())
    matrix = scipy.sparse.csr_matrix(
        (array("values", "<f8"), columns.astype(np.int32), ends.astype(np.int32)), shape=(rows, width)
    )
    groups = array("groups", "u1").reshape(rows, -1).astype(float)
    return matrix, array("labels", "u1").astype(int), groups


def violations(decisions, groups):
    """Overall rate minus the rate of each group."""
    return decisions.mean() - (decisions @ groups) / groups.sum(axis=0)


def correct(matrix, labels, groups):
    """Returns the last model and its decisions."""
    multipliers = np.zeros(groups.shape[1])
    for _ in range(LOOPS):
        positive = 1 / (1 + np.exp(-2 * (groups @ multipliers)))
        weights = np.where(labels == 1, positive, 1 - positive)
        model = LogisticRegression(solver="liblinear", C=1.0).fit(matrix, labels, sample_weight=weights)
        decisions = model.predict(matrix)
        multipliers += violations(decisions, groups)
    return model, decisions


def main(folder: Path, form: str, repetitions: int) -> None:
    train, test = read(folder / "train"), read(folder / "test")
    if form == "dense":
        train, test = (train[0].toarray(), *train[1:]), (test[0].toarray(), *test[1:])
    for _ in range(repetitions):
        start = time.perf_counter()
        model, decisions = correct(*train)
        seconds = time.perf_counter() - start
        unseen = model.predict(test[0])
        line = {
            "seconds": seconds,
            "fits": LOOPS,
            "test_error": float((unseen != test[1]).mean()),
            "test_violation": float(np.abs(violations(unseen, test[2])).max()),
            "train_error": float((decisions != train[1]).mean()),
            "train_violation": float(np.abs(violations(decisions, train[2])).max()),
            "version": sklearn.__version__,
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
