"""The command `treadle study coalescing`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..log import read, wanted
from ..terminal import PageOnly, need_matplotlib, nothing_there, progress
from . import measured, simulated

FILE, SIMULATED = "coalescing.csv", "coalescing-simulated.csv"


def coalescing_command(
    out: Annotated[Path, typer.Option(help="Folder of coalescing.csv and coalescing.html.")] = Path(
        "study-coalescing"
    ),
    repeats: Annotated[int, typer.Option(help="Runs of each kind; from 6 on medians have intervals.")] = 5,
    network: Annotated[
        list[str] | None, typer.Option(help=f"Only this: {', '.join(measured.NETWORKS)}; may be repeated.")
    ] = None,
    simulate: Annotated[
        bool, typer.Option("--simulate/--no-simulate", help="4 to 1024 localities in simulated time, too.")
    ] = True,
    page_only: PageOnly = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few settings, one run: a minute, to see the shape.")
    ] = False,
) -> None:
    """How many parcels should travel together?

    The question of Wagle, Kellar, Serio and Kaiser (2018): message_rate, many small calls between two localities, and
    parquet, whose pattern is that of the parquet equations, run with fixed numbers of parcels and intervals, with
    Treadle's own choice, and with the authors' search, over shared memory and over networks that are added to it. Every
    run is written to OUT/coalescing.csv at once; Ctrl-C keeps what there is, and the same command goes on.
    OUT/coalescing.html has heat maps of time and network overhead, how they correlate, and what each search has found;
    and, simulated, the same question for more localities (OUT/coalescing-simulated.csv).

      treadle study coalescing --quick

      treadle study coalescing --network none --repeats 10
    """
    need_matplotlib()
    plan, more = measured.Plan(repeats=repeats), simulated.Plan()
    notes = []
    if quick:
        if repeats != 5 or network:
            raise ValueError("--quick chooses repeats and network itself")
        plan, more = measured.QUICK, simulated.QUICK
        notes.append("Made with --quick: one short run of each kind, without intervals.")
    if network:
        if unknown := sorted(set(network) - set(measured.NETWORKS)):
            raise ValueError(f"no network '{unknown[0]}'; there are {', '.join(measured.NETWORKS)}")
        plan = replace(plan, networks=tuple(network))
        more = replace(more, networks=tuple(name for name in network if measured.NETWORKS[name]))
    if not page_only and (missing := measured.missing()):
        raise FileNotFoundError(
            f"not part of this installation: {', '.join(missing)}; build the package with TREADLE_APPS=ON"
        )
    try:
        if not page_only:
            with progress(len(list(plan.cells()))) as report:
                measured.measure(plan, out / FILE, report)
        if not page_only and simulate and (cells := list(more.cells(plan))):
            with progress(len(cells)) as report:
                simulated.simulate(cells, out / SIMULATED, report)
    finally:
        if not write(out, plan, more, notes) and page_only:
            raise nothing_there(out)


def write(out: Path, plan: measured.Plan, more: simulated.Plan, notes: list[str]) -> bool:
    """The page of what there is, and a line for the terminal; False when there is nothing."""
    from .page import page

    runs, of = measured.runs_of(plan, read(out / FILE, measured.Run)), len(list(plan.cells()))
    if not runs:
        return False
    if len(runs) < of:
        notes.append(f"{len(runs)} of {of} runs are done; the same command goes on.")
    others = wanted(more.cells(plan), read(out / SIMULATED, simulated.Run))
    (out / "coalescing.html").write_text(page(runs, notes, others), "utf-8")
    print(f"{len(runs)} of {of} runs: {out / FILE}, {out / 'coalescing.html'}", file=sys.stderr)
    return True
