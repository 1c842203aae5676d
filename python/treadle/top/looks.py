"""Looks at the programs of a machine, each compared with the one before."""

from __future__ import annotations

import platform
from typing import Any, NamedTuple

from ..programs import InForce, Progress, RunningProgram, programs

NO_NUMBERS = {"name", "answers", "streams", "decisions"}  # of RunningProgram


class Rates(NamedTuple):
    """What a program does in a second; None until it was seen twice."""

    cores: float | None
    tasks: float | None


class Rate:
    """Compares each look at a program with the one before."""

    def __init__(self) -> None:
        self._before: dict[int, RunningProgram] = {}

    def of(self, all_of_them: list[RunningProgram]) -> dict[int, Rates]:
        rates = {}
        for one in all_of_them:
            before = self._before.get(one.pid)
            between = one.runs_ns - before.runs_ns if before else 0
            if before is None or between <= 0:
                rates[one.pid] = Rates(None, None)
            else:
                tasks = max(one.executed - before.executed, 0)  # fewer where a runtime has ended
                rates[one.pid] = Rates((one.cpu_ns - before.cpu_ns) / between, tasks / between * 1e9)
        self._before = {one.pid: one for one in all_of_them}
        return rates


class Seen(NamedTuple):
    """A program of a machine as it was at a look."""

    machine: str
    program: RunningProgram
    rates: Rates

    def as_object(self) -> dict[str, Any]:
        row = self.program._asdict()
        row["streams"] = [p._asdict() for p in self.program.streams]
        row["decisions"] = [d._asdict() for d in self.program.decisions]
        row["cores"], row["tasks_per_s"] = self.rates
        return row | {"machine": self.machine}

    @staticmethod
    def from_object(machine: str, row: dict[str, Any]) -> Seen:
        """Raises KeyError, TypeError or ValueError where that is no such row."""
        fields: dict[str, Any] = {
            name: int(row[name]) for name in RunningProgram._fields if name not in NO_NUMBERS
        }
        fields["name"], fields["answers"] = str(row["name"]), bool(row["answers"])
        fields["streams"] = [
            Progress(str(p["stream"]), float(p["value"]), int(p["age_ns"])) for p in row["streams"]
        ]
        fields["decisions"] = [InForce(*(str(d[name]) for name in InForce._fields)) for d in row["decisions"]]
        rates = (None if row[name] is None else float(row[name]) for name in ("cores", "tasks_per_s"))
        return Seen(machine, RunningProgram(**fields), Rates(*rates))


class ThisMachine:
    """The machine that the command runs on."""

    name = platform.node()

    def __init__(self) -> None:
        self._rate = Rate()

    def look(self) -> list[Seen]:
        found = programs()
        rates = self._rate.of(found)
        return [Seen(self.name, one, rates[one.pid]) for one in found]


__all__ = ["Rate", "Rates", "Seen", "ThisMachine"]
