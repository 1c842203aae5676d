"""Some of the benchmarks' programs, with one thing held still that the system draws anew for each process."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from process import SKIPPED  # noqa: E402
from rivals import BUILD  # noqa: E402

PROGRAMS = ("fib", "nqueens", "skynet", "futures")
FIXED_ADDRESSES = ("setarch", platform.machine(), "-R")


def core(which: int) -> tuple[str, ...]:
    """The first one that may be used, or the last, -1."""
    return "taskset", "-c", str(sorted(os.sched_getaffinity(0))[which])


def run(before: tuple[str, ...] = (), environment: dict[str, str] | None = None) -> None:
    """Prints the records of all programs, each run with these words before its command and these variables."""
    for program in PROGRAMS:
        command = [*before, str(BUILD / f"bench_{program}_treadle"), *sys.argv[1:]]
        done = subprocess.run(
            command, env=os.environ | (environment or {}), capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            print(done.stderr.strip() or f"{command[0]} failed", file=sys.stderr)
            sys.exit(SKIPPED if before and not done.stdout else 1)
        for line in done.stdout.splitlines():
            record = json.loads(line)
            print(json.dumps(record | {"workload": "speeds/" + record["workload"].replace("/", "_")}))
