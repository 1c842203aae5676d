"""The simulated part of the study of task sizes: the same stencil on more cores than this machine has.

What is measured with one worker says how long tasks are; the schedule simulator does the rest. Nothing here is
measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

from .. import _native
from ..prediction import Prediction, Setting, load, predict
from . import log
from .grain import Sweep
from .metrics import Run

POLICIES = {"treadle": "work-stealing", "hpx": "local-priority-fifo"}  # by the table of costs
CORES_PER_DOMAIN = 16
MOST_STEPS = 50
BYTES_MOVED = 24  # per point: it is read and written, and the cache line read for that
BYTES_KEPT = 16  # per point: the old value and the new one
# Its best run took 1.71 s, with both processors of the Haswell node.
PAPER_GBS = BYTES_MOVED * 100_000_000 * 50 / 1.71e9 / 2


@dataclass(frozen=True)
class Bandwidth:
    """Of the memory of a domain."""

    gbs: float
    source: str


@dataclass(frozen=True)
class Caches:
    """In bytes: of a core, and shared by the cores of a domain."""

    own: int
    shared: int

    @staticmethod
    def of_this_machine() -> Caches:
        machine: dict[str, Any] = _native.machine()
        return Caches(machine["l2 KiB"] << 10, machine["l3 KiB"] << 10)


@dataclass(frozen=True)
class Plan:
    """What is simulated. Rings of more partitions than `most_tasks` allows are simulated as shorter ones."""

    cores: tuple[int, ...] = (8, 16, 32, 64)
    most_tasks: int = 200_000
    bandwidth_gbs: float = 0.0  # 0: what was measured, or the paper's

    def __post_init__(self) -> None:
        if len(set(self.cores)) < len(self.cores) or not all(1 <= n <= 1024 for n in self.cores):
            raise ValueError("cores: different numbers from 1 to 1024, such as 8 16 32 64")
        if not self.bandwidth_gbs >= 0:
            raise ValueError(f"bandwidth: GB/s, not {self.bandwidth_gbs}")


@dataclass(frozen=True, order=True)
class Cell:
    partition: int
    points: int  # of the simulated ring
    steps: int
    task_ns: int
    costs: str
    bytes_moved: int  # by a task, from and to memory
    cache_bytes: int  # a task that moves no more does so only when it is stolen
    bandwidth_gbs: float
    workers: int

    @property
    def tasks_per_step(self) -> int:
        return -(-self.points // self.partition)

    def title(self) -> str:
        return f"simulated: {self.partition:,} points per partition, {self.workers} cores, {self.costs}"


@dataclass(frozen=True)
class SimulatedRun(Run):
    """In the fields of a measured one: management is what the runtime takes, search is having nothing to do."""

    source: str  # simulated
    task_ns: int
    costs: str
    bytes_moved: int
    cache_bytes: int
    bandwidth_gbs: float
    lower_bound_seconds: float  # no schedule is faster

    @property
    def cell(self) -> Cell:
        return log.cell_from(self, Cell)


def bandwidth_of(plan: Plan, runs: Iterable[Run], caches: Caches) -> Bandwidth:
    """What was given; else the most that several workers had here together, from memory; else what the paper's had."""
    if plan.bandwidth_gbs:
        return Bandwidth(plan.bandwidth_gbs, "as --bandwidth says")
    found: dict[tuple[int, int], list[float]] = {}
    for run in runs:
        busy_all_along = run.points // run.partition >= 2 * run.workers
        if 1 < run.workers <= run.cores and busy_all_along and BYTES_KEPT * run.partition > caches.shared:
            per_ns = BYTES_MOVED * run.partition * run.tasks / run.executing_ns
            found.setdefault((run.partition, run.workers), []).append(run.workers * per_ns)
    if found:
        (_, workers), rates = max(found.items(), key=lambda one: fmean(one[1]))
        return Bandwidth(
            round(fmean(rates), 1),
            f"measured here: the most that {workers} workers moved together, with partitions that no cache holds; the"
            " memory of a domain may have more",
        )
    return Bandwidth(
        round(PAPER_GBS, 1),
        "half of what the paper's best run moved (1.71 s, 28 cores in two domains): here no partition was larger than"
        " the shared cache, or no run had several workers with a core each",
    )


