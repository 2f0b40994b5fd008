"""fairlearn's ExponentiatedGradient, with its defaults (at most 50 rounds, eps 0.01), or with another bound.

The result is a lottery among classifiers: it is judged by its expected decisions, not by one
draw. Disparate impact is demographic parity on the matrix without the columns that tell the
group. fairlearn takes dense matrices only.
"""

from fairlearn.reductions import DemographicParity, EqualizedOdds, ExponentiatedGradient, TruePositiveRateParity
from sklearn.linear_model import LogisticRegression

from part import Part

from .patterns import Patterns

PACKAGE = "fairlearn"
FORM = "dense"
CONSTRAINTS = {
    "demographic-parity": DemographicParity,
    "disparate-impact": DemographicParity,
    "equal-opportunity": TruePositiveRateParity,
    "equalized-odds": EqualizedOdds,
}


def fit(train: Part, notion: str, bound: float = 0.01):
    constraints = CONSTRAINTS[notion](difference_bound=bound)
    model = ExponentiatedGradient(LogisticRegression(solver="liblinear", C=1.0), constraints, eps=bound)
    model.fit(train.matrix, train.labels, sensitive_features=Patterns(train).of(train))
    return lambda part: model._pmf_predict(part.matrix)[:, 1], model.n_oracle_calls_
