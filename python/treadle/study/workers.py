"""The numbers of workers that a study has by default, and how more of them than cores are told apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

OVERSUBSCRIBED = (
    "More workers than the process has cores are called oversubscribed, and told apart: clocks go on while a worker waits"
    " for a core."
)


def usable_cores() -> int:
    return len(os.sched_getaffinity(0))


def default_workers() -> tuple[int, ...]:
    """Powers of two up to the cores, the cores, and twice as many, which is oversubscription."""
    cores = usable_cores()
    powers = (1 << i for i in range(cores.bit_length()))
    return tuple(sorted({*powers, cores, 2 * cores}))


def check_workers(workers: Sequence[int]) -> None:
    """ValueError where these cannot be the numbers of workers of a study."""
    if not workers or min(workers) < 1:
        raise ValueError("workers: numbers from 1, such as 1 2")


def named(workers: int, oversubscribed: bool = False) -> str:
    return f"{workers} worker{'s' * (workers > 1)}{', oversubscribed' * oversubscribed}"


class OfWorkers:
    """What has the fields `workers` and `cores`: measured with this many workers, by a process that might use this many
    cores."""

    workers: int
    cores: int

    @property
    def is_oversubscribed(self) -> bool:
        return self.workers > self.cores

    def named_workers(self) -> str:
        return named(self.workers, self.is_oversubscribed)

    def workers_cell(self) -> str:
        """In a table, whose column says that these are workers."""
        return f"{self.workers}{', oversubscribed' * self.is_oversubscribed}"


def check_cores(file: Path, runs: Iterable[OfWorkers]) -> None:
    """ValueError where a run in the file had other cores than there are now: the two would be compared as one."""
    here = usable_cores()
    if other := sorted({run.cores for run in runs} - {here}):
        raise ValueError(
            f"{file}: measured by a process that might use {' or '.join(map(str, other))} cores; this one may use {here}:"
            " give the study another folder, or those cores"
        )
