"""The page of the grain study: the paper's figures 3 to 10 with this machine's numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

from .grain import Sweep
from .grain_findings import HEAD, comparison
from .grain_rules import table_of_rules
from .metrics import Metrics
from .page import COLORS, Section, canvas, head, notes_of, sections, svg, table_of, words
from .workers import OVERSUBSCRIBED

Series = tuple[str, Callable[[Metrics], float | None]]


def figure(
    rows: Sequence[Metrics],
    left: Sequence[Series],
    unit: str,
    right: Series | None = None,
    right_unit: str = "",
    scale: str = "linear",
    right_scale: str = "linear",
) -> str:
    """Curves over the partition size as SVG; `right` has an axis of its own."""
    drawing = canvas()
    # Scales come before the curves, whose margins depend on them.
    axes = drawing.add_subplot(xscale="log", yscale=scale)
    lines: list[Any] = []
    for (label, value), color in zip(left, cycle(COLORS), strict=False):
        points = [
            (row.partition, y) for row in rows if (y := value(row)) is not None and (y > 0 or scale != "log")
        ]
        lines += (
            axes.plot(*zip(*points, strict=True), marker="o", ms=3, color=color, label=label)
            if points
            else []
        )
    axes.set(xlabel="points per partition", ylabel=unit)
    axes.grid(alpha=0.25)
    if right:
        other = axes.twinx()
        other.set_yscale(right_scale)
        points = [(row.partition, y) for row in rows if (y := right[1](row)) is not None]
        if points:
            lines += other.plot(*zip(*points, strict=True), ls="--", color="#718096", label=right[0])
        other.set_ylabel(right_unit)
        if right_scale == "linear":
            other.set_ylim(bottom=0)
    axes.legend(lines, [str(line.get_label()) for line in lines], frameon=False, fontsize="small")
    return svg(drawing)


def figures(
    by_workers: dict[int, list[Metrics]],
    name: Callable[[Metrics], str] = Metrics.named_workers,
    prefix: str = "",
    scale: str = "linear",
) -> list[Section]:
    """The paper's figures 3 to 10 for these numbers of workers, which the legends call by `name` of one of their rows;
    `scale` is that of times and counts."""
    called = {workers: name(rows[0]) for workers, rows in by_workers.items()}
    seconds: Series = ("execution time", lambda row: row.seconds)
    more = [w for w in by_workers if w > 1]
    found: list[Section] = [
        ("Execution time (Figure 3)", "Too fine: tasks cost more than they do. Too coarse: workers wait.", [
            figure(
                rows_of_all(by_workers),
                [(called[w], lambda row, w=w: row.seconds if row.workers == w else None) for w in by_workers],  # type: ignore[misc]
                "s", scale="log",
            )
        ]),
        ("Idle-rate (Figures 4 and 5)", "Equation 1: the share of the workers' time that is not spent in tasks.", [
            figure(r, [(f"idle-rate, {called[w]}", lambda row: 100 * row.idle_rate)], "%", seconds, "s", right_scale=scale)
            for w, r in by_workers.items()
        ]),
        ("Wait time per task (Figure 6)", "Equation 5: how much longer a task takes than with one worker. Cores share"
         " memory bandwidth.", [
            figure(
                rows_of_all(by_workers),
                [(called[w], lambda row, w=w: _wait_us(row) if row.workers == w else None) for w in more],  # type: ignore[misc]
                "µs", scale="symlog",
            )
        ] if more else []),
        ("Management and wait time (Figures 7 and 8)", "Equations 4 and 6, per core, beside the execution time.", [
            figure(r, [
                (f"management, {called[w]}", lambda row: row.management_s),
                ("wait time", lambda row: row.wait_s),
                ("both", lambda row: row.costs_s),
                seconds,
            ], "s", scale=scale) for w, r in by_workers.items()
        ]),
        ("Looks at pending queues (Figures 9 and 10)", "They need no clock. Idle workers look, too.", [
            figure(
                r, [(f"looks, {called[w]}", lambda row: row.pending_accesses)], "looks", seconds, "s", scale=scale,
                right_scale=scale,
            )
            for w, r in by_workers.items()
        ]),
    ]  # fmt: skip
    return [(prefix + title, text, drawn) for title, text, drawn in found]


def _wait_us(row: Metrics) -> float | None:
    return None if row.wait_ns is None else row.wait_ns / 1000


def page(sweep: Sweep, rows: Sequence[Metrics], done: int, of: int, more: Sequence[str] = ()) -> str:
    """A page that stands alone, with `more` parts at its end. Needs matplotlib."""
    by_workers = {w: [row for row in rows if row.workers == w] for w in sorted({row.workers for row in rows})}
    notes = sweep.left_out()
    if done < of:
        notes.append(f"{done} of {of} runs are done; the same command goes on.")
    about = (
        "The heat stencil of Grubel et al. (CLUSTER 2015): a ring of points, divided into partitions, one task per"
        " partition and step that allocates what it returns. The same work in tasks of different sizes:"
        f" {sweep.points:,} points, {sweep.steps} steps, means of up to {sweep.repeats} runs, on"
    )
    parts = [
        head("Task size", "How much should a task do?", about),
        words(HEAD, comparison(by_workers, sweep.idle_rate)),
        notes_of([*notes, *remarks(by_workers)]),
        table_of_rules(by_workers, sweep.idle_rate, "What the paper's rules choose from these means"),
        notes_of([SELECTION]),
        *sections(figures(by_workers)),
        table(rows, sweep=sweep),
        *more,
    ]
    return "\n".join(parts)


SELECTION = (
    "As in the paper, each rule chooses afterwards, from the means of runs with every size. stencil --grain, with"
    " paper-idle-rate, paper-pending or paper-costs, applies the same rules while the program runs."
)
IDLE_RATE = (
    "The idle-rate, and with it T_o, has only what workers do between tasks. What a task of dataflow costs is spent for"
    " the most part inside other tasks, those that make it and make its inputs ready, and counts as execution here. It"
    " does so with one worker, too, so it is not in the difference T_w either."
)


def remarks(by_workers: dict[int, list[Metrics]]) -> list[str]:
    found = [IDLE_RATE]
    if 1 not in by_workers:
        found.append("Wait times need runs with one worker, of which there are none: --workers 1.")
    if any(row.is_oversubscribed for row in rows_of_all(by_workers)):
        found.append(
            f"{OVERSUBSCRIBED} The times of tasks, and the idle-rate and wait time made of them, have that in them."
        )
    return found


def rows_of_all(by_workers: dict[int, list[Metrics]]) -> list[Metrics]:
    return [row for rows in by_workers.values() for row in rows]


def table(
    rows: Sequence[Metrics], whose: str = "workers", title: str = "All numbers", sweep: Sweep | None = None
) -> str:
    """With the sweep, of what was measured: how the samples vary, the warm-up, and which rows are scaled."""
    samples = ("runs", "steps", "warm-up", "COV of time %", "COV of counts %") if sweep else ("runs",)
    names = (
        whose, "points per partition", *samples, "time s", "± s", "Gpoints/s", "idle-rate %", "t_d µs", "t_o µs",
        "of it management µs", "T_o s", "t_w µs", "T_w s", "T_o + T_w s", "looks",
    )  # fmt: skip
    lines: list[Sequence[Any]] = []
    for row in sorted(rows, key=lambda row: (row.workers, row.partition)):
        wait = ("", "") if row.wait_ns is None else (f"{row.wait_ns / 1000:.2f}", f"{row.wait_s:.3f}")
        cells = (
            row.workers_cell(), f"{row.partition:,}", *(_samples(row, sweep) if sweep else (row.runs,)),
            f"{row.seconds:.4f}", f"{row.seconds_deviation:.4f}", f"{row.points_per_s / 1e9:.3f}",
            f"{100 * row.idle_rate:.1f}", f"{row.task_ns / 1000:.2f}", f"{row.overhead_ns / 1000:.2f}",
            f"{row.own_management_ns / 1000:.3f}",
            f"{row.management_s:.3f}", *wait, "" if row.costs_s is None else f"{row.costs_s:.3f}",
            f"{row.pending_accesses:,.0f}",
        )  # fmt: skip
        lines.append(cells)
    return table_of(names, lines, title)


def _samples(row: Metrics, sweep: Sweep) -> Sequence[Any]:
    steps = f"{row.steps}, scaled to {sweep.steps}" if row.steps < sweep.steps else row.steps
    # One sample does not vary.
    variations = (row.seconds_variation, row.counts_variation) if row.runs > 1 else ()
    return (
        row.runs,
        steps,
        sweep.warm_up_of(row.partition),
        *([f"{100 * v:.1f}" for v in variations] or ("", "")),
    )
