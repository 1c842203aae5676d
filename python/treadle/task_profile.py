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


class TaskProfiles:
    """What the tasks do inside of a `with` block: see treadle.task_profile."""

    def __init__(self) -> None:
        start_runtime(current().workers)
        self._profile = _native.TaskProfiles()
        self._last: tuple[list[TaskProfile], str] | None = None

    def __enter__(self) -> TaskProfiles:
        self.reset()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._last = self._read()

    def rows(self) -> list[TaskProfile]:
        """By name, the longest `self` first, until now or until the block ended: `pandas.DataFrame(tasks.rows())`."""
        return (self._last or self._read())[0]

    def reset(self) -> None:
        """Counts from now on."""
        self._profile.reset()
        self._last = None

    def __str__(self) -> str:
        return (self._last or self._read())[1]

    def _read(self) -> tuple[list[TaskProfile], str]:
        rows, text = self._profile.read()
        return [TaskProfile(*row) for row in rows], text


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
