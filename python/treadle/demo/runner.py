"""Runs a workload in NumPy and under every policy, and compares."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import numpy as np

from ..config import POLICIES, config
from ..profile import Profile, profile
from .data import Workload

TIMELINE = 1 << 18  # evaluations recorded of a run, at most
SHORT_S, MOST_RUNS = 0.5, 25  # programs shorter than this are repeated, at most so often


NUMPY, BY_HAND = "numpy", "numpy-by-hand"
NAMES = {NUMPY: "NumPy as written", BY_HAND: "NumPy, diagonals by hand"}  # of rivals that are no policies


@dataclass
class Outcome:
    """One rival on one workload."""

    rival: str
    seconds: float  # median of all runs
    tasks: int = 0  # per run, as are the evaluations
    inlined_share: float | None = None
    difference: float | None = None
    evaluations: int = 0
    profile: Profile | None = None

    @property
    def title(self) -> str:
        return NAMES.get(self.rival, self.rival)


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


def rivals(workload: Workload) -> list[str]:
    return [NUMPY, *([BY_HAND] if workload.by_hand else []), *POLICIES]


def compare(workload: Workload, report: Report) -> Comparison:
    """NumPy first, then each policy, every one starting without history. Short programs run several times."""
    result = Comparison(workload)
    seconds, expected = run_numpy(NUMPY, workload.program.__treadle_function__, workload, report)
    result.outcomes.append(Outcome(NUMPY, statistics.median(seconds)))
    if workload.by_hand:
        by_hand, answer = run_numpy(BY_HAND, workload.by_hand, workload, report)
        difference = largest_difference(answer, expected)
        result.outcomes.append(Outcome(BY_HAND, statistics.median(by_hand), difference=difference))
        seconds = by_hand
    for policy in POLICIES:
        outcome, answer = run_policy(workload, policy, len(seconds) > 1, report)
        outcome.difference = largest_difference(answer, expected)
        result.outcomes.append(outcome)
    return result


def run_numpy(
    name: str, function: Callable[..., Any], workload: Workload, report: Report
) -> tuple[list[float], Any]:
    """On busy cores the threads of NumPy's BLAS may hinder it: the faster of one thread and of as many as it likes."""
    tries = []
    for k, limit in enumerate((1, None)):
        report(name, k / 2)
        with blas_threads(limit):
            tries.append(time_plain(function, workload.arguments))
    report(name, 1.0)
    return min(tries, key=lambda found: statistics.median(found[0]))


def time_plain(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[list[float], Any]:
    """Seconds of each call, as many as a short time allows, and the result."""
    seconds: list[float] = []
    while True:
        start = time.perf_counter()
        answer = function(*arguments)
        seconds.append(time.perf_counter() - start)
        if sum(seconds) >= SHORT_S or len(seconds) >= MOST_RUNS:
            return seconds, answer


def blas_threads(limit: int | None) -> AbstractContextManager[Any]:
    """Bounds the threads of NumPy's BLAS, where threadpoolctl (which scikit-learn brings) can."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    return cast(AbstractContextManager[Any], threadpool_limits(limit, user_api="blas"))


def run_policy(workload: Workload, policy: str, short: bool, report: Report) -> tuple[Outcome, Any]:
    native = workload.program.native
    native.reset_profile()  # forgets decisions, too
    # Keeping a timeline costs little, but much to a short program: that gets a run of its own for it.
    with config(policy=policy):
        with profile(timeline=0 if short else TIMELINE) as recorded:
            if short:
                seconds, answer = time_plain(workload.program, workload.arguments)
            else:
                taken, answer = timed(workload, lambda: report(policy, _fraction(native, workload)))
                seconds = [taken]
        if short:
            with profile(timeline=TIMELINE) as traced:
                workload.program(*workload.arguments)
            recorded.slices, recorded.dropped = traced.slices, traced.dropped
    report(policy, 1.0)
    inlined, spawned = (sum(getattr(r, name) for r in recorded.rows) for name in ("inlined", "spawned"))
    total = inlined + spawned
    share = inlined / total if total else None
    tasks, evaluations = round(spawned / len(seconds)), round(total / len(seconds))
    return Outcome(policy, statistics.median(seconds), tasks, share, None, evaluations, recorded), answer


def timed(workload: Workload, tell: Callable[[], None]) -> tuple[float, Any]:
    """One long call, telling its progress meanwhile."""
    finished: list[float] = []
    start = time.perf_counter()
    future = workload.program.submit(*workload.arguments)
    future.add_done_callback(partial(_note_time, finished))
    try:
        wait(future, tell)
    except KeyboardInterrupt:
        future.stop()
        raise
    answer = future.result()
    return finished[0] - start, answer


def _note_time(finished: list[float], _: object) -> None:
    finished.append(time.perf_counter())


def wait(future: Any, tell: Callable[[], None]) -> None:
    """Until the future is done, telling ten times a second."""
    import concurrent.futures

    while not concurrent.futures.wait([future], timeout=0.1).done:
        tell()


def _fraction(native: Any, workload: Workload) -> float:
    done = sum(n.count for n in native.profile() if n.primitive == workload.marker)
    return min(done / workload.steps, 1.0) if workload.steps else 0.0
