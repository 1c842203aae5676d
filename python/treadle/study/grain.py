"""The sweep of partition sizes: run by run, kept in a CSV from which it goes on when it was interrupted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import log, programs
from .metrics import Run
from .workers import check_cores, check_workers, default_workers, usable_cores

SMALLEST_PARTITION = 160
WARM_UP = 10  # steps, at most: the first ones get their memory from the system
COUNTERS = {
    "tasks": "/threads/count/cumulative",
    "executing_ns": "/threads/time/cumulative",
    "overall_ns": "/threads/time/overall",
    "management_ns": "/threads/time/cumulative-management",
    "search_ns": "/threads/time/cumulative-search",
    "parked_ns": "/threads/time/cumulative-parked",
    "pending_accesses": "/threads/count/pending-accesses",
    "pending_misses": "/threads/count/pending-misses",
}


@dataclass(frozen=True)
class Sweep:
    """What is measured. The number of steps of the smallest partitions is cut to what `most_tasks` allows.

    `idle_rate`, in percent, is what the paper's first rule tolerates.
    """

    points: int = 100_000_000
    steps: int = 50
    workers: tuple[int, ...] = field(default_factory=default_workers)
    repeats: int = 10
    per_decade: int = 5
    most_tasks: int = 5_000_000
    idle_rate: float = 30.0

    def __post_init__(self) -> None:
        if self.points < SMALLEST_PARTITION:
            raise ValueError(
                f"points: at least {SMALLEST_PARTITION}, the smallest partition, not {self.points}"
            )
        for name in ("steps", "repeats", "per_decade", "most_tasks"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: at least 1, not {getattr(self, name)}")
        check_workers(self.workers)
        if not 0 <= self.idle_rate <= 100:
            raise ValueError(f"idle-rate: 0 to 100 percent, not {self.idle_rate:g}")

    def partitions(self) -> list[int]:
        """From 160 points to all of them, evenly on a logarithmic scale."""
        decades = math.log10(self.points / SMALLEST_PARTITION)
        count = max(round(decades * self.per_decade), 1)
        sizes = {round(SMALLEST_PARTITION * 10 ** (decades * i / count)) for i in range(count + 1)}
        return sorted(sizes)

    def steps_of(self, partition: int) -> int:
        return max(min(self.steps, self.most_tasks * partition // self.points), 1)

    def warm_up_of(self, partition: int) -> int:
        """Steps that are made before those that count."""
        return min(self.steps_of(partition), WARM_UP)

    def cells(self) -> Iterator[tuple[int, int, int]]:
        """(repeat, partition, workers), interleaved: a bad minute of the machine hits all numbers of workers."""
        for repeat in range(self.repeats):
            for partition in self.partitions():
                for workers in self.workers:
                    yield repeat, partition, workers

    def left_out(self) -> list[str]:
        """What differs from the paper's experiment, in sentences."""
        notes = [
            f"Each run makes {self.warm_up_of(self.points)} steps of warm-up, whose time does not count, or as many as"
            " it makes in all where these are fewer: the first steps get their memory from the system. The paper names"
            " no warm-up."
        ]
        cut = [p for p in self.partitions() if self.steps_of(p) < self.steps]
        if cut:
            notes.append(
                f"Partitions of up to {max(cut):,} points make fewer steps (down to {self.steps_of(min(cut))} instead of"
                f" {self.steps}): at most {self.most_tasks:,} tasks per run. Their times and counts are scaled to"
                f" {self.steps} steps."
            )
        if (self.points, self.steps) != (100_000_000, 50):
            notes.append(f"{self.points:,} points and {self.steps} steps, the paper has 100,000,000 and 50.")
        if self.repeats < 10:
            notes.append(f"Means of up to {self.repeats} runs; the paper has ten.")
        return notes


def run_once(sweep: Sweep, repeat: int, partition: int, workers: int) -> Run:
    """ProgramError with what the program said when it fails."""
    steps = sweep.steps_of(partition)
    options = {
        "kernel": "faithful", "points": sweep.points, "steps": steps, "partition": partition, "workers": workers,
        "warm-up": sweep.warm_up_of(partition),
    }  # fmt: skip
    found = programs.run("stencil", options, tuple(COUNTERS.values()))
    values = {name.replace("{locality#0/total}", ""): value for name, value in found["counters"].items()}
    return Run(
        points=sweep.points, steps=steps, partition=partition, workers=workers, repeat=repeat,
        cores=usable_cores(), seconds=found["seconds"], **{field: float(values[name]) for field, name in COUNTERS.items()},
    )  # fmt: skip


def runs_of(sweep: Sweep, runs: list[Run]) -> list[Run]:
    """Those that the sweep would make itself, each once."""
    wanted = set(sweep.cells())
    return list({cell: run for run in runs if (cell := _cell_of(sweep, run)) in wanted}.values())


def _cell_of(sweep: Sweep, run: Run) -> tuple[int, int, int] | None:
    if (run.points, run.steps) != (sweep.points, sweep.steps_of(run.partition)):
        return None
    return run.repeat, run.partition, run.workers


def measure(sweep: Sweep, file: Path, report: Callable[[int, int, str], None]) -> list[Run]:
    """All runs of the sweep, see log.go_on()."""
    check_cores(file, log.read(file, Run))

    def tell(done: int, of: int, cell: tuple[int, int, int] | None) -> None:
        report(done, of, f"{cell[1]:,} points per partition, {cell[2]} workers" if cell else "")

    return log.go_on(
        file,
        Run,
        list(sweep.cells()),
        lambda run: _cell_of(sweep, run),
        lambda cell: run_once(sweep, *cell),
        tell,
    )
