"""A model computed again from the rows it came from."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from . import _core
from ._classifier import EvenhandClassifier
from ._exceptions import EvenhandError

__all__ = ["Check", "Verification", "verify"]


@dataclass(frozen=True)
class Check:
    """One thing that was computed again.

    Attributes
    ----------
    name : str
        What.
    matches : bool or None
        Whether it is as the model says; None where that cannot be checked.
    detail : str
        With which numbers, or why not.
    """

    name: str
    matches: bool | None
    detail: str

    def __str__(self) -> str:
        """Say it in a line, as ``evenhand verify`` does."""
        found = {True: "matches", False: "DIFFERS", None: "not checked"}[self.matches]
        return f"{found:11}  {self.name:14}  {self.detail}"


@dataclass(frozen=True)
class Verification:
    """What matches of a model. Made by :func:`verify`.

    Attributes
    ----------
    matches : bool
        Whether nothing differs.
    checks : tuple of Check
        Every one.
    """

    matches: bool
    checks: tuple[Check, ...]

    def __str__(self) -> str:
        """Say it in lines."""
        return "\n".join(str(check) for check in self.checks)


def verify(
    model: EvenhandClassifier | str | os.PathLike[str],
    X: Any,
    y: Any,
    *,
    sensitive_features: Any = None,
    sample_weight: Any = None,
) -> Verification:
    """Compute a model's weights, rates and search again from the rows it was fitted to, and say what matches.

    Parameters
    ----------
    model : EvenhandClassifier or path-like
        A classifier of the built-in learner or of a :class:`Network`, or the path of a model file, from here or from
        the command line.
    X, y, sensitive_features, sample_weight
        All rows that were given to the fit, as in :meth:`EvenhandClassifier.fit`; of a file of the command line the
        rows before any were held out.

    Returns
    -------
    Verification

    Examples
    --------
    >>> from evenhand import EvenhandClassifier, verify
    >>> from evenhand.datasets import make_loans
    >>> X, y, _ = make_loans(2000, random_state=1)
    >>> clf = EvenhandClassifier(max_violation=0.02).fit(X, y, sensitive_features=X["sex"])
    >>> verify(clf, X, y, sensitive_features=X["sex"]).matches
    True
    """
    classifier = EvenhandClassifier._of(model, "verify")
    fitted = getattr(classifier, "estimator_", None)
    if not isinstance(fitted, _core.Model):
        message = "verify() computes what the engine fitted; this classifier is not fitted, or by another estimator"
        raise EvenhandError(message, "setting-invalid")
    data = classifier._labelled(classifier._columns(X), y, sensitive_features, sample_weight)
    found = json.loads(fitted.verify(data.table))
    return Verification(found["matches"], tuple(Check(**check) for check in found["checks"]))
