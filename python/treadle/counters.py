"""Named numbers that can be read while a program runs: tasks, steals, idle time, memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from . import _native
from .config import current
from .session import start_runtime

Value = float | list[float]  # of a histogram: how many values lie in each range


class Reading(NamedTuple):
    """One value at one moment; NaN where there is none."""

    name: str
    value: Value
    unit: str
    time_ns: int  # of the steady clock
    missing: str = ""  # why there is no value, where the machine or the moment does not allow one


class Description(NamedTuple):
    name: str
    kind: str  # gauge, monotonic, average, ratio, elapsed or histogram
    unit: str
    help: str


class Window:
    """Readers that count from the moment they were made, or were reset."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        start_runtime(current().workers)
        self._group = _native.CounterGroup(list(patterns))
        self._group.reset()
        self._last: list[Reading] | None = None

    def read(self) -> list[Reading]:
        """The values until now, or until the `with` block ended."""
        return self._last or [Reading(*row) for row in self._group.read()]

    def reset(self) -> None:
        """Counts from now on."""
        self._group.reset()
        self._last = None

    def __getitem__(self, name: str) -> Value:
        for row in self.read():
            if name in (row.name, without_total(row.name)):
                return row.value
        raise KeyError(name)


class Counters:
    """The counters of the runtime, by name: HPX's grammar, `/object{instance}/counter@parameters`.

    >>> import treadle as td
    >>> td.counters["/threads/count/cumulative"]
    0.0
    >>> sorted(td.counters["/scheduler/*/*"].values())
    [0.0]

    Any thread. A reading costs some microseconds and does not stop the workers. Starts the runtime when there is none.
    """

    def __getitem__(self, name: str) -> Value | dict[str, Value]:
        """The value since the runtime was started; of a pattern (`*`, `?`, `[...]`, `#*`) a dict of all that match.

        ValueError when the name is malformed, with the place marked, or when nothing matches. RuntimeError when it
        cannot be read, such as a hardware counter where the machine allows none, with the reason.
        """
        rows = self.snapshot(name)
        if _is_pattern(name):
            return {row.name: row.value for row in rows}
        if rows[0].missing:
            raise RuntimeError(rows[0].missing)
        return rows[0].value

    def snapshot(self, *patterns: str) -> list[Reading]:
        """All values that match, without patterns the totals of all: `pandas.DataFrame(td.counters.snapshot())`."""
        start_runtime(current().workers)
        return [Reading(*row) for row in _native.CounterGroup(list(patterns or ("/*/*",))).read()]

    def list(self, pattern: str = "/*/*") -> list[Description]:
        """What there is, with kind, unit and meaning."""
        start_runtime(current().workers)
        return [Description(*row) for row in _native.discover_counters(pattern)]

    def open_metrics(self, *patterns: str) -> str:
        """All values that match, without patterns the totals of all, in the OpenMetrics format, as Prometheus reads it.

        Counts are from the start of the runtime; times are in seconds. With TREADLE_METRICS=FILE.sock a program serves
        the same on a Unix socket.
        """
        start_runtime(current().workers)
        return _native.open_metrics(list(patterns or ("/*/*",)))

    @contextmanager
    def window(self, *patterns: str) -> Iterator[Window]:
        """What happens inside of the `with` block.

        >>> with td.counters.window("/threads/count/*") as window:
        ...     pass
        >>> window["/threads/count/suspensions"]
        0.0
        """
        window = Window(patterns or ("/*/*",))
        try:
            yield window
        finally:
            window._last = window.read()


def _is_pattern(name: str) -> bool:
    return bool(re.search(r"[*?\[]", name.partition("@")[0]))


def without_total(name: str) -> str:
    """The name without the instance that is meant anyway."""
    return name.replace(f"{{locality#{_native.locality()}/total}}", "", 1)


counters = Counters()
