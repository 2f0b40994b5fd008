"""Two programs, turn about: `against.py BEFORE AFTER ROUNDS COMMAND…`, processor seconds of each round and the ratio of the least.

Other work on the machine lengthens both alike, and processor seconds less than those by the clock.
"""

import os
import sys


def seconds(program: str, arguments: list[str]) -> float:
    """Processor seconds of one run."""
    child = os.posix_spawn("/bin/sh", ["sh", "-c", 'exec "$@" > /dev/null', "sh", program, *arguments], os.environ)
    _, status, used = os.wait4(child, 0)
    # 1 is a bound that was missed.
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{program} {' '.join(arguments)} failed")
    return used.ru_utime + used.ru_stime


def main(before: str, after: str, rounds: int, arguments: list[str]) -> None:
    least = [float("inf"), float("inf")]
    for _ in range(rounds):
        found = [seconds(program, arguments) for program in (before, after)]
        print(f"{found[0]:.3f} {found[1]:.3f}", flush=True)
        least = [min(pair) for pair in zip(least, found, strict=True)]
    print(f"least {least[0]:.3f} {least[1]:.3f}, ratio {least[1] / least[0]:.3f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:])
