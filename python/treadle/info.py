"""The machine, the runtime, and how this Treadle was built."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np

from . import _native
from .config import POLICIES, current
from .session import start_runtime


def info() -> dict[str, dict[str, Any]]:
    """What `treadle info` shows. Starts the runtime, to say how many workers it has."""
    config = current()
    start_runtime(config.workers)
    return {
        "machine": {**_native.machine(), "system": platform.platform()},
        "runtime": {"workers": _native.runtime_workers(), **_native.runtime_statistics()},
        "pools": {"default": f"{_native.runtime_workers()} workers"},
        "defaults": {
            "policy": config.policy, "policies": list(POLICIES), "count threshold": config.count_threshold,
            "lower ns": config.lower_ns, "upper ns": config.upper_ns, "dense diagonals": config.dense_diagonals,
        },
        "build": {
            **_native.build_info(), "python": platform.python_version(), "numpy": np.__version__,
            "primitives": len(_native.primitive_names()),
        },
    }  # fmt: skip
