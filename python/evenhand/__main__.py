"""The program ``evenhand``, and ``python -m evenhand``: the command line, in the package's own engine."""

from __future__ import annotations

import sys

from . import _core

__all__ = ["main"]


def main() -> int:
    """Run the command line with the arguments of this process.

    Returns
    -------
    int
        The exit code: 0 fine, 1 a bound was not met or a check does not match, 2 bad input.
    """
    return _core.main(["evenhand", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
