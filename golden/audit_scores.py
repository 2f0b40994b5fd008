"""Expected numbers of an audit of scores, by scikit-learn, numpy and scipy: `python golden/audit_scores.py > golden/audit_scores.json`."""

import json

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

ROWS = 240


def rows():
    """Made-up people: numbers that any language makes alike."""
    at = np.arange(ROWS)
    score = (at * 37 % 101) / 100
    label = ((at * 53 % 97) / 97 < 0.15 + 0.7 * score).astype(int)
    group = np.where(at * 29 % 7 < 3, "a", "b")
    weight = 1 + at * 11 % 4
    return score, label, group, weight.astype(float)


def newcombe(auc, positives, others, z):
    """Solve for both ends: Newcombe 2006, method 5."""
    more = (positives + others) / 2 - 1

    def deviation(area):
        spread = area * (1 - area) * (1 + more * ((1 - area) / (2 - area) + area / (1 + area))) / (positives * others)
        return z * np.sqrt(spread)

    low = brentq(lambda area: auc - area - deviation(area), 1e-12, auc)
    high = brentq(lambda area: area - auc - deviation(area), auc, 1 - 1e-12)
    return low, high


def kish(weight):
    return weight.sum() ** 2 / (weight**2).sum()


def measured(score, label, weight):
    z = norm.ppf(0.975)
    auc = roc_auc_score(label, score, sample_weight=weight)
    low, high = newcombe(auc, kish(weight[label == 1]), kish(weight[label == 0]), z)
    mean, rate = np.average(score, weights=weight), np.average(label, weights=weight)
    gap = score - label
    half = z * np.sqrt(np.average((gap - (mean - rate)) ** 2, weights=weight) / kish(weight))
    bins = np.minimum((score * 10).astype(int), 9)
    error = chance = 0.0
    for one in np.unique(bins):
        inside = bins == one
        share = weight[inside].sum() / weight.sum()
        error += share * abs(np.average(gap[inside], weights=weight[inside]))
        variance = np.average((score * (1 - score))[inside], weights=weight[inside])
        chance += share * np.sqrt(2 / np.pi * variance / kish(weight[inside]))
    return {
        "auc": [auc, low, high],
        "mean_score": mean,
        "positive_rate": rate,
        "calibration": [mean - rate, mean - rate - half, mean - rate + half],
        "calibration_error": error,
        "calibration_error_by_chance": chance,
    }


def main():
    score, label, group, weight = rows()
    found = {}
    for name, weights in [("alike", np.ones(ROWS)), ("weighted", weight)]:
        sets = {"overall": np.ones(ROWS, dtype=bool), "group=a": group == "a", "group=b": group == "b"}
        found[name] = {key: measured(score[rows], label[rows], weights[rows]) for key, rows in sets.items()}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
