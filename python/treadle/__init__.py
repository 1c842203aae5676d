"""Treadle: NumPy functions as execution trees of tasks, on a runtime that decides what is worth a task.

>>> import numpy as np, treadle as td
>>> @td.jit
... def distance(a, b):
...     return np.sqrt(np.sum((a - b) ** 2))
"""

from . import physl
from .config import Config, config, policies
from .counters import Counters, Reading, counters
from .errors import Error, PhyslError, UnsupportedError
from .explain import Explanation, explain
from .future import Future
from .info import info
from .jit import JitFunction, Lowered, jit
from .profile import Profile, profile
from .report import visualize
from .trace import TaskProfile, Trace, trace
from .transducer import prange

__version__ = "0.1.0"

__all__ = [
    "Config",
    "Counters",
    "Error",
    "Explanation",
    "Future",
    "JitFunction",
    "Lowered",
    "PhyslError",
    "Profile",
    "Reading",
    "TaskProfile",
    "Trace",
    "UnsupportedError",
    "config",
    "counters",
    "explain",
    "info",
    "jit",
    "physl",
    "policies",
    "prange",
    "profile",
    "trace",
    "visualize",
]
