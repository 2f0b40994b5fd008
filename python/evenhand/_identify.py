"""How far labels were tilted for or against each group."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._data import gather, positive_of, quiet_about, target_of
from ._exceptions import warn_of
from ._report import Report
from ._results import Recorded, frame_of, html_table, library_of
from .constraints import Constraints, spelled

__all__ = ["Identification", "identify"]

_POINT = (
    "difference",
    "overall_rate",
    "group_rate",
    "multiplier",
    "multiplier_low",
    "multiplier_high",
    "odds_ratio",
    "low",
    "high",
)
_FACTOR = ("group", "rows", "odds_ratio", "low", "high")


class Identification(Recorded):
    """The estimated bias in labels, with intervals, and what it assumes. Made by :func:`identify`.

    Without multipliers that make scores even there is no estimate: ``converged`` is false, and the frames are empty.
    """

    def __init__(
        self,
        record: dict[str, Any],
        library: str,
        report: _core.Report | None,
        sample_weight: NDArray[np.float64] | None = None,
    ) -> None:
        self._record = record
        self._library = library
        self._report = report
        self._sample_weight = sample_weight

    @property
    def sample_weight(self) -> NDArray[np.float64]:
        """The weight of every row that undoes the bias, for any learner, also one that does not see the groups.

        There where it was asked for (``weights=True``) and there is an estimate.
        """
        if self._sample_weight is None:
            why = f"there is no estimate: {self.missing}" if self.missing else "identify(..., weights=True) computes it"
            raise AttributeError(f"Identification has no sample_weight: {why}")
        return self._sample_weight

    @property
    def effects(self) -> Any:
        """A frame with a row for each group (and ``class``): the factor on the odds of a label, and its intervals.

        From ``low`` to ``high`` each by itself; from ``simultaneous_low`` to ``simultaneous_high`` all at once, which
        is what the sentences go by.
        """
        several = any("class" in one for one in self._record["effects"])
        names = (*_FACTOR, "simultaneous_low", "simultaneous_high", "sentence")
        return self._frame("effects", ("group", "class", *names[1:]) if several else names)

    @property
    def multipliers(self) -> Any:
        """A frame with a row for each multiplier, lambda in the paper, with its standard error and interval."""
        return self._frame("multipliers", ("name", "value", "standard_error", "low", "high"))

    @property
    def sensitivity(self) -> Any:
        """A frame of what the bias would be if groups truly differed, a row for each group and difference.

        ``difference`` is everyone's true rate minus the group's, from none to ``observed``, which the labels have;
        ``overall_rate`` and ``group_rate`` are the true rates that go with it. Intervals are for each difference and
        group by itself. Without ``sensitivity=True`` it is empty.
        """
        return frame_of(
            [
                {"group": curve["group"], "observed": curve["observed"], **{name: point[name] for name in _POINT}}
                for curve in self._curves
                for point in curve["points"]
            ],
            self._library,
        )

    @property
    def tipping_points(self) -> Any:
        """A frame of how far each group would have to differ for no bias to be left, with intervals and in words.

        ``difference``, ``low`` and ``high`` are None where no such difference was found. Without ``sensitivity=True``
        it is empty.
        """
        nowhere = {"difference": None, "low": None, "high": None}
        return frame_of(
            [
                {"group": curve["group"], **(curve["tipping"] or nowhere), "sentence": curve["sentence"]}
                for curve in self._curves
            ],
            self._library,
        )

    @property
    def _curves(self) -> list[dict[str, Any]]:
        return list((self._record.get("sensitivity") or {}).get("curves", ()))

    @property
    def converged(self) -> bool:
        """Whether multipliers were found that make scores even; if not, there is no estimate."""
        return self.missing is None

    @property
    def missing(self) -> str | None:
        """Why there is no estimate; None where there is one."""
        missing: str | None = self._record.get("missing")
        return missing

    @property
    def assumption(self) -> str:
        """What the numbers rest on."""
        return str(self._record["assumption"])

    def report(self) -> Report:
        """Make a report for others; in a notebook the page shows itself.

        An estimate of rows on other machines has none: it raises an error.
        """
        return Report._of(self._report, "an estimate")

    def __str__(self) -> str:
        if self.missing is not None:
            return f"There is no estimate: {self.missing}."
        sentences = "\n".join(one["sentence"] for one in [*self._record["effects"], *self._curves])
        return f"{self.assumption}\n\n{sentences}"

    def __repr__(self) -> str:
        return f"<evenhand.Identification of {len(self._record['effects'])} groups, {self._record['rows']} rows>"

    def _repr_html_(self) -> str:
        if self.missing is not None:
            return f"<p>{escape(str(self))}</p>"
        names = (*_FACTOR, "simultaneous_low", "simultaneous_high")
        head = ("group", "rows", "factor on the odds", "low", "high", "low, all at once", "high, all at once")
        rows = [[one[name] for name in names] for one in self._record["effects"]]
        table = html_table(head, rows, caption="How far labels were tilted")
        return f"<div><p>{escape(self.assumption)}</p>{table}</div>"

    def _frame(self, what: str, names: Sequence[str]) -> Any:
        return frame_of([{name: one.get(name) for name in names} for one in self._record[what]], self._library)


def identify(
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    groups: str | Sequence[str] | None = None,
    withhold: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    numeric: Sequence[str] | None = None,
    missing: Sequence[str] | None = None,
    pos_label: Any = None,
    confidence: float = 0.95,
    resamples: int = 0,
    random_state: int = 0,
    l2: float | None = None,
    tilt: str = "centred",
    sensitivity: bool = False,
    constraints: Constraints = "demographic_parity",
    notion: Constraints | None = None,
    weights: bool = False,
) -> Identification:
    """Estimate how far labels were tilted for or against each group.

    The multipliers with which true labels keep a constraint, such as the same rate in every group, are, under the model
    of the paper, the bias of whoever gave the labels (Jiang & Nachum 2019, Prop. 1). Each group has an interval by
    itself and one that holds for all groups at once (Hothorn, Bretz & Westfall 2008), which the sentences go by.

    Parameters
    ----------
    X : frame, array or sparse matrix of shape (n_samples, n_features)
        A frame is taken raw.
    y : array-like of shape (n_samples,)
        Labels.
    sensitive_features, sample_weight, groups, withhold, categorical, numeric, missing, pos_label
        As in :class:`EvenhandClassifier`.
    confidence : float, default=0.95
        Of the intervals.
    resamples : int, default=0
        How many times rows are drawn again to check the intervals.
    random_state : int, default=0
        Seed of these draws.
    l2 : float, default=None
        Penalty on the squares of the model's coefficients; None is 0.01.
    tilt : {"centred", "expected"}, default="centred"
        What a bias is taken to go by: the group itself, or what features tell of it, where X does not have the group.
    sensitivity : bool, default=False
        Whether to estimate the bias under true differences between groups too: see ``Identification.sensitivity``,
        ``Identification.tipping_points`` and :func:`evenhand.plotting.plot_sensitivity`. Where the true rate of a
        group is known from elsewhere, train for it with ``constraints="known-rate=GROUP:RATE"``.
    notion : str, Constraint or list of these, default=None
        The command line's word for ``constraints``; give one of the two.
    constraints : str, Constraint or list of these, default="demographic_parity"
        What true labels are taken to keep. One that is a bound (``pinned``, ``at least``) identifies no bias:
        :attr:`Identification.missing` says so.
    weights : bool, default=False
        Whether to compute the weights that undo the bias, :attr:`Identification.sample_weight`, with which any learner
        can be trained. X may have the group even where that learner may not: a model that sees the group identifies the
        bias, and the weights undo it for one that does not.

    Returns
    -------
    Identification

    Examples
    --------
    >>> from evenhand import identify
    >>> from evenhand.datasets import make_loans
    >>> X, y, _ = make_loans(5000, random_state=1)
    >>> found = identify(X, y, sensitive_features=["sex=female", "age_band=18-24"])
    >>> found.converged
    True
    >>> [one["odds_ratio"] < 1 for one in found.to_dict()["effects"]]
    [True, True]

    What if women truly deserve loans less often?

    >>> found = identify(X, y, sensitive_features="sex=female", sensitivity=True)
    >>> 0.05 < float(found.tipping_points["difference"][0]) < 0.2
    True

    A classifier that does not see who is a woman, trained on labels without the bias against them:

    >>> from sklearn.linear_model import LogisticRegression
    >>> found = identify(X, y, sensitive_features="sex=female", weights=True)
    >>> blind = LogisticRegression().fit(X[["income", "history"]], y, sample_weight=found.sample_weight)
    """
    target = target_of(y)
    data = gather(
        X,
        target,
        sensitive_features,
        sample_weight,
        positive=positive_of(target, pos_label),
        groups=groups,
        categorical=categorical,
        numeric=numeric,
        missing=missing,
    )
    record, sample_weight, found_warnings, report = _core.identify(
        data.table,
        data.roles,
        groups=data.groups,
        withhold=[*(withhold or ())],
        beside=data.withhold,
        confidence=confidence,
        resamples=resamples,
        seed=random_state,
        l2=l2,
        tilt=tilt,
        sensitivity=sensitivity,
        notions=spelled(constraints, notion),
        weights=weights,
    )
    warn_of(found_warnings, quiet=quiet_about(X))
    return Identification(json.loads(record), library_of(X, sensitive_features, y), report, sample_weight)
