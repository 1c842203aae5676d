"""The programs of the papers that belong to this package, and their runs."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from ..installed import find, program


class ProgramError(RuntimeError):
    """A program that ended with an error of its own, and what it said."""


def run(name: str, options: dict[str, Any], counters: tuple[str, ...] = (), *more: str) -> dict[str, Any]:
    """What a program says as JSON. ProgramError when it fails, with the first line that it said."""
    command = [str(program(name)), "--json", *more]
    for option, value in options.items():
        command += [f"--{option}", str(value)]
    if counters:
        command += ["--counter", *counters]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == -2:  # the interrupt of the terminal reached the program first
        raise KeyboardInterrupt
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise ProgramError(said[0] if said else f"{name} ended with {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


__all__ = ["ProgramError", "find", "program", "run"]
