"""The command `treadle study priority`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import programs
from ..log import read
from ..parts import Part, counted
from ..terminal import PageOnly, Workers, need_matplotlib, nothing_there, progress
from ..workers import default_workers
from . import measured, simulated
from .recordings import KINDS, Recordings

if TYPE_CHECKING:
    from .page import Recorded

MEASURED, SIMULATED = "priority.csv", "priority-simulated.csv"


MISSING = (
    "The program {name} is not part of this installation, and nothing of it is measured: build the package with"
    " TREADLE_APPS=ON{more}."
)
NEEDS = {"cholesky": ", where CBLAS and LAPACKE are"}


def priority_command(
    out: Annotated[
        Path, typer.Option(help="Folder of priority.csv, priority-simulated.csv, priority.html, recordings.")
    ] = Path("study-priority"),
    workers: Workers = None,
    repeats: Annotated[
        int, typer.Option(help="Processes of each kind; from 6 on medians have intervals.")
    ] = 7,
    slow_potrf: Annotated[
        list[int] | None,
        typer.Option(help="How many times as long potrf takes as it should; 1 and 10 by default."),
    ] = None,
    part: Annotated[
        list[Part] | None, typer.Option(help="Only this: measured or simulated; the page has what there is.")
    ] = None,
    page_only: PageOnly = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few sizes, 2 runs: a minute, to see the shape.")
    ] = False,
) -> None:
    """Do critical tasks need workers of their own?

    The experiments of Jiang et al. (IPDPS workshops 2020): Cholesky factorisation, whose potrf is critical, and merge
    sort, whose merges are. Both run here under the paper's configurations and Treadle's, and in simulation on machines
    like the paper's, with 32 to 256 of 288 workers, or 4 to 52 of 56, for critical tasks. Every run is written to a CSV
    in OUT at once; Ctrl-C keeps what there is, and the same command goes on. OUT/priority.html has schedules, mappings,
    graphs, results, waits and workloads, and what the paper says beside what was measured and what was simulated.

      treadle study priority --quick

      treadle study priority --part simulated

      treadle study priority --workers 2 --slow-potrf 10 --repeats 10
    """
    need_matplotlib()
    from .page import Recorded

    slow = tuple(slow_potrf or (1, 10))
    plan = measured.Plan(tuple(workers or default_workers()), repeats, slow=slow)
    simulation = simulated.Plan(slow=slow)
    notes = []
    if quick:
        if workers or slow_potrf or repeats != 7:
            raise ValueError("--quick chooses workers, repeats and slow-potrf itself")
        plan, simulation = measured.QUICK, simulated.QUICK
        notes.append(
            "Made with --quick: one tile, one cut-off, two processes of each kind, some sizes of pools."
        )
    parts = set() if page_only else set(part or Part)
    recorded = Recorded()
    if Part.measured in parts:
        notes += (missing := missing_programs())
        for note in missing:
            print(note, file=sys.stderr)
        if len(missing) == len(KINDS) and Part.simulated not in parts:
            raise FileNotFoundError("there is nothing to be measured")
    try:
        if Part.measured in parts:
            with progress(1) as report:
                report(0, 1, "recording small runs")
                recorded = Recorded.of(Recordings(out / "recordings"))
            with progress(len(list(plan.cells()))) as report:
                measured.measure(plan, out / MEASURED, report)
        if Part.simulated in parts:
            with progress(len(list(simulation.cells()))) as report:
                simulated.simulate(simulation, out / SIMULATED, report)
    finally:
        if not write(out, plan, simulation, recorded, notes) and page_only:
            raise nothing_there(out)


def missing_programs() -> list[str]:
    """A sentence for each."""
    return [
        MISSING.format(name=name, more=NEEDS.get(name, "")) for name in KINDS if programs.find(name) is None
    ]


def write(
    out: Path, plan: measured.Plan, simulation: simulated.Plan, recorded: Recorded, notes: list[str]
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
    (out / "priority.html").write_text(page(runs, predicted, recorded, notes), "utf-8")
    print(f"{done}: {out / MEASURED}, {out / SIMULATED}, {out / 'priority.html'}", file=sys.stderr)
    return True
