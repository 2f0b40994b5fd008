"""The engine, as PyO3 exports it. Private: use what `evenhand` exports."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypedDict, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Required, Unpack

__all__ = [
    "VERSION",
    "AuditTask",
    "Binding",
    "Corrector",
    "FitState",
    "Fitted",
    "Found",
    "Model",
    "RemoteAggregation",
    "RemoteFit",
    "RemoteTask",
    "Report",
    "Roles",
    "Settings",
    "Table",
    "Tilting",
    "Traced",
    "audit",
    "audit_remote",
    "class_order",
    "fit",
    "fit_remote",
    "frontier",
    "identify",
    "identify_remote",
    "log_odds",
    "main",
    "memberships",
    "notions",
    "population",
]

VERSION: Final[str]

_Warnings = list[tuple[str, str]]
_Limits = Sequence[tuple[str | None, float]]

class _AuditSettings(TypedDict, total=False):
    groups: Required[Sequence[str]]
    predictions: str | None
    confidence: float
    intersections: bool
    small_group: int
    notions: Sequence[str] | None
    max_violation: float | None
    max_difference: float | None
    min_ratio: float | None
    score: str | None
    threshold: float
    unlabelled: bool

@final
class Table:
    def __new__(cls) -> Table: ...
    @staticmethod
    def from_arrow(stream: object, first_row: int = 0) -> Table: ...
    def add_numbers(self, name: str, values: NDArray[np.float64]) -> None: ...
    def add_whole(
        self, name: str, values: NDArray[np.int64] | NDArray[np.uint64], missing: NDArray[np.bool_] | None = None
    ) -> None: ...
    def add_matrix(self, names: Sequence[str], values: NDArray[np.float64]) -> None: ...
    def add_codes(self, name: str, codes: NDArray[np.int64], dictionary: Sequence[str]) -> None: ...
    def add_flags(self, name: str, flags: NDArray[np.bool_]) -> None: ...
    def add_table(self, other: Table) -> None: ...
    def add_column(self, name: str, other: Table, column: str) -> None: ...
    def same_column(self, name: str, other: Table, column: str) -> bool: ...
    def kind(self, name: str) -> str: ...
    def values(self, name: str) -> tuple[list[str], NDArray[np.int64]]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def rows(self) -> int: ...

@final
class Roles:
    def __new__(
        cls,
        label: str,
        *,
        positive: str | None = None,
        weight: str | None = None,
        categorical: Sequence[str] | None = None,
        numeric: Sequence[str] | None = None,
        missing: Sequence[str] | None = None,
        frequency: str | None = None,
    ) -> Roles: ...

@final
class Settings:
    def __new__(
        cls,
        notions: Sequence[str],
        *,
        groups: Sequence[str],
        withhold: Sequence[str],
        beside: Sequence[str] = ...,
        max_violation: _Limits | None = None,
        max_difference: _Limits | None = None,
        min_ratio: _Limits | None = None,
        preset: str = "default",
        validation: str = "training",
        measure: str = "decisions",
        threshold: str = "half",
        covariate_shift: str = "ignored",
        seed: int = 0,
        method: str = "weighting",
        margin: float | None = None,
        min_group: int | None = None,
        max_fits: int | None = None,
        bounded: bool | None = None,
        loops: int | None = None,
        step: float | None = None,
        tilt: str | None = None,
        apply: str = "weights",
        keep_best: bool | None = None,
        notable_change: float | None = None,
        standardise: bool | None = None,
        interactions: bool | None = None,
        l2: float | None = None,
        penalise_intercept: bool | None = None,
        tolerance: float | None = None,
        max_passes: int | None = None,
        score: str | None = None,
        with_group: bool = False,
        network: tuple[list[int], int, int, float, str, int] | None = None,
    ) -> Settings: ...
    @property
    def most_fits(self) -> int: ...
    def named_columns(self, known: Sequence[str]) -> list[str]: ...
    @property
    def notions(self) -> list[str]: ...

@final
class Binding:
    def test_bounds(
        self,
        table: Table,
        predictions: NDArray[np.float64],
        confidence: float,
        *,
        max_violation: list[tuple[str | None, float]] | None = None,
        max_difference: list[tuple[str | None, float]] | None = None,
        min_ratio: list[tuple[str | None, float]] | None = None,
    ) -> tuple[str, str, str, _Warnings]: ...
    def decide(self, predictions: NDArray[np.float64]) -> NDArray[np.uint32]: ...
    @property
    def threshold(self) -> float: ...
    @property
    def sensitive_columns(self) -> list[str]: ...
    @property
    def label(self) -> str: ...
    @property
    def weight(self) -> str | None: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...
    @staticmethod
    def restore(state: bytes) -> Binding: ...

@final
class Model:
    def predict(self, table: Table) -> tuple[NDArray[np.float64], NDArray[np.uint32], _Warnings]: ...
    def verify(self, table: Table) -> str: ...
    def save(self, path: str) -> None: ...
    @staticmethod
    def load(path: str) -> Model: ...
    def to_json(self) -> str: ...
    @property
    def binding(self) -> Binding: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def columns(self) -> list[tuple[str, str]]: ...
    @property
    def feature_names(self) -> list[str]: ...
    @property
    def memberships(self) -> str | None: ...
    @property
    def groups_needed(self) -> list[str]: ...
    @property
    def coefficients(self) -> NDArray[np.float64] | None: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...
    @staticmethod
    def restore(state: bytes) -> Model: ...

@final
class Fitted:
    @property
    def model(self) -> Model | None: ...
    @property
    def predictor(self) -> Any: ...
    @property
    def binding(self) -> Binding: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def sample_weight(self) -> NDArray[np.float64]: ...
    @property
    def multipliers(self) -> list[tuple[str, float]]: ...
    @property
    def odds_factors(self) -> list[tuple[str, float | None]]: ...
    @property
    def history(self) -> list[dict[str, Any]]: ...
    @property
    def train(self) -> str: ...
    @property
    def validation(self) -> str | None: ...
    @property
    def effect(self) -> str | None: ...
    @property
    def stop(self) -> str: ...
    @property
    def trade_off(self) -> tuple[float, float, float] | None: ...
    @property
    def fits(self) -> int: ...
    @property
    def memberships(self) -> str | None: ...
    @property
    def tilting(self) -> tuple[Tilting, list[Any]] | None: ...
    @property
    def warnings(self) -> _Warnings: ...
    @property
    def state(self) -> FitState: ...

@final
class Tilting:
    def apply(
        self,
        binding: Binding,
        probabilities: NDArray[np.float64],
        members: Sequence[NDArray[np.float64]],
        table: Table,
    ) -> NDArray[np.float64]: ...
    @property
    def needs_groups(self) -> bool: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...
    @staticmethod
    def restore(state: bytes) -> Tilting: ...

@final
class FitState:
    def report(
        self,
        table: Table,
        roles: Roles,
        *,
        test: Table | None = None,
        learner: Callable[..., Any] | None = None,
        name: str | None = None,
        identify: bool = True,
        confidence: float = 0.95,
    ) -> Report: ...

@final
class Traced:
    def report(self, table: Table, roles: Roles, *, test: Table | None = None, confidence: float = 0.95) -> Report: ...

@final
class Report:
    def html(self) -> str: ...
    def markdown(self) -> str: ...
    def text(self) -> str: ...
    def save(self, path: str) -> None: ...
    def summary(self) -> list[str]: ...
    def to_json(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...
    @staticmethod
    def restore(state: str) -> Report: ...

@final
class Found:
    @property
    def multipliers(self) -> list[tuple[str, float]]: ...
    @property
    def stop(self) -> str: ...
    @property
    def trade_off(self) -> tuple[float, float, float] | None: ...
    @property
    def fits(self) -> int: ...
    @property
    def train(self) -> str: ...
    @property
    def warnings(self) -> _Warnings: ...
    @property
    def best(self) -> int: ...

@final
class Corrector:
    def __new__(cls, table: Table, roles: Roles, settings: Settings) -> Corrector: ...
    def update(self, predictions: NDArray[np.float64]) -> None: ...
    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def done(self) -> bool: ...
    @property
    def history(self) -> list[dict[str, Any]]: ...
    @property
    def found(self) -> Found | None: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def binding(self) -> Binding: ...

@final
class AuditTask:
    def __new__(cls, task: bytes) -> AuditTask: ...
    @property
    def columns(self) -> list[str] | None: ...
    def on_rows(self, table: Table) -> bytes | None: ...
    def merge(self, answers: Sequence[bytes]) -> bytes: ...

@final
class RemoteTask:
    def __new__(cls, task: bytes) -> RemoteTask: ...
    @property
    def columns(self) -> list[str] | None: ...
    def on_rows(self, table: Table) -> bytes | None: ...
    def encode(self, table: Table) -> list[tuple[bytes, bytes]]: ...
    def aggregation(self) -> RemoteAggregation: ...
    def on_block(self, block: bytes) -> list[bytes]: ...
    @property
    def merges(self) -> bool: ...
    def merge(self, answers: Sequence[bytes]) -> bytes: ...

@final
class RemoteAggregation:
    def add(self, block: bytes) -> list[tuple[bytes, bytes]]: ...
    def finish(self) -> list[tuple[bytes, bytes]]: ...

@final
class RemoteFit:
    @property
    def model(self) -> Model: ...
    @property
    def rows(self) -> int: ...
    @property
    def sample_rows(self) -> int: ...
    @property
    def distinct_rows(self) -> int | None: ...
    @property
    def passes(self) -> int: ...
    @property
    def before(self) -> str: ...
    @property
    def fits(self) -> int: ...
    @property
    def stop(self) -> str: ...
    @property
    def warnings(self) -> _Warnings: ...

def fit_remote(
    rows: Any,
    roles: Roles,
    settings: Settings,
    *,
    sample_rows: int | None = None,
    seed: int = 0,
) -> RemoteFit: ...
def fit(
    table: Table,
    roles: Roles,
    settings: Settings,
    *,
    learner: Callable[..., Any] | None = None,
    callback: Callable[[dict[str, Any]], object] | None = None,
    keep: bool = False,
) -> Fitted: ...
def audit(
    table: Table, roles: Roles, **settings: Unpack[_AuditSettings]
) -> tuple[str, tuple[str, str], _Warnings, Report]: ...
def memberships(table: Table, groups: Sequence[str]) -> list[tuple[str, NDArray[np.bool_]]]: ...
def audit_remote(
    rows: Any, roles: Roles, **settings: Unpack[_AuditSettings]
) -> tuple[str, tuple[str, str], _Warnings]: ...
def identify(
    table: Table,
    roles: Roles,
    *,
    groups: Sequence[str],
    withhold: Sequence[str],
    beside: Sequence[str] = ...,
    confidence: float = 0.95,
    resamples: int = 0,
    seed: int = 0,
    l2: float | None = None,
    tilt: str = "centred",
    sensitivity: bool = False,
    notions: Sequence[str] | None = None,
    weights: bool = False,
) -> tuple[str, NDArray[np.float64] | None, _Warnings, Report]: ...
def identify_remote(
    rows: Any,
    roles: Roles,
    *,
    groups: Sequence[str],
    withhold: Sequence[str],
    confidence: float = 0.95,
    resamples: int = 0,
    sensitivity: bool = False,
    l2: float | None = None,
    notions: Sequence[str] | None = None,
    sample_rows: int | None = None,
    seed: int = 0,
) -> tuple[str, _Warnings, int]: ...
def frontier(
    table: Table,
    roles: Roles,
    settings: Settings,
    *,
    points: int = 12,
    test: Table | None = None,
    callback: Callable[[dict[str, Any]], object] | None = None,
    keep: bool = False,
) -> tuple[str, _Warnings, Traced]: ...
def class_order(classes: Sequence[str], positive: str | None = None) -> list[str]: ...
def log_odds(scores: NDArray[np.float64]) -> NDArray[np.float64]: ...
def main(arguments: Sequence[str]) -> int: ...
def notions(notions: Sequence[str]) -> list[str]: ...
def population(rows: int, seed: int) -> Table: ...
