"""What bench/measure.hpp has for the rivals in C++: the time of a call, and the pages that the system had to
provide."""

import resource
import time
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")


def faults_so_far() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def timed(call: Callable[[], R]) -> tuple[float, int, R]:
    """Seconds, pages, and what the call returned."""
    before, start = faults_so_far(), time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    return seconds, faults_so_far() - before, result
