"""The page of the inlining study: the paper's figures 5 to 12 with this machine's numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import cycle
from statistics import median
from typing import Any

from .inlining import PAPER_ASYNC, SERIES, Plan, Run
from .inlining_findings import Key, comparison, disagreements, medians, of
from .page import COLORS, Section, canvas, captioned, head, notes_of, sections, svg, table_of, words
from .workers import named

PROGRAM_TITLES = {"physl": "the paper's PhySL program", "python": "the function in Python"}
SERIES_COLORS = dict(zip(SERIES, (*COLORS, "#718096"), strict=False))


def threshold_figure(runs: Sequence[Run], dashed: str = "adaptive", of_what: str = "workers") -> str:
    """Time over the lower threshold, a curve for each number of workers, and dotted the share of evaluations that were
    tasks; dashed: a policy that has no threshold."""
    figure = canvas()
    axes = figure.add_subplot()
    shares = axes.twinx()
    counts = sorted({(r.workers, r.is_oversubscribed) for r in runs})
    for (workers, crowded), color in zip(counts, cycle(COLORS), strict=False):
        mine = [r for r in runs if (r.workers, r.is_oversubscribed) == (workers, crowded)]
        sweep = [r for r in mine if r.policy == "paper-baseline"]
        points = sorted((k[0], v) for k, v in medians(sweep, lambda r: (r.lower_us,)).items())
        label = named(workers, crowded) if of_what == "workers" else f"{workers} {of_what}"
        axes.plot(*zip(*points, strict=True), marker="o", ms=3, color=color, label=label)
        share = medians(sweep, lambda r: (r.lower_us,), value=lambda r: r.tasks_percent)
        tasks = sorted((k[0], v) for k, v in share.items())
        shares.plot(*zip(*tasks, strict=True), ls=":", lw=1, color=color)
        if other := medians((r for r in mine if r.policy == dashed), lambda _: ()):
            axes.axhline(other[()], color=color, ls="--", lw=1)
    axes.set_xscale("symlog", linthresh=1)
    ticks = sorted(
        {r.lower_us for r in runs if r.policy == "paper-baseline"} & {0, 1, 3, 10, 30, 100, 300, 1000}
    )
    axes.set_xticks(ticks, [str(t) for t in ticks])
    axes.set(xlabel="lower threshold, µs", ylabel="s", xlim=(0, None), ylim=(0, None))
    shares.set(ylabel="% of evaluations that are tasks (dotted)", ylim=(0, 100))
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize="small", loc="lower left")
    return svg(figure)


def bar_figure(runs: Sequence[Run], case: Callable[[Run], str], against: str) -> str:
    """How much faster than one policy the others are, in percent of its time."""
    figure = canvas()
    axes = figure.add_subplot()
    cases = list(dict.fromkeys(case(r) for r in runs))
    seconds = medians(runs, lambda r: (case(r), r.policy))
    others = [p for p in SERIES if p != against]
    width = 0.8 / len(others)
    for i, policy in enumerate(others):
        heights = [
            100 * (1 - seconds[c, policy] / seconds[c, against])
            if (c, policy) in seconds and (c, against) in seconds
            else 0
            for c in cases
        ]
        at = [x + (i - (len(others) - 1) / 2) * width for x in range(len(cases))]
        axes.bar(at, heights, 0.95 * width, color=SERIES_COLORS[policy], label=policy)
    axes.set_xticks(range(len(cases)), cases, fontsize="small", rotation=20)
    axes.set_ylabel(f"% less time than {against}")
    axes.axhline(0, color="black", lw=0.8)
    axes.grid(alpha=0.25, axis="y")
    axes.legend(frameon=False, fontsize="x-small", ncols=2)
    return svg(figure)


def workers_figure(runs: Sequence[Run]) -> str:
    """Time over the number of workers, a curve for each policy; beyond the dashed line there are more of them than
    cores."""
    figure = canvas()
    axes = figure.add_subplot()
    for policy in SERIES:
        seconds = medians((r for r in runs if r.policy == policy), lambda r: (r.workers,))
        if points := sorted((k[0], v) for k, v in seconds.items()):
            axes.plot(*zip(*points, strict=True), marker="o", ms=3, color=SERIES_COLORS[policy], label=policy)
    workers = sorted({r.workers for r in runs})
    axes.set_xscale("log", base=2)
    axes.set_xticks(workers, [str(w) for w in workers])
    axes.minorticks_off()
    cores = max((r.cores for r in runs), default=0)
    if 0 < cores < workers[-1]:
        axes.axvline(cores * 2**0.5, color="black", lw=0.8, ls="--")
    axes.set(xlabel="workers", ylabel="s", ylim=(0, None))
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize="x-small", ncols=2)
    return svg(figure)


def page(plan: Plan, runs: Sequence[Run], done: int, total: int, more: Sequence[str] = ()) -> str:
    """A page that stands alone, with `more` at its end. Needs matplotlib."""
    notes = plan.left_out()
    if done < total:
        notes.append(f"{done} of {total} runs are done; the same command goes on.")
    if different := disagreements(runs):
        notes.append(f"The policies do not agree on the factors of {', '.join(different)}.")
    about = (
        "Alternating least squares as the execution tree of Wagle et al. (ICPP 2019), under each policy; medians of up to"
        f" {plan.repeats} runs, on"
    )
    parts = [
        head("Inlining", "Which nodes of a tree should be tasks?", about),
        words(("what", "the paper says", "measured here"), comparison(runs)),
        notes_of(notes),
        *sections(shown(runs)),
        table(runs),
        *more,
    ]
    return "\n".join(parts)


def shown(runs: Sequence[Run]) -> list[Section]:
    programs = list(dict.fromkeys(r.program for r in runs))

    def each(experiment: str, draw: Callable[[list[Run]], str], by: Callable[[Run], str]) -> list[str]:
        """A figure for each program and each of what runs are told apart by."""
        groups: dict[tuple[str, str], list[Run]] = defaultdict(list)
        for r in of(runs, experiment):
            groups[r.program, by(r)].append(r)
        return [
            captioned(draw(mine), f"{PROGRAM_TITLES[program]}{', ' * bool(what)}{what}")
            for (program, what), mine in sorted(groups.items(), key=lambda g: programs.index(g[0][0]))
        ]

    def size(r: Run) -> str:
        return f"{r.users} x {r.items}"

    return [
        ("Time by threshold (Figures 5 to 7)", "Below the threshold a node is inlined; the upper one is 100 µs above it"
         " as in the paper, below 100 µs twice as high. Dashed: the policy adaptive, which has none to be chosen.",
         each("threshold", threshold_figure, lambda _: "")),
        ("Policies and sizes (Figures 8 and 9)", f"What is gained over {PAPER_ASYNC}, which makes every node a task, as"
         " the paper does with thresholds of zero; always-async makes tasks of parts of loops, too.",
         each("sizes", lambda mine: bar_figure(mine, size, PAPER_ASYNC), Run.named_workers)),
        ("Small sets (Figures 10 and 12)", "10 x 5 ratings: 13 floating-point operations per node, so this is overhead"
         " alone. Beyond the dashed line there are more workers than cores.",
         each("iterations", workers_figure, lambda r: f"{r.iterations} iterations")),
        ("Large sets (Figure 11)", "Here the loops over users and items are worth splitting.",
         each("large", workers_figure, size)),
    ]  # fmt: skip


def table(runs: Sequence[Run]) -> str:
    groups: dict[Key, list[Run]] = defaultdict(list)
    for r in sorted(
        runs,
        key=lambda r: (
            r.program, r.experiment, r.users * r.items, r.iterations, r.workers, r.policy, r.lower_us, r.search
        ),
    ):  # fmt: skip
        bound = (
            f" {r.lower_us}:{r.cell.upper_us}"
            if r.experiment == "threshold" and r.policy == "paper-baseline"
            else ""
        )
        groups[
            r.program, r.experiment, r.users, r.items, r.iterations, r.workers_cell(), r.policy + bound, r.search, r.ratings
        ].append(r)  # fmt: skip
    names = (
        "program", "experiment", "users", "items", "iterations", "workers", "policy", "search", "ratings", "runs", "s",
        "min", "max", "evaluations", "tasks %",
    )  # fmt: skip
    lines: list[Sequence[Any]] = []
    for key, mine in groups.items():
        seconds = [r.seconds for r in mine]
        cells = (
            *key, len(mine), f"{median(seconds):.4f}", f"{min(seconds):.4f}", f"{max(seconds):.4f}",
            f"{mine[0].evaluations:,}", f"{mine[0].tasks_percent:.1f}",
        )  # fmt: skip
        lines.append(cells)
    return table_of(names, lines)
