"""The part of the inlining study's page that is simulated: figures 5 to 12 for more cores than this machine has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

from . import inlining
from .inlining_findings import gains, in_percent, late_threshold, level_thresholds, medians, of
from .inlining_page import threshold_figure
from .inlining_simulated import COSTS, MOST_ITERATIONS, POLICIES, Run
from .page import COLORS, Section, canvas, captioned, notes_of, sections, svg, table_of, words

TITLES = {"hpx": "what HPX's tasks cost, local-priority-fifo", "treadle": "what Treadle's tasks cost"}


def parts(runs: Sequence[Run]) -> list[str]:
    """Nothing when nothing was simulated."""
    cores = sorted({r.cores for r in runs if r.experiment != "check"})
    if not cores:
        return []
    return [
        f"<h2>Simulated: {' to '.join(str(c) for c in sorted({cores[0], cores[-1]}))} cores</h2>",
        notes_of(notes(runs)),
        words(
            ("what", "the paper says", *(f"simulated, {TITLES[costs]}" for costs in COSTS)), comparison(runs)
        ),
        *sections(shown(runs)),
        table(runs),
    ]


def notes(runs: Sequence[Run]) -> list[str]:
    width = sorted({(r.work_seconds / r.path_seconds, r.users, r.items) for r in runs})
    return [
        "All of this part is simulated, not measured. Each program was recorded once, with one worker and every node"
        " of its tree a task; in simulated time the policies decide for each node whether it is one. Recorded times are"
        " scaled to what the program takes where all is inlined, because they contain what making and recording all"
        " these tasks takes. Cores are alike, with one hardware thread each, and memory is never short. by-cost is what"
        " the policy adaptive begins with: a task should cost at most 5 % of what it does. No more than"
        f" {MOST_ITERATIONS} iterations are simulated.",
        f"All work of a program is {width[0][0]:.2f} ({width[0][1]} x {width[0][2]}) to {width[-1][0]:.2f} times"
        f" ({width[-1][1]} x {width[-1][2]}) as long as its longest chain: more cores cannot make it faster than by that,"
        " and what policies differ by is mostly overhead.",
        errors(runs),
    ]


def errors(runs: Sequence[Run]) -> str:
    """What the simulation says of one worker beside what was measured there."""
    there = {(r.users, r.items, r.iterations, r.policy): r for r in runs if r.experiment == "check"}
    pairs = sorted(
        (100 * (1 - r.inlined_seconds / r.tasks_seconds), 100 * (1 - inlined.seconds / r.seconds))
        for (users, items, iterations, policy), r in there.items()
        if policy == "never" and (inlined := there.get((users, items, iterations, "paper-baseline")))
    )
    if not pairs:
        return "Nothing of this was measured on this machine, so it is not known how far off it is."
    told = ", ".join(f"{measured:.0f} and {simulated:.0f} %" for measured, simulated in pairs)
    return (
        "With one worker it was measured how much less time a program takes with all nodes inlined than with all of them"
        f" tasks; that, and what the simulation says of paper-baseline there: {told}."
    )


def comparison(runs: Sequence[Run]) -> list[tuple[str, ...]]:
    def by_costs(tell: Callable[[list[inlining.Run]], str]) -> list[str]:
        return [
            tell([r.like_measured() for r in runs if r.costs == costs and r.experiment != "check"])
            for costs in COSTS
        ]

    def gain(experiment: str, policy: str, against: str) -> list[str]:
        def tell(mine: list[inlining.Run]) -> str:
            found = gains(of(mine, experiment), policy, against).of_cases
            return in_percent((min(found), max(found))) if found else "not simulated"

        return by_costs(tell)

    return [
        ("Figures 5 to 7: best lower threshold", "800 to 1000 µs, depending on the number of threads",
         *by_costs(best_thresholds)),
        ("Section 4.4.2: lower thresholds above 300 µs", "almost all take about the same time",
         *by_costs(lambda mine: said_once(level_thresholds(mine, on_cores)))),
        ("Section 4.2: lower threshold after which gains diminish", "a much higher one on Bulldozer: 900 µs",
         *by_costs(lambda mine: said_once(late_threshold(mine, on_cores)))),
        ("Figures 8 and 9: paper-baseline against tasks only", "7.6 to 54 % less time, most for small sets",
         *gain("sizes", "paper-baseline", "never")),
        ("Figures 10 and 12: paper-adaptive against paper-baseline, 10 x 5",
         "up to 74 % (Bulldozer); -2 to +1.8 % (Xeon)", *gain("iterations", "paper-adaptive", "paper-baseline")),
        ("Figure 11: the same for the large sets", "16 of 18 cases 0.4 to 16 %, two lose 1 %",
         *gain("large", "paper-adaptive", "paper-baseline")),
        ("by-cost against paper-baseline, 10 x 5", "–", *gain("iterations", "by-cost", "paper-baseline")),
        ("by-cost against paper-baseline, large sets", "–", *gain("large", "by-cost", "paper-baseline")),
    ]  # fmt: skip


def on_cores(cores: int, _: bool) -> str:
    return f"{cores} cores"


def said_once(text: str) -> str:
    """Numbers of cores of which the same is said share a line."""
    groups: dict[str, list[str]] = defaultdict(list)
    for line in text.split("; "):
        cores, _, told = line.partition(" cores: ")
        groups[told].append(cores)
    return "\n".join(
        f"{', '.join(cores)} cores: {told}" if told else "not simulated" for told, cores in groups.items()
    )


def best_thresholds(runs: Sequence[inlining.Run]) -> str:
    """For each number of cores, or that there is none: what is within 1 % of the best."""
    lines = []
    times = medians((r for r in of(runs, "threshold") if r.lower_us), lambda r: (r.workers, r.lower_us))
    for cores in sorted({k[0] for k in times}):
        mine = {k[1]: s for k, s in times.items() if k[0] == cores}
        good = [us for us, s in mine.items() if s <= 1.01 * min(mine.values())]
        lines.append(
            f"{cores} cores: "
            + ("no difference above 1 %" if len(good) == len(mine) else f"{min(good)} to {max(good)} µs")
        )
    return "\n".join(lines) or "not simulated"


def gain_figure(runs: Sequence[Run], policy: str, against: str, case: Callable[[Run], str]) -> str:
    """How much less time one policy takes than another over the number of cores, a curve for each case."""
    figure = canvas()
    axes = figure.add_subplot()
    times: dict[tuple[str, int, str], float] = {(case(r), r.cores, r.policy): r.seconds for r in runs}
    for name, color in zip(dict.fromkeys(case(r) for r in runs), cycle(COLORS), strict=False):
        points = [
            (cores, 100 * (1 - s / times[name, cores, against]))
            for (c, cores, p), s in times.items()
            if c == name and p == policy and (name, cores, against) in times
        ]
        if points:
            axes.plot(*zip(*sorted(points), strict=True), marker="o", ms=3, color=color, label=name)
    axes.set_xscale("log", base=2)
    cores = sorted({r.cores for r in runs})
    axes.set_xticks(cores, [str(c) for c in cores])
    axes.set(xlabel="simulated cores", ylabel=f"% less time than {against}")
    axes.axhline(0, color="black", lw=0.8)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize="small")
    return svg(figure)


def shown(runs: Sequence[Run]) -> list[Section]:
    def each(experiment: str, draw: Callable[[list[Run]], str], policy: str = "") -> list[str]:
        """`policy`: without it there is nothing to be seen."""
        groups: dict[str, list[Run]] = defaultdict(list)
        for r in runs:
            if r.experiment == experiment:
                groups[r.costs].append(r)
        if policy and not any(r.policy == policy for mine in groups.values() for r in mine):
            return []
        return [captioned(draw(mine), f"simulated, {TITLES[costs]}") for costs, mine in groups.items()]

    def size(r: Run) -> str:
        return f"{r.users} x {r.items}"

    return [
        ("Simulated: time by threshold (Figures 5 to 7)", "Below the threshold a node is inlined. Dashed: by-cost, which"
         " has none to be chosen.",
         each("threshold", lambda mine: threshold_figure(
             [r.like_measured() for r in mine if r.lower_us or r.policy != "paper-baseline"], "by-cost", "cores"))),
        ("Simulated: sizes (Figures 8 and 9)", "What paper-baseline gains over making every node a task.",
         each("sizes", lambda mine: gain_figure(mine, "paper-baseline", "never", size))),
        ("Simulated: small sets (Figures 10 and 12)", "10 x 5 ratings: what paper-adaptive gains over paper-baseline.",
         each("iterations", lambda mine: gain_figure(
             mine, "paper-adaptive", "paper-baseline", lambda r: f"{r.iterations} iterations"), "paper-adaptive")),
        ("Simulated: large sets (Figure 11)", "What paper-adaptive gains over paper-baseline.",
         each("large", lambda mine: gain_figure(mine, "paper-adaptive", "paper-baseline", size), "paper-adaptive")),
    ]  # fmt: skip


def table(runs: Sequence[Run]) -> str:
    names = (
        "experiment", "users", "items", "iterations", "costs", "cores", "policy", "lower µs", "simulated s", "tasks",
        "inlined %",
    )  # fmt: skip
    lines: list[Sequence[Any]] = [
        (r.experiment, r.users, r.items, r.iterations, r.costs, r.cores, r.policy, r.lower_us or "",
         f"{r.seconds:.5f}", f"{r.tasks:,}", f"{100 * r.inlined / max(r.tasks, 1):.1f}")
        for r in sorted(runs, key=lambda r: (r.experiment, r.users * r.items, r.iterations, r.costs, r.cores,
                                             POLICIES.index(r.policy), r.lower_us))
    ]  # fmt: skip
    return table_of(names, lines, "All simulated numbers")
