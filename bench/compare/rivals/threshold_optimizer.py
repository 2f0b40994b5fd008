"""fairlearn's ThresholdOptimizer on the probabilities of one logistic regression.

It asks for the groups of the rows it predicts, and for disparate impact too, where no other
method may know them: there it solves an easier task. Thresholds are chosen at random between
two where need be: judged by expected decisions. fairlearn takes dense matrices only.
"""

from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.linear_model import LogisticRegression

from part import Part

from .patterns import Patterns

PACKAGE = "fairlearn"
FORM = "dense"
CONSTRAINTS = {
    "demographic-parity": "demographic_parity",
    "disparate-impact": "demographic_parity",
    "equal-opportunity": "true_positive_rate_parity",
    "equalized-odds": "equalized_odds",
}


def fit(train: Part, notion: str):
    patterns = Patterns(train)
    base = LogisticRegression(solver="liblinear", C=1.0).fit(train.matrix, train.labels)
    model = ThresholdOptimizer(
        estimator=base, constraints=CONSTRAINTS[notion], predict_method="predict_proba", prefit=True
    )
    model.fit(train.matrix, train.labels, sensitive_features=patterns.of(train))
    return lambda part: model._pmf_predict(part.matrix, sensitive_features=patterns.of(part))[:, 1], 1
