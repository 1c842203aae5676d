"""What the machine itself allows: as many copies of a program as workers, each with one worker, at the same time.

Cores share caches, memory and power, and virtual ones share them with strangers: two are rarely twice as fast as one.
"""

import ctypes
import json
import signal
import subprocess
import sys
from collections import defaultdict

from process import records_in

PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def start(command: list[str]) -> subprocess.Popen[str]:
    command = [*command, "--workers", "1"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent)


def main(command: list[str], workers: int) -> int:
    copies = [start(command) for _ in range(workers)]
    records = defaultdict(list)
    for copy in copies:
        for record in records_in(copy.communicate()[0]):
            records[record["workload"]].append(record)
    for same in records.values():
        operations = sum(r["operations"] for r in same)
        cost = sum(r["value"] / r["operations"] for r in same) / workers  # of one, to one copy
        together = {
            "value": cost * operations / workers,
            "operations": operations,
            "verified": len(same) == workers and all(r["verified"] for r in same),
            "faults": None if None in (found := [r["faults"] for r in same]) else sum(found),
        }
        print(json.dumps(same[0] | together))
    return max(copy.returncode != 0 for copy in copies)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:-2], int(sys.argv[-1])))
