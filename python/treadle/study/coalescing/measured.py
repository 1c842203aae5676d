"""Both programs as localities of this machine, under all settings, over several networks."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...installed import find, program
from .. import log
from ..programs import ProgramError

PROGRAMS = ("message_rate", "parquet")
# Over shared memory, and as if there was a network: latency, overhead and gap in ns, time per byte in ps.
NETWORKS = {
    "none": "", "5 us": "5000,500,100,100", "costly messages": "1000,3000,100,100", "20 us": "20000,2000,200,200",
}  # fmt: skip
SEARCHES = {
    "paper-adaptive": "paper-adaptive", "paper-adaptive, nelder-mead": "paper-adaptive:nelder-mead",
    "paper-adaptive, random start": "paper-adaptive:start=random,seed=7",
    "paper-adaptive, by messages": "paper-adaptive:every=500 messages",
    "paper-adaptive, by period": "paper-adaptive:every=20 ms",
    "paper-adaptive, by phase": "paper-adaptive:every=event",
    "paper-adaptive, given start": "paper-adaptive:start=4/1000",
}  # fmt: skip
FIXED = {"off": "off", "adaptive": "adaptive", "paper": "paper:50,100"}


@dataclass(frozen=True, order=True)
class Cell:
    repeat: int  # first, so that all kinds of runs take turns
    program: str
    network: str
    setting: str  # a name above, or "PARCELS, US us" of the grid

    def title(self) -> str:
        return f"{self.program}, network {self.network}, {self.setting}"


@dataclass(frozen=True)
class Run(Cell):
    seconds: float
    parcels: float
    messages: float
    overhead: float  # percent
    series: (
        str  # of settings that are searched for: [[parcels so far, seconds, overhead, chosen], ...] as JSON
    )

    @property
    def cell(self) -> Cell:
        return log.cell_from(self, Cell)


@dataclass(frozen=True)
class Plan:
    repeats: int = 5
    localities: int = 2
    parcels: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 256)
    intervals_us: tuple[int, ...] = (1, 10, 100, 300, 1000, 5000)
    networks: tuple[str, ...] = tuple(NETWORKS)
    searches: tuple[str, ...] = tuple(SEARCHES)
    options: tuple[tuple[str, ...], ...] = (
        ("--parcels", "5000", "--phases", "30"), ("--n", "16", "--iterations", "30"),
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise ValueError(f"repeats: at least 1, not {self.repeats}")

    def settings(self) -> dict[str, str]:
        """As TREADLE_COALESCING has them, by name."""
        grid = {f"{n}, {us} us": f"paper:{n},{us}" for n in self.parcels for us in self.intervals_us}
        return FIXED | {name: SEARCHES[name] for name in self.searches} | grid

    def cells(self) -> Iterator[Cell]:
        for repeat in range(self.repeats):
            for name in PROGRAMS:
                for network in self.networks:
                    for setting in self.settings():
                        yield Cell(repeat, name, network, setting)


QUICK = Plan(
    repeats=1, parcels=(1, 16, 256), intervals_us=(1, 100, 5000), networks=("none", "costly messages"),
    searches=("paper-adaptive",),
    options=(("--parcels", "2000", "--phases", "10"), ("--n", "10", "--iterations", "10")),
)  # fmt: skip


def grid_of(setting: str) -> tuple[int, int] | None:
    """(parcels, microseconds) of a setting of the grid."""
    parcels, _, rest = setting.partition(", ")
    return (int(parcels), int(rest.removesuffix(" us"))) if parcels.isdecimal() else None


def missing() -> list[str]:
    return [name for name in PROGRAMS if find(name) is None]


def run_once(plan: Plan, cell: Cell) -> Run:
    options = dict(zip(PROGRAMS, plan.options, strict=True))[cell.program]
    env = {
        **os.environ, "TREADLE_COALESCING": plan.settings()[cell.setting], "TREADLE_PUBLISH": "0",
        "TREADLE_NETWORK": NETWORKS[cell.network],
    }  # fmt: skip
    command = [
        sys.executable, "-m", "treadle", "run", "-n", str(plan.localities), "--no-tag", "--",
        str(program(cell.program)), *options, "--json",
    ]  # fmt: skip
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ProgramError(
            (done.stderr.strip() or f"{cell.title()} ended with {done.returncode}").splitlines()[0]
        )
    found = json.loads(done.stdout)
    if found["verified"] is False:
        raise ProgramError(f"{cell.title()}: a wrong result")
    series = _series(found["phases"]) if cell.setting == "adaptive" or cell.setting in SEARCHES else ""
    return Run(
        cell.repeat, cell.program, cell.network, cell.setting, found["seconds"], found["parcels"], found["messages"],
        found["overhead"], series,
    )  # fmt: skip


def _series(phases: list[dict[str, Any]]) -> str:
    so_far, found = 0.0, []
    for one in phases:
        so_far += one["parcels"]
        found.append([round(so_far), one["seconds"], one["overhead"], one["chosen"]])
    return json.dumps(found)


def measure(plan: Plan, file: Path, report: Callable[[int, int, str], None]) -> list[Run]:
    """All runs of the plan, see log.go_on()."""
    return log.measure(file, Run, plan.cells(), lambda cell: run_once(plan, cell), report)


def runs_of(plan: Plan, runs: list[Run]) -> list[Run]:
    """Those that the plan would make itself."""
    return log.wanted(plan.cells(), runs)


def correlation(pairs: list[tuple[float, float]]) -> float:
    """Pearson's; nan where one of the two does not vary."""
    try:
        return statistics.correlation([x for x, _ in pairs], [y for _, y in pairs])
    except statistics.StatisticsError:
        return math.nan
