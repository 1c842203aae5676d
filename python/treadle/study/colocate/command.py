"""The command `treadle study colocate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ...simulated_sharing import Simulator
from ..log import read
from ..parts import Part, counted
from ..terminal import PageOnly, need_matplotlib, nothing_there, progress
from . import measured, simulated
from .model import Model, calibrate
from .modes import PAIR

MEASURED, SIMULATED = "colocate.csv", "colocate-simulated.csv"


def colocate_command(
    out: Annotated[
        Path, typer.Option(help="Folder of colocate.csv, colocate-simulated.csv, colocate.html.")
    ] = Path("study-colocate"),
    repeats: Annotated[
        int, typer.Option(help="Runs of each kind here; from 6 on medians have intervals.")
    ] = 6,
    seeds: Annotated[int, typer.Option(help="Simulated runs of each kind.")] = 10,
    part: Annotated[
        list[Part] | None, typer.Option(help="Only this: measured or simulated; the page has what there is.")
    ] = None,
    page_only: PageOnly = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few kinds, one run here: some minutes, to see the shape.")
    ] = False,
) -> None:
    """Who should have how many cores?

    The experiments of Dokulil and Benkner on programs that share a machine: Seismic, one slow and seven fast instances,
    and a producer with its consumer, equally fast or not. They run here, scaled to this machine, written for Treadle's
    futures and for OCR, and in simulation on the paper's 24 threads, under the paper's strategies and Treadle's. Every
    run is written to a CSV in OUT at once; Ctrl-C keeps what there is, and the same command goes on. OUT/colocate.html
    has Tables I and II, Figures 2 to 4, and what the paper says beside what was simulated and measured.

      treadle study colocate --quick

      treadle study colocate --part simulated
    """
    need_matplotlib()
    if repeats < 1 or seeds < 1:
        raise ValueError("repeats and seeds: at least 1")
    plan, simulation = measured.Plan(repeats=repeats), simulated.Plan(seeds)
    notes = []
    if quick:
        if repeats != 6 or seeds != 10:
            raise ValueError("--quick chooses repeats and seeds itself")
        plan, simulation = measured.QUICK, simulated.QUICK
        notes.append("Made with --quick: one short run of each kind, without intervals, and three seeds.")
    parts = set() if page_only else set(part or Part)
    if not page_only and (missing := measured.missing(plan)):
        raise FileNotFoundError(
            f"not part of this installation: {', '.join(missing)}; build the package with TREADLE_APPS=ON"
        )
    with Simulator() as simulator:
        with progress(1) as report:
            report(0, 1, "fitting the model to the rows without agent")
            model = calibrate(simulator, PAIR)
        try:
            if Part.simulated in parts:
                with progress(len(list(simulation.cells()))) as report:
                    simulated.simulate(simulation, model, simulator, out / SIMULATED, report)
            if Part.measured in parts:
                with progress(len(list(plan.cells()))) as report:
                    measured.measure(plan, out / MEASURED, report)
        finally:
            if not write(out, plan, simulation, model, simulator, notes) and page_only:
                raise nothing_there(out)


def write(
    out: Path,
    plan: measured.Plan,
    simulation: simulated.Plan,
    model: Model,
    simulator: Simulator,
    notes: list[str],
) -> bool:
    """The page of what there is, and a line for the terminal; False when there is nothing."""
    from .page import page

    runs = measured.runs_of(plan, read(out / MEASURED, measured.Run))
    predicted = simulated.runs_of(simulation, read(out / SIMULATED, simulated.Run))
    if not runs and not predicted:
        return False
    cells = {
        Part.measured: (len(runs), len(list(plan.cells()))),
        Part.simulated: (len(predicted), len(list(simulation.cells()))),
    }
    done = counted(cells, notes)
    (out / "colocate.html").write_text(page(model, predicted, runs, simulator, notes), "utf-8")
    print(f"{done}: {out / MEASURED}, {out / SIMULATED}, {out / 'colocate.html'}", file=sys.stderr)
    return True
