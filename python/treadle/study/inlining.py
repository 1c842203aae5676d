"""The inlining paper's measurements: alternating least squares as an execution tree under all policies.

Wagle et al., "Runtime Adaptive Task Inlining on Asynchronous Multitasking Runtime Systems", ICPP 2019, section 4.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..config import POLICIES, Config, config
from ..demo.data import als_workload, paper_ratings
from ..jit import jit
from ..physl import Program
from ..profile import profile
from . import log
from .ratings import RANDOM, Ratings
from .workers import OfWorkers, check_cores, check_workers, default_workers, usable_cores

# Every node is a task because both thresholds of paper-baseline are zero: what the paper measures it against. The
# policy always-async makes tasks of parts of loops, too.
PAPER_ASYNC = "paper-async"
SERIES = (*POLICIES, PAPER_ASYNC)
# The paper's own program (Figure 3), and the same mathematics as a function in Python.
PROGRAMS = ("physl", "python")
EXPERIMENTS = ("threshold", "sizes", "iterations", "large", "overhead")

PAPER_LOWER_US, PAPER_BAND_US = 350, 150
SWEEP_BAND_US = 100
PAPER_SWEEP_US = tuple(range(100, 1001, 100))
# A task costs less here than in the paper: smaller ones may pay.
SWEEP_US = (0, 1, 3, 10, 30, *PAPER_SWEEP_US)

MIDDLE = ((10, 5), (64, 64), (100, 100), (200, 200), (400, 400))
LARGE = ((100, 5000), (500, 2000), (500, 5000))
OVERHEAD = (((10, 5), 2000), ((64, 64), 40), ((100, 100), 20), ((200, 200), 4))


@dataclass(frozen=True, order=True)
class Cell:
    """One thing to be measured once."""

    repeat: int
    program: str  # of PROGRAMS
    experiment: str  # of EXPERIMENTS
    users: int
    items: int
    iterations: int
    workers: int
    policy: str  # of SERIES
    lower_us: int = PAPER_LOWER_US  # of paper-baseline; as the others have none, it stays at this
    search: str = ""  # of paper-adaptive: strategy, thresholds and window
    ratings: str = ""  # where they are from, see Ratings.name

    @property
    def upper_us(self) -> int:
        if self.policy == PAPER_ASYNC:
            return 0
        if self.experiment == "threshold":  # as in the paper, and no more than twice the lower
            return self.lower_us + min(SWEEP_BAND_US, self.lower_us)
        return self.lower_us + PAPER_BAND_US

    def title(self) -> str:
        bound = f", {self.lower_us} µs" if self.experiment == "threshold" else ""
        return f"{self.users} x {self.items}, {self.program}, {self.workers} workers, {self.policy}{bound}"


@dataclass(frozen=True)
class Run(OfWorkers):
    repeat: int
    program: str
    experiment: str
    users: int
    items: int
    iterations: int
    workers: int
    policy: str
    lower_us: int
    search: str
    ratings: str
    cores: int  # that the process might use
    seconds: float
    evaluations: int
    spawned: int
    checksum: float  # of the factors: the same for all policies

    @property
    def cell(self) -> Cell:
        return log.cell_from(self, Cell)

    @property
    def tasks_percent(self) -> float:
        """The share of evaluations that were tasks."""
        return 100 * self.spawned / max(self.evaluations, 1)


@dataclass(frozen=True)
class Search:
    """How paper-adaptive searches for thresholds."""

    strategy: str = Config.search
    first_us: int = Config.thresholds_ns[0] // 1000
    last_us: int = Config.thresholds_ns[1] // 1000
    step_us: int = Config.thresholds_ns[2] // 1000
    window: int = Config.window

    @classmethod
    def parse(cls, strategy: str, thresholds: str, window: int) -> Search:
        """`thresholds`: FIRST:LAST:STEP in µs."""
        try:
            first, last, step = (int(part) for part in thresholds.split(":"))
        except ValueError:
            raise ValueError(
                f"thresholds are FIRST:LAST:STEP in µs, such as 200:1000:100, not '{thresholds}'"
            ) from None
        made = cls(strategy, first, last, step, window)
        made.settings_checked()
        return made

    def settings_checked(self) -> dict[str, Any]:
        """What config() takes. Raises ValueError."""
        found = {
            "search": self.strategy,
            "thresholds_ns": (1000 * self.first_us, 1000 * self.last_us, 1000 * self.step_us),
            "window": self.window,
        }
        Config(**found).checked()  # type: ignore[arg-type]
        return found

    @property
    def name(self) -> str:
        return f"{self.strategy} {self.first_us}:{self.last_us}:{self.step_us} {self.window}"


@dataclass(frozen=True)
class Plan:
    """What is measured; policies interleaved, so that a bad minute of the machine hits all of them."""

    workers: tuple[int, ...] = field(default_factory=default_workers)
    repeats: int = 3
    iterations: int = 10  # of the threshold sweep and the sizes
    large_iterations: int = 1
    experiments: tuple[str, ...] = EXPERIMENTS
    programs: tuple[str, ...] = PROGRAMS
    threshold_size: tuple[int, int] = (400, 400)
    sizes: tuple[tuple[int, int], ...] = MIDDLE
    large: tuple[tuple[int, int], ...] = LARGE
    small_iterations: tuple[int, ...] = (2000, 3000, 4000, 5000)
    overhead: tuple[tuple[tuple[int, int], int], ...] = OVERHEAD
    overhead_runs: int = 100  # of each of the two policies, over all sizes
    search: Search = Search()
    ratings: Ratings = RANDOM

    def __post_init__(self) -> None:
        for name in ("repeats", "iterations", "large_iterations"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: at least 1, not {getattr(self, name)}")
        check_workers(self.workers)
        for what, given, known in (
            ("experiment", self.experiments, EXPERIMENTS),
            ("program", self.programs, PROGRAMS),
        ):
            if unknown := set(given) - set(known):
                raise ValueError(f"no {what} '{min(unknown)}'; there are {', '.join(known)}")
        if not any(self.ratings.have(*size) for size in self._sizes()):
            raise ValueError(f"{self.ratings.title}: none of the study's sets is so small")

    def _sizes(self) -> Iterator[tuple[int, int]]:
        yield from ((self.threshold_size,) if "threshold" in self.experiments else ())
        for experiment in set(self.experiments) - {"threshold", "overhead"}:
            yield from (size for size, _ in self._cases(experiment))
        yield from (size for size, _ in self.overhead if "overhead" in self.experiments)

    def cells(self) -> Iterator[Cell]:
        for repeat in range(self.repeats):
            for experiment in self.experiments:
                for program in self.programs:
                    for workers in self.workers if experiment != "overhead" else ():
                        yield from self._cells(repeat, program, experiment, workers)
        if "overhead" in self.experiments:
            yield from self._overhead_cells()

    def _cell(self, repeat: int, program: str, experiment: str, size: tuple[int, int], iterations: int, workers: int,
              policy: str, lower_us: int = PAPER_LOWER_US) -> Cell:  # fmt: skip
        return Cell(
            repeat, program, experiment, *size, iterations, workers, policy,
            0 if policy == PAPER_ASYNC else lower_us,
            self.search.name if policy == "paper-adaptive" else "",
            self.ratings.name if size != (10, 5) else "",
        )  # fmt: skip

    def _cells(self, repeat: int, program: str, experiment: str, workers: int) -> Iterator[Cell]:
        if experiment == "threshold":
            of = repeat, program, experiment, self.threshold_size, self.iterations, workers
            if self.ratings.have(*self.threshold_size):
                yield from (self._cell(*of, "paper-baseline", lower) for lower in SWEEP_US)
                yield self._cell(*of, "adaptive")
            return
        for size, iterations in self.cases(experiment):
            for policy in SERIES:
                yield self._cell(repeat, program, experiment, size, iterations, workers, policy)

    def _overhead_cells(self) -> Iterator[Cell]:
        """The two policies in turn, with one worker: what differs is what searching costs."""
        sizes = [case for case in self.overhead if self.ratings.have(*case[0])]
        for run in range(self.overhead_runs if sizes else 0):
            size, iterations = sizes[run % len(sizes)]
            pair = ("paper-baseline", "paper-adaptive")
            for policy in pair if run // len(sizes) % 2 == 0 else reversed(pair):
                yield self._cell(run // len(sizes), self.programs[0], "overhead", size, iterations, 1, policy)

    def cases(self, experiment: str) -> list[tuple[tuple[int, int], int]]:
        """(users, items) and iterations of sizes, iterations or large."""
        return [case for case in self._cases(experiment) if self.ratings.have(*case[0])]

    def _cases(self, experiment: str) -> list[tuple[tuple[int, int], int]]:
        return {
            "sizes": [
                (size, self.iterations if size != (10, 5) else 200 * self.iterations) for size in self.sizes
            ],
            "iterations": [((10, 5), count) for count in self.small_iterations],
            "large": [(size, self.large_iterations) for size in self.large],
        }[experiment]

    def left_out(self) -> list[str]:
        """What differs from the paper's experiment, in sentences."""
        notes = [
            "The paper has up to 64 cores; here it is as many workers as given, more than there are cores being"
            f" oversubscription. {self.ratings.said()}",
            "The diagonals are dense, as in the paper's program: `config(dense_diagonals=True)`. By default `np.diag` and"
            " `np.identity` make no zeros, and a product with one scales rows or columns: the same results, sooner.",
        ]
        if gone := sorted({size for size in self._sizes() if not self.ratings.have(*size)}):
            sets = ", ".join(f"{users} x {items}" for users, items in gone)
            notes.append(f"{self.ratings.title} is too small for {sets}.")
        if "large" in self.experiments:
            notes.append(
                f"The large sets make {self.large_iterations} iteration{'s' * (self.large_iterations > 1)}; the paper"
                " does not say how many its own made (500 x 5000 took 1119 s)."
            )
        return notes


