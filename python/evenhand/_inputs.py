"""What the estimator is given, checked, and made into columns for the engine or rows for another estimator."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_sample_weight,
    _num_samples,
    validate_data,
)

from . import _core
from ._bounds import limits_of
from ._columns import is_frame, refuse_lazy, table_of
from ._data import Data, Target, add_sensitive, assemble, is_everyone, target_of
from ._exceptions import EvenhandError
from ._network import Network
from ._sensitive import sensitive_of
from .constraints import Constraints, spelled

__all__ = ["BY_GROUP", "Inputs"]

# Wider, or sparse, features are not worth a stand-in regression beside an estimator of another library.
MOST_STAND_IN_COLUMNS = 300

# The column that stands for features which only the estimator reads.
UNREAD = "features of the estimator"

# Methods that decide by group, and those that are not trained by weighted fits: only the built-in learner will do.
BY_GROUP = ("threshold-postprocessing", "thresholds", "percentile-thresholds", "calibration")
BUILT_IN_ONLY = (*BY_GROUP, "lagrangian")


def _is_matrix(X: Any) -> bool:
    """Tell whether X can be checked as numbers in rows: lists of texts, say, belong to the estimator alone."""
    if isinstance(X, (list, tuple)):
        return not any(isinstance(one, (str, bytes)) for one in X[:1])
    return hasattr(X, "__array__") or sparse.issparse(X)


class Inputs(BaseEstimator):  # type: ignore[misc]
    """Settings and rows on their way in."""

    estimator: Any
    constraints: Constraints
    notion: Constraints | None
    method: str
    threshold: str
    weight_range: str | None
    apply: str
    tilt: str | None
    random_state: int
    groups: str | Sequence[str] | None
    intersections: bool
    withhold: Sequence[str] | None
    categorical: Sequence[str] | None
    numeric: Sequence[str] | None
    missing: Sequence[str] | None
    classes_: NDArray[Any]
    _binding: _core.Binding

    def _is_built_in(self) -> bool:
        """Whether the engine learns, and no estimator of another library."""
        return self.estimator is None or isinstance(self.estimator, Network)

    def _check_choices(self) -> None:
        if self.on_interrupt not in ("raise", "keep"):
            raise self._refused("on_interrupt", "'raise' or 'keep'")
        if self.weight_range not in (None, "bounded", "unbounded"):
            raise self._refused("weight_range", "'bounded', 'unbounded' or None")
        if not self._is_built_in() and self.method in BUILT_IN_ONLY:
            raise self._refused("method", "one that trains by weighted fits, or estimator=None: this one is not")
        if self.apply == "tilt" and not self._is_built_in() and not hasattr(self.estimator, "predict_proba"):
            raise self._refused(
                "apply", "'weights' with an estimator that has no predict_proba: there is nothing to tilt"
            )
        asked = _core.notions(spelled(self.constraints, self.notion))
        if not self._is_built_in() and "paper-disparate-impact" in asked:
            raise self._refused(
                "constraints", "'disparate_impact' with an estimator, which makes indicators of its own"
            )
        if self.threshold == "best" and not self._is_built_in() and not hasattr(self.estimator, "predict_proba"):
            raise self._refused("threshold", "'half' with an estimator that has no predict_proba")
        for name in ("categorical", "numeric", "missing"):
            if not self._is_built_in() and getattr(self, name) is not None:
                raise self._refused(name, "None with an estimator, which takes columns in its own way")
        if isinstance(self.estimator, Network) and self.l2 is not None:
            raise self._refused("l2", "None with a Network, which has no such penalty")
        if isinstance(self.estimator, Network) and self.method == "lagrangian":
            raise self._refused("method", "one that trains the network, or estimator=None: this one is linear")
        for name in ("margin", "l2", "notable_change"):
            if not isinstance(getattr(self, name), (numbers.Real, type(None))):
                raise self._refused(name, "a number or None")
        if not isinstance(self.max_fits, (numbers.Integral, type(None))):
            raise self._refused("max_fits", "a whole number or None")
        seed = self.random_state
        if not isinstance(seed, numbers.Integral) or not 0 <= seed < 2**64:
            raise self._refused("random_state", "a whole number from 0: equal seeds give equal results")

    def _refused(self, name: str, allowed: str) -> EvenhandError:
        message = f"`{name}` of {type(self).__name__} is {getattr(self, name)!r}; allowed is {allowed}"
        return EvenhandError(message, "setting-invalid")

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Target, NDArray[np.float64] | None]:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        self.__dict__.pop("_loaded", None)
        X = self._validated(X, reset=True)
        target = target_of(y)
        rows = _num_samples(X)
        if len(target.codes) != rows:
            message = f"Found input variables with inconsistent numbers of samples: [{rows}, {len(target.codes)}]"
            raise EvenhandError(message, "length-mismatch")
        if sample_weight is None:
            return X, target, None
        weight = _check_sample_weight(sample_weight, np.empty((rows, 1)), dtype=np.float64, ensure_non_negative=True)
        return X, target, weight

    def _validated(self, X: Any, *, reset: bool) -> Any:
        """Check X by scikit-learn's rules. Frames, and what belongs to another estimator, pass as they are."""
        refuse_lazy(X, "X")
        if is_frame(X):
            _check_feature_names(self, X, reset=reset)
            _check_n_features(self, X, reset=reset)
            if _num_samples(X) == 0:
                raise EvenhandError("Found array with 0 sample(s) while a minimum of 1 is required.", "no-rows")
            return X
        if not self._is_built_in() and not _is_matrix(X):
            return X
        tags = get_tags(self)
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=["csr", "csc"] if tags.input_tags.sparse else False,
            dtype="numeric" if self._is_built_in() else None,
            ensure_all_finite="allow-nan" if tags.input_tags.allow_nan else True,
            ensure_2d=self._is_built_in() or not tags.input_tags.three_d_array,
            allow_nd=not self._is_built_in(),
        )

    def _features(self, X: Any) -> _core.Table:
        """Columns of X for the engine. Beside another estimator they only determine the direction of its steps."""
        if self._is_built_in():
            return table_of(X)
        shape: tuple[int, ...] = getattr(X, "shape", ())
        if sparse.issparse(X) or len(shape) != 2 or shape[1] > MOST_STAND_IN_COLUMNS:
            return self._no_features(X)
        try:
            return table_of(X)
        except (EvenhandError, TypeError, ValueError):
            return self._no_features(X)

    def _no_features(self, X: Any) -> _core.Table:
        """Stand for rows that the engine cannot read; where tilts are blind, by a column that tells no group."""
        table = _core.Table()
        if self._is_blind():
            table.add_numbers(UNREAD, np.arange(_num_samples(X), dtype=np.float64))
        return table

    def _is_blind(self) -> bool:
        """Whether tilts are by what features tell of groups, so that it matters which groups these tell."""
        return self.apply == "tilt" or self.tilt == "expected"

    def _settings(self, notions: list[str], data: Data, X: Any) -> _core.Settings:
        looped = self.preset != "default"
        withhold, beside = [*(self.withhold or ())], data.withhold
        unseen = not set(data.table.names) - {*withhold, *beside, data.label, data.weight}
        if not self._is_built_in() and unseen and not self._is_blind():
            # Without columns of X the sensitive ones determine the direction of steps; the estimator never sees them.
            withhold, beside = [], []
        return _core.Settings(
            notions,
            groups=data.groups,
            withhold=withhold,
            beside=beside,
            max_violation=limits_of("max_violation", self.max_violation),
            max_difference=limits_of("max_difference", self.max_difference),
            min_ratio=limits_of("min_ratio", self.min_ratio),
            preset=self.preset,
            validation=self.validation,
            measure=self.measure,
            threshold=self.threshold,
            covariate_shift=self.covariate_shift,
            seed=self.random_state,
            method=self.method,
            margin=self.margin,
            min_group=self.min_group,
            bounded=None if self.weight_range is None else self.weight_range == "bounded",
            max_fits=None if looped else self.max_fits,
            loops=self.max_fits if looped else None,
            apply=self.apply,
            tilt=self.tilt,
            notable_change=self.notable_change,
            standardise=self.standardise,
            interactions=self.interactions,
            l2=self.l2,
            network=self.estimator._settings() if isinstance(self.estimator, Network) else None,
        )

    def _withheld(self, notions: list[str], data: Data, X: Any) -> list[str]:
        """Columns of X that another estimator may not see."""
        impact = any("disparate" in notion.lower() for notion in notions)
        hidden = {*(self.withhold or ()), *(data.shared if impact else ())}
        columns = [str(name) for name in getattr(X, "columns", getattr(X, "column_names", ()))] if is_frame(X) else []
        return [name for name in columns if name in hidden]

    def _shown(self, X: Any) -> Any:
        """X without what is withheld from another estimator."""
        hidden = getattr(self, "_withheld_columns", [])
        if not hidden:
            return X
        columns = [name for name in getattr(X, "columns", getattr(X, "column_names", ())) if str(name) not in hidden]
        return X.select(columns) if hasattr(X, "select") else X[columns]

    def _engine_order(self, target: Target, positive: str | None) -> list[int]:
        """For each class of the engine, its place among ``classes_``."""
        texts = _core.class_order(target.texts, positive)
        return [target.texts.index(text) for text in texts]

    def _with_groups(self, table: _core.Table, X: Any, sensitive_features: Any, needed: bool) -> _core.Table:
        """Add sensitive columns that are not in X, where groups decide and they were given."""
        if needed and sensitive_features is not None:
            rows = _num_samples(X)
            sensitive = sensitive_of(sensitive_features, rows, groups=self.groups, intersections=self.intersections)
            add_sensitive(table, sensitive, self._binding.sensitive_columns)
        return table

    def _new_rows(self, X: Any) -> Any:
        return X if getattr(self, "_loaded", False) else self._validated(X, reset=False)

    def _new_table(self, X: Any) -> _core.Table:
        X = self._new_rows(X)
        names = getattr(self, "feature_names_in_", None)
        return table_of(X, names=None if names is None else [str(name) for name in names])

    def _columns(self, X: Any) -> _core.Table:
        """Columns that define groups, where X has names."""
        return table_of(X) if is_frame(X) else _core.Table()

    def _labelled(self, table: _core.Table, y: Any, sensitive_features: Any, sample_weight: Any) -> Data:
        """Add labels, weights and sensitive columns as training named them."""
        target = target_of(y, classes=self.classes_)
        sensitive = sensitive_of(
            sensitive_features, len(target.codes), groups=self.groups, intersections=self.intersections
        )
        weight = self._binding.weight
        if weight is not None and sample_weight is None:
            sample_weight = np.ones(len(target.codes))
        return assemble(
            table,
            target,
            sensitive,
            sample_weight=None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64),
            known=self._binding.sensitive_columns,
            label=self._binding.label,
            weight=weight,
            # Groups are those of training; a column of everyone is made again where training had no others.
            groups_needed=is_everyone(self._binding.sensitive_columns),
        )
