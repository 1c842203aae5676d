"""The commands `treadle study …`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..config import Config
from .coalescing.command import coalescing_command
from .colocate.command import colocate_command
from .grain import Sweep, measure, runs_of
from .log import read, wanted
from .metrics import Run, metrics
from .priority.command import priority_command
from .terminal import PageOnly, Workers, need_matplotlib, nothing_there, progress
from .workers import default_workers

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
    workers: Workers = None,
    repeats: Annotated[int, typer.Option(help="Runs of each kind.")] = 10,
    per_decade: Annotated[int, typer.Option(help="Partition sizes per factor of ten.")] = 5,
    most_tasks: Annotated[
        int, typer.Option(help="Tasks per run; tiny partitions make fewer steps.")
    ] = 5_000_000,
    idle_rate: Annotated[
        float, typer.Option(help="The most that the paper's first rule tolerates, in percent.")
    ] = 30.0,
    cores: Annotated[
        list[int] | None, typer.Option(help="Simulated numbers of cores; 8, 16, 32 and 64 by default.")
    ] = None,
    simulate: Annotated[bool, typer.Option(help="The part for more cores than this machine has.")] = True,
    bandwidth: Annotated[
        float,
        typer.Option(help="Of the memory of a simulated domain, GB/s; 0: as measured here, or the paper's."),
    ] = 0.0,
    page_only: PageOnly = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="A million points, 20 steps, 2 runs: a minute, to see the shape.")
    ] = False,
) -> None:
    """How long does the heat stencil take in tasks of different sizes?

    The experiment of Grubel et al. (CLUSTER 2015): from 160 points per task to all of them in one, with the counters
    that its equations need. Every run is written to OUT/grain.csv at once; Ctrl-C keeps what there is, and the same
    command goes on. OUT/grain.html has what the paper says beside what was measured, what its three rules choose, and
    its figures 3 to 10 for this machine, and simulated for machines of more cores, whose runs are in
    OUT/grain-simulated.csv.

      treadle study grain --quick

      treadle study grain --points 10000000 --workers 1 --workers 2
    """
    need_matplotlib()
    from . import grain_simulated as simulated
    from .grain_page import page
    from .grain_simulated_page import part

    if quick:
        if (points, steps, repeats, per_decade) != (100_000_000, 50, 10, 5):
            raise ValueError("--quick chooses points, steps, repeats and per-decade itself")
        points, steps, repeats, per_decade = 1_000_000, 20, 2, 3
    sweep = Sweep(
        points, steps, tuple(workers or default_workers()), repeats, per_decade, most_tasks, idle_rate
    )
    plan = simulated.Plan(
        cores=tuple(cores or (8, 16, 32, 64)) if simulate else (),
        most_tasks=20_000 if quick else 200_000,
        bandwidth_gbs=bandwidth,
    )
    caches = simulated.Caches.of_this_machine()
    file, simulated_file = out / "grain.csv", out / "grain-simulated.csv"
    if plan.cores:
        read(simulated_file, simulated.SimulatedRun)  # what cannot go on is told before hours of measuring
    of = sum(1 for _ in sweep.cells())
    try:
        if not page_only:
            with progress(of) as report:
                runs = measure(sweep, file, report)
            if cells := list(simulated.cells(sweep, plan, runs, caches)):
                with progress(len(cells)) as report:
                    simulated.simulate(cells, simulated_file, report)
            elif plan.cores:
                print("nothing is simulated: that needs runs with one worker", file=sys.stderr)
    finally:
        if runs := runs_of(sweep, read(file, Run)):
            rows = metrics(runs)
            cells = list(simulated.cells(sweep, plan, runs, caches))
            found = wanted(cells, read(simulated_file, simulated.SimulatedRun)) if cells else []
            memory = simulated.bandwidth_of(plan, runs, caches)
            more = part(sweep, plan, found, len(cells), memory, caches, rows) if found else []
            (out / "grain.html").write_text(page(sweep, rows, len(runs), of, more), "utf-8")
            print(f"{len(runs)} of {of} runs: {file}, {out / 'grain.html'}", file=sys.stderr)
            if cells:
                print(f"{len(found)} of {len(cells)} simulated runs: {simulated_file}", file=sys.stderr)
        elif page_only:
            raise nothing_there(out)
    for note in sweep.left_out():
        print(note)


@app.command("inlining")
def inlining_command(
    out: Annotated[Path, typer.Option(help="Folder of inlining.csv and inlining.html.")] = Path(
        "study-inlining"
    ),
    workers: Workers = None,
    repeats: Annotated[int, typer.Option(help="Runs of each kind; intervals need six.")] = 3,
    iterations: Annotated[int, typer.Option(help="Of the threshold sweep and the sizes.")] = 10,
    large_iterations: Annotated[int, typer.Option(help="Of 100 x 5000, 500 x 2000 and 500 x 5000.")] = 1,
    experiment: Annotated[
        list[str] | None,
        typer.Option(help="Only this: threshold, sizes, iterations, large or overhead; may be repeated."),
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this: physl, the paper's own, or python, the same as a function; may be repeated."
        ),
    ] = None,
    ratings: Annotated[
        Path | None,
        typer.Option(
            help="A table of ratings, CSV; each set is its first rows and columns. Nothing is simulated."
        ),
    ] = None,
    search: Annotated[
        str,
        typer.Option(
            help="Of paper-adaptive: parallel-rank-order, published-rank-order, exhaustive, nelder-mead or random."
        ),
    ] = Config.search,
    thresholds: Annotated[
        str, typer.Option(help="That it searches through, in µs: FIRST:LAST:STEP.")
    ] = ":".join(str(ns // 1000) for ns in Config.thresholds_ns),
    window: Annotated[int, typer.Option(help="Evaluations with one threshold.")] = Config.window,
    cores: Annotated[
        list[int] | None, typer.Option(help="Simulated numbers of cores; 8, 16, 32 and 64 by default.")
    ] = None,
    simulate: Annotated[bool, typer.Option(help="The part for more cores than this machine has.")] = True,
    page_only: PageOnly = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sets, few iterations: a minute or two, to see the shape.")
    ] = False,
) -> None:
    """Which nodes of an execution tree should be tasks?

    The experiments of Wagle et al. (ICPP 2019): alternating least squares under all policies, interleaved. Every run is
    written to OUT/inlining.csv at once; Ctrl-C keeps what there is, and the same command goes on. OUT/inlining.html has
    the paper's figures 5 to 12 for this machine, what the paper says beside what was measured, and the same figures
    simulated for more cores (OUT/inlining-simulated.csv).

      treadle study inlining --quick

      treadle study inlining --experiment threshold --workers 2

      treadle study inlining --search exhaustive --thresholds 10:100:10
    """
    need_matplotlib()
    from . import inlining, inlining_simulated
    from .inlining_page import page
    from .inlining_simulated_page import parts
    from .ratings import RANDOM, Ratings

    simulate = simulate and ratings is None
    counts = tuple(cores or (8, 16, 32, 64)) if simulate else ()
    if any(not 0 < count <= 1024 for count in counts) or len(set(counts)) < len(counts):
        raise ValueError("cores: different numbers from 1 to 1024, such as 8 64")

    plan = inlining.Plan(
        tuple(workers or default_workers()), repeats, iterations, large_iterations,
        tuple(experiment or inlining.EXPERIMENTS), tuple(program or inlining.PROGRAMS),
        search=inlining.Search.parse(search, thresholds, window),
        ratings=Ratings.read(ratings) if ratings else RANDOM,
        **(inlining.QUICK if quick else {}),
    )  # fmt: skip
    file = out / "inlining.csv"
    of = sum(1 for _ in plan.cells())
    try:
        if not page_only:
            with progress(of) as report:
                inlining.measure(plan, file, report)
            if simulate:
                with progress(sum(1 for _ in inlining_simulated.cells(plan, counts))) as report:
                    inlining_simulated.simulate(plan, counts, out, report)
    finally:
        if runs := inlining.runs_of(plan, read(file, inlining.Run)):
            simulated = parts(inlining_simulated.runs_of(plan, counts, out)) if simulate else []
            (out / "inlining.html").write_text(page(plan, runs, len(runs), of, simulated), "utf-8")
            print(f"{len(runs)} of {of} runs: {file}, {out / 'inlining.html'}", file=sys.stderr)
        elif page_only:
            raise nothing_there(out)
    for note in plan.left_out():
        print(note)


app.command("priority")(priority_command)
app.command("colocate")(colocate_command)
app.command("coalescing")(coalescing_command)
