"""Training or test rows as every method gets them, and how decisions on them are evaluated."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy.sparse


@dataclass(frozen=True)
class Part:
    """A matrix of features, labels of 0 and 1, and membership (rows x groups)."""

    matrix: scipy.sparse.csr_matrix | np.ndarray
    labels: np.ndarray
    groups: np.ndarray

    def dense(self) -> "Part":
        return replace(self, matrix=self.matrix.toarray())


def read(folder: Path) -> Part:
    """Reads what `compare export` wrote."""
    array = lambda name, kind: np.fromfile(folder / name, dtype=kind)
    ends, columns = array("indptr", "<u4").astype(np.int32), array("indices", "<u4").astype(np.int32)
    shape = len(ends) - 1, int((folder.parent / "width").read_text())
    matrix = scipy.sparse.csr_matrix((array("values", "<f8"), columns, ends), shape=shape)
    groups = array("groups", "u1").reshape(shape[0], -1).astype(float)
    return Part(matrix, array("labels", "u1").astype(int), groups)


def violations(positive: np.ndarray, part: Part, notion: str) -> dict[str, np.ndarray]:
    """Overall rate minus the rate of each group, per rate that the notion conditions on.

    `positive` holds decisions, or the probability of a positive one: rates are then expected
    rates. A group without rows that a rate conditions on has no violation.
    """
    every = np.ones(len(positive))
    among = {
        "demographic-parity": {"all": every},
        "disparate-impact": {"all": every},
        "equal-opportunity": {"positives": part.labels},
        "equalized-odds": {"positives": part.labels, "negatives": 1 - part.labels},
    }[notion]
    return {name: _violations(positive, part.groups, rows) for name, rows in among.items()}


def _violations(positive: np.ndarray, groups: np.ndarray, rows: np.ndarray) -> np.ndarray:
    counts = rows @ groups
    rates = np.divide((positive * rows) @ groups, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    overall = positive @ rows / rows.sum()
    return np.where(counts > 0, overall - rates, 0.0)


def evaluate(positive: np.ndarray, part: Part, notion: str) -> tuple[float, float]:
    """The share of rows decided otherwise than labelled, and the largest violation; both expected."""
    error = float(np.abs(positive - part.labels).mean())
    return error, float(max(np.abs(one).max() for one in violations(positive, part, notion).values()))
