"""How many of the cores a process should use that is one of several of a program: its share, not all of them.

Several processes that each use all cores take turns on them, and lose more than they win. Programs say nothing of it,
so this looks at the processes that the same parent has started in the same way (multiprocessing, concurrent.futures,
joblib, Dask). What mpirun says of the ranks on this machine is looked at wherever cores are counted. `workers` and
TREADLE_WORKERS count more, and an agent shares the cores of the whole machine out.
"""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import suppress

from ._native import usable_cores

_LOOK_S = 0.5  # a pool grows, and ends

_seen = 0
_has_shared = False  # somebody was there
_look_at = 0.0


def share_of_workers(processes: int) -> int:
    """Of each, where all of them are on this machine."""
    return max(usable_cores() // processes, 1)


def workers_by_share() -> int:
    """0: there is nobody to share with. Any thread; looks twice in a second at most."""
    global _seen, _look_at, _has_shared
    now = time.monotonic()
    if now >= _look_at:
        _look_at = now + _LOOK_S
        _seen = _look()
        _has_shared = _has_shared or _seen > 0
        if _seen == 0 and _has_shared:  # all of them are this one's again
            _seen = share_of_workers(1)
    return _seen


def forget() -> None:
    """In the child of a fork."""
    global _look_at, _has_shared
    _look_at, _has_shared = 0.0, False


def _look() -> int:
    processes = _siblings()
    return share_of_workers(processes) if processes > 1 else 0


def _is_one_of_a_pool() -> bool:
    process = sys.modules.get("multiprocessing.process")
    if process is None:
        return False
    return process.parent_process() is not None or process.current_process().name.startswith("LokyProcess")


def _siblings() -> int:
    """Processes that this one's parent has started in the same way, this one included; 0: it is none of a pool."""
    if not _is_one_of_a_pool():
        return 0
    found = 0
    with suppress(OSError):  # the parent may end, or not be ours to look at
        own = _command(os.getpid())
        tasks = f"/proc/{os.getppid()}/task"
        for thread in os.listdir(tasks):
            for child in _read(f"{tasks}/{thread}/children").split():
                with suppress(OSError):  # this one has ended
                    found += _command(int(child)) == own
    return found


def _command(pid: int) -> bytes:
    """Without numbers, which are different for each."""
    return re.sub(rb"\d+", b"", _read(f"/proc/{pid}/cmdline"))


def _read(file: str) -> bytes:
    with open(file, "rb") as opened:
        return opened.read()
