"""Constraints as objects, for those who would rather not spell them.

Every object is a value: it holds no data and learns nothing, so the same one may be given to any number of fits.
A constraint may also be written as a string, ours (``"equal-opportunity"``) or fairlearn's
(``"true_positive_rate_parity"``). Objects of ``fairlearn.reductions`` are understood too, but for their bounds: these
are given by ``max_violation``.

Examples
--------
>>> from evenhand.constraints import EqualOpportunity, Rate, TargetRate
>>> str(EqualOpportunity())
'equal-opportunity'
>>> str(TargetRate(0.1, label=2))
'target-rate=2:0.1'
>>> str(Rate("positive", given="sex=female and labelled positive", against="sex=male and labelled positive"))
'rate=predicted positive given sex=female and labelled positive against sex=male and labelled positive'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ._columns import text_of
from ._exceptions import EvenhandError

__all__ = [
    "Constraint",
    "Constraints",
    "DemographicParity",
    "DisparateImpact",
    "EqualAccuracy",
    "EqualOpportunity",
    "EqualizedOdds",
    "KnownRate",
    "PaperDisparateImpact",
    "Pinned",
    "PredictiveEquality",
    "Rate",
    "TargetRate",
]


@dataclass(frozen=True)
class Constraint:
    """What is asked to be equal across groups."""

    spelling: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.spelling


@dataclass(frozen=True)
class DemographicParity(Constraint):
    """Every group is predicted positive at the overall rate."""

    spelling: ClassVar[str] = "demographic-parity"


@dataclass(frozen=True)
class DisparateImpact(Constraint):
    """The same, by a learner that may not see the sensitive columns of X."""

    spelling: ClassVar[str] = "disparate-impact"


@dataclass(frozen=True)
class PaperDisparateImpact(Constraint):
    """The same, by a learner that may not see the groups' own indicators; other values of a column stay features."""

    spelling: ClassVar[str] = "paper-disparate-impact"


@dataclass(frozen=True)
class EqualOpportunity(Constraint):
    """Every group has the overall true positive rate."""

    spelling: ClassVar[str] = "equal-opportunity"


@dataclass(frozen=True)
class EqualizedOdds(Constraint):
    """Every group has the overall true and false positive rates."""

    spelling: ClassVar[str] = "equalized-odds"


@dataclass(frozen=True)
class PredictiveEquality(Constraint):
    """Every group has the overall false positive rate."""

    spelling: ClassVar[str] = "predictive-equality"


@dataclass(frozen=True)
class EqualAccuracy(Constraint):
    """Every group is predicted as accurately as everyone."""

    spelling: ClassVar[str] = "equal-accuracy"


@dataclass(frozen=True)
class TargetRate(Constraint):
    """A class is predicted at a rate that is asked for, overall or in every group."""

    rate: float
    label: object = None
    per_group: bool = False

    def __str__(self) -> str:
        """Write it as the engine reads it."""
        label = "" if self.label is None else f"{text_of(self.label)}:"
        return f"{'group-' if self.per_group else ''}target-rate={label}{self.rate}"


@dataclass(frozen=True)
class Pinned(Constraint):
    """Rows that are known to be labelled right, a group specification, are predicted right."""

    rows: str
    accuracy: float = 1.0

    def __str__(self) -> str:
        """Write it as the engine reads it."""
        return f"pinned={self.rows}:{self.accuracy}"


@dataclass(frozen=True)
class KnownRate(Constraint):
    """Rows whose true rate is known from elsewhere, a group specification, are predicted positive at that rate."""

    rows: str
    rate: float

    def __str__(self) -> str:
        """Write it as the engine reads it."""
        return f"known-rate={self.rows}:{self.rate}"


@dataclass(frozen=True)
class Rate(Constraint):
    """Any rate of decisions over any rows is that of other rows, or a number.

    Parameters
    ----------
    event : label
        What is counted: ``"positive"``, ``"negative"``, ``"as labelled"``, ``"wrongly"`` or a label.
    given : str, default="everyone"
        Among which rows: ``"everyone"``, ``"each group"`` (those of the sensitive features), a group specification such
        as ``"age<=30"``, ``"labelled LABEL"``, ``"not labelled LABEL"``, or several of these joined by ``and``.
    against : str or float, default=None
        Rows in the same words, or a number; None is everyone with the same label.
    at_least, at_most : float, default=None
        A number in place of ``against``, of which more, or less, is as good.
    weighted_by : str, default=None
        A column of numbers, none of them negative, by which rows count: the rate is then
        ``sum(v * decision) / sum(v)``.
    """

    event: object
    given: str = "everyone"
    against: str | float | None = None
    at_least: float | None = None
    at_most: float | None = None
    weighted_by: str | None = None

    def __str__(self) -> str:
        """Write it as the engine reads it."""
        compared = {"against": self.against, "at least": self.at_least, "at most": self.at_most}
        said = [f"{word} {other}" for word, other in compared.items() if other is not None]
        given = [] if self.given == "everyone" else [f"given {self.given}"]
        by = [] if self.weighted_by is None else [f"weighted by {_name(self.weighted_by)}"]
        return " ".join([f"rate=predicted {text_of(self.event)}", *by, *given, *said])


def _name(column: str) -> str:
    """Write a column's name so that no word in it is taken for one of the sentence."""
    return column if column.isidentifier() and column.lower() != "weighted" else f"`{column.replace('`', '``')}`"


Constraints: TypeAlias = "str | Constraint | Sequence[str | Constraint]"


def spelled(constraints: Constraints, notion: Constraints | None = None) -> list[str]:
    """Write constraints as the engine reads them; ``notion`` is the command line's word for them."""
    if notion is not None:
        if constraints != "demographic_parity":
            raise EvenhandError("`constraints` and `notion` are two names of one parameter; give one", "notion-syntax")
        constraints = notion
    given: object = constraints
    if isinstance(given, str) or _is_fairlearns(given) or not isinstance(given, Iterable):
        return [_spelled(given)]
    return [_spelled(one) for one in given]


def _spelled(one: object) -> str:
    if _is_fairlearns(one):
        name = one.__name__ if isinstance(one, type) else type(one).__name__
        if name not in _FAIRLEARNS:
            known = ", ".join(_FAIRLEARNS)
            message = f"`constraints` holds fairlearn's {name}; of fairlearn's these are understood: {known}"
            raise EvenhandError(message, "notion-syntax")
        return _FAIRLEARNS[name]
    if not isinstance(one, (str, Constraint)):
        message = (
            f"`constraints` holds a {type(one).__name__}; allowed are strings such as 'equalized_odds', "
            "objects of evenhand.constraints, those of fairlearn.reductions, and lists of them"
        )
        raise EvenhandError(message, "notion-syntax")
    return str(one)


# fairlearn's constraint classes; their bounds are not taken over: `max_violation` is the place for them.
_FAIRLEARNS = {
    "DemographicParity": "demographic-parity",
    "TruePositiveRateParity": "equal-opportunity",
    "FalsePositiveRateParity": "predictive-equality",
    "EqualizedOdds": "equalized-odds",
    "ErrorRateParity": "equal-accuracy",
}


def _is_fairlearns(one: object) -> bool:
    home = one if isinstance(one, type) else type(one)
    return home.__module__.partition(".")[0] == "fairlearn"
