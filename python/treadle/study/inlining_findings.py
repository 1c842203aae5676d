"""What the runs of the inlining study say, in numbers: no figures and no page."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median, pstdev
from typing import Any

from .inlining import PAPER_ASYNC, Run
from .median import Median, leader
from .workers import named

Key = tuple[Any, ...]
LEVEL_US = 300  # lower threshold: above it the paper's times are nearly alike
LATE_US = 900  # where the paper's gains diminish on Bulldozer


def of(runs: Iterable[Run], experiment: str) -> list[Run]:
    return [run for run in runs if run.experiment == experiment]


def grouped(
    runs: Iterable[Run], key: Callable[[Run], Key], value: Callable[[Run], float] = lambda run: run.seconds
) -> dict[Key, list[float]]:
    """Seconds, or another value, by key."""
    groups: dict[Key, list[float]] = defaultdict(list)
    for run in runs:
        groups[key(run)].append(value(run))
    return dict(groups)


def medians(
    runs: Iterable[Run],
    key: Callable[[Run], Key],
    summary: Callable[[list[float]], float] = median,
    value: Callable[[Run], float] = lambda run: run.seconds,
) -> dict[Key, float]:
    """Seconds by key; another value, or another summary of equal runs than their median, such as min, where wanted."""
    return {k: summary(v) for k, v in grouped(runs, key, value).items()}


def case_of(run: Run) -> Key:
    """What policies are compared on."""
    return run.program, run.experiment, run.users, run.items, run.iterations, run.workers


@dataclass(frozen=True)
class Gains:
    """How much less time one policy takes than another, in percent of the other's, case by case."""

    of_cases: tuple[float, ...]
    sure: int  # cases in which the intervals of the two medians do not overlap

    @property
    def improved(self) -> tuple[float, ...]:
        return tuple(gain for gain in self.of_cases if gain > 0)

    def said(self) -> str:
        """As the paper says it: how many cases improve, by how much, the range of all."""
        if not self.of_cases:
            return "not measured"
        cases = f"{len(self.improved)} of {len(self.of_cases)} cases improve"
        if self.improved:
            spread = f" ± {pstdev(self.improved):.1f}" if len(self.improved) > 1 else ""
            cases += f", by {fmean(self.improved):.1f}{spread} %"
        return (
            f"{cases}; all: {min(self.of_cases):+.1f} to {max(self.of_cases):+.1f} %;"
            f" intervals apart in {self.sure}"
        )


def gains(runs: Iterable[Run], policy: str, against: str) -> Gains:
    seconds = grouped((r for r in runs if r.policy in (policy, against)), lambda r: (*case_of(r), r.policy))
    found, sure = [], 0
    for key, mine in seconds.items():
        if key[-1] != policy or (theirs := seconds.get((*key[:-1], against))) is None:
            continue
        a, b = Median.of(mine), Median.of(theirs)
        found.append(100 * (1 - a.value / b.value))
        sure += a.high < b.low or b.high < a.low
    return Gains(tuple(found), sure)


def apart(runs: Sequence[Run], say: Callable[[list[Run]], str]) -> str:
    """For each program, and apart for more workers than cores."""
    lines = []
    for program in dict.fromkeys(r.program for r in runs):
        for crowded, label in ((False, ""), (True, ", oversubscribed")):
            mine = [r for r in runs if r.program == program and r.is_oversubscribed == crowded]
            if mine:
                lines.append(f"{program}{label}: {say(mine)}")
    return "\n".join(lines) or "not measured"


def best_thresholds(runs: Sequence[Run]) -> str:
    """The lower threshold with the least time, where its interval lies below those of the others; else which cannot be
    told from it."""
    lines = []
    sweep = [r for r in of(runs, "threshold") if r.policy == "paper-baseline"]
    times = grouped(sweep, lambda r: ((r.workers, r.is_oversubscribed), r.lower_us))
    for workers in sorted({(r.workers, r.is_oversubscribed) for r in sweep}):
        mine = {us: Median.of(s) for (w, us), s in times.items() if w == workers}
        best = min(mine, key=lambda us: mine[us].value)
        alike = sorted(us for us in mine if mine[us].low <= mine[best].high)
        if not mine[best].has_interval:
            told = f"{best} µs took least time; no interval with fewer than 6 runs"
        elif leader(mine) is not None:
            told = f"{best} µs"
        elif len(alike) == len(mine):
            told = "no optimum within the noise"
        else:
            told = f"no optimum within the noise of {in_words(alike, sorted(mine))}"
        lines.append(f"{named(*workers)}: {told}")
    return "; ".join(lines) or "not measured"


