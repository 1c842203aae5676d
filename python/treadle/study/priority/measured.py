"""The measured part: both programs under all configurations on this machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from .. import log, programs
from ..workers import OfWorkers, check_cores, check_workers, default_workers, usable_cores
from .configurations import MEASURED

IN_ONE_PROCESS = 3  # runs, of which the fastest counts: the first also gets memory from the system
NAN = math.nan


@dataclass(frozen=True, order=True)
class Cell:
    """One thing to be measured once."""

    repeat: int
    program: str  # cholesky or merge_sort
    n: int
    part: int  # the tile, or the cut-off
    slow: int  # how many times each critical task of Cholesky is computed
    workers: int
    critical: int  # of these, in the pool of critical tasks; 0: there is none
    configuration: str

    def title(self) -> str:
        return f"{self.program} {self.n:,} / {self.part}, {self.workers} workers, {self.configuration}"


@dataclass(frozen=True)
class Run(OfWorkers):
    """Of the fastest run in a process. Times in ns; waits are means per task. NaN: not counted, or not told apart."""

    source: str  # measured
    repeat: int
    program: str
    n: int
    part: int
    slow: int
    workers: int
    critical: int
    configuration: str
    cores: int  # that the process might use
    seconds: float
    tasks: float
    tasks_critical: float
    time_ns: float
    time_critical_ns: float
    staged_ns: float
    staged_critical_ns: float
    staged_other_ns: float
    pending_ns: float
    pending_critical_ns: float
    pending_other_ns: float
    failed: str  # what the program said instead of a result

    @property
    def cell(self) -> Cell:
        return log.cell_from(self, Cell)


ALL = {
    "tasks": "/threads/count/cumulative", "time_ns": "/threads/time/cumulative",
    "staged_ns": "/threads/wait-time/staged", "pending_ns": "/threads/wait-time/pending",
}  # fmt: skip
MARKED = {
    "tasks_critical": "/threads/count/critical", "time_critical_ns": "/threads/time/cumulative-critical",
    "staged_critical_ns": "/threads/wait-time/staged-critical", "staged_other_ns": "/threads/wait-time/staged-other",
    "pending_critical_ns": "/threads/wait-time/pending-critical", "pending_other_ns": "/threads/wait-time/pending-other",
}  # fmt: skip


def _of_pool(name: str, counter: str) -> str:
    return counter.replace("/threads/", f"/threads{{locality#0/pool#{name}/total}}/")


IN_POOLS = {
    "tasks_critical": _of_pool("critical", ALL["tasks"]), "time_critical_ns": _of_pool("critical", ALL["time_ns"]),
    "staged_critical_ns": _of_pool("critical", ALL["staged_ns"]),
    "staged_other_ns": _of_pool("default", ALL["staged_ns"]),
    "pending_critical_ns": _of_pool("critical", ALL["pending_ns"]),
    "pending_other_ns": _of_pool("default", ALL["pending_ns"]),
}  # fmt: skip


def counters_of(configuration: str) -> dict[str, str]:
    """What tells critical tasks from others: their pool, or their priority, or nothing."""
    if MEASURED[configuration].split:
        return ALL | IN_POOLS
    return ALL | MARKED if configuration == "marked" else ALL


@dataclass(frozen=True)
class Plan:
    """What is measured; configurations interleaved, so that a bad minute of the machine hits all of them."""

    workers: tuple[int, ...] = field(default_factory=default_workers)
    repeats: int = 7
    cholesky: tuple[tuple[int, tuple[int, ...]], ...] = ((512, (32, 64, 128)), (2048, (64, 128, 256)))
    numbers: int = 100_000
    cut_offs: tuple[int, ...] = (2, 64)
    slow: tuple[int, ...] = (1, 10)

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise ValueError(f"repeats: at least 1, not {self.repeats}")
        check_workers(self.workers)
        if not self.slow or min(self.slow) < 1:
            raise ValueError("slow-potrf: numbers from 1, such as 1 10")

    def cells(self) -> Iterator[Cell]:
        """Those whose programs are here."""
        for repeat in range(self.repeats):
            for program, n, part, slow in self.cases():
                if programs.find(program) is None:
                    continue
                for workers in self.workers:
                    for name, configuration in MEASURED.items():
                        for critical in sizes(workers) if configuration.split else (0,):
                            yield Cell(repeat, program, n, part, slow, workers, critical, name)

    def cases(self) -> Iterator[tuple[str, int, int, int]]:
        """(program, n, tile or cut-off, slow)"""
        for n, tiles in self.cholesky:
            for tile in tiles:
                for slow in self.slow:
                    yield "cholesky", n, tile, slow
        for cut_off in self.cut_offs:
            yield "merge_sort", self.numbers, cut_off, 1


QUICK = Plan(repeats=2, cholesky=((512, (64,)),), cut_offs=(64,), slow=(10,))


def sizes(workers: int) -> tuple[int, ...]:
    """Of the pool of critical tasks: one worker, half of them, all but one."""
    return tuple(sorted({1, workers // 2, workers - 1})) if workers > 1 else ()


def run_once(cell: Cell) -> Run:
    """A run whose program says that it cannot go on is a run, too: `failed` has what it said."""
    counters = counters_of(cell.configuration)
    options = {
        "n": cell.n, "workers": cell.workers, "critical": cell.critical, "configuration": cell.configuration,
        "repeat": IN_ONE_PROCESS, "warm-up": MEASURED[cell.configuration].warm_up,
    }  # fmt: skip
    options |= (
        {"tile": cell.part, "slow-potrf": cell.slow} if cell.program == "cholesky" else {"cut-off": cell.part}
    )
    values: dict[str, Any] = {f.name: NAN for f in fields(Run) if f.type == "float"}
    values["cores"] = usable_cores()
    failed = ""
    try:
        found = programs.run(cell.program, options, tuple(counters.values()))
        values["seconds"] = found["seconds"]
        read = {name.replace("{locality#0/total}", ""): value for name, value in found["counters"].items()}
        values |= {what: NAN if (v := read[name]) is None else v for what, name in counters.items()}
    except programs.ProgramError as error:
        failed = str(error)
    identity = {f.name: getattr(cell, f.name) for f in fields(Cell)}
    return Run("measured", **identity, **values, failed=failed)


def measure(plan: Plan, file: Path, report: Callable[[int, int, str], None]) -> list[Run]:
    """All runs of the plan, see log.go_on()."""
    check_cores(file, log.read(file, Run))
    return log.measure(file, Run, plan.cells(), run_once, report)


def runs_of(plan: Plan, runs: list[Run]) -> list[Run]:
    """Those that the plan would make itself."""
    return log.wanted(plan.cells(), runs)
