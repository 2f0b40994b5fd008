"""The model file of the command line: a fitted classifier written to it, and made of it."""

from __future__ import annotations

import json
import os
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._bounds import bounds_of
from ._columns import text_of
from ._exceptions import EvenhandError
from ._predicting import Predicting
from ._results import frame_of, library_of

__all__ = ["Stored"]

Own = TypeVar("Own", bound="Stored")

# Settings that a file has under the names of the estimator's.
ALIKE = ("measure", "threshold", "apply", "covariate_shift", "notable_change")


class Stored(Predicting):
    """Settings and findings on their way to a file and back."""

    _library: str
    effects_: dict[str, float | None]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file of the command line: ``evenhand predict`` gives the same bits.

        Parameters
        ----------
        path : path-like
            Where to; the file is written beside it and renamed.
        """
        check_is_fitted(self)
        if not isinstance(self.estimator_, _core.Model):
            name = type(self.estimator_).__name__
            message = f"the model file holds the built-in learner, and this is a {name}; pickle it instead"
            raise EvenhandError(message, "model-format")
        self.estimator_.save(os.fspath(path))

    @classmethod
    def load(cls: type[Own], path: str | os.PathLike[str]) -> Own:
        """Read a model file, from here or from the command line.

        Classes are texts in the file; they come back as whole numbers where all of them are.

        Parameters
        ----------
        path : path-like

        Returns
        -------
        EvenhandClassifier
            Fitted; ``sample_weight_`` stays with the training rows.
        """
        model = _core.Model.load(os.fspath(path))
        body = json.loads(model.to_json())
        self = cls(**_settings_of(body))
        self.classes_ = _classes_of(model)
        self._order = [model.classes.index(text_of(value)) for value in self.classes_]
        self.estimator_ = model
        self._binding = model.binding
        self.threshold_ = self._binding.threshold
        columns = list(dict.fromkeys(name for name, _ in model.columns))
        self.feature_names_in_ = np.asarray(columns, dtype=object)
        self.n_features_in_ = len(columns)
        self._loaded = True
        self.multipliers_ = {one["name"]: one["value"] for one in body["multipliers"]}
        self.effects_ = {one["name"]: one.get("odds_factor") for one in body["multipliers"]}
        self.violations_ = {one["name"]: one["value"] for one in body["train"]["violations"]}
        self.violation_ = body["train"]["violation"]
        self.history_ = body["trace"]
        self.stop_ = body["stop"]
        self.trade_off_ = body.get("trade_off")
        self.effect_ = None
        self._library, self._tilting = library_of(), None
        self.memberships_ = self._memberships(model.memberships)
        self.n_fits_ = body["fits"]
        return self

    @classmethod
    def _of(cls: type[Own], model: object, caller: str) -> Own:
        """Take a fitted classifier as it is, and a path as that of a model file."""
        if isinstance(model, (str, os.PathLike)):
            return cls.load(model)
        if not isinstance(model, cls):
            message = f"{caller}() takes an {cls.__name__} or the path of a model file, not a {type(model).__name__}"
            raise EvenhandError(message, "setting-invalid")
        return model

    def _memberships(self, found: str | None) -> Any:
        return None if found is None else frame_of(json.loads(found), self._library)


def _settings_of(body: dict[str, Any]) -> dict[str, Any]:
    """Name what a file says was asked as the estimator names it."""
    asked, roles = body["settings"], body["binding"]["schema"]
    settings: dict[str, Any] = {name: asked[name] for name in ALIKE if name in asked}
    settings |= {name: roles[name] for name in ("categorical", "numeric") if name in roles}
    if body["reading"]["missing"]:
        settings["missing"] = body["reading"]["missing"]
    settings |= bounds_of(asked["bounds"])
    method = _method_of(asked.get("method", {"name": "correction"}))
    return settings | {"constraints": asked["notions"], "groups": asked["groups"], "method": method}


def _method_of(asked: Any) -> str:
    name = str(asked["name"])
    if name == "threshold-postprocessing" and asked["decisions"] == "deterministic":
        return "thresholds"
    return {"correction": "weighting"}.get(name, name)


def _classes_of(model: _core.Model) -> NDArray[Any]:
    texts = model.classes
    whole = all(text.lstrip("-").isdigit() for text in texts)
    return np.sort(np.asarray([int(text) for text in texts]) if whole else np.asarray(texts))
