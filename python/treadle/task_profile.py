"""What tasks have done, by name: measured all the time, whether somebody asks or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _native
from .config import current
from .session import start_runtime

if TYPE_CHECKING:
    from types import TracebackType


class TaskProfile(NamedTuple):
    """What tasks of one name did. `total` is without suspensions, `self` also without tasks run in place inside; half
    of the tasks took no longer than `p50`. All together were `staged` until their inputs were there, and `pending`
    until a worker took them."""

    name: str
    tasks: int
    self_ns: int
    total_ns: int
    min_ns: int
    p50_ns: int
    p99_ns: int
    max_ns: int
    staged_ns: int
    pending_ns: int


class PoolProfile(NamedTuple):
    """What became of the time of a pool's workers: `parallel_efficiency` is the share in which they executed tasks, and
    the product of the three behind it, each 1 at best: whether all did as much as the busiest one, and of that one, the
    time without management and search, and without sleep for want of work."""

    name: str
    workers: float
    elapsed_ns: int
    parallel_efficiency: float
    load_balance: float
    scheduling: float
    serialization: float


class _Reading(NamedTuple):
    tasks: list[TaskProfile]
    pools: list[PoolProfile]
    text_of_pools: str
    text_of_tasks: str


class TaskProfiles:
    """What the tasks do inside of a `with` block: see treadle.task_profile."""

    def __init__(self) -> None:
        start_runtime(current().workers)
        self._profile = _native.TaskProfiles()
        self._last: _Reading | None = None

    def __enter__(self) -> TaskProfiles:
        self.reset()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._last = self._read()

    def rows(self) -> list[TaskProfile]:
        """By name, the longest `self` first, until now or until the block ended: `pandas.DataFrame(tasks.rows())`."""
        return (self._last or self._read()).tasks

    def pools(self) -> list[PoolProfile]:
        """The same of the pools' workers."""
        return (self._last or self._read()).pools

    def reset(self) -> None:
        """Counts from now on."""
        self._profile.reset()
        self._last = None

    def __str__(self) -> str:
        now = self._last or self._read()
        return f"{now.text_of_pools}\n{now.text_of_tasks}"

    def _read(self) -> _Reading:
        tasks, pools, *texts = self._profile.read()
        return _Reading([TaskProfile(*row) for row in tasks], [PoolProfile(*row) for row in pools], *texts)


def task_profile() -> TaskProfiles:
    """What the tasks of the runtime do from now on, by name; when it is replaced by one with more workers, of that.

    >>> with td.task_profile() as tasks:
    ...     work()
    >>> print(tasks)

    Nothing is recorded for it: samples are always taken, of long tasks every one, of those below 64 us one in 64 us, by
    chance, so that counts and times are estimates, and percentiles are known to within a quarter. A task counts when it
    has ended, which is a moment after its result is there. The name of a
    task of a compiled function is that of the node it evaluates; what each node costs treadle.profile says.
    """
    return TaskProfiles()
