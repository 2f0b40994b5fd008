"""Overlapping groups as the one sensitive feature that fairlearn takes."""

import numpy as np

from part import Part


class Patterns:
    """The combinations of groups that occur in training, one value of the sensitive feature each.

    Equal rates for all combinations are equal rates for all groups. A combination without a
    positive or without a negative training row has no rates to equalise, and one that is not
    in training is unknown: their rows count as the commonest combination.
    """

    def __init__(self, train: Part):
        values, counts = np.unique(_codes(train), return_counts=True)
        positives = {value: train.labels[_codes(train) == value].mean() for value in values}
        self.known = [value for value in values if 0 < positives[value] < 1]
        self.commonest = values[counts.argmax()]

    def of(self, part: Part) -> np.ndarray:
        codes = _codes(part)
        return np.where(np.isin(codes, self.known), codes, self.commonest)


def _codes(part: Part) -> np.ndarray:
    return (part.groups @ 2 ** np.arange(part.groups.shape[1])).astype(int)
