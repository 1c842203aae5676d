"""The inlining paper's measurements: alternating least squares as an execution tree under all policies.

Wagle et al., "Runtime Adaptive Task Inlining on Asynchronous Multitasking Runtime Systems", ICPP 2019, section 4.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..config import POLICIES, config
from ..demo.data import als_workload, paper_ratings
from ..jit import jit
from ..physl import Program
from ..profile import profile
from . import log

LOWER_US = tuple(range(100, 1001, 100))
SMALL = ((10, 5),)
MIDDLE = ((10, 5), (64, 64), (100, 100), (200, 200), (400, 400))
LARGE = ((100, 5000), (500, 2000), (500, 5000))
PAPER_LOWER_US, PAPER_BAND_US = 350, 150
SWEEP_BAND_US = 100


@dataclass(frozen=True, order=True)
class Cell:
    """One thing to be measured once."""

    repeat: int
    experiment: str  # threshold, sizes, iterations or large
    users: int
    items: int
    iterations: int
    workers: int
    policy: str
    lower_us: int = PAPER_LOWER_US

    @property
    def upper_us(self) -> int:
        return self.lower_us + (SWEEP_BAND_US if self.experiment == "threshold" else PAPER_BAND_US)

    def title(self) -> str:
        bound = f", {self.lower_us} µs" if self.experiment == "threshold" else ""
        return f"{self.users} x {self.items}, {self.workers} workers, {self.policy}{bound}"


@dataclass(frozen=True)
class Run:
    repeat: int
    experiment: str
    users: int
    items: int
    iterations: int
    workers: int
    policy: str
    lower_us: int
    seconds: float
    evaluations: int
    spawned: int
    checksum: float  # of the factors: the same for all policies

    @property
    def cell(self) -> Cell:
        return log.cell_from(self, Cell)


@dataclass(frozen=True)
class Plan:
    """What is measured; policies interleaved, so that a bad minute of the machine hits all of them."""

    workers: tuple[int, ...] = (1, 2, 4)
    repeats: int = 3
    iterations: int = 10  # of the threshold sweep and the sizes
    large_iterations: int = 1
    experiments: tuple[str, ...] = ("threshold", "sizes", "iterations", "large")
    threshold_size: tuple[int, int] = (400, 400)
    sizes: tuple[tuple[int, int], ...] = MIDDLE
    large: tuple[tuple[int, int], ...] = LARGE
    small_iterations: tuple[int, ...] = (2000, 3000, 4000, 5000)

    def __post_init__(self) -> None:
        for name in ("repeats", "iterations", "large_iterations"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: at least 1, not {getattr(self, name)}")
        if not self.workers or min(self.workers) < 1:
            raise ValueError("workers: numbers from 1, such as 1 2")
        if unknown := set(self.experiments) - {"threshold", "sizes", "iterations", "large"}:
            raise ValueError(f"no experiment '{min(unknown)}'; there are threshold, sizes, iterations, large")

    def cells(self) -> Iterator[Cell]:
        for repeat in range(self.repeats):
            for experiment in self.experiments:
                for workers in self.workers:
                    yield from self._cells(repeat, experiment, workers)

    def _cells(self, repeat: int, experiment: str, workers: int) -> Iterator[Cell]:
        if experiment == "threshold":
            users, items = self.threshold_size
            for lower in LOWER_US:
                yield Cell(
                    repeat, experiment, users, items, self.iterations, workers, "paper-baseline", lower
                )
            yield Cell(repeat, experiment, users, items, self.iterations, workers, "adaptive")
            return
        for (users, items), iterations in self.cases(experiment):
            for policy in POLICIES:
                yield Cell(repeat, experiment, users, items, iterations, workers, policy)

    def cases(self, experiment: str) -> list[tuple[tuple[int, int], int]]:
        """(users, items) and iterations of sizes, iterations or large."""
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
            " oversubscription. Its ratings of the large sets are not public: random ones (20 % of them, 1 to 5) stand"
            " for them.",
            "The diagonals are dense, as in the paper's program: `config(dense_diagonals=True)`. By default `np.diag` and"
            " `np.identity` make no zeros, and a product with one scales rows or columns: the same results, sooner.",
        ]
        if "large" in self.experiments:
            notes.append(
                f"The large sets make {self.large_iterations} iteration{'s' * (self.large_iterations > 1)}; the paper"
                " does not say how many its own made (500 x 5000 took 1119 s)."
            )
        return notes


def factors_of(users: int, items: int) -> int:
    return 3 if (users, items) == (10, 5) else 10


def ratings(users: int, items: int) -> np.ndarray:
    """The paper's for 10 x 5, otherwise random ones."""
    if (users, items) == (10, 5):
        return paper_ratings()
    random = np.random.default_rng(7)
    chosen: np.ndarray = (random.random((users, items)) < 0.2) * random.integers(1, 6, (users, items)).astype(
        float
    )
    return chosen


@contextmanager
def prepared(users: int, items: int, iterations: int, **settings: Any) -> Iterator[Callable[[int], Any]]:
    """The program, compiled under these settings, and the workers started: a call with a number of iterations gives the
    factors. In a tree of its own: no decision is left from an earlier run."""
    workload = als_workload("als", "ALS", ratings(users, items), factors_of(users, items), iterations)
    program: Any = jit(workload.program.__treadle_function__)
    ratings_, X, Y, _, regularization, alpha = workload.arguments
    with config(**settings, dense_diagonals=True):
        program.lower()
        Program("1", "")()
        yield lambda count: program(ratings_, X, Y, count, regularization, alpha)


def run_once(cell: Cell) -> Run:
    """In this process."""
    with (
        prepared(
            cell.users,
            cell.items,
            cell.iterations,
            policy=cell.policy,
            workers=cell.workers,
            lower_ns=1000 * cell.lower_us,
            upper_ns=1000 * cell.upper_us,
        ) as program,
        profile() as recorded,
    ):
        start = time.perf_counter()
        factors = program(cell.iterations)
        seconds = time.perf_counter() - start
    rows = recorded.rows
    return Run(
        cell.repeat, cell.experiment, cell.users, cell.items, cell.iterations, cell.workers, cell.policy, cell.lower_us,
        seconds, sum(row.count for row in rows), sum(row.spawned for row in rows),
        float(sum(np.abs(f).sum() for f in factors)),
    )  # fmt: skip


def measure(plan: Plan, file: Path, report: Callable[[int, int, str], None]) -> list[Run]:
    """All runs of the plan, see log.go_on()."""
    return log.measure(file, Run, plan.cells(), run_once, report)


def runs_of(plan: Plan, runs: list[Run]) -> list[Run]:
    """Those that the plan would make itself."""
    return log.wanted(plan.cells(), runs)
