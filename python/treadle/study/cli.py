"""The commands `treadle study …`."""

from __future__ import annotations

import importlib.util
import sys
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

from .grain import Sweep, measure, read, runs_of
from .metrics import metrics

app = typer.Typer(
    help="Repeat the papers' measurements on this machine.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def study() -> None:
    """Repeat the papers' measurements on this machine: CSV, and a page with the figures."""


@app.command("grain")
def grain_command(
    out: Annotated[Path, typer.Option(help="Folder of grain.csv and grain.html.")] = Path("study-grain"),
    points: Annotated[int, typer.Option(help="Points of the ring.")] = 100_000_000,
    steps: Annotated[int, typer.Option(help="Time steps.")] = 50,
    workers: Annotated[list[int] | None, typer.Option(help="Numbers of workers; 1 and 2 by default.")] = None,
    repeats: Annotated[int, typer.Option(help="Runs of each kind.")] = 5,
    per_decade: Annotated[int, typer.Option(help="Partition sizes per factor of ten.")] = 5,
    most_tasks: Annotated[
        int, typer.Option(help="Tasks per run; tiny partitions make fewer steps.")
    ] = 5_000_000,
    quick: Annotated[
        bool, typer.Option("--quick", help="A million points, 20 steps, 2 runs: a minute, to see the shape.")
    ] = False,
) -> None:
    """How long does the heat stencil take in tasks of different sizes?

    The experiment of Grubel et al. (CLUSTER 2015): from 160 points per task to all of them in one, with the counters
    that its equations need. Every run is written to OUT/grain.csv at once; Ctrl-C keeps what there is, and the same
    command goes on. OUT/grain.html has the paper's figures 3 to 10 for this machine.

      treadle study grain --quick

      treadle study grain --points 10000000 --workers 1 --workers 2
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError("the page needs matplotlib: pip install 'treadle[study]'")
    from .grain_page import page

    if quick:
        if (points, steps, repeats, per_decade) != (100_000_000, 50, 5, 5):
            raise ValueError("--quick chooses points, steps, repeats and per-decade itself")
        points, steps, repeats, per_decade = 1_000_000, 20, 2, 3
    sweep = Sweep(points, steps, tuple(workers or (1, 2)), repeats, per_decade, most_tasks)
    file = out / "grain.csv"
    of = sum(1 for _ in sweep.cells())
    try:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            bar = progress.add_task("", total=of)
            measure(sweep, file, lambda done, _, what: progress.update(bar, completed=done, description=what))
    finally:
        if runs := runs_of(sweep, read(file)):
            (out / "grain.html").write_text(page(sweep, metrics(runs), len(runs), of), "utf-8")
            print(f"{len(runs)} of {of} runs: {file}, {out / 'grain.html'}", file=sys.stderr)
    for note in sweep.left_out():
        print(note)
