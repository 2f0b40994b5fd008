"""Where a search is: a callback, a progress bar, or both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["watching"]


@contextmanager
def watching(
    callback: Callable[[dict[str, Any]], object] | None, progress: bool, most: int
) -> Iterator[Callable[[dict[str, Any]], object] | None]:
    """Give what the engine calls after every fit."""
    if not progress:
        yield callback
        return
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("progress=True needs tqdm: pip install tqdm") from error
    with tqdm(total=most, unit="fit") as bar:

        def notify(done: dict[str, Any]) -> object:
            bar.update()
            bar.set_postfix(violation=f"{done['violation']:.4f}", error=f"{done['error']:.4f}")
            return None if callback is None else callback(done)

        yield notify
