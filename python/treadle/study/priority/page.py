"""The page of the priority study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from statistics import median

from ...machine_map import map_machine
from ..page import Section, captioned, head, notes_of, sections, table_of, words
from ..workers import OVERSUBSCRIBED
from . import figures, findings, measured, pictures, simulated
from .comparisons import Measured, Simulated, medians, part_name
from .configurations import CONFIGURATIONS, MEASURED, SIMULATED
from .recordings import Recordings, Slice, Waits

RECORDED_WORKERS = Recordings.workers
DRAWN = ("paper-default", "paper-pools", "lending", "critical-path")
WAITS = [f"{what}_{whose}_ns" for what in ("staged", "pending") for whose in ("critical", "other")]
TITLES = {"cholesky": "Cholesky", "merge_sort": "Merge sort"}


@dataclass
class Recorded:
    """What the recordings of small runs have; empty where the programs are missing."""

    schedules: dict[str, dict[str, list[Slice]]] = field(default_factory=dict)
    waits: dict[str, dict[str, dict[str, Waits]]] = field(default_factory=dict)
    graphs: dict[str, tuple[list[tuple[int, int]], dict[int, str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, recordings: Recordings) -> Recorded:
        found = cls()
        for program in recordings.programs():
            found.schedules[program] = {c: recordings.schedule(program, c) for c in DRAWN}
            found.waits[program] = {c: recordings.waits(program, c) for c in CONFIGURATIONS}
            graph = recordings.graph(program)
            found.graphs[program] = (pictures.edges_of(graph), {n: x.kind for n, x in graph.nodes.items()})
        return found


def page(
    runs: Sequence[measured.Run], predicted: Sequence[simulated.Run], recorded: Recorded, notes: Sequence[str]
) -> str:
    """A page that stands alone. Needs matplotlib."""
    about = (
        "Cholesky factorisation in tiles and a recursive merge sort, the programs of Jiang et al., Task Priority Control"
        " for the HPX Runtime System (IPDPS workshops 2020): potrf and the merges are critical, other tasks wait for them."
        " The table has those runs that had the most workers with a core each, and apart from them those that had the most"
        " workers without, and of both the slowest potrf. What is called simulated was not"
        f" measured. The rest are medians of processes, each of {measured.IN_ONE_PROCESS} runs of which the fastest counts,"
        " on"
    )
    domains = map_machine().domains
    parts = [
        head("Critical tasks", "Do critical tasks need workers of their own?", about),
        words(findings.HEAD, findings.rows(runs, predicted, domains)),
        notes_of([*notes, *crowds(runs), *failures(runs), *assumptions()]),
        *sections(shown(runs, predicted, recorded)),
        "<h2>Configurations</h2>",
        words(
            ("configuration", "what it is"), ((name, c.about) for name, c in (MEASURED | SIMULATED).items())
        ),
        measured_table(runs),
        simulated_table(predicted),
    ]
    return "\n".join(parts)


def crowds(runs: Sequence[measured.Run]) -> list[str]:
    return [OVERSUBSCRIBED] if any(r.is_oversubscribed for r in runs) else []


def failures(runs: Sequence[measured.Run]) -> list[str]:
    """A sentence for each message and kind of run."""
    found: dict[str, set[str]] = {}
    for r in runs:
        if r.failed:
            case = f"{r.program} of {r.n:,}, {part_name(r.program)} {r.part}"
            found.setdefault(f"{case} failed: {r.failed}", set()).add(r.configuration)
    return [f"{said} ({', '.join(sorted(names))})." for said, names in found.items()]


def assumptions() -> list[str]:
    speeds = ", ".join(
        f"{m.gflops:g} Gflop/s a core and {m.compare_ns} ns per comparison for {name}"
        for name, m in simulated.MACHINES.items()
    )
    return [
        "The paper names neither the size of its tiles nor how much longer its critical tasks take, so tiles are swept, and"
        " potrf takes as long as it should, or ten times as long.",
        f"Simulated programs are generated, with {speeds}. Their tasks move no data: what a mapping does to caches and"
        " memory is not in them, only shared cores and the distance of stealing.",
        "HPX's costs are estimates, from what a future costs there with two workers. One of them grows with the pool: who"
        " queues a task notifies each worker of the pool that it goes to. The configuration paper-rest tells how much of"
        " what pools gain is due to that.",
    ]


def wide(figure: str, text: str) -> str:
    return f"<div class=wide>{captioned(figure, text)}</div>"


def shown(
    runs: Sequence[measured.Run], predicted: Sequence[simulated.Run], recorded: Recorded
) -> Iterator[Section]:
    yield "Schedules", (
        "Small runs with two workers, recorded: Cholesky of 512² in tiles of 64 with potrf ten times as slow, and a merge"
        " sort of 1000 numbers; of nine runs the fastest. Axes are alike, but for a run that takes more than three"
        " times as long as another. A pool that lends its workers leads to further threads, of which no more run at a"
        " time than there are workers."
    ), list(schedules(recorded))  # fmt: skip
    yield "Mappings", (
        "Where the workers go on the paper's machines: columns are cores, squares their hardware threads."
    ), list(mappings())  # fmt: skip
    yield "Graphs of tasks", (
        "Recorded: Cholesky of 4 by 4 tiles, and a merge sort of 16 numbers down to 2. An arrow goes from a task to one"
        " that needs it."
    ), [captioned(pictures.graph(*found), TITLES[p]) for p, found in recorded.graphs.items()]  # fmt: skip
    yield "Results, simulated", (
        "Time by the size of the critical pool, with HPX's costs and with Treadle's. Dashed and full lines have one pool."
    ), list(simulated_results(predicted))  # fmt: skip
    yield "Results, measured", (
        "Medians with the intervals that hold the true one in 95 of 100 cases, where there are six processes or more."
        " Hollow: oversubscribed."
    ), list(measured_results(runs))  # fmt: skip
    yield "Waits", (
        "Staged: made, with inputs missing. Pending: ready, not started. Simulated with HPX's costs under the paper's"
        " pools; measured in recordings with two workers, where every task is seen."
    ), list(waits(predicted, recorded))  # fmt: skip
    yield "Workloads", (
        "How many tasks are critical, and how much of the time of all tasks is theirs: measured under the paper's pools, by"
        " their counters."
    ), list(workloads(runs))  # fmt: skip


def schedules(recorded: Recorded) -> Iterator[str]:
    for program, by_configuration in recorded.schedules.items():
        ends = {name: max((s.end for s in slices), default=1) for name, slices in by_configuration.items()}
        common = max(end for end in ends.values() if end <= 3 * min(ends.values()))
        for name, slices in by_configuration.items():
            picture = pictures.schedule(slices, max(common, ends[name]), RECORDED_WORKERS)
            yield captioned(picture, f"{TITLES[program]}, {name}")


def mappings() -> Iterator[str]:
    for name, machine in simulated.MACHINES.items():
        critical = machine.critical[-1] if name == "KNL4" else machine.workers // 2
        pools = {"critical": critical, "default": machine.workers - critical}
        for mapping in ("packed", "numa-balanced-mtp"):
            found = map_machine(machine.topology, machine.distances, mapping, pools)
            yield captioned(pictures.mapping(found), f"{machine.title}; {mapping}")


def simulated_results(predicted: Sequence[simulated.Run]) -> Iterator[str]:
    for machine, program in dict.fromkeys((r.machine, r.program) for r in predicted):
        by_costs = {costs: Simulated(predicted, machine, program, costs) for costs in simulated.COSTS}
        for part in by_costs[simulated.COSTS[0]].parts:
            for costs, found in by_costs.items():
                if part in found.parts:
                    yield captioned(
                        figures.simulated_times(found, part),
                        f"{title_of(machine, found, part)}, {findings.COSTS_OF[costs]}",
                    )


def title_of(machine: str, found: Simulated, part: int) -> str:
    n = found.runs[0].n
    slow = f", potrf {found.slow} times as slow" if found.program == "cholesky" else ""
    size = f"{n}²" if found.program == "cholesky" else f"{n:,}"
    return f"Simulated: {TITLES[found.program]} {size}, {part_name(found.program)} {part}{slow}, {machine}"


def measured_results(runs: Sequence[measured.Run]) -> Iterator[str]:
    for program, n, slow in dict.fromkeys((r.program, r.n, r.slow) for r in runs):
        speed = f"potrf {slow} times as slow" if slow > 1 else "potrf as it is"
        text = f"Cholesky {n}², {speed}" if program == "cholesky" else f"merge sort of {n:,}"
        yield wide(figures.measured_times(runs, program, n, slow), f"Measured: {text}")


def waits(predicted: Sequence[simulated.Run], recorded: Recorded) -> Iterator[str]:
    for machine, program in dict.fromkeys((r.machine, r.program) for r in predicted):
        found = Simulated(predicted, machine, program)
        for part in found.parts:
            yield captioned(figures.simulated_waits(found, part), title_of(machine, found, part))
    for program, by_configuration in recorded.waits.items():
        yield wide(
            figures.measured_waits(by_configuration), f"Measured: {findings.TITLES[program]}, two workers"
        )


def workloads(runs: Sequence[measured.Run]) -> Iterator[str]:
    found: dict[str, tuple[float, float]] = {}
    for program, n, crowded in dict.fromkeys((r.program, r.n, r.is_oversubscribed) for r in runs):
        chosen = Measured(runs, program, n, crowded)
        for part in chosen.parts:
            mine = [
                r for r in chosen.runs
                if r.part == part and r.configuration == "paper-pools" and not isnan(r.tasks_critical) and r.time_ns
            ]  # fmt: skip
            if mine:
                found[
                    f"{TITLES[program]} {n:,}, {part_name(program)} {part}{', oversubscribed' * crowded}"
                ] = (
                    median(r.tasks_critical / r.tasks for r in mine),
                    median(r.time_critical_ns / r.time_ns for r in mine),
                )
    if found:
        yield captioned(
            figures.shares(found), "Measured under paper-pools, with the slowest potrf of the study"
        )


def measured_table(runs: Sequence[measured.Run]) -> str:
    names = (
        "program", "n", "tile, cut-off", "potrf times", "workers", "critical", "configuration", "runs", "median ms", "from",
        "to",
    )  # fmt: skip
    count = Counter(replace(r.cell, repeat=0) for r in runs if not r.failed)
    workers = {replace(r.cell, repeat=0): r.workers_cell() for r in runs}
    lines = []
    for cell, found in sorted(medians(runs).items()):
        ends = [f"{1e3 * end:.3f}" if found.has_interval else "" for end in (found.low, found.high)]
        lines.append((
            cell.program, f"{cell.n:,}", cell.part, cell.slow, workers[cell], cell.critical or "", cell.configuration,
            count[cell], f"{1e3 * found.value:.3f}", *ends,
        ))  # fmt: skip
    return table_of(names, lines, "All measured times") if lines else ""


def simulated_table(predicted: Sequence[simulated.Run]) -> str:
    names = (
        "machine", "program", "n", "tile, cut-off", "potrf times", "costs", "critical", "configuration", "simulated ms",
        "lower bound ms", "staged µs, critical", "other", "pending µs, critical", "other",
    )  # fmt: skip
    lines = [
        (
            r.machine, r.program, f"{r.n:,}", r.part, r.slow, r.costs, r.critical or "", r.configuration,
            f"{1e3 * r.seconds:.3f}", f"{1e3 * r.bound_seconds:.3f}",
            *(f"{getattr(r, name) / 1e3:.2f}" for name in WAITS),
        )
        for r in predicted
    ]  # fmt: skip
    if not lines:
        return ""
    table = table_of(names, lines, "All simulated times")
    return f"<details><summary>All {len(lines)} simulated times</summary>{table}</details>"
