"""The programs of the papers that belong to this package, and their runs."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..installed import find, program

Started = subprocess.Popen[str]


class ProgramError(RuntimeError):
    """A program that ended with an error of its own, and what it said."""


def run(name: str, options: dict[str, Any], counters: tuple[str, ...] = (), *more: str) -> dict[str, Any]:
    """What a program says as JSON. ProgramError when it fails, with the first line that it said."""
    arguments = list(more)
    for option, value in options.items():
        arguments += [f"--{option}", str(value)]
    if counters:
        arguments += ["--counter", *counters]
    return finish([start(name, arguments)])[0]


def start(name: str, arguments: Sequence[str], env: Mapping[str, str] | None = None) -> Started:
    """A program that is to say JSON; finish() has to follow."""
    command = [str(program(name)), *arguments, "--json"]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(started: Sequence[Started]) -> list[dict[str, Any]]:
    """What they say, in their order. ProgramError with the first line of one that fails; the others are ended then."""
    found = []
    try:
        for one in started:
            said, complaint = one.communicate()
            if one.returncode == -signal.SIGINT:  # the interrupt of the terminal reached the program first
                raise KeyboardInterrupt
            if one.returncode != 0:
                lines = complaint.strip().splitlines()
                raise ProgramError(lines[0] if lines else f"{_name_of(one)} ended with {one.returncode}")
            found.append(json.loads(said))
    finally:
        for one in started:
            if one.poll() is None:
                one.kill()
                one.communicate()
    return found


def _name_of(started: Started) -> str:
    command: list[str] = started.args  # type: ignore[assignment]
    return Path(command[0]).name


__all__ = ["ProgramError", "Started", "find", "finish", "program", "run", "start"]
