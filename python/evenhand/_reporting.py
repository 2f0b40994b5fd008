"""What a fitted classifier shows of itself: a report, and a table in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from . import _core
from ._data import Data
from ._exceptions import EvenhandError
from ._external import Learner
from ._model_file import Stored
from ._report import Report
from ._results import html_table

__all__ = ["Fit", "Reporting"]


@dataclass(frozen=True)
class Fit:
    """What a report is made of: what was found, and the rows it was found on."""

    state: _core.FitState
    rows: Callable[[], Data]
    learner: Learner | None


class Reporting(Stored):
    """A fit on its way to people who were not there."""

    _fitted: Fit

    def report(
        self,
        X: Any = None,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
        confidence: float = 0.95,
    ) -> Report:
        """Tell what was found, in a report for others; in a notebook it shows itself.

        The learner is trained again without correction, with more and less of it, and for two other methods: some
        fifteen times if it is the built-in one, which for comparison also trains the Lagrangian approach, else seven.
        It needs the training rows, which the classifier refers to, without a copy, until it is pickled.

        Parameters
        ----------
        X, y, sensitive_features, sample_weight
            Labelled rows to measure on, as in :meth:`fit`; without them the training rows, which flatter.
        confidence : float, default=0.95
            Of the intervals.

        Returns
        -------
        Report
        """
        check_is_fitted(self)
        fitted: Fit | None = getattr(self, "_fitted", None)
        if fitted is None:
            message = (
                "a report needs the rows it was fitted to, and a classifier that was loaded, copied or pickled has "
                "them no more; fit it again, or take `audit(y, predictions, ...).report()`"
            )
            raise EvenhandError(message, "rows-needed")
        if (X is None) != (y is None):
            raise EvenhandError("give both X and y, or none of them for the training rows", "setting-invalid")
        train, learner = fitted.rows(), fitted.learner
        test = None
        if X is not None:
            rows = self._new_table(X) if learner is None else self._columns(X)
            test = self._labelled(rows, y, sensitive_features, sample_weight).table
            if learner is not None:
                learner.others = self._shown(self._new_rows(X))
        seen = set(train.table.names) - set(train.withhold) - {train.label, train.weight}
        with nullcontext() if learner is None else learner.interrupts:
            found = fitted.state.report(
                train.table,
                train.roles,
                test=test,
                learner=learner,
                name=type(self.estimator_).__name__,
                identify=learner is None or bool(seen),
                confidence=confidence,
            )
        return Report(found)

    def _html_repr(self) -> str:
        """Show scikit-learn's diagram in a notebook and, once fitted, what was found."""
        diagram = str(super()._html_repr())
        return diagram + self._found_html() if hasattr(self, "stop_") else diagram

    def _found_html(self) -> str:
        rows = [
            (name, value, self.effects_.get(name), self.violations_.get(name))
            for name, value in self.multipliers_.items()
        ]
        beyond = f"{self.effect_['summary']} " if self.effect_ and self.effect_["summary"] else ""
        found = f"{self.stop_} after {self.n_fits_} fits; largest |overall - group| in training {self.violation_:.4f}"
        heads = (
            "constraint",
            "multiplier",
            "factor on the odds of the group",
            "overall - group (+: the group gets less)",
        )
        return html_table(heads, rows, caption=beyond + found)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the training rows behind: they are only referred to, for a report."""
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_fitted", None)
        return state