QUICK: dict[str, Any] = {  # of a plan: a minute or two, to see the shape
    "threshold_size": (100, 100),
    "sizes": ((10, 5), (64, 64), (100, 100)),
    "small_iterations": (500, 1000),
    "large": ((40, 400),),
    "overhead": OVERHEAD[:2],
    "overhead_runs": 20,
}


def factors_of(users: int, items: int) -> int:
    return 3 if (users, items) == (10, 5) else 10


def ratings(users: int, items: int) -> np.ndarray:
    """The paper's for 10 x 5, otherwise random ones."""
    return ratings_of(RANDOM, users, items)


def ratings_of(given: Ratings, users: int, items: int) -> np.ndarray:
    return paper_ratings() if (users, items) == (10, 5) else given.of(users, items)


@contextmanager
def prepared(
    users: int,
    items: int,
    iterations: int,
    program: str = "python",
    given: Ratings = RANDOM,
    **settings: Any,
) -> Iterator[Callable[[int], Any]]:
    """The program, compiled under these settings, and the workers started: a call with a number of iterations gives the
    factors. In a tree of its own: no decision is left from an earlier run."""
    workload = als_workload(
        "als", "ALS", ratings_of(given, users, items), factors_of(users, items), iterations
    )
    ratings_, X, Y, _, regularization, alpha = workload.arguments
    compiled: Any
    with config(**settings, dense_diagonals=True):
        Program("1", "")()
        if program == "physl":
            file = Path(__file__).with_name("als.physl")
            compiled = Program(file.read_text("utf-8"), file.name)
            yield lambda count: compiled(ratings_, regularization, count, alpha, X, Y)
        else:
            compiled = jit(workload.program.__treadle_function__)
            compiled.lower()
            yield lambda count: compiled(ratings_, X, Y, count, regularization, alpha)