def cells(sweep: Sweep, plan: Plan, runs: Sequence[Run], caches: Caches) -> Iterator[Cell]:
    """For each partition that was measured with one worker. One core is among them, which equation 5 needs, and with
    Treadle's costs as many as were measured with a worker each, to compare."""
    measured = {run.workers for run in runs if not run.is_oversubscribed}
    bandwidth = bandwidth_of(plan, runs, caches)
    steps = min(sweep.steps, MOST_STEPS)
    for partition in sweep.partitions():
        alone = [run for run in runs if (run.partition, run.workers) == (partition, 1)]
        if not plan.cores or not alone:
            continue
        of_ring = -(-sweep.points // partition)
        width = min(of_ring, max(plan.most_tasks // steps, 3))
        points = sweep.points if width == of_ring else width * partition
        task_ns = task_duration_ns(alone, of_ring, steps)
        for costs, policy in POLICIES.items():
            kept = cache_bytes(policy, caches)
            moved = bytes_moved(sweep.points, of_ring, caches)
            # It was measured with work stealing: what memory cannot have given in that time came from a cache.
            if policy == "work-stealing" and moved > kept:
                moved = max(kept + 1, min(moved, int(bandwidth.gbs * task_ns)))
            cores = {1, *plan.cores} | (measured if costs == "treadle" else set())
            for workers in sorted(cores):
                yield Cell(partition, points, steps, task_ns, costs, moved, kept, bandwidth.gbs, workers)


def task_duration_ns(alone: Sequence[Run], of_ring: int, steps: int) -> int:
    """So that one simulated core with Treadle's costs takes what one worker took: the counters of Treadle count as
    execution what a task takes to make others, the simulator counts it as overhead."""
    each_ns = fmean(run.overall_ns / (run.steps * of_ring) for run in alone)
    return max(round(each_ns - overhead_ns(min(of_ring, 100), steps)), 1)


@lru_cache(maxsize=256)
def overhead_ns(width: int, steps: int) -> float:
    """Of a task, on one core with Treadle's costs. It depends neither on the duration nor much on the width."""
    found = predict(load(f"stencil:width={width},steps={steps},cell=1000"), setting("treadle", 1))
    return total(found, "overhead_ns") / (width * steps)


def bytes_moved(points: int, partitions: int, caches: Caches) -> int:
    """By a task, from and to memory; none when the whole ring stays in the shared cache."""
    return 0 if points * BYTES_KEPT <= caches.shared else points * BYTES_MOVED // partitions


def cache_bytes(policy: str, caches: Caches) -> int:
    """The most that a task may move whose old and new partition fit into the cache of a core. With work stealing a
    worker goes on with what it has just made, so that it finds its part there, and only a stolen task does not. HPX's
    policy takes the oldest task: a step goes around the whole ring before the next one, and nothing is left in a cache.
    """
    return caches.own * BYTES_MOVED // BYTES_KEPT if policy == "work-stealing" else 0


def setting(costs: str, cores: int, bandwidth_gbs: float = 0, cache_bytes: int = 0) -> Setting:
    """Domains of 16 cores; each task finds its partition in the memory of its own domain."""
    domains = -(-cores // CORES_PER_DOMAIN)
    return Setting(
        machine=f"numa:{domains} core:{min(cores, CORES_PER_DOMAIN)} pu:1", pools=f"default:{cores}",
        policy=POLICIES[costs], costs=costs, bandwidth_gbs=bandwidth_gbs, cache_bytes=cache_bytes,
    )  # fmt: skip


def total(found: Prediction, what: str) -> float:
    return float(sum(worker[what] for worker in found.found["workers"]))


_load = lru_cache(maxsize=1)(load)  # cells of one graph follow each other


def run_once(cell: Cell) -> SimulatedRun:
    graph = _load(
        f"stencil:width={cell.tasks_per_step},steps={cell.steps},cell={cell.task_ns},bytes={cell.bytes_moved}"
    )
    found = predict(graph, setting(cell.costs, cell.workers, cell.bandwidth_gbs, cell.cache_bytes))
    return SimulatedRun(
        source="simulated", **asdict(cell), repeat=0, cores=cell.workers, seconds=found.makespan_ns * 1e-9,
        tasks=total(found, "tasks"), executing_ns=total(found, "busy_ns"),
        overall_ns=found.makespan_ns * cell.workers, management_ns=total(found, "overhead_ns"),
        search_ns=total(found, "idle_ns"), parked_ns=0.0, pending_accesses=total(found, "looks"),
        pending_misses=total(found, "missed_looks"), lower_bound_seconds=found.lower_bound_ns * 1e-9,
    )  # fmt: skip


def simulate(
    wanted: Iterable[Cell], file: Path, report: Callable[[int, int, str], None]
) -> list[SimulatedRun]:
    """All of these, see log.go_on()."""
    return log.measure(file, SimulatedRun, wanted, run_once, report)
