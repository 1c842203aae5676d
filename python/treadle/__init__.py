"""Treadle: NumPy functions as execution trees of tasks, on a runtime that decides what is worth a task.

>>> import numpy as np, treadle as td
>>> @td.jit
... def distance(a, b):
...     return np.sqrt(np.sum((a - b) ** 2))
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .config import Config, config, policies
from .errors import Error, PhyslError, UnsupportedError
from .jit import JitFunction, Lowered, jit

if TYPE_CHECKING:
    from . import mpi, physl, tune
    from .agent import AgentStatus, agent_status, wish_for_cores
    from .counters import Counters, Reading, counters
    from .explain import Explanation, explain
    from .future import Future
    from .info import info
    from .profile import Profile, profile
    from .programs import RunningProgram, programs, report_progress
    from .report import visualize
    from .task_profile import PoolProfile, TaskProfile, TaskProfiles, task_profile
    from .trace import Trace, trace
    from .transducer import prange

__version__ = "0.1.0"

__all__ = [
    "AgentStatus",
    "Config",
    "Counters",
    "Error",
    "Explanation",
    "Future",
    "JitFunction",
    "Lowered",
    "PhyslError",
    "PoolProfile",
    "Profile",
    "Reading",
    "RunningProgram",
    "TaskProfile",
    "TaskProfiles",
    "Trace",
    "UnsupportedError",
    "agent_status",
    "config",
    "counters",
    "explain",
    "info",
    "jit",
    "mpi",
    "physl",
    "policies",
    "prange",
    "profile",
    "programs",
    "report_progress",
    "task_profile",
    "trace",
    "tune",
    "visualize",
    "wish_for_cores",
]

# What is loaded when it is used, by name; the modules among them have the names of what they hold.
_LOADED_WHEN_USED = {
    "AgentStatus": "agent",
    "Counters": "counters",
    "Explanation": "explain",
    "Future": "future",
    "Profile": "profile",
    "Reading": "counters",
    "RunningProgram": "programs",
    "PoolProfile": "task_profile",
    "TaskProfile": "task_profile",
    "TaskProfiles": "task_profile",
    "Trace": "trace",
    "agent_status": "agent",
    "counters": "counters",
    "explain": "explain",
    "info": "info",
    "mpi": "mpi",
    "physl": "physl",
    "prange": "transducer",
    "profile": "profile",
    "programs": "programs",
    "report_progress": "programs",
    "task_profile": "task_profile",
    "trace": "trace",
    "tune": "tune",
    "visualize": "report",
    "wish_for_cores": "agent",
}


class _Package(ModuleType):
    """Loading the module treadle.profile leaves td.profile what it is: the function."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and _LOADED_WHEN_USED.get(name) == name:
            value = getattr(value, name, value)
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Functions that mention `td` go to other processes by cloudpickle, which knows plain modules only."""
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _LOADED_WHEN_USED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{_LOADED_WHEN_USED[name]}", __name__)
    found = globals()[name] = getattr(module, name, module)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
