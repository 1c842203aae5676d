"""The command `treadle run`."""

from __future__ import annotations

import os

import typer

from .errors import Error
from .installed import program
from .launch import MOST, launch

HELP = f"""
As several localities of this machine, which send each other parcels (treadle/localities):
  treadle run -n 4 -- ./program arguments      options above apply to each of them
  -n, --localities N     1 to {MOST}
  --no-tag               without the number of the locality before each line of output
The first one that fails ends the others, and its exit code is that of the command."""


def _take_launch_options(words: list[str]) -> tuple[int | None, bool, list[str]]:
    """The number of localities, whether output is tagged, and the other words."""
    count, tag, rest = None, True, []
    at = 0
    while at < len(words) and words[at] != "--":
        name, _, value = words[at].partition("=")
        if name in ("-n", "--localities"):
            if not value:
                at += 1
                value = words[at] if at < len(words) else ""
            if not value.isdecimal() or not 1 <= int(value) <= MOST:
                raise Error(f"{name}: expected a number from 1 to {MOST}, got '{value}'")
            count = int(value)
        elif name == "--no-tag":
            tag = False
        else:
            rest.append(words[at])
        at += 1
    return count, tag, rest + words[at:]


def run_command(context: typer.Context) -> None:
    """Run a command under the agent: treadle run [-n] [--min --max --weight --group --role] -- COMMAND..."""
    count, tag, words = _take_launch_options(context.args)
    if count is not None and words[:1] == ["--"]:
        if len(words) == 1:
            raise Error("treadle run: what is to be run? (treadle run -n 4 -- COMMAND)")
        raise typer.Exit(launch(words[1:], count, tag))
    try:
        path = str(program("treadle-run"))
    except FileNotFoundError as error:
        raise Error(str(error)) from None
    if count is not None:
        raise typer.Exit(launch([path, *words], count, tag))
    if "--help" in words[: words.index("--")] if "--" in words else "--help" in words:
        os.spawnv(os.P_WAIT, path, [path, *words])
        print(HELP)
        raise typer.Exit(0)
    os.execv(path, [path, *words])


__all__ = ["run_command"]
