"""The command line: ``evenhand`` and ``python -m evenhand`` are the same program as the one that cargo installs."""

from __future__ import annotations

import signal
import sys

from evenhand import _core


def main() -> int:
    """Run the command that the arguments of this process say.

    Returns
    -------
    int
        The exit code: 0 fine, 1 a bound was not met or a check does not match, 2 bad input.
    """
    # The engine never asks Python whether Ctrl-C was pressed: it ends the process, as in any program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.main(["evenhand", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
