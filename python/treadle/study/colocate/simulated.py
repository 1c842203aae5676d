"""The simulated part: the paper's machine, programs and rows, and what else an agent could do."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...simulated_sharing import Simulator
from .. import log
from . import paper
from .model import Model, pair_scenario, seismic_scenario
from .modes import modes_of


@dataclass(frozen=True, order=True)
class Cell:
    case: str  # seismic, or one of paper.CASES
    mode: str
    seed: int

    def title(self) -> str:
        return f"simulated: {self.case}, {self.mode}"


@dataclass(frozen=True)
class Run(Cell):
    """Seconds and items; nan where a case has none."""

    seconds: float
    producer_ends_s: float
    consumer_alone: float  # times as fast after the producer has ended
    fast_s: float  # of the fast instances of Seismic in the mean: all, or with `even` those that have four threads
    most_threads: int
    longest_queue: float
    longest_queue_bytes: float
    off: float  # |items - N| in the mean, from first reaching N to the end of the game
    swings: int  # of half of the machine or more from one decision to the next, as shares of its decisions in percent

    @property
    def cell(self) -> Cell:
        return log.cell_from(self, Cell)


@dataclass(frozen=True)
class Plan:
    seeds: int = 10

    def cells(self) -> Iterator[Cell]:
        for case in (paper.SEISMIC, *paper.CASES):
            for mode in modes_of(case):
                for seed in range(1, self.seeds + 1):
                    yield Cell(case, mode, seed)


QUICK = Plan(seeds=3)
NAN = float("nan")


def scenario(model: Model, cell: Cell) -> dict[str, Any]:
    mode = modes_of(cell.case)[cell.mode]
    if cell.case == paper.SEISMIC:
        return seismic_scenario(model.begin_s, model.stretch, mode, cell.seed)
    return pair_scenario(model.pairs[cell.case], model.serial, mode, cell.seed)


def run_once(simulator: Simulator, model: Model, cell: Cell) -> Run:
    found = simulator.run(scenario(model, cell))
    is_pair = cell.case != paper.SEISMIC
    return Run(
        cell.case, cell.mode, cell.seed, found["ends_s"],
        producer_ends_s=found["programs"][0]["ends_s"] if is_pair else NAN,
        consumer_alone=consumer_alone(found) if is_pair else NAN,
        fast_s=NAN if is_pair else fast_seconds(found, cell.mode),
        most_threads=found["most_threads"],
        longest_queue=found["longest_queue"] if is_pair else NAN,
        longest_queue_bytes=found["longest_queue_bytes"] if is_pair else NAN,
        off=found["mean_off"] if is_pair else NAN,
        swings=swings(found) if is_pair else 0,
    )  # fmt: skip


def consumer_alone(found: dict[str, Any]) -> float:
    """How many times as fast items are used up after the producer has ended as while it ran."""
    end: float = found["programs"][0]["ends_s"]
    ends: list[float] = [found["programs"][1]["begins_s"], *found["programs"][1]["iteration_ends_s"]]
    times = [(b, b - a) for a, b in zip(ends, ends[1:], strict=False)]
    together = [length for at, length in times[1:] if at <= end]
    alone = [length for at, length in times if at - length >= end]
    return statistics.mean(together) / statistics.mean(alone) if together and alone else NAN


def fast_seconds(found: dict[str, Any], mode: str) -> float:
    fast: list[float] = [one["ends_s"] - one["begins_s"] for one in found["programs"][1:]]
    if mode == "even":  # who came first gets what cannot be divided: the slow one and three fast ones
        at = next(m for m in found["moments"] if all(m["workers"][1:]) and m["at_s"] > paper.FAST_START_S)
        fast = [
            s for s, workers in zip(fast, at["workers"][1:], strict=True) if workers == max(at["workers"])
        ]
    return statistics.mean(fast)


def swings(found: dict[str, Any]) -> int:
    """Percent of the decisions while both run that move half of the machine to the other program."""
    end = found["programs"][0]["ends_s"]
    shares = [m["workers"][0] - m["workers"][1] for m in found["moments"] if m["at_s"] < end]
    moved = [abs(b - a) for a, b in zip(shares[1:], shares[2:], strict=False)]
    return round(100 * sum(m >= paper.HARDWARE_THREADS for m in moved) / len(moved)) if moved else 0


def simulate(
    plan: Plan, model: Model, simulator: Simulator, file: Path, report: Callable[[int, int, str], None]
) -> list[Run]:
    """All runs of the plan, see log.go_on()."""
    return log.measure(file, Run, plan.cells(), lambda cell: run_once(simulator, model, cell), report)


def runs_of(plan: Plan, runs: list[Run]) -> list[Run]:
    return log.wanted(plan.cells(), runs)
