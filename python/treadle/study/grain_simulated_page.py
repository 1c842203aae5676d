"""The simulated part of the page of the grain study: the same figures for more cores, and what the paper says."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from statistics import median

from .grain import Sweep
from .grain_page import figures, rows_of_all, table
from .grain_rules import best, calm, fewest_looks, least_costs, share, table_of_rules
from .grain_simulated import (
    BYTES_KEPT,
    BYTES_MOVED,
    CORES_PER_DOMAIN,
    MOST_STEPS,
    POLICIES,
    Bandwidth,
    Caches,
    Plan,
    SimulatedRun,
)
from .metrics import Metrics, metrics
from .page import notes_of, sections

NAMES = {"treadle": "Treadle's", "hpx": "HPX's"}
Rows = dict[int, list[Metrics]]  # by the number of cores


def named(cores: int) -> str:
    return f"{cores} core{'s' * (cores > 1)}, simulated"


def part(
    sweep: Sweep, plan: Plan, runs: Sequence[SimulatedRun], of: int, bandwidth: Bandwidth, caches: Caches,
    measured: Sequence[Metrics],
) -> list[str]:  # fmt: skip
    """Of `of` runs that there will be, those that are done."""
    scaled = [run.scaled_to(sweep.points, sweep.steps) for run in runs]
    least, most = min(plan.cores), max(plan.cores)
    title = f"Simulated: {least} to {most} cores" if least < most else f"Simulated: {named(most)}"
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        "<p>Nothing in this part is measured: the schedule simulator runs the graph of the stencil on machines that are"
        " described. How long a task takes was measured with one worker.</p>",
        notes_of(assumptions(sweep, plan, bandwidth, caches)),
    ]
    if len(runs) < of:
        parts.append(notes_of([f"{len(runs)} of {of} simulated runs are done; the same command goes on."]))
    for costs, policy in POLICIES.items():
        rows = metrics(run for run, one in zip(scaled, runs, strict=True) if one.costs == costs)
        shown = {n: r for n in sorted(plan.cores) if (r := [row for row in rows if row.workers == n])}
        if not shown:
            continue
        prefix = f"Simulated, {NAMES[costs]} costs: "
        sentences = beside_the_paper(shown, sweep)
        if costs == "treadle":
            sentences += beside_the_measured(rows, measured)
        parts += [
            table_of_rules(
                shown,
                sweep.idle_rate,
                f"Simulated with {NAMES[costs]} costs and the policy {policy}",
                "cores",
            ),
            "<ul>" + "".join(f"<li>{html.escape(s)}</li>" for s in sentences) + "</ul>",
            *sections(figures(shown, lambda row: named(row.workers), prefix, scale="log")),
            table(rows_of_all(shown), "simulated cores", prefix + "all numbers"),
        ]
    return parts


def assumptions(sweep: Sweep, plan: Plan, bandwidth: Bandwidth, caches: Caches) -> list[str]:
    return [
        f"Machines: cores of one hardware thread in domains of up to {CORES_PER_DOMAIN}, as fast as those that were"
        " measured. The runtime's costs are the tables of treadle predict; those of HPX are estimated in part, above"
        " all what more workers cost.",
        "A task takes what it took one worker, less what Treadle's table has for making and running one: with"
        " Treadle's costs one simulated core takes as long as the measured worker. What it takes to make tasks counts as"
        " management here; the counters of the measured runs have it in the task that makes them.",
        f"Memory: {bandwidth.gbs:g} GB/s for each domain, {bandwidth.source}. A task moves {BYTES_MOVED} bytes per"
        " point (it is read and written, and its cache line is read for that); who shares a memory waits. Every task"
        " finds its data in its own domain.",
        f"Caches: with work-stealing, a task whose partition fits, old and new ({BYTES_KEPT} bytes per point), into the"
        f" {caches.own >> 10} KiB of a core needs memory only when it is stolen: a worker goes on with what it has just"
        " made. With local-priority-fifo a step goes around the whole ring first, and every task needs memory. None does"
        f" when the ring fits into the {caches.shared >> 10} KiB that cores share. In truth there is no sharp edge."
        " With work-stealing a task that is too large moves no more than memory gives in its time on one worker: the"
        " rest came from a cache then, too. The measured worker used work-stealing; with local-priority-fifo a task takes"
        " as long, or longer where memory demands it.",
        f"At most {plan.most_tasks:,} tasks and {MOST_STEPS} steps per run: where there are more tasks, the ring is"
        f" simulated with fewer partitions, and times and counts are scaled to {sweep.points:,} points and"
        f" {sweep.steps} steps.",
        "Looks: each at one queue. A worker that has nothing to do looks until it sleeps, as often as the table's time"
        " for a look that finds nothing allows. Contention of queues and of the allocator is not simulated.",
    ]


def beside_the_paper(by_cores: Rows, sweep: Sweep) -> list[str]:
    """What each of its findings is here, and whether that agrees."""
    few, many = min(by_cores), max(by_cores)
    sentences = []
    if 8 <= few < many:  # the paper's plateau
        slow, fast = best(by_cores[few]), best(by_cores[many])
        gain = slow.seconds / fast.seconds
        sentences.append(
            f"From {few} to {many} cores the best time goes from {slow.seconds:.3g} to {fast.seconds:.3g} s,"
            f" {gain:.1f} times as fast. The paper: execution time stays about the same from eight cores on."
            + verdict(gain < 1.25)
        )
    quiet = {
        n: share(choice, rows) for n, rows in by_cores.items() if (choice := calm(rows, sweep.idle_rate))
    }
    without = [str(n) for n in by_cores if n not in quiet]
    sentences.append(
        (
            f"The smallest partition with an idle-rate of at most {sweep.idle_rate:g} % has"
            f" {spread([*quiet.values()])} of the best speed"
            if quiet
            else f"No partition has an idle-rate of at most {sweep.idle_rate:g} %"
        )
        + (f"; with {', '.join(without)} cores there is none" if quiet and without else "")
        + ". The paper: at most 30 %, 78,125 points with 28 cores, 98 % of it."
        + verdict(not without and min(quiet.values()) > 0.9)
    )
    looks = [share(fewest_looks(rows), rows) for rows in by_cores.values()]
    sentences.append(
        f"The partition with the fewest looks has {spread(looks)} of the best speed. The paper: 31,250 points with 28"
        " cores, 89 % of it." + verdict(min(looks) > 0.85)
    )
    costs = [share(choice, rows) for rows in by_cores.values() if (choice := least_costs(rows))]
    if costs:
        sentences.append(
            f"The partition with the least T_o + T_w has {spread(costs)} of the best speed. The paper: that is the"
            " optimal one." + verdict(min(costs) > 0.95)
        )
    finest = [rows[0].idle_rate for rows in by_cores.values()]
    sentences.append(
        f"With {by_cores[many][0].partition:,} points per partition the idle-rate is {spread(finest)}. The paper: up to"
        " 90 %." + verdict(max(finest) > 0.7)
    )
    return sentences + waits_beside_the_paper(by_cores, sweep.points)


def waits_beside_the_paper(by_cores: Rows, points: int) -> list[str]:
    """Of partitions of which there are enough for all cores."""
    enough = {
        n: {row.partition: row.wait_ns for row in rows if row.wait_ns is not None and points >= n * row.partition}
        for n, rows in by_cores.items()
    }  # fmt: skip
    if not all(enough.values()):
        return []
    if max(ns for waits in enough.values() for ns in waits.values()) < 1:
        return ["No task waits for memory: all that is used again soon is in a cache."]
    with_size = all(grows([waits[p] for p in sorted(waits)]) for waits in enough.values())
    common = max(set.intersection(*(set(waits) for waits in enough.values())))
    there = [enough[n][common] for n in sorted(enough)]
    sentences = [
        f"The wait time per task {'grows' if with_size else 'does not always grow'} with the partition. The paper: it"
        " grows." + verdict(with_size)
    ]
    if len(there) > 1:
        told = ", ".join(f"{ns / 1000:,.0f}" for ns in there)
        numbers = ", ".join(str(n) for n in sorted(enough))
        sentences.append(
            f"At {common:,} points it is {told} µs with {numbers} cores. The paper: it grows with the number of cores."
            + verdict(all(after > 1.1 * before for before, after in zip(there, there[1:], strict=False)))
        )
    return sentences


def grows(values: Iterable[float]) -> bool:
    """But for a tenth of what it had grown to: durations are measured, and not the same share of them is memory."""
    top = 0.0
    for value in values:
        if value < 0.9 * top:
            return False
        top = max(top, value)
    return top > 0


def beside_the_measured(simulated: Sequence[Metrics], measured: Sequence[Metrics]) -> list[str]:
    """How far it is from what this machine did with several workers, each on a core of its own."""
    measured = [row for row in measured if not row.is_oversubscribed]
    known = {(row.workers, row.partition): row for row in simulated}
    sentences = []
    for workers in sorted({row.workers for row in measured if row.workers > 1}):
        off = [
            (known[workers, row.partition].points_per_s / row.points_per_s - 1, row.partition)
            for row in measured
            if row.workers == workers and (workers, row.partition) in known
        ]
        if off:
            worst, where = max(off, key=lambda one: abs(one[0]))
            sentences.append(
                f"With {workers} cores, which were measured too, the simulated speed differs from the measured one by"
                f" {median(abs(one) for one, _ in off):.0%} in the median, and most at {where:,} points, by {worst:+.0%}."
            )
    return sentences


def spread(shares: Sequence[float]) -> str:
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    return low if low == high else f"{low} to {high}"


def verdict(agrees: bool) -> str:
    return " This agrees." if agrees else " This disagrees."
