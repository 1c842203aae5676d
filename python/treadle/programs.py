"""Which programs on this machine use Treadle, and what they do."""

from __future__ import annotations

from typing import NamedTuple

from . import _native


class Progress(NamedTuple):
    """What a program has reported last for one of its streams."""

    stream: str
    value: float
    age_ns: int


class InForce(NamedTuple):
    """A decision in force: its kind, what it decides for, and what was chosen."""

    kind: str
    instance: str
    chosen: str


class RunningProgram(NamedTuple):
    """What a program does at the moment, as it says itself; of one that does not answer, what it said `age_ns` ago.

    Of its `workers`, those that are `granted` may be active; `active` execute tasks, `searching` look for work,
    `parked` sleep, `blocked` wait for the operating system. `queued` tasks could run, `executed` have.
    """

    pid: int
    name: str
    answers: bool
    age_ns: int
    runs_ns: int
    cpu_ns: int
    workers: int
    granted: int
    active: int
    searching: int
    parked: int
    blocked: int
    queued: int
    executed: int
    streams: list[Progress]
    decisions: list[InForce]


def programs(patience_ms: int = 100) -> list[RunningProgram]:
    """All programs of this user on this machine that have a Treadle runtime for at least 50 ms, by pid.

    Asks each for what it does now, and waits at most `patience_ms` for all answers together. Raises OSError that names
    the folder where programs find each other if it cannot be read or is open to others.
    """
    found = []
    for one in _native.running_programs(patience_ms):
        one["streams"] = [Progress(*row) for row in one["streams"]]
        one["decisions"] = [InForce(*row) for row in one["decisions"]]
        found.append(RunningProgram(**one))
    return found


def report_progress(value: float, stream: str = "") -> None:
    """Say how far the program is, by a number of its own that grows, such as the iterations done.

    `stream` tells several such numbers apart, "produced" and "consumed". `treadle top` shows them.
    """
    _native.report_progress(value, stream)


__all__ = ["InForce", "Progress", "RunningProgram", "programs", "report_progress"]
