"""The numbers of workers that a study has by default."""

from __future__ import annotations

import os


def usable_cores() -> int:
    return len(os.sched_getaffinity(0))


def default_workers() -> tuple[int, ...]:
    """Powers of two up to the cores, the cores, and twice as many, which is oversubscription."""
    cores = usable_cores()
    powers = (1 << i for i in range(cores.bit_length()))
    return tuple(sorted({*powers, cores, 2 * cores}))
