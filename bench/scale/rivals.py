"""What one would do without the program: `rivals.py NAME FOLDER`, in one process that is measured from outside; prints a line of JSON.

polars reads the Parquet files of `people.py`, scikit-learn encodes them.

plain   one logistic regression, without any correction
loop    the paper's Algorithm 1 around it, all 100 loops (101 fits)
eg      fairlearn's ExponentiatedGradient, demographic parity over the combinations of sex and race, its defaults
"""

import json
import sys

import numpy as np
import polars as pl
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder, StandardScaler

LOOPS = 100


def read(folder: str):
    """The encoded rows, sparse; the labels; and of each row which of the groups it is in."""
    rows = pl.read_parquet(folder + "/*.parquet")
    numbers = ["age", "hours", "amount"]
    texts = [name for name in rows.columns if name not in (*numbers, "approved")]
    encode = make_column_transformer((OneHotEncoder(), texts), (StandardScaler(), numbers), sparse_threshold=1.0)
    labels = (rows["approved"] == "yes").to_numpy().astype(int)
    masks = [rows[column].to_numpy() == value for column in ("sex", "race") for value in rows[column].unique().sort()]
    return encode.fit_transform(rows.drop("approved")), labels, np.column_stack(masks).astype(float), rows


def learner() -> LogisticRegression:
    return LogisticRegression(max_iter=1000)


def plain(matrix, labels, groups, rows):
    return learner().fit(matrix, labels).predict(matrix), 1


def loop(matrix, labels, groups, rows):
    multipliers, weights = np.zeros(groups.shape[1]), None
    for _ in range(LOOPS + 1):
        decisions = learner().fit(matrix, labels, sample_weight=weights).predict(matrix)
        multipliers += violations(decisions, groups)
        positive = 1 / (1 + np.exp(-(groups @ multipliers)))
        weights = np.where(labels == 1, positive, 1 - positive)
    return decisions, LOOPS + 1


def eg(matrix, labels, groups, rows):
    from fairlearn.reductions import DemographicParity, ExponentiatedGradient

    # It takes dense matrices alone.
    model = ExponentiatedGradient(learner(), DemographicParity())
    model.fit(matrix.toarray(), labels, sensitive_features=rows.select("sex", "race").to_pandas())
    return model._pmf_predict(matrix.toarray())[:, 1], model.n_oracle_calls_


def violations(decisions, groups):
    return decisions.mean() - (decisions @ groups) / groups.sum(axis=0)


if __name__ == "__main__":
    matrix, labels, groups, rows = read(sys.argv[2])
    decisions, fits = {"plain": plain, "loop": loop, "eg": eg}[sys.argv[1]](matrix, labels, groups, rows)
    error = np.abs(labels - decisions).mean()
    print(json.dumps({"fits": fits, "error": error, "violation": np.abs(violations(decisions, groups)).max()}))
