"""The authors' loop with scikit-learn: 100 liblinear fits.

Conventions are those of the authors' notebooks. A positive row weighs sigma(2 * sum of lambda
over its groups), a negative one the complement; for equalized odds positives have lambdas of
their own, and negatives too. Lambda moves by overall minus group rate of hard decisions on
the training rows. For true and false positive rates the first fit has weights of 1, and every
later one the weights of one loop earlier. The last model is the result.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression

from part import Part, violations

PACKAGE = "scikit-learn"
FORM = "sparse"
LOOPS = 100


def fit(train: Part, notion: str):
    lag = notion in ("equal-opportunity", "equalized-odds")
    multipliers = {name: np.zeros(train.groups.shape[1]) for name in violations(train.labels, train, notion)}
    weights = np.ones(len(train.labels))
    for _ in range(LOOPS):
        before, weights = weights, _weights(train, multipliers)
        model = LogisticRegression(solver="liblinear", C=1.0)
        model.fit(train.matrix, train.labels, sample_weight=before if lag else weights)
        moves = violations(model.predict(train.matrix), train, notion)
        multipliers = {name: old + moves[name] for name, old in multipliers.items()}
    return lambda part: model.predict(part.matrix), LOOPS


def _weights(train: Part, multipliers: dict[str, np.ndarray]) -> np.ndarray:
    # One set of multipliers moves all rows; of two, each moves the rows its rate speaks of.
    of_positives, of_negatives = list(multipliers.values())[0], list(multipliers.values())[-1]
    exponent = np.where(train.labels == 1, train.groups @ of_positives, -(train.groups @ of_negatives))
    return 1 / (1 + np.exp(-2 * exponent))
