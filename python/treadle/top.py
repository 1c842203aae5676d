"""The command `treadle top`."""

from __future__ import annotations

import contextlib
import itertools
import json as json_module
import os
import shutil
import sys
import time
from typing import Annotated, Any, NamedTuple

import typer

from .programs import RunningProgram, programs

# A look every second may not cost what it shows: text and escape codes are put together here, in a tenth of the time
# that a library for tables takes.
Line = list[tuple[str, str]]  # texts, each with the codes of its colour
BOLD, DIM, RED, GREEN, YELLOW, MAGENTA = "1", "2", "31", "32", "33", "35"


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


def _workers(one: RunningProgram) -> Line:
    """A letter for each worker, at most 32: busy ones first."""
    line, room = [], 32
    for letter, style, count in (
        ("█", GREEN, one.active), ("▒", YELLOW, one.searching), ("b", MAGENTA, one.blocked), ("·", DIM, one.parked),
    ):  # fmt: skip
        shown = min(count, room)
        line.append((letter * shown, style))
        room -= shown
    return line


def _progress(one: RunningProgram) -> Line:
    if not one.answers:
        return [(f"does not answer, as of {_age(one.age_ns)} ago", RED)]
    texts = (
        f"{p.stream} {p.value:.6g}".strip() + (f" ({_age(p.age_ns)} ago)" if p.age_ns > 5e9 else "")
        for p in one.streams
    )
    return [(", ".join(texts), "")]


COLUMNS = ("pid", "program", "runs", "granted", "cores", "workers", "queued", "tasks/s", "progress")
LEFT = {"program", "workers", "progress"}


def _row(one: RunningProgram, rate: Rates) -> list[Line]:
    plain = (
        str(one.pid), one.name, _age(one.runs_ns), f"{one.granted} of {one.workers}",
        "" if rate.cores is None else f"{rate.cores:.2f}", None, _in_short(one.queued),
        "" if rate.tasks is None else _in_short(rate.tasks),
    )  # fmt: skip
    return [_workers(one) if text is None else [(text, "")] for text in plain] + [_progress(one)]


def _length(line: Line) -> int:
    return sum(len(text) for text, _ in line)


def _in_columns(rows: list[list[Line]], left: list[bool]) -> list[Line]:
    widths = [max(map(_length, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        line: Line = []
        for cell, width, is_left in zip(row, widths, left, strict=True):
            gap = " " * (width - _length(cell))
            line += [*cell, (gap + "  ", "")] if is_left else [(gap, ""), *cell, ("  ", "")]
        lines.append(line)
    return lines


def view(found: list[RunningProgram], rates: dict[int, Rates], details: bool) -> list[Line]:
    """A row for each program; with `details` its decisions, too."""
    if not found:
        return [[("No program of this user has a Treadle runtime at the moment.", "")]]
    rows = [[[(name, BOLD)] for name in COLUMNS]] + [_row(one, rates[one.pid]) for one in found]
    lines = _in_columns(rows, [name in LEFT for name in COLUMNS])
    for one in found if details else []:
        if one.decisions:
            decided = [[[(text, "")] for text in ("", *decision)] for decision in one.decisions]
            lines += [[], [(f"{one.pid} {one.name} has decided", "")], *_in_columns(decided, [True] * 4)]
    return lines


def _printed(line: Line, width: int, colours: bool) -> str:
    parts = []
    for text, style in line:
        text = "".join(c if c.isprintable() else "?" for c in text[:width])
        width -= len(text)
        parts.append(f"\x1b[{style}m{text}\x1b[0m" if colours and style and text else text)
    return "".join(parts).rstrip()


class _Screen:
    """Shows one view in the place of the one before."""

    def __init__(self) -> None:
        self._height = 0
        self._colours = "NO_COLOR" not in os.environ

    def __enter__(self) -> _Screen:
        print("\x1b[?25l", end="")  # no cursor
        return self

    def __exit__(self, *_: object) -> None:
        print("\x1b[?25h", end="", flush=True)

    def show(self, lines: list[Line]) -> None:
        size = shutil.get_terminal_size()
        shown = lines[: max(size.lines - 1, 1)]
        up = f"\x1b[{self._height}F" if self._height else ""
        text = "".join(_printed(line, size.columns, self._colours) + "\x1b[K\n" for line in shown)
        print(f"{up}{text}\x1b[J", end="", flush=True)
        self._height = len(shown)


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
        int, typer.Option("--count", "-n", min=0, help="Look this many times; 0: until Ctrl-C.")
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
                for line in view(found, rates, decisions):
                    print(_printed(line, 1000, colours=False))
                sys.stdout.flush()
        return
    with contextlib.suppress(KeyboardInterrupt), _Screen() as screen:
        for number in itertools.count(1):
            found = programs()
            screen.show(view(found, rate.of(found), decisions))
            if number == count:
                return
            time.sleep(interval)


__all__ = ["top_command", "view"]