def run_once(cell: Cell, plan: Plan | None = None) -> Run:
    """In this process. `plan`: where ratings and search are from, by default the study's own."""
    plan = plan or Plan()
    with (
        prepared(
            cell.users,
            cell.items,
            cell.iterations,
            cell.program,
            plan.ratings,
            policy="paper-baseline" if cell.policy == PAPER_ASYNC else cell.policy,
            workers=cell.workers,
            lower_ns=1000 * cell.lower_us,
            upper_ns=1000 * cell.upper_us,
            **plan.search.settings_checked(),
        ) as program,
        profile() as recorded,
    ):
        start = time.perf_counter()
        factors = program(cell.iterations)
        seconds = time.perf_counter() - start
    rows = recorded.rows
    return Run(
        **asdict(cell), cores=usable_cores(), seconds=seconds,
        evaluations=sum(row.count for row in rows), spawned=sum(row.spawned for row in rows),
        checksum=float(sum(np.abs(f).sum() for f in factors)),
    )  # fmt: skip


def measure(plan: Plan, file: Path, report: Callable[[int, int, str], None]) -> list[Run]:
    """All runs of the plan, see log.go_on()."""
    check_cores(file, log.read(file, Run))
    return log.measure(file, Run, plan.cells(), lambda cell: run_once(cell, plan), report)


def runs_of(plan: Plan, runs: list[Run]) -> list[Run]:
    """Those that the plan would make itself."""
    return log.wanted(plan.cells(), runs)
