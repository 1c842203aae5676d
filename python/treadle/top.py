"""The command `treadle top`."""

from __future__ import annotations

import contextlib
import itertools
import json as json_module
import sys
import time
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from .programs import RunningProgram, programs

out = Console(width=None if sys.stdout.isatty() else 120)


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


def _in_short(number: float) -> str:
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return f"{number:.3g}"


def _age(ns: int) -> str:
    seconds = ns / 1e9
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    return f"{seconds // 3600:.0f} h {seconds % 3600 // 60:.0f} min"


def _workers(one: RunningProgram) -> Text:
    """A letter for each worker, at most 32: busy ones first."""
    shares = [("█", "green", one.active), ("▒", "yellow", one.searching), ("b", "magenta", one.blocked)]
    text = Text()
    for letter, style, count in shares:
        text.append(letter * min(count, 32), style)
    text.append("·" * min(one.parked, max(32 - len(text.plain), 0)), "dim")
    return text


def view(found: list[RunningProgram], rates: dict[int, Rates], details: bool) -> RenderableType:
    """A row for each program; with `details` its decisions, too."""
    if not found:
        return Text("No program of this user has a Treadle runtime at the moment.")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("pid", "program", "runs", "granted", "cores", "workers", "queued", "tasks/s", "progress"):
        table.add_column(name, justify="left" if name in ("program", "workers", "progress") else "right")
    for one in found:
        rate = rates[one.pid]
        progress = ", ".join(
            f"{escape(p.stream)} {p.value:.6g}".strip()
            + (f" ({_age(p.age_ns)} ago)" if p.age_ns > 5e9 else "")
            for p in one.streams
        )
        table.add_row(
            str(one.pid), escape(one.name), _age(one.runs_ns), f"{one.granted} of {one.workers}",
            "" if rate.cores is None else f"{rate.cores:.2f}", _workers(one), _in_short(one.queued),
            "" if rate.tasks is None else _in_short(rate.tasks),
            progress if one.answers else f"[red]does not answer, as of {_age(one.age_ns)} ago[/red]",
        )  # fmt: skip
    parts: list[RenderableType] = [table]
    for one in found if details else []:
        if not one.decisions:
            continue
        decided = Table(box=None, pad_edge=False, show_header=False)
        for decision in one.decisions:
            decided.add_row(" ", decision.kind, escape(decision.instance), escape(decision.chosen))
        parts += [Text(""), Text(f"{one.pid} {one.name} has decided"), decided]
    return Group(*parts)


def _as_object(one: RunningProgram, rate: Rates) -> dict[str, Any]:
    row = one._asdict()
    row["streams"] = [p._asdict() for p in one.streams]
    row["decisions"] = [d._asdict() for d in one.decisions]
    row["cores"], row["tasks_per_s"] = rate
    return row


def top_command(
    interval: Annotated[
        float, typer.Option("--interval", "-i", min=0.05, max=3600, help="Seconds between two looks.")
    ] = 1.0,
    count: Annotated[
        int, typer.Option("--count", "-n", min=0, help="Look so many times; 0: until Ctrl-C.")
    ] = 0,
    decisions: Annotated[
        bool, typer.Option("--decisions", "-d", help="Show what each program has decided, too.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON array for each look, without --count one.")
    ] = False,
) -> None:
    """Show the programs of this user on this machine that use Treadle, and what they do.

    GRANTED of its workers may be active. CORES is the processor time that a program used between two looks. WORKERS
    has a mark for each: █ executes tasks, ▒ looks for work, b is blocked in the operating system, · sleeps. Programs
    say how far they are by report_progress(), in C++ and in Python. A program that is stopped does not answer.

    Programs that run for less than 50 ms are not shown, nor those with TREADLE_PUBLISH=0.
    """
    rate = Rate()
    if as_json or not sys.stdout.isatty():
        looks = count or 1
        if looks == 1:  # rates need two
            rate.of(programs())
            time.sleep(min(interval, 0.2))
        for number in range(looks):
            if number > 0:
                time.sleep(interval)
            found = programs()
            rates = rate.of(found)
            if as_json:
                print(json_module.dumps([_as_object(one, rates[one.pid]) for one in found]), flush=True)
            else:
                out.print(view(found, rates, decisions))
        return
    with contextlib.suppress(KeyboardInterrupt), Live(console=out, auto_refresh=False) as live:
        for number in itertools.count(1):
            found = programs()
            live.update(view(found, rate.of(found), decisions), refresh=True)
            if number == count:
                return
            time.sleep(interval)


__all__ = ["top_command", "view"]
