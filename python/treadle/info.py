"""The machine, the runtime, and how this Treadle was built."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

import numpy as np

from . import _native
from .config import POLICIES, current


def _cpu() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found.group(1).strip() if found else platform.machine()


def _quota() -> float | None:
    """Cores that the control group grants, which may be fewer than there are."""
    try:
        granted, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return None if granted == "max" else int(granted) / int(period)
    except (OSError, ValueError):
        return None


def info() -> dict[str, dict[str, Any]]:
    """What `treadle info` shows. Starts the runtime, to say how many workers it has."""
    config = current()
    if _native.runtime_workers() == 0:
        _native.start_runtime(config.workers)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "machine": {
            "cpu": _cpu(), "cores": os.cpu_count(), "usable cores": len(os.sched_getaffinity(0)),
            "cpu quota": _quota(), "memory GiB": round(memory / 2**30, 1), "system": platform.platform(),
        },
        "runtime": {"workers": _native.runtime_workers(), **_native.runtime_statistics()},
        "pools": {"default": f"{_native.runtime_workers()} workers"},
        "defaults": {
            "policy": config.policy, "policies": list(POLICIES), "count threshold": config.count_threshold,
            "lower ns": config.lower_ns, "upper ns": config.upper_ns,
        },
        "build": {
            **_native.build_info(), "python": platform.python_version(), "numpy": np.__version__,
            "primitives": len(_native.primitive_names()),
        },
    }  # fmt: skip