def threshold_times(runs: Sequence[Run]) -> dict[tuple[int, bool], dict[int, float]]:
    """Median seconds by lower threshold, for each number of workers and whether that is oversubscribed."""
    sweep = (r for r in of(runs, "threshold") if r.policy == "paper-baseline")
    found: dict[tuple[int, bool], dict[int, float]] = defaultdict(dict)
    for (workers, us), seconds in medians(
        sweep, lambda r: ((r.workers, r.is_oversubscribed), r.lower_us)
    ).items():
        found[workers][us] = seconds
    return {workers: dict(sorted(found[workers].items())) for workers in sorted(found)}


def level_thresholds(runs: Sequence[Run], say: Callable[[int, bool], str] = named) -> str:
    """How far all lower thresholds above 300 µs are from each other, and the best of them from 300 µs."""
    lines = []
    for workers, seconds in threshold_times(runs).items():
        if above := [s for us, s in seconds.items() if us > LEVEL_US]:
            told = f"within {100 * (max(above) / min(above) - 1):.1f} % of each other"
            if LEVEL_US in seconds:
                gain = 100 * (1 - min(above) / seconds[LEVEL_US])
                told += f", the best takes {gain:.1f} % less time than {LEVEL_US} µs"
            lines.append(f"{say(*workers)}: {told}")
    return "; ".join(lines) or "not measured"


def late_threshold(runs: Sequence[Run], say: Callable[[int, bool], str] = named) -> str:
    """How much less time it takes to go from the next smaller lower threshold to 900 µs, and from there to the next."""
    lines = []
    for workers, seconds in threshold_times(runs).items():
        steps = [pair for pair in pairwise(seconds) if LATE_US in pair]
        told = [f"{100 * (1 - seconds[b] / seconds[a]):+.1f} % from {a} to {b} µs" for a, b in steps]
        if told:
            lines.append(f"{say(*workers)}: {', '.join(told)}")
    return "; ".join(lines) or "not measured"


def in_words(some: Sequence[int], of_all: Sequence[int]) -> str:
    """Neighbours as a range: "3 and 100 to 1000 µs"."""
    groups: list[list[int]] = []
    for us in some:
        if groups and of_all.index(us) == of_all.index(groups[-1][-1]) + 1:
            groups[-1].append(us)
        else:
            groups.append([us])
    texts = [str(g[0]) if len(g) == 1 else f"{g[0]} to {g[-1]}" for g in groups]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts) + " µs"


def scaling(runs: Sequence[Run], policy: str) -> str:
    """Seconds of one case over the workers; the case is the one that takes longest."""
    mine = [r for r in runs if r.policy == policy]
    if not mine:
        return "not measured"
    case = max(((r.users, r.items, r.iterations) for r in mine), key=lambda c: c[0] * c[1] * c[2])
    seconds = medians(
        (r for r in mine if (r.users, r.items, r.iterations) == case),
        lambda r: (r.workers, r.is_oversubscribed),
    )
    steps = " → ".join(f"{s:.3g} s" for _, s in sorted(seconds.items()))
    workers = ", ".join(f"{w}{' (oversubscribed)' * crowded}" for w, crowded in sorted(seconds))
    return f"{case[0]} x {case[1]}, {workers} workers: {steps}"


def growth(runs: Sequence[Run], policy: str) -> str:
    """How much longer the cases take with several workers than with one: the least and the most, for each number."""
    seconds = medians(
        (r for r in runs if r.policy == policy), lambda r: (r.workers, r.is_oversubscribed, case_of(r)[:-1])
    )
    ratios: dict[Key, list[float]] = defaultdict(list)
    for (workers, crowded, case), s in seconds.items():
        if workers > 1 and (one := seconds.get((1, False, case))):
            ratios[workers, crowded].append(s / one)
    lines = [
        f"{named(*workers)}{',' * workers[1]} take {min(found):.2f} to {max(found):.2f} times as long as one"
        for workers, found in sorted(ratios.items())
    ]
    return "; ".join(lines) or "not measured"


def against_best(
    runs: Sequence[Run], summary: Callable[[list[float]], float] = median
) -> tuple[float, float] | None:
    """The least and the most that adaptive takes less time than the best other policy, in percent."""
    seconds = medians(
        (r for r in runs if r.experiment not in ("threshold", "overhead")),
        lambda r: (*case_of(r), r.policy),
        summary,
    )
    by_case: dict[Key, dict[str, float]] = defaultdict(dict)
    for (*case, policy), s in seconds.items():
        by_case[tuple(case)][policy] = s
    found = [
        100 * (1 - policies.pop("adaptive") / min(policies.values()))
        for policies in by_case.values()
        if "adaptive" in policies and len(policies) > 1
    ]
    return (min(found), max(found)) if found else None


