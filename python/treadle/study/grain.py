"""The sweep of partition sizes: run by run, kept in a CSV from which it goes on when it was interrupted."""

from __future__ import annotations

import csv
import json
import math
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from .. import _native
from .metrics import Run

SMALLEST_PARTITION = 160
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
    """What is measured. The number of steps of the smallest partitions is cut to what `most_tasks` allows."""

    points: int = 100_000_000
    steps: int = 50
    workers: tuple[int, ...] = (1, 2)
    repeats: int = 5
    per_decade: int = 5
    most_tasks: int = 5_000_000

    def __post_init__(self) -> None:
        if self.points < SMALLEST_PARTITION:
            raise ValueError(
                f"points: at least {SMALLEST_PARTITION}, the smallest partition, not {self.points}"
            )
        for name in ("steps", "repeats", "per_decade", "most_tasks"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: at least 1, not {getattr(self, name)}")
        if not self.workers or min(self.workers) < 1:
            raise ValueError("workers: numbers from 1, such as 1 2")

    def partitions(self) -> list[int]:
        """From 160 points to all of them, evenly on a logarithmic scale."""
        decades = math.log10(self.points / SMALLEST_PARTITION)
        count = max(round(decades * self.per_decade), 1)
        sizes = {round(SMALLEST_PARTITION * 10 ** (decades * i / count)) for i in range(count + 1)}
        return sorted(sizes)

    def steps_of(self, partition: int) -> int:
        return max(min(self.steps, self.most_tasks * partition // self.points), 1)

    def cells(self) -> Iterator[tuple[int, int, int]]:
        """(repeat, partition, workers), interleaved: a bad minute of the machine hits all numbers of workers."""
        for repeat in range(self.repeats):
            for partition in self.partitions():
                for workers in self.workers:
                    yield repeat, partition, workers

    def left_out(self) -> list[str]:
        """What differs from the paper's experiment, in sentences."""
        notes = []
        cut = [p for p in self.partitions() if self.steps_of(p) < self.steps]
        if cut:
            notes.append(
                f"Partitions of up to {max(cut):,} points make fewer steps (down to {self.steps_of(min(cut))} instead of"
                f" {self.steps}): at most {self.most_tasks:,} tasks per run. Their times and counts are scaled."
            )
        if (self.points, self.steps) != (100_000_000, 50):
            notes.append(f"{self.points:,} points and {self.steps} steps, the paper has 100,000,000 and 50.")
        return notes


def program() -> Path:
    """The stencil that belongs to this package."""
    for folder in (Path(_native.__file__).parent, Path(__file__).parent.parent):
        found = folder / "bin" / "stencil"
        if found.is_file():
            return found
    raise FileNotFoundError(
        "the program stencil is not part of this installation: build it with TREADLE_APPS=ON"
    )


def run_once(sweep: Sweep, repeat: int, partition: int, workers: int) -> Run:
    """RuntimeError with what the program said when it fails."""
    steps = sweep.steps_of(partition)
    command: list[str] = [str(program()), "--kernel", "faithful", "--json"]
    for name, value in {
        "points": sweep.points, "steps": steps, "partition": partition, "workers": workers,
        "warm-up": min(steps, 10),  # the first steps get their memory from the system
    }.items():  # fmt: skip
        command += [f"--{name}", str(value)]
    command += ["--counter", *COUNTERS.values()]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"{command[0]} ended with {done.returncode}")
    found = json.loads(done.stdout)
    values = {name.replace("{locality#0/total}", ""): value for name, value in found["counters"].items()}
    return Run(
        points=sweep.points, steps=steps, partition=partition, workers=workers, repeat=repeat,
        seconds=found["seconds"], **{field: float(values[name]) for field, name in COUNTERS.items()},
    )  # fmt: skip


def read(file: Path) -> list[Run]:
    """The runs that are in the file already; a last line that was not written in full is left out."""
    if not file.is_file():
        return []
    runs = []
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines):
            try:
                runs.append(Run.from_row(row))
            except (ValueError, KeyError, TypeError):
                continue
    return runs


def runs_of(sweep: Sweep, runs: list[Run]) -> list[Run]:
    """Those that the sweep would make itself."""
    wanted = set(sweep.cells())
    return [
        run for run in runs
        if (run.repeat, run.partition, run.workers) in wanted
        and (run.points, run.steps) == (sweep.points, sweep.steps_of(run.partition))
    ]  # fmt: skip


def measure(sweep: Sweep, file: Path, report: Callable[[int, int, str], None]) -> list[Run]:
    """All runs of the sweep: those in the file, and the others, each added to it as soon as it is done.

    `report(done, of, what)` is called before each run and at the end. KeyboardInterrupt leaves the file whole.
    """
    rows = read(file)
    runs = runs_of(sweep, rows)
    known = {(run.repeat, run.partition, run.workers) for run in runs}
    cells = list(sweep.cells())
    columns = [f.name for f in fields(Run)]
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial")
    with partial.open("w", newline="") as out:  # anew: without half a line
        writer = csv.DictWriter(out, columns)
        writer.writeheader()
        writer.writerows(asdict(run) for run in rows)
    partial.replace(file)
    with file.open("a", newline="") as out:
        writer = csv.DictWriter(out, columns)
        for repeat, partition, workers in cells:
            if (repeat, partition, workers) in known:
                continue
            report(len(runs), len(cells), f"{partition:,} points per partition, {workers} workers")
            run = run_once(sweep, repeat, partition, workers)
            writer.writerow(asdict(run))
            out.flush()
            runs.append(run)
    report(len(runs), len(cells), "")
    return runs
