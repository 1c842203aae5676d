"""The simulated part of the inlining study: the same programs on more cores than this machine has.

Each program is recorded with one worker, every node of its tree being a task; in simulated time the policies decide for
each node whether it is one. Nothing here is measured but the recordings, and how long the program takes with one worker
where all of it is inlined, and where nothing is. Recorded times contain what making all these tasks and recording them
takes, so they are scaled by the first; the second shows how far the simulation can be trusted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from .. import _native
from ..prediction import Setting, load, predict
from ..trace import trace
from . import inlining, log
from .inlining import PAPER_SWEEP_US, SWEEP_BAND_US, Plan

COSTS = ("hpx", "treadle")
POLICIES = ("never", "paper-baseline", "paper-adaptive", "by-cost")
CHECKED = ("never", "paper-baseline")  # simulated with one worker, too
MOST_ITERATIONS = 2000  # that are recorded: of 10 x 5 ratings they have half a million tasks
RECORDS = 1 << 22  # that a thread keeps


@dataclass(frozen=True, order=True)
class Cell:
    """One simulated run."""

    experiment: str  # of the measured part, or check: with one worker
    users: int
    items: int
    iterations: int
    cores: int
    costs: str  # whose: hpx or treadle
    policy: str  # of `treadle predict --inlining`
    lower_us: int  # of the sweep of thresholds; else 0

    @property
    def inlining(self) -> str:
        bounds = f":{self.lower_us}:{self.lower_us + SWEEP_BAND_US}" if self.lower_us else ""
        return self.policy + bounds

    def title(self) -> str:
        return f"simulated: {self.users} x {self.items}, {self.cores} cores, {self.inlining}"


@dataclass(frozen=True)
class Run(Cell):
    seconds: float
    inlined_seconds: float  # measured, with one worker; all of it inlined
    tasks_seconds: float  # the same, each node a task
    work_seconds: float
    path_seconds: float  # the longest chain: no number of cores makes it shorter
    tasks: int
    inlined: int

    @property
    def cell(self) -> Cell:
        return log.cell_from(self, Cell)

    def like_measured(self) -> inlining.Run:
        """For the figures and tables of the measured part."""
        return inlining.Run(
            0, "python", self.experiment, self.users, self.items, self.iterations, self.cores, self.policy, self.lower_us,
            "", "", self.cores, self.seconds, self.tasks, self.tasks - self.inlined, 0.0,
        )  # fmt: skip


def cells(plan: Plan, cores: tuple[int, ...]) -> list[Cell]:
    """The experiments of the plan on this many cores."""
    return list(dict.fromkeys(_cells(plan, cores)))


def _cells(plan: Plan, cores: tuple[int, ...]) -> Iterator[Cell]:
    for case in _cases(plan):
        for costs in COSTS:
            for count in cores:
                yield from (Cell(*case, count, costs, policy, 0) for policy in POLICIES)
                if case[0] == "threshold":
                    yield from (Cell(*case, count, costs, "paper-baseline", us) for us in PAPER_SWEEP_US)
        yield from (Cell("check", *case[1:], 1, "treadle", policy, 0) for policy in CHECKED)


def _cases(plan: Plan) -> Iterator[tuple[str, int, int, int]]:
    for experiment in plan.experiments:
        if experiment == "overhead":
            continue
        if experiment == "threshold":
            yield (experiment, *plan.threshold_size, plan.iterations)
            continue
        shorter = ((*size, min(count, MOST_ITERATIONS)) for size, count in plan.cases(experiment))
        yield from ((experiment, *case) for case in dict.fromkeys(shorter))


def record(folder: Path, users: int, items: int, iterations: int) -> tuple[Path, float, float]:
    """A recording of a run in which every node is a task, and the seconds of runs in which none is and each is; made
    when it is not there, and then it replaces the others: they have up to 150 MB."""
    file = folder / f"als-{users}x{items}-{iterations}.tasks"
    seconds = file.with_suffix(".seconds")
    if not (file.is_file() and seconds.is_file()):
        _forget(folder)
        folder.mkdir(parents=True, exist_ok=True)
        measured = (str(_run(users, items, iterations, ns, None)) for ns in (10**15, 0))
        seconds.write_text(" ".join(measured), "utf-8")
        partial = file.with_name("partial-" + file.name)
        _run(users, items, iterations, 0, partial)
        partial.replace(file)
    inlined, tasks = seconds.read_text("utf-8").split()
    return file, float(inlined), float(tasks)


def _forget(folder: Path) -> None:
    """Removes the recordings, and the folder when there is nothing else in it."""
    for pattern in ("als-*.tasks", "als-*.seconds", "partial-als-*.tasks"):
        for file in folder.glob(pattern):
            file.unlink()
    with suppress(OSError):
        folder.rmdir()


def _run(users: int, items: int, iterations: int, threshold_ns: int, into: Path | None) -> float:
    """The least of some runs, or one that is recorded; the first gets its memory from the system."""
    with inlining.prepared(
        users,
        items,
        iterations,
        policy="paper-baseline",
        workers=1,
        lower_ns=threshold_ns,
        upper_ns=threshold_ns,
    ) as program:

        def once(count: int) -> float:
            start = time.perf_counter()
            program(count)
            return time.perf_counter() - start

        once(1)
        if into:
            with trace(str(into), records_per_thread=RECORDS):
                return once(iterations)
        seconds = [once(iterations)]
        while len(seconds) < 3 and sum(seconds) < 2:
            seconds.append(once(iterations))
        return min(seconds)


@lru_cache(maxsize=1)
def _loaded(file: str) -> _native.Workload:
    return load(file)


def run_once(folder: Path, cell: Cell) -> Run:
    file, inlined, tasks = record(folder, cell.users, cell.items, cell.iterations)
    program = _loaded(str(file))
    setting = Setting(
        machine=f"core:{cell.cores} pu:1", core_speed=program.work_ns() / 1e9 / inlined, costs=cell.costs,
        policy="local-priority-fifo" if cell.costs == "hpx" else "", inlining=cell.inlining,
    )  # fmt: skip
    found = predict(program, setting)
    return Run(
        **asdict(cell), seconds=found.makespan_ns / 1e9, inlined_seconds=inlined, tasks_seconds=tasks,
        work_seconds=program.work_ns() / 1e9,
        path_seconds=program.critical_path_ns() / 1e9, tasks=program.tasks(), inlined=found.found["inlined"],
    )  # fmt: skip


def simulate(
    plan: Plan, cores: tuple[int, ...], out: Path, report: Callable[[int, int, str], None]
) -> list[Run]:
    """All cells, see log.go_on()."""
    folder = out / "recordings"
    runs = log.measure(
        out / "inlining-simulated.csv", Run, cells(plan, cores), lambda cell: run_once(folder, cell), report
    )
    _forget(folder)
    return runs


def runs_of(plan: Plan, cores: tuple[int, ...], out: Path) -> list[Run]:
    """Those that are there."""
    return log.wanted(cells(plan, cores), log.read(out / "inlining-simulated.csv", Run))
