"""The measured part: both programs on this machine, scaled to its cores and to seconds instead of minutes."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from ...agent_process import running_agent
from ...installed import find
from .. import log
from ..programs import ProgramError, finish, start
from . import paper
from .modes import PAIR, SEISMIC, Mode, modes_of, settings

NAN = float("nan")
PAPERS_SECONDS = 50  # that one second here stands for


@dataclass(frozen=True, order=True)
class Cell:
    repeat: int  # first, so that all kinds of runs take turns
    written_for: str  # futures or OCR
    case: str
    mode: str

    def title(self) -> str:
        return f"measured: {self.case}, {self.mode} ({self.written_for})"


@dataclass(frozen=True)
class Run(Cell):
    """Seconds; nan where a case has none. A run whose programs did not compute the right thing is none."""

    cores: int
    seconds: float
    producer_ends_s: float
    fast_s: float  # of the fast instances of Seismic, in the mean
    longest_queue: int

    @property
    def cell(self) -> Cell:
        return log.cell_from(self, Cell)


@dataclass(frozen=True)
class Plan:
    """Sizes are those of a run alone on all cores of this machine."""

    repeats: int = 6
    written_for: tuple[str, ...] = ("futures", "OCR")
    iterations: int = 40
    iteration_s: float = 0.1  # of the slower one of the pair, alone
    slow_s: float = 2.0
    fast_count: int = 3
    modes: tuple[str, ...] = (
        "sequential", "no agent", "paper", "paper, no boost", "ours", "ours, 0.5 s", "even", "weighted", "efficiency",
    )  # fmt: skip

    def cells(self) -> Iterator[Cell]:
        for repeat in range(self.repeats):
            for written_for in self.written_for:
                for case in (paper.SEISMIC, *paper.CASES):
                    for mode in modes_of(case):
                        if mode in self.modes:
                            yield Cell(repeat, written_for, case, mode)


QUICK = Plan(
    repeats=1, written_for=("futures",), iterations=40, iteration_s=0.05, slow_s=1.0,
    modes=("sequential", "no agent", "paper", "ours", "even"),
)  # fmt: skip
PROGRAMS = {
    "futures": ("seismic", "producer_consumer"), "OCR": ("seismic_ocr", "producer_consumer_ocr"),
}  # fmt: skip


def missing(plan: Plan) -> list[str]:
    """Programs that are not part of this installation."""
    names = [name for kind in plan.written_for for name in PROGRAMS[kind]]
    return [name for name in (*names, "treadle-agent") if find(name) is None]


class Machine:
    """Runs cells here. What tasks cost is found out once, so that the sizes of the plan hold."""

    def __init__(self, plan: Plan, calibration: Path | None = None) -> None:
        """`calibration`: a file for what tasks cost, so that runs of several calls have tasks of the same size."""
        self._plan = plan
        self._calibration = calibration
        self._cores = len(os.sched_getaffinity(0))
        self._tasks = 10 * self._cores  # of an iteration, as the paper has: ten per hardware thread
        self._pair_rate = 0.0  # units of work a second
        self._seismic_work = 0
        self._sums: dict[tuple[str, ...], list[float]] = {}  # of runs that were compared with serial ones

    def run(self, cell: Cell) -> Run:
        if not self._pair_rate and not self._recall():
            self._calibrate()
        with tempfile.TemporaryDirectory(prefix="treadle-study-") as name:
            return (
                self._seismic(cell, Path(name))
                if cell.case == paper.SEISMIC
                else self._pair(cell, Path(name))
            )

    def _recall(self) -> bool:
        try:
            known = json.loads(self._calibration.read_text()) if self._calibration else None
            if not known or known["slow_s"] != self._plan.slow_s or known["cores"] != self._cores:
                return False
            self._pair_rate, self._seismic_work = float(known["pair_rate"]), int(known["seismic_work"])
        except (OSError, ValueError, KeyError, TypeError):  # there is none, or it was cut short
            return False
        return True

    def _calibrate(self) -> None:
        with (
            tempfile.TemporaryDirectory(prefix="treadle-study-") as name,
            self._agent(None, Path(name)) as env,
        ):
            items = str(Path(name) / "items")
            done = finish([start(
                "producer_consumer", ["produce", items, "--iterations", "5", "--tasks", str(self._tasks), "--work", "2000"],
                env,
            )])[0]  # fmt: skip
            self._pair_rate = 5 * self._tasks * 2000 / done["seconds"]
            work = 100
            done = finish([start("seismic", self._seismic_options(self._plan.slow_s, work), env)])[0]
            self._seismic_work = max(round(work * self._plan.slow_s / done["seconds"]), 10)
        if self._calibration:
            self._calibration.write_text(json.dumps({
                "slow_s": self._plan.slow_s, "cores": self._cores, "pair_rate": self._pair_rate,
                "seismic_work": self._seismic_work,
            }))  # fmt: skip

    def _seismic_options(self, seconds: float, work: int) -> list[str]:
        """For about this many seconds alone: the same tasks as the slow one has, fewer of them by this factor."""
        steps = max(round(64 * seconds / self._plan.slow_s), 2)
        return ["--tiles", "8", "--side", "32", "--steps", str(steps), "--work", str(work)]

    def _check(
        self, name: str, commands: list[list[str]], said: list[dict[str, Any]], folder: Path | None = None
    ) -> None:
        """Equal to runs of the program on futures that compare themselves with serial ones: once for these arguments,
        and not while anything is timed. `folder`: of the items between them."""
        key = tuple(itertools.chain(*commands))
        if key not in self._sums:
            options = [str(folder), "--verify"] if folder else ["--verify"]
            references = [finish([start(name.removesuffix("_ocr"), [*one, *options])])[0] for one in commands]
            self._sums[key] = [one["sum"] for one in references]
        if [one["sum"] for one in said] != self._sums[key]:
            raise ProgramError(
                f"{name} {' '.join(key)}: {[one['sum'] for one in said]}, not {self._sums[key]}"
            )

    @contextlib.contextmanager
    def _agent(
        self, mode: Mode | None, folder: Path, names: tuple[str, ...] = ()
    ) -> Iterator[dict[str, str]]:
        """The environment of programs that follow an agent with these settings, or none."""
        env = {**os.environ, "TREADLE_DIR": str(folder / "agent"), "TREADLE_WORKERS": str(self._cores)}
        for name in ("TREADLE_AGENT_WISH", "TREADLE_AGENT", "TREADLE_PUBLISH"):
            env.pop(name, None)
        chosen = settings(mode, self._cores, names) if mode else None
        if chosen is None:
            yield env
            return
        if "period_s" in chosen:  # as many periods in a run as in the paper's
            chosen["period_s"] = max(chosen["period_s"] / PAPERS_SECONDS, 0.05)
            chosen["lease_s"] = 0.5
        options = ["--strategy", chosen.pop("strategy")]
        for key, value in chosen.items():
            options += ["--set", f"{key}={json.dumps(value)}"]
        with running_agent(Path(env["TREADLE_DIR"]), *options):
            yield env

    def _seismic(self, cell: Cell, folder: Path) -> Run:
        mode, name = SEISMIC[cell.mode], PROGRAMS[cell.written_for][0]
        shares = [self._plan.slow_s] + [self._plan.slow_s / 8] * self._plan.fast_count
        options = [self._seismic_options(share, self._seismic_work) for share in shares]
        with self._agent(mode, folder, tuple([name] * len(shares))) as env:
            begun = time.monotonic()
            if mode.sequential:
                found = [finish([start(name, one, env)])[0] for one in options]
            else:
                started = [start(name, options[0], env)]
                time.sleep(self._plan.slow_s / 8)
                started += [start(name, one, env) for one in options[1:]]
                found = finish(started)
            seconds = time.monotonic() - begun
        self._check(name, options, found)
        fast = mean(one["seconds"] for one in found[1:])
        return Run(cell.repeat, cell.written_for, cell.case, cell.mode, self._cores, seconds, NAN, fast, 0)

    def _pair(self, cell: Cell, folder: Path) -> Run:
        mode, name = PAIR[cell.mode], PROGRAMS[cell.written_for][1]
        faster = paper.PRODUCER_TIMES_FASTER.get(cell.case, paper.UP_DOWN_MOST)
        unit = self._pair_rate * self._plan.iteration_s / self._tasks
        produce, consume = unit * min(1, 1 / faster), unit * min(1, faster)
        work = ["--work", str(round(produce))] + ["--up-down"] * (cell.case == "up-down")
        of_producer = [option.replace("--", "--producer-") for option in work]
        of_all = ["--iterations", str(self._plan.iterations), "--tasks", str(self._tasks)]
        both = [
            ["produce", *of_all, *work],
            ["consume", *of_all, "--work", str(round(consume)), *of_producer],
        ]
        items = str(folder / "items")
        with self._agent(mode, folder, (name, name)) as env:
            begun = time.monotonic()
            wishes = [{"TREADLE_AGENT_WISH": f"group=pair,role={role}"} for role in ("producer", "consumer")]
            commands = [
                (name, [*one, items], {**env, **wish}) for one, wish in zip(both, wishes, strict=True)
            ]
            if mode.sequential:
                found = [finish([start(*one)])[0] for one in commands]
            else:
                found = finish([start(*one) for one in commands])
        self._check(name, both, found, folder / "items")
        ends = [[one["start_s"] + end for end in one["ends_s"]] for one in found]
        return Run(
            cell.repeat, cell.written_for, cell.case, cell.mode, self._cores, seconds=max(ends[0][-1], ends[1][-1]) - begun,
            producer_ends_s=ends[0][-1] - begun, fast_s=NAN, longest_queue=longest(ends[0], ends[1]),
        )  # fmt: skip


def longest(produced: list[float], consumed: list[float]) -> int:
    """The most items that lay between the two; an item lies there until it is used up."""
    most = done = 0
    for n, at in enumerate(produced, 1):
        while done < len(consumed) and consumed[done] <= at:
            done += 1
        most = max(most, n - done)
    return most


def measure(plan: Plan, file: Path, report: Callable[[int, int, str], None]) -> list[Run]:
    """All runs of the plan, see log.go_on()."""
    return log.measure(
        file, Run, plan.cells(), Machine(plan, file.with_name("colocate-calibration.json")).run, report
    )


def runs_of(plan: Plan, runs: list[Run]) -> list[Run]:
    return log.wanted(plan.cells(), runs)
