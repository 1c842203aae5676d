"""The command itself: options, and the loop of looks."""

from __future__ import annotations

import contextlib
import itertools
import json as json_module
import os
import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from typing import Annotated

import typer

from .looks import Seen, ThisMachine
from .other_machine import OtherMachine
from .view import Line, printed, view


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
        text = "".join(printed(line, size.columns, self._colours) + "\x1b[K\n" for line in shown)
        print(f"{up}{text}\x1b[J", end="", flush=True)
        self._height = len(shown)


class _Machines:
    """This machine and others."""

    def __init__(self, others: list[OtherMachine]) -> None:
        self._all: list[ThisMachine | OtherMachine] = [ThisMachine(), *others]
        self._others = others

    def look(self) -> list[Seen]:
        return [one for machine in self._all for one in machine.look()]

    def complaints(self) -> dict[str, str]:
        return {machine.name: text for machine in self._others if (text := machine.complaint())}

    def view(self, details: bool) -> list[Line]:
        complaints = self.complaints()
        for machine in self._others:
            if machine.looks() == 0:
                complaints.setdefault(machine.name, "no answer yet")
        return view(self.look(), complaints, details, with_machines=bool(self._others))

    def wait_for_looks(self, count: int) -> None:
        """Until each machine was seen so often, or will not be."""
        for machine in self._others:
            while machine.looks() < count and not machine.complaint():
                time.sleep(0.01)


@contextlib.contextmanager
def _opened(names: list[str], remote_shell: str, interval: float) -> Iterator[_Machines]:
    try:
        shell = shlex.split(remote_shell)
    except ValueError as error:
        raise typer.BadParameter(f"{remote_shell}: {error}", param_hint="--remote-shell") from None
    if not shell:
        raise typer.BadParameter("names no command", param_hint="--remote-shell")
    with contextlib.ExitStack() as opened:
        others = []
        for name in names:
            if not name or name.startswith("-"):
                raise typer.BadParameter(f"'{name}' is not the name of a machine", param_hint="--machine")
            try:
                others.append(OtherMachine(name, shell, interval))
            except OSError as error:
                raise typer.BadParameter(f"cannot be started: {error}", param_hint="--remote-shell") from None
            opened.callback(others[-1].close)
        yield _Machines(others)


def _watch(machines: _Machines, interval: float, looks: int, details: bool) -> None:
    with contextlib.suppress(KeyboardInterrupt), _Screen() as screen:
        for number in itertools.count(1):
            screen.show(machines.view(details))
            if number == looks:
                return
            time.sleep(interval)


def _print(machines: _Machines, interval: float, looks: int, details: bool, as_json: bool) -> None:
    for number in range(looks):
        if number > 0:
            time.sleep(interval)
        if as_json:
            print(json_module.dumps([one.as_object() for one in machines.look()]), flush=True)
        else:
            for line in machines.view(details):
                print(printed(line, 1000, colours=False))
            sys.stdout.flush()


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
    machine: Annotated[
        list[str] | None,
        typer.Option("--machine", "-m", help="Another machine, besides this one; may be repeated."),
    ] = None,
    remote_shell: Annotated[
        str,
        typer.Option(metavar="COMMAND", help="Called with the name of a machine and a command to run there."),
    ] = "ssh -o BatchMode=yes",
) -> None:
    """Show the programs of this user that use Treadle, on this machine and others, and what they do.

    GRANTED of its workers may be active. CORES is the processor time that a program used between two looks. WORKERS
    has a mark for each: █ executes tasks, ▒ looks for work, b is blocked in the operating system, · sleeps. Programs
    say how far they are by report_progress(), in C++ and in Python. A program that is stopped does not answer.

    Programs that run for less than 50 ms are not shown, nor those with TREADLE_PUBLISH=0.

    On each other machine this command runs itself, with the Python at the same path. So the localities of a program on
    several machines are seen from where it was started:

      treadle top --machine node1 --machine node2
    """
    to_be_watched = sys.stdout.isatty() and not as_json and count != 1
    looks = count or (0 if to_be_watched else 1)
    pause = min(interval, 0.2) if looks == 1 else interval
    with _opened(machine or [], remote_shell, pause) as machines:
        if to_be_watched:
            return _watch(machines, interval, looks, decisions)
        if looks == 1:  # rates need two
            machines.look()
            time.sleep(pause)
        machines.wait_for_looks(2 if looks == 1 else 1)
        _print(machines, interval, looks, decisions, as_json)
        if complaints := machines.complaints():
            raise SystemExit("\n".join(f"treadle: {name}: {text}" for name, text in complaints.items()))


__all__ = ["top_command"]
