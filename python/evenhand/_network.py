"""Settings of a fully connected network as the learner."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ._exceptions import EvenhandError

__all__ = ["Network"]


class Network(BaseEstimator):  # type: ignore[misc]
    """Fully connected network, built in: give it to :class:`EvenhandClassifier` as the ``estimator``.

    ReLU layers, a softmax and Adam. It takes raw frames as the built-in logistic regression does: categories are
    features of their own, numbers are scaled. The same seed gives the same bits on any number of threads. It has
    settings only, and is not fitted by itself.

    Parameters
    ----------
    layers : sequence or array of int, default=(128, 128)
        Units of the hidden layers.
    steps : int, default=5000
        How many batches it is trained on.
    batch : int, default=50
        Rows of a batch.
    learning_rate : float, default=0.001
        Adam's step.
    batches : {"drawn", "weighted"}, default="drawn"
        How weights count: rows are drawn with a probability proportional to their weight, as the authors of the method
        did, or all alike with weighted losses.
    random_state : int, default=0
        Seed of its first weights and of its batches.

    Examples
    --------
    >>> from evenhand import EvenhandClassifier, Network
    >>> from evenhand.datasets import make_loans
    >>> X, y, _ = make_loans(1000, random_state=1)
    >>> clf = EvenhandClassifier(Network(layers=(16,), steps=300), max_fits=3)
    >>> clf.fit(X, y, sensitive_features=X["sex"]).predict(X.head(3)).shape
    (3,)
    """

    def __init__(
        self,
        layers: Sequence[int] | NDArray[np.integer[Any]] = (128, 128),
        *,
        steps: int = 5000,
        batch: int = 50,
        learning_rate: float = 1e-3,
        batches: str = "drawn",
        random_state: int = 0,
    ) -> None:
        self.layers = layers
        self.steps = steps
        self.batch = batch
        self.learning_rate = learning_rate
        self.batches = batches
        self.random_state = random_state

    def _settings(self) -> tuple[list[int], int, int, float, str, int]:
        """Hand settings to the engine, which checks their ranges; their kinds are checked here."""
        is_array = isinstance(self.layers, np.ndarray) and self.layers.ndim == 1
        units = list(self.layers) if is_array or isinstance(self.layers, Sequence) else None
        if units is None or not all(_is_count(one) for one in units):
            raise self._refused("layers", "a sequence of whole numbers")
        for name in ("steps", "batch", "random_state"):
            if not _is_count(getattr(self, name)):
                raise self._refused(name, "a whole number from 0")
        if not isinstance(self.learning_rate, numbers.Real):
            raise self._refused("learning_rate", "a number")
        counts = [int(one) for one in units]
        rate, seed = float(self.learning_rate), int(self.random_state)
        return counts, int(self.steps), int(self.batch), rate, self.batches, seed

    def _refused(self, name: str, allowed: str) -> EvenhandError:
        message = f"`{name}` of {type(self).__name__} is {getattr(self, name)!r}; allowed is {allowed}"
        return EvenhandError(message, "setting-invalid")


def _is_count(value: object) -> bool:
    return isinstance(value, numbers.Integral) and 0 <= int(value) < 2**63
