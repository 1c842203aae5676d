"""The simulated part: both programs on machines like the paper's, with all sizes of the critical pool.

Programs are generated and machines described, so that nothing depends on this machine. Nothing here is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...prediction import Prediction, Setting, load, predict
from .. import log
from .configurations import CRITICAL_TASKS, SIMULATED

COSTS = ("hpx", "treadle")


@dataclass(frozen=True)
class Machine:
    title: str
    topology: str
    distances: str
    workers: int
    critical: tuple[int, ...]  # sizes of the pool
    gflops: float  # of a core
    compare_ns: int


MACHINES = {
    "KNL4": Machine(
        "KNL4: 4 domains of 18 cores of 4 threads, 288", "numa:4 core:18 pu:4",
        "10,21,21,21;21,10,21,21;21,21,10,21;21,21,21,10", 288, tuple(range(32, 257, 32)), 5, 10,
    ),
    "OCX": Machine(
        "OCX: 2 domains of 28 cores, 56", "numa:2 core:28 pu:1", "10,21;21,10", 56, tuple(range(4, 53, 4)), 20, 4
    ),
}  # fmt: skip


@dataclass(frozen=True, order=True)
class Cell:
    machine: str
    program: str
    n: int
    part: int  # the tile, or the cut-off
    slow: int  # how many times as long each critical task of Cholesky takes
    costs: str  # whose: hpx or treadle
    critical: int  # workers of the pool of critical tasks; 0: there is none
    configuration: str

    def title(self) -> str:
        return f"simulated: {self.machine}, {self.program} {self.n:,} / {self.part}, {self.configuration}"


def of_other(cell: Cell, configuration: str) -> Cell:
    """The same under another configuration."""
    return replace(cell, configuration=configuration)


@dataclass(frozen=True)
class Run:
    """Times in ns; waits are means per task."""

    source: str  # simulated
    machine: str
    program: str
    n: int
    part: int
    slow: int
    costs: str
    critical: int
    configuration: str
    seconds: float
    bound_seconds: float  # no schedule is faster
    tasks_critical: float
    tasks_other: float
    staged_critical_ns: float
    staged_other_ns: float
    pending_critical_ns: float
    pending_other_ns: float
    busy_critical: (
        float  # share of the workers' time: of the critical pool, of the other one, or of the only one
    )
    busy_other: float

    @property
    def cell(self) -> Cell:
        return log.cell_from(self, Cell)

    def mean_wait_ns(self, what: str) -> float:
        """Of all tasks, for "staged" or "pending"."""
        tasks = self.tasks_critical + self.tasks_other
        critical, other = (getattr(self, f"{what}_{whose}_ns") for whose in ("critical", "other"))
        return float((critical * self.tasks_critical + other * self.tasks_other) / tasks)


@dataclass(frozen=True)
class Plan:
    """`every`-th size of the critical pool, and always the largest."""

    cholesky: tuple[tuple[str, int, tuple[int, ...]], ...] = (
        ("KNL4", 512, (16, 32, 64)), ("OCX", 2048, (64, 128, 256)),
    )  # fmt: skip
    numbers: int = 100_000
    cut_off: int = 2
    slow: tuple[int, ...] = (1, 10)
    every: int = 1

    def cells(self) -> Iterator[Cell]:
        for machine, program, n, part, slow in self.cases():
            sizes = MACHINES[machine].critical
            chosen = sizes[:: -self.every][::-1]
            for costs in COSTS:
                for name, configuration in SIMULATED.items():
                    for critical in chosen if configuration.split else (0,):
                        yield Cell(machine, program, n, part, slow, costs, critical, name)

    def cases(self) -> Iterator[tuple[str, str, int, int, int]]:
        """(machine, program, n, tile or cut-off, slow)"""
        for machine, n, tiles in self.cholesky:
            for tile in tiles:
                for slow in self.slow:
                    yield machine, "cholesky", n, tile, slow
        yield "KNL4", "merge_sort", self.numbers, self.cut_off, 1


QUICK = Plan(numbers=10_000, slow=(10,), every=4)


def description(cell: Cell) -> str:
    """For the generator: how long tasks take follows from the speed of a core."""
    machine = MACHINES[cell.machine]
    if cell.program == "merge_sort":
        return f"merge-sort:n={cell.n},cutoff={cell.part},compare={machine.compare_ns}"
    unit_ns = round(cell.part**3 / 3 / machine.gflops)  # potrf; the others take 3, 3 and 6
    return f"cholesky:t={-(-cell.n // cell.part)},r={cell.slow},unit={max(unit_ns, 1)}"


def setting(cell: Cell) -> Setting:
    machine, how = MACHINES[cell.machine], SIMULATED[cell.configuration]
    return Setting(
        machine=machine.topology, distances=machine.distances, pools=how.pools(machine.workers, cell.critical),
        critical=(CRITICAL_TASKS[cell.program],), order=how.order, mapping=how.mapping, costs=cell.costs,
    )  # fmt: skip


_load = lru_cache(maxsize=2)(load)  # cells of one program follow each other


def run_once(cell: Cell) -> Run:
    found = predict(_load(description(cell)), setting(cell))
    waits: dict[str, Any] = {
        f"{what}_{whose}_ns": found.mean_wait_ns(key, what)
        for what in ("staged", "pending")
        for whose, key in (("critical", "critical"), ("other", "others"))
    }
    return Run(
        source="simulated", **asdict(cell), seconds=found.makespan_ns * 1e-9,
        bound_seconds=found.lower_bound_ns * 1e-9, tasks_critical=float(found.found["critical"]["tasks"]),
        tasks_other=float(found.found["others"]["tasks"]), **waits,
        busy_critical=_busy(found, "critical"), busy_other=_busy(found, "default"),
    )  # fmt: skip


def _busy(found: Prediction, pool: str) -> float:
    """Share of the time of the workers of a pool."""
    mine = [w["busy_ns"] for w in found.found["workers"] if w["pool"] == pool]
    return sum(mine) / (found.makespan_ns * len(mine)) if mine and found.makespan_ns else 0.0


def simulate(plan: Plan, file: Path, report: Callable[[int, int, str], None]) -> list[Run]:
    """All runs of the plan, see log.go_on()."""
    return log.measure(file, Run, plan.cells(), run_once, report)


def runs_of(plan: Plan, runs: list[Run]) -> list[Run]:
    """Those that the plan would make itself."""
    return log.wanted(plan.cells(), runs)
