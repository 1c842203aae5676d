"""Runs a workload in plain NumPy and under every policy, and compares."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..config import POLICIES, config
from ..profile import Profile, profile
from .data import Workload

TIMELINE = 3000  # evaluations kept per run, for the page


@dataclass
class Outcome:
    """One rival on one workload."""

    rival: str
    seconds: float
    tasks: int = 0
    inlined_share: float | None = None
    difference: float | None = None
    evaluations: int = 0
    profile: Profile | None = None


@dataclass
class Comparison:
    workload: Workload
    outcomes: list[Outcome] = field(default_factory=list)


def largest_difference(a: Any, b: Any) -> float:
    """Over all numbers of two results; infinite when their shapes differ or only one has a NaN."""
    if isinstance(a, tuple | list):
        return max((largest_difference(x, y) for x, y in zip(a, b, strict=True)), default=0.0)
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if x.shape != y.shape or (np.isnan(x) != np.isnan(y)).any():
        return float("inf")
    return float(np.nanmax(np.abs(x - y), initial=0.0))


Report = Callable[[str, float], None]  # rival, fraction done


def compare(workload: Workload, report: Report) -> Comparison:
    """NumPy first, then each policy, every one starting without history."""
    result = Comparison(workload)
    report("numpy", 0.0)
    start = time.perf_counter()
    expected = workload.program.__treadle_function__(*workload.arguments)
    result.outcomes.append(Outcome("numpy", time.perf_counter() - start))
    report("numpy", 1.0)
    for policy in POLICIES:
        outcome, answer = run_policy(workload, policy, report)
        outcome.difference = largest_difference(answer, expected)
        result.outcomes.append(outcome)
    return result


def run_policy(workload: Workload, policy: str, report: Report) -> tuple[Outcome, Any]:
    native = workload.program.native
    native.reset_profile()  # forgets decisions, too
    finished: list[float] = []
    with config(policy=policy), profile(timeline=TIMELINE) as recorded:
        start = time.perf_counter()
        future = workload.program.submit(*workload.arguments)
        future.add_done_callback(lambda _: finished.append(time.perf_counter()))
        try:
            wait(future, lambda: report(policy, _fraction(native, workload)))
        except KeyboardInterrupt:
            future.stop()
            raise
        answer = future.result()
    report(policy, 1.0)
    inlined, spawned = (sum(getattr(r, name) for r in recorded.rows) for name in ("inlined", "spawned"))
    share = inlined / (inlined + spawned) if inlined + spawned else None
    return Outcome(policy, finished[0] - start, spawned, share, None, inlined + spawned, recorded), answer


def wait(future: Any, tell: Callable[[], None]) -> None:
    """Until the future is done, telling ten times a second."""
    import concurrent.futures

    while not concurrent.futures.wait([future], timeout=0.1).done:
        tell()


def _fraction(native: Any, workload: Workload) -> float:
    done = sum(n.count for n in native.profile() if n.primitive == workload.marker)
    return min(done / workload.steps, 1.0) if workload.steps else 0.0
