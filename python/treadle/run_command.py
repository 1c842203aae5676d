"""The command `treadle run`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import typer
import typer.core

from .errors import Error
from .installed import program
from .launch import MOST, launch
from .mpirun import MPIS, mpi_command, mpi_environment

HELP = f"""
As several localities, which send each other parcels (treadle/localities):
  treadle run -n 4 -- ./program arguments      options above apply to each of them
  -n, --localities N     1 to {MOST}
  --over WHAT            shared-memory of this machine (the default), or an MPI: {" or ".join(MPIS)}
  --hosts A,B            of the MPI
  --no-tag               without the number of the locality before each line of output
The first one that fails ends the others, and its exit code is that of the command."""
SHARED_MEMORY = "shared-memory"


@dataclass
class _Launch:
    localities: int | None = None
    tag: bool = True
    over: str = SHARED_MEMORY
    hosts: str | None = None


def _take_launch_options(words: list[str]) -> tuple[_Launch, list[str]]:
    """What is for the localities, and the other words."""
    wanted, rest = _Launch(), []
    at = 0
    while at < len(words) and words[at] != "--":
        name, _, value = words[at].partition("=")
        if name in ("-n", "--localities", "--over", "--hosts") and not value:
            at += 1
            value = words[at] if at < len(words) else ""
        if name in ("-n", "--localities"):
            if not value.isdecimal() or not 1 <= int(value) <= MOST:
                raise Error(f"{name}: expected a number from 1 to {MOST}, got '{value}'")
            wanted.localities = int(value)
        elif name == "--over":
            if value not in (SHARED_MEMORY, *MPIS):
                raise Error(f"--over: expected {', '.join((SHARED_MEMORY, *MPIS))}, got '{value}'")
            wanted.over = value
        elif name == "--hosts":
            if not value or value == "--":
                raise Error("--hosts: expected names of hosts with commas between")
            wanted.hosts = value
        elif name == "--no-tag":
            wanted.tag = False
        else:
            rest.append(words[at])
        at += 1
    if wanted.localities is None and (wanted.over != SHARED_MEMORY or wanted.hosts):
        raise Error("treadle run: --over and --hosts need -n")
    if wanted.hosts and wanted.over == SHARED_MEMORY:
        raise Error("treadle run: --hosts needs --over openmpi or --over mpich")
    return wanted, rest + words[at:]


def _launch(wanted: _Launch, command: list[str]) -> int:
    assert wanted.localities is not None
    if wanted.over == SHARED_MEMORY:
        return launch(command, wanted.localities, wanted.tag)
    env = {**mpi_environment(wanted.over, wanted.localities, wanted.hosts), **os.environ}
    words = mpi_command(wanted.over, command, wanted.localities, tag=wanted.tag, hosts=wanted.hosts, env=env)
    os.execve(words[0], words, env)


class RunCommand(typer.core.TyperCommand):
    """With all of its words as they are: those behind the first -- are another command's."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        super().parse_args(ctx, [])
        ctx.args = list(args)
        return list(args)


def run_command(context: typer.Context) -> None:
    """Run a command under the agent: treadle run [-n N] [--min --max --weight --group --role] -- COMMAND..."""
    wanted, words = _take_launch_options(context.args)
    if wanted.localities is not None and words[:1] in ([], ["--"]):
        if len(words) < 2:
            raise Error("treadle run: what is to be run? (treadle run -n 4 -- COMMAND)")
        raise typer.Exit(_launch(wanted, words[1:]))
    try:
        path = str(program("treadle-run"))
    except FileNotFoundError as error:
        raise Error(str(error)) from None
    if wanted.localities is not None:
        raise typer.Exit(_launch(wanted, [path, *words]))
    if "--help" in (words[: words.index("--")] if "--" in words else words):
        os.spawnv(os.P_WAIT, path, [path, *words])
        print(HELP)
        raise typer.Exit(0)
    os.execv(path, [path, *words])


__all__ = ["RunCommand", "run_command"]
