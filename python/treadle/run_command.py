"""The command `treadle run`."""

from __future__ import annotations

import os

import typer

from .errors import Error
from .installed import program


def run_command(context: typer.Context) -> None:
    """Run a command under the agent: treadle run [--min --max --weight --group --role] -- COMMAND..."""
    try:
        path = str(program("treadle-run"))
    except FileNotFoundError as error:
        raise Error(str(error)) from None
    os.execv(path, [path, *context.args])


__all__ = ["run_command"]
