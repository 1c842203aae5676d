"""What the commands of the studies need of the terminal."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)

Workers = Annotated[
    list[int] | None,
    typer.Option(help="Numbers of workers; by default powers of two up to the cores, and twice the cores."),
]
PageOnly = Annotated[
    bool,
    typer.Option("--page-only", help="The page of the runs of these options that are there; nothing is run."),
]


def nothing_there(out: Path) -> ValueError:
    """For --page-only."""
    return ValueError(f"{out}: no runs of this study; without --page-only they are made")


def need_matplotlib() -> None:
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError("the page needs matplotlib: pip install 'treadle[study]'")


@contextmanager
def progress(of: int) -> Iterator[Callable[[int, int, str], None]]:
    """report(done, of, what comes next)"""
    columns = (
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        bar = shown.add_task("", total=of)
        yield lambda done, _, what: shown.update(bar, completed=done, description=what)
