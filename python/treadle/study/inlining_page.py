"""The page of the inlining study: the paper's figures 5 to 12 with this machine's numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle
from statistics import median
from typing import Any

from ..config import POLICIES
from .inlining import Plan, Run
from .page import COLORS, Section, canvas, captioned, head, named, notes_of, sections, svg, table_of, words

Key = tuple[Any, ...]


def medians(
    runs: Iterable[Run], key: Callable[[Run], Key], summary: Callable[[list[float]], float] = median
) -> dict[Key, float]:
    """Seconds by key; another summary of equal runs than their median, such as min, where wanted."""
    groups: dict[Key, list[float]] = defaultdict(list)
    for run in runs:
        groups[key(run)].append(run.seconds)
    return {k: summary(v) for k, v in groups.items()}


def of(runs: Iterable[Run], experiment: str) -> list[Run]:
    return [run for run in runs if run.experiment == experiment]


def threshold_figure(runs: Sequence[Run], dashed: str = "adaptive", of_what: str = "workers") -> str:
    """Time over the lower threshold, a curve for each number of workers; dashed: a policy that has none."""
    figure = canvas()
    axes = figure.add_subplot()
    for workers, color in zip(sorted({r.workers for r in runs}), cycle(COLORS), strict=False):
        mine = [r for r in runs if r.workers == workers]
        curve = medians(
            (r for r in mine if r.policy == "paper-baseline" and r.lower_us), lambda r: (r.lower_us,)
        )
        points = sorted((k[0], v) for k, v in curve.items())
        label = named(workers) if of_what == "workers" else f"{workers} {of_what}"
        axes.plot(*zip(*points, strict=True), marker="o", ms=3, color=color, label=label)
        if other := medians((r for r in mine if r.policy == dashed), lambda _: ()):
            axes.axhline(other[()], color=color, ls="--", lw=1)
    axes.set(xlabel="lower threshold, µs (upper: 100 µs more)", ylabel="s", ylim=(0, None))
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize="small")
    return svg(figure)


def bar_figure(runs: Sequence[Run], case: Callable[[Run], str], against: str) -> str:
    """How much faster than one policy the others are, in percent of its time."""
    figure = canvas()
    axes = figure.add_subplot()
    cases = list(dict.fromkeys(case(r) for r in runs))
    seconds = medians(runs, lambda r: (case(r), r.policy))
    others = [p for p in POLICIES if p != against]
    for i, (policy, color) in enumerate(zip(others, COLORS, strict=False)):
        heights = [
            100 * (1 - seconds[c, policy] / seconds[c, against])
            if (c, policy) in seconds and (c, against) in seconds
            else 0
            for c in cases
        ]
        axes.bar([x + (i - 1.5) * 0.2 for x in range(len(cases))], heights, 0.19, color=color, label=policy)
    axes.set_xticks(range(len(cases)), cases, fontsize="small", rotation=20)
    axes.set_ylabel(f"% less time than {against}")
    axes.axhline(0, color="black", lw=0.8)
    axes.grid(alpha=0.25, axis="y")
    axes.legend(frameon=False, fontsize="x-small", ncols=2)
    return svg(figure)


def improvement(runs: Sequence[Run], policy: str, against: str) -> tuple[float, float] | None:
    """The least and the most that a policy takes less than another, in percent, over all cases."""
    seconds = medians(runs, lambda r: (r.users, r.items, r.iterations, r.workers, r.policy))
    gains = [
        100 * (1 - s / seconds[(*k[:4], against)])
        for k, s in seconds.items()
        if k[4] == policy and (*k[:4], against) in seconds
    ]
    return (min(gains), max(gains)) if gains else None


def in_percent(gain: tuple[float, float] | None) -> str:
    return f"{gain[0]:+.1f} to {gain[1]:+.1f} %" if gain else "not measured"


def comparison(runs: Sequence[Run]) -> list[tuple[str, str, str]]:
    """(what, what the paper says, what was measured here)"""
    sizes, small, large = of(runs, "sizes"), of(runs, "iterations"), of(runs, "large")
    threshold = [r for r in of(runs, "threshold") if r.policy == "paper-baseline"]
    best = medians(threshold, lambda r: (r.workers, r.lower_us))
    lowest = {
        w: min((k for k in best if k[0] == w), key=lambda k: best[k])[1]
        for w in sorted({r.workers for r in threshold})
    }
    return [
        ("Figures 5 to 7: best lower threshold, 400 x 400", "800 to 1000 µs, depending on the number of threads",
         ", ".join(f"{named(w)}: {us} µs" for w, us in lowest.items()) or "not measured"),
        ("Figures 8 and 9: paper-baseline against always-async", "7.6 to 54 % less time, most for small sets",
         in_percent(improvement(sizes, "paper-baseline", "always-async"))),
        ("Figure 10, 12: paper-adaptive against paper-baseline, 10 x 5", "up to 74 % (Bulldozer); -2 to +1.8 % (Xeon)",
         in_percent(improvement(small, "paper-adaptive", "paper-baseline"))),
        ("Figure 11: the same for the large sets", "16 of 18 cases 0.4 to 16 %, two lose 1 %",
         in_percent(improvement(large, "paper-adaptive", "paper-baseline"))),
        ("adaptive against paper-baseline, 10 x 5", "–", in_percent(improvement(small, "adaptive", "paper-baseline"))),
        ("adaptive against the best other policy, everywhere", "–", in_percent(against_best(runs))),
        ("the same by the fastest run of each kind", "–",
         in_percent(against_best(runs, min))),
        ("Section 4.4.3: what paper-adaptive costs, 10 x 5", "5 s per run", overhead(small)),
    ]  # fmt: skip


def against_best(
    runs: Sequence[Run], summary: Callable[[list[float]], float] = median
) -> tuple[float, float] | None:
    seconds = medians(
        (r for r in runs if r.experiment != "threshold"),
        lambda r: (r.experiment, r.users, r.items, r.iterations, r.workers, r.policy),
        summary,
    )
    gains = []
    for key, s in seconds.items():
        others = [seconds[(*key[:5], p)] for p in POLICIES if p != "adaptive" and (*key[:5], p) in seconds]
        if key[5] == "adaptive" and others:
            gains.append(100 * (1 - s / min(others)))
    return (min(gains), max(gains)) if gains else None


def overhead(runs: Sequence[Run]) -> str:
    """Where both policies inline everything in the end, the difference is what searching cost."""
    seconds = medians(runs, lambda r: (r.iterations, r.workers, r.policy))
    differences = [
        1000 * (s - seconds[i, w, "paper-baseline"])
        for (i, w, p), s in seconds.items()
        if p == "paper-adaptive" and (i, w, "paper-baseline") in seconds
    ]
    return (
        f"{median(differences):+.1f} ms more than paper-baseline, in the median"
        if differences
        else "not measured"
    )


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
    def by_workers(experiment: str, draw: Callable[[list[Run], str], str]) -> list[str]:
        mine = of(runs, experiment)
        return [
            draw([r for r in mine if r.workers == w], named(w)) for w in sorted({r.workers for r in mine})
        ]

    def bars(case: Callable[[Run], str], against: str) -> Callable[[list[Run], str], str]:
        return lambda mine, title: captioned(bar_figure(mine, case, against), title)

    threshold = of(runs, "threshold")
    return [
        ("Time by threshold (Figures 5 to 7)", "Below the threshold a node is inlined. Dashed: the policy adaptive,"
         " which has none to be chosen.", [threshold_figure(threshold)] if threshold else []),
        ("Policies and sizes (Figures 8 and 9)", "What is gained over making every node a task.",
         by_workers("sizes", bars(lambda r: f"{r.users} x {r.items}", "always-async"))),
        ("Small sets (Figures 10 and 12)", "10 x 5 ratings: 13 floating-point operations per node, so this is overhead"
         " alone.", by_workers("iterations", bars(lambda r: f"{r.iterations} iterations", "paper-baseline"))),
        ("Large sets (Figure 11)", "Here the loops over users and items are worth splitting.",
         by_workers("large", bars(lambda r: f"{r.users} x {r.items}", "paper-baseline"))),
    ]  # fmt: skip


def disagreements(runs: Sequence[Run]) -> list[str]:
    sums: dict[Key, set[float]] = defaultdict(set)
    for r in runs:
        sums[r.users, r.items, r.iterations].add(r.checksum)
    return [f"{users} x {items}" for (users, items, _), found in sums.items() if len(found) > 1]


def table(runs: Sequence[Run]) -> str:
    groups: dict[Key, list[Run]] = defaultdict(list)
    for r in sorted(
        runs, key=lambda r: (r.experiment, r.users * r.items, r.iterations, r.workers, r.policy, r.lower_us)
    ):
        groups[r.experiment, r.users, r.items, r.iterations, r.workers, r.policy, r.lower_us].append(r)
    names = (
        "experiment", "users", "items", "iterations", "workers", "policy", "lower µs", "runs", "s", "min", "max",
        "evaluations", "spawned %",
    )  # fmt: skip
    lines: list[Sequence[Any]] = []
    for key, mine in groups.items():
        seconds = [r.seconds for r in mine]
        share = 100 * mine[0].spawned / mine[0].evaluations if mine[0].evaluations else 0
        cells = (
            *key, len(mine), f"{median(seconds):.4f}", f"{min(seconds):.4f}", f"{max(seconds):.4f}",
            f"{mine[0].evaluations:,}", f"{share:.1f}",
        )  # fmt: skip
        lines.append(cells)
    return table_of(names, lines)
