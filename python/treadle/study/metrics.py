"""Equations 1 to 6 of Grubel et al., "The Performance Implication of Task Size for Applications on the HPX Runtime
System" (CLUSTER 2015), from counters of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from statistics import fmean, pstdev

from .workers import OfWorkers

EVENT_COUNTS = ("tasks", "executing_ns", "overall_ns", "pending_accesses")  # those of the equations


@dataclass(frozen=True)
class Run(OfWorkers):
    """One run of the stencil. Times of counters in ns, summed over the workers."""

    points: int
    steps: int
    partition: int
    workers: int
    repeat: int
    cores: int  # that the process might use
    seconds: float
    tasks: float
    executing_ns: float
    overall_ns: float
    management_ns: float
    search_ns: float
    parked_ns: float
    pending_accesses: float
    pending_misses: float

    def __post_init__(self) -> None:
        """ValueError where it cannot be a run. What is sampled may be a little less than nothing."""
        above = (
            "points",
            "steps",
            "partition",
            "workers",
            "cores",
            "seconds",
            "tasks",
            "executing_ns",
            "overall_ns",
        )
        for f in fields(Run):
            value = getattr(self, f.name)
            least = 0 if f.name in (*above, "repeat", "pending_accesses") else -math.inf
            if not math.isfinite(value) or value < least or (value == 0 and f.name in above):
                raise ValueError(f"{f.name} cannot be {value}")

    def scaled_to(self, points: int, steps: int) -> Run:
        """What this many steps of a ring of this many points would have taken."""
        factor = points * steps / (self.points * self.steps)
        values = {f.name: getattr(self, f.name) * factor for f in fields(Run) if f.type == "float"}
        return replace(self, points=points, steps=steps, **values)


@dataclass(frozen=True)
class Metrics(OfWorkers):
    """Of all runs with one partition size and number of workers: means of the counts, as in the paper."""

    partition: int
    workers: int
    cores: int  # of the run that had the fewest: one that is oversubscribed makes the mean so
    runs: int
    steps: int  # that were made; where there are fewer than in other rows, times and counts are scaled
    seconds: float
    seconds_deviation: float  # standard deviation
    counts_variation: float  # the largest coefficient of variation of the event counts
    points_per_s: float
    idle_rate: float  # Eq. 1, 0 to 1
    task_ns: float  # t_d, Eq. 2
    overhead_ns: float  # t_o, Eq. 3: management, search and sleep
    management_s: float  # T_o, Eq. 4, per core
    wait_ns: float | None  # t_w, Eq. 5: against one worker; None when that was not measured
    wait_s: float | None  # T_w, Eq. 6, per core
    pending_accesses: float
    own_management_ns: float  # of t_o, what tasks really cost

    @property
    def seconds_variation(self) -> float:
        """The coefficient of variation: the standard deviation's ratio to the mean."""
        return self.seconds_deviation / self.seconds

    @property
    def costs_s(self) -> float | None:
        """T_o + T_w, per core; None where the wait time is not known."""
        return None if self.wait_s is None else self.management_s + self.wait_s


def metrics(runs: Iterable[Run]) -> list[Metrics]:
    """One row per partition size and number of workers, in this order. All are of the same work: runs of fewer points
    or steps than others are scaled."""
    runs = list(runs)
    points, steps = (max((getattr(run, what) for run in runs), default=0) for what in ("points", "steps"))
    cells: dict[tuple[int, int], list[Run]] = {}
    for run in runs:
        cells.setdefault((run.partition, run.workers), []).append(run.scaled_to(points, steps))
    task_ns_of_one = {
        partition: fmean(r.executing_ns for r in cell) / fmean(r.tasks for r in cell)
        for (partition, workers), cell in cells.items()
        if workers == 1
    }
    steps_of = {(run.partition, run.workers): run.steps for run in runs}
    return [
        _metrics(partition, workers, steps_of[partition, workers], cell, task_ns_of_one.get(partition))
        for (partition, workers), cell in sorted(cells.items())
    ]


def _metrics(
    partition: int, workers: int, steps: int, cell: list[Run], task_ns_of_one: float | None
) -> Metrics:
    def mean(name: str) -> float:
        return fmean(getattr(run, name) for run in cell)

    tasks, executing, overall = mean("tasks"), mean("executing_ns"), mean("overall_ns")
    task_ns = executing / tasks
    overhead_ns = (overall - executing) / tasks
    wait_ns = None if task_ns_of_one is None else task_ns - task_ns_of_one
    seconds = mean("seconds")
    return Metrics(
        partition=partition,
        workers=workers,
        cores=min(run.cores for run in cell),
        runs=len(cell),
        steps=steps,
        seconds=seconds,
        seconds_deviation=pstdev(run.seconds for run in cell),
        counts_variation=max(_variation([getattr(run, name) for run in cell]) for name in EVENT_COUNTS),
        points_per_s=fmean(run.points * run.steps / run.seconds for run in cell),
        idle_rate=(overall - executing) / overall,
        task_ns=task_ns,
        overhead_ns=overhead_ns,
        management_s=overhead_ns * tasks / workers * 1e-9,
        wait_ns=wait_ns,
        wait_s=None if wait_ns is None else wait_ns * tasks / workers * 1e-9,
        pending_accesses=mean("pending_accesses"),
        own_management_ns=mean("management_ns") / tasks,
    )


def _variation(values: list[float]) -> float:
    """The coefficient of variation; 0 of what is always 0."""
    return pstdev(values) / fmean(values) if any(values) else 0.0
