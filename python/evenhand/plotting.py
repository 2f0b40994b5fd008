"""Pictures of audits, frontiers and identified biases, on matplotlib.

matplotlib is imported when a function is called, and not before.
"""

from __future__ import annotations

from typing import Any

from ._audit import Audit
from ._frontier import Frontier
from ._identify import Identification

__all__ = ["plot_audit", "plot_frontier", "plot_sensitivity"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    return plt.subplots()[1]


def plot_frontier(frontier: Frontier, *, ax: Any = None) -> Any:
    """Draw error against violation (largest ``|overall - group|`` rate).

    Parameters
    ----------
    frontier : Frontier
    ax : matplotlib Axes, default=None
        Where to; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = _axes(ax)
    points = frontier.to_dict()["points"]
    for part, style in (("train", "o-"), ("test", "s--")):
        if points[0][part] is not None:
            places = [(point[part]["violation"], point[part]["error"]) for point in points]
            ax.plot(*zip(*places, strict=True), style, label="training rows" if part == "train" else "test rows")
    ax.set_xlabel("violation: largest |overall - group| rate")
    ax.set_ylabel("error")
    ax.legend()
    return ax


def plot_audit(audit: Audit, rate: str = "positive_rate", *, positive: str | None = None, ax: Any = None) -> Any:
    """Draw one rate of every group with its interval, and the overall rate as a line.

    Parameters
    ----------
    audit : Audit
    rate : {"positive_rate", "true_positive_rate", "false_positive_rate", "accuracy"}, default="positive_rate"
    positive : str, default=None
        Which class, where several were audited; None is the first.
    ax : matplotlib Axes, default=None
        Where to; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = _axes(ax)
    record = audit.to_dict()
    one = next(one for one in record["classes"] if positive in (None, one["positive"]))
    tables = one["predictions"] or one["labels"]
    groups = [group for group in tables["groups"] if group[rate]["value"] is not None]
    for place, group in enumerate(reversed(groups)):
        found = group[rate]
        ax.plot([found["low"], found["high"]], [place, place], color="0.5")
        ax.plot([found["value"]], [place], "ko")
    ax.axvline(tables["overall"][rate]["value"], linestyle="--", color="0.3")
    ax.set_yticks(range(len(groups)), [f"{group['group']} ({group['rows']})" for group in reversed(groups)])
    ax.set_xlabel(f"{rate.replace('_', ' ')} of `{one['positive']}`, {record['confidence']:.0%} intervals")
    return ax


def plot_sensitivity(found: Identification, group: str | None = None, *, ax: Any = None) -> Any:
    """Draw the estimated bias of one group against how far it truly differs, with its pointwise band.

    Parameters
    ----------
    found : Identification
        Of :func:`identify` with ``sensitivity=True``.
    group : str, default=None
        Whose; None is the first.
    ax : matplotlib Axes, default=None
        Where to; None makes a new figure.

    Returns
    -------
    matplotlib Axes
    """
    curves = (found.to_dict().get("sensitivity") or {}).get("curves", [])
    curve = next((one for one in curves if group in (None, one["group"])), None)
    if curve is None:
        known = ", ".join(one["group"] for one in curves)
        raise ValueError(f"there is no curve of {group!r}: {known or 'identify(..., sensitivity=True) makes them'}")
    ax = _axes(ax)
    places = [100 * point["difference"] for point in curve["points"]]
    ends = ([point[end] for point in curve["points"]] for end in ("low", "high"))
    ax.fill_between(places, *ends, alpha=0.2)
    ax.plot(places, [point["odds_ratio"] for point in curve["points"]], "o-", markersize=3)
    ax.axhline(1.0, linestyle="--", color="0.3")
    if curve["tipping"] is not None:
        ax.plot([100 * curve["tipping"]["difference"]], [1.0], "kD")
    ax.set_yscale("log")
    ax.set_xlabel(f"everyone's true rate minus that of {curve['group']}, in points")
    ax.set_ylabel("factor on the odds of a positive label")
    return ax
