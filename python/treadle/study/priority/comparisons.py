"""Times against each other: measured ones with their intervals, simulated ones as they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..median import Median
from . import measured, simulated

NOTICEABLE = 1.0  # percent


@dataclass(frozen=True)
class Change:
    """Percent of time that something takes more (above 0) or less; `doubt` says why it may be noise."""

    where: str
    percent: float
    doubt: str = ""

    def text(self) -> str:
        return f"{self.where}: {self.percent:+.1f} %{f' ({self.doubt})' if self.doubt else ''}"


def percent(before: float, after: float) -> float:
    return 100 * (after / before - 1)


def medians(runs: Iterable[measured.Run]) -> dict[measured.Cell, Median]:
    """By cell, with repeat 0; without those that failed."""
    groups: dict[measured.Cell, list[float]] = defaultdict(list)
    for run in runs:
        if not run.failed:
            groups[replace(run.cell, repeat=0)].append(run.seconds)
    return {cell: Median.of(seconds) for cell, seconds in groups.items()}


def doubt(one: Median, other: Median) -> str:
    """Why the difference of two medians may be noise; "" where it is none."""
    if not (one.has_interval and other.has_interval):
        return "too few runs"
    return "" if other.high < one.low or other.low > one.high else "intervals overlap"


def part_name(program: str) -> str:
    return "tile" if program == "cholesky" else "cut-off"


class Measured:
    """Of one program and n, with the slowest critical tasks that were measured, and with the most workers that had a
    core each; or with the most of those that were oversubscribed."""

    def __init__(
        self, runs: Iterable[measured.Run], program: str, n: int | None = None, oversubscribed: bool = False
    ) -> None:
        mine = [
            r for r in runs
            if r.program == program and n in (None, r.n) and r.is_oversubscribed == oversubscribed
        ]  # fmt: skip
        self.oversubscribed = oversubscribed
        self.workers = max((r.workers for r in mine), default=0)
        self.slow = max((r.slow for r in mine), default=1)
        self.program = program
        self.n = n or max((r.n for r in mine), default=0)
        self.runs = [r for r in mine if (r.workers, r.slow) == (self.workers, self.slow)]
        self._medians = medians(self.runs)
        self.parts = sorted({r.part for r in self.runs})

    def best(self, part: int, *configurations: str) -> tuple[measured.Cell, Median] | None:
        """The fastest of them, with any size of the critical pool."""
        found = [
            (c, m) for c, m in self._medians.items() if c.part == part and c.configuration in configurations
        ]
        return min(found, key=lambda pair: pair[1].value, default=None)

    def changes(self, before: str, *after: str) -> list[Change]:
        """For each tile or cut-off that both have done."""
        found = []
        for part in self.parts:
            one, other = self.best(part, before), self.best(part, *after)
            if one and other:
                change = percent(one[1].value, other[1].value)
                where = f"{part_name(self.program)} {part}"
                found.append(Change(where, change, doubt(one[1], other[1])))
        return found

    def failures(self) -> list[measured.Run]:
        return [r for r in self.runs if r.failed]


class Simulated:
    """Of one program on one machine, with the slowest critical tasks that were simulated and one table of costs."""

    def __init__(self, runs: Iterable[simulated.Run], machine: str, program: str, costs: str = "hpx") -> None:
        mine = [r for r in runs if (r.machine, r.program, r.costs) == (machine, program, costs)]
        self.slow = max((r.slow for r in mine), default=1)
        self.program = program
        self.runs = [r for r in mine if r.slow == self.slow]
        self.parts = sorted({r.part for r in self.runs})

    def of(self, part: int, configuration: str) -> dict[int, simulated.Run]:
        """By the size of the critical pool, 0 where there is none."""
        return {r.critical: r for r in self.runs if r.part == part and r.configuration == configuration}

    def best(self, part: int, configuration: str, critical: int | None = None) -> simulated.Run | None:
        """The fastest size of the critical pool, or that of the size given."""
        found = self.of(part, configuration)
        if critical:
            return found.get(critical)
        return min(found.values(), key=lambda r: r.seconds, default=None)

    def changes(self, before: str, after: str, critical: int | None = None) -> list[Change]:
        """For each tile or cut-off, with this size of the critical pool or the fastest."""
        found = []
        for part in self.parts:
            one = self.best(part, before, critical if before.startswith("paper-pools") else None)
            other = self.best(part, after, critical)
            if other is None and critical:
                other = self.best(part, after)
            if one and other:
                size = f" with {other.critical} critical workers" if other.critical and not critical else ""
                found.append(
                    Change(f"{part_name(self.program)} {part}{size}", percent(one.seconds, other.seconds))
                )
        return found

    def shares_of_gain(
        self, before: str, after: str, without: str, critical: int | None = None
    ) -> dict[str, float]:
        """What part of a gain a third configuration has as well, for each tile or cut-off where there is one."""
        found = {}
        for part in self.parts:
            slow, fast = self.best(part, before), self.best(part, after, critical)
            rest = self.best(part, without, fast.critical) if fast else None
            if slow and fast and rest and percent(slow.seconds, fast.seconds) <= -NOTICEABLE:
                where = f"{part_name(self.program)} {part} with {fast.critical} critical workers"
                found[where] = (slow.seconds - rest.seconds) / (slow.seconds - fast.seconds)
        return found


def spread(changes: Sequence[Change], nothing: str) -> str:
    """Where there are too many to be listed."""
    if not changes:
        return nothing
    values = [c.percent for c in changes]
    less = sum(v <= -NOTICEABLE for v in values)
    return f"{min(values):+.1f} to {max(values):+.1f} %, less in {less} of {len(values)} cases"


def less_time(changes: Sequence[Change]) -> str:
    """Whether something takes less time, without doubt."""
    if not changes:
        return "no data"
    sure = [c.percent for c in changes if not c.doubt]
    less, more = sum(p <= -NOTICEABLE for p in sure), sum(p >= NOTICEABLE for p in sure)
    if len(changes) in (less, more):
        return "less time" if less else "more time"
    if less and more:
        return f"less time in {less} and more in {more} of {len(changes)} cases"
    if less or more:
        return f"{'less' if less else 'more'} time in {less or more} of {len(changes)} cases"
    return "no difference beyond noise" if len(sure) < len(changes) else "no difference"


def listed(changes: Sequence[Change], nothing: str) -> str:
    return ", ".join(c.text() for c in changes) or nothing