def overhead(runs: Sequence[Run]) -> str:
    """What paper-adaptive takes more than paper-baseline: per evaluation and in percent, of each size."""
    lines = []
    mine = of(runs, "overhead")
    for users, items, iterations in sorted({(r.users, r.items, r.iterations) for r in mine}):
        size = [r for r in mine if (r.users, r.items, r.iterations) == (users, items, iterations)]
        by_repeat = {(r.repeat, r.policy): r for r in size}
        pairs = [
            (r, by_repeat[repeat, "paper-baseline"])
            for (repeat, policy), r in by_repeat.items()
            if policy == "paper-adaptive" and (repeat, "paper-baseline") in by_repeat
        ]
        if not pairs:
            continue
        each = Median.of(1e9 * (a.seconds - b.seconds) / a.evaluations for a, b in pairs)
        share = Median.of(100 * (a.seconds / b.seconds - 1) for a, b in pairs)
        lines.append(
            f"{users} x {items}: {interval(each, 'ns')} per evaluation, {interval(share, '%')}, {len(pairs)} pairs"
        )
    return "\n".join(lines) or "not measured"


def interval(m: Median, unit: str) -> str:
    bounds = f" ({m.low:+.2g} to {m.high:+.2g})" if m.has_interval else ""
    return f"{m.value:+.2g}{bounds} {unit}"


def in_percent(found: tuple[float, float] | None) -> str:
    return f"{found[0]:+.1f} to {found[1]:+.1f} %" if found else "not measured"


def comparison(runs: Sequence[Run]) -> list[tuple[str, str, str]]:
    """(what, what the paper says, what was measured here)"""
    sizes, small, large = of(runs, "sizes"), of(runs, "iterations"), of(runs, "large")

    def gain(mine: list[Run], policy: str, against: str) -> str:
        return apart(mine, lambda some: gains(some, policy, against).said())

    def of_programs(say: Callable[[list[Run]], str]) -> str:
        programs = dict.fromkeys(r.program for r in runs)
        return "\n".join(
            f"{program}: {say([r for r in runs if r.program == program])}" for program in programs
        )

    return [
        ("Figures 5 to 7: best lower threshold, 400 x 400",
         "800 to 1000 µs, depending on the number of threads; with 8 threads less than 5 % better than 300 µs",
         of_programs(best_thresholds)),
        ("Section 4.4.2: lower thresholds above 300 µs", "almost all take about the same time",
         of_programs(level_thresholds)),
        ("Section 4.2: lower threshold after which gains diminish", "a much higher one on Bulldozer: 900 µs",
         of_programs(late_threshold)),
        ("Figures 8 and 9: paper-baseline against every node a task (thresholds of zero)",
         "7.6 to 54 % less time, most for small sets", gain(sizes, "paper-baseline", PAPER_ASYNC)),
        ("Figure 10: paper-adaptive against paper-baseline, 10 x 5", "every case improves, by up to 74 % (Bulldozer)",
         gain(small, "paper-adaptive", "paper-baseline")),
        ("Figure 12: the same on Xeon", "7 of 20 cases improve, by 1.8 %; the others lose 2 %", "the row above"),
        ("Section 4.4.1: paper-baseline takes longer with more threads, 10 x 5", "its time increases",
         apart_by_program(small, lambda some: growth(some, "paper-baseline"))),
        ("Section 4.4.1: paper-adaptive does not", "consistent for all numbers of threads, no scaling",
         apart_by_program(small, lambda some: growth(some, "paper-adaptive"))),
        ("Figure 11: paper-adaptive against paper-baseline, large sets",
         "16 of 18 cases improve, by 5 ± 4 % (0.4 to 16 %); two lose 1 %",
         gain(large, "paper-adaptive", "paper-baseline")),
        ("Section 4.4.1: paper-baseline scales on 500 x 5000", "1119 s, with 8 and 16 threads 831 and 805 s; then longer",
         apart_by_program(large, lambda some: scaling(some, "paper-baseline"))),
        ("Section 4.4.3: what paper-adaptive costs", "5 s in a run, over 100 runs of different sizes", overhead(runs)),
        ("adaptive against paper-baseline, 10 x 5", "–", gain(small, "adaptive", "paper-baseline")),
        ("adaptive against the best other policy, everywhere", "–",
         apart(runs, lambda some: in_percent(against_best(some)))),
        ("the same by the fastest run of each kind", "–",
         apart(runs, lambda some: in_percent(against_best(some, min)))),
    ]  # fmt: skip


def apart_by_program(runs: Sequence[Run], say: Callable[[list[Run]], str]) -> str:
    programs = dict.fromkeys(r.program for r in runs)
    return "\n".join(f"{p}: {say([r for r in runs if r.program == p])}" for p in programs) or "not measured"


def disagreements(runs: Sequence[Run]) -> list[str]:
    """Sets of which the policies do not give the same factors, to the bit."""
    sums: dict[Key, set[float]] = defaultdict(set)
    for r in runs:
        sums[r.program, r.users, r.items, r.iterations, r.ratings].add(r.checksum)
    return [
        f"{users} x {items} ({program})"
        for (program, users, items, *_), found in sums.items()
        if len(found) > 1 or any(math.isnan(x) for x in found)
    ]
