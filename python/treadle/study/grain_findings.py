"""What Grubel et al. (CLUSTER 2015) say of task sizes, and what was measured here: a row for each statement."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import correlation

from .grain_rules import best, chosen, near_best, share
from .metrics import Metrics

HEAD = ("what", "the paper says", "measured here")
NOT_MEASURED = "not measured"
NO_MORE_CORES = "not measured, because there are no runs with that many cores"
NO_PHI = "not measured, because there are no runs on a Xeon Phi"
MEDIUM = (20_000, 1_000_000)  # points per partition: where the paper sees the wait time decide
EDGE = 12_500  # points: in smaller partitions the paper sees tasks that are too fine
RISING = (20_000, 100_000)  # points: where the paper sees the idle-rate rise although the time falls
VARIES = 32_000  # points: in smaller partitions, with more than MANY cores, the paper's times vary more
FLAT, MANY = 8, 16  # cores

Rows = Sequence[Metrics]  # of one number of workers, by size
ByWorkers = Mapping[int, Rows]


def comparison(
    by_workers: ByWorkers, idle_rate: float, named: Callable[[Metrics], str] = Metrics.named_workers
) -> list[tuple[str, str, str]]:
    """(what, what the paper says, what was measured here); a line for each number of workers, which `named` names."""
    several = {workers: rows for workers, rows in by_workers.items() if workers > 1}
    on_cores = {w: rows for w, rows in by_workers.items() if not rows[0].is_oversubscribed}
    flat = {workers: rows for workers, rows in on_cores.items() if workers >= FLAT}
    many = {workers: rows for workers, rows in on_cores.items() if workers > MANY}

    def _each(of: ByWorkers, say: Callable[[Rows], str], otherwise: str = NOT_MEASURED) -> str:
        lines = [f"{named(rows[0])}: {said}" for rows in of.values() if (said := say(rows))]
        return "\n".join(lines) or otherwise

    def choice(policy: str) -> Callable[[Rows], str]:
        return lambda rows: _choice(chosen(policy, rows, idle_rate), rows)

    return [
        ("Execution time (Figure 3)",
         "28 cores: least at 40,000 points, 1.71 s; much longer for very fine and very coarse grains",
         _each(by_workers, _least_time)),
        ("Idle-rate at the finest grain (Section IV-A)", "up to 90 % of the execution time",
         _each(by_workers, _finest)),
        (f"Smallest partition with an idle-rate of at most {idle_rate:g} % (IV-A)",
         "at most 30 %, 28 cores: 78,125 points, tasks of 99 µs; 1.75 s is 98 % of the best speed",
         _each(by_workers, choice("paper-idle-rate"))),
        ("Management, T_o (Eq. 4, IV-B)", "high for very fine and very coarse grains, flat in between",
         _each(by_workers, _management)),
        ("Wait time per task, t_w (Eq. 5, IV-C)", "grows with the cores and with the partition",
         _each(several, _wait_of_a_task)),
        ("Wait time, T_w (Eq. 6, IV-C)",
         "follows the execution time from 20,000 to 1,000,000 points; negative where there are fewer tasks than cores",
         _each(several, _wait)),
        ("Least T_o + T_w (IV-D, VI)", "the sum follows the execution time: the grain where it is least is optimal",
         _each(by_workers, choice("paper-costs"))),
        ("Fewest looks at pending queues (IV-E)", "28 cores: 31,250 points; 1.925 s, within 13 % of the least time",
         _each(by_workers, choice("paper-pending"))),
        ("Coefficients of variation (IV)",
         "ten samples; times and counts below 10 %, most below 3 %, with less than 16 cores",
         _each(by_workers, _variation)),
        ("Where the times of fine grains begin (IV-A)",
         "below 12,500 points, where a task takes 21 µs on one core", _each(by_workers, _edge)),
        ("Idle-rate and time from 20,000 to 100,000 points (IV-A)",
         "the idle-rate rises although the time falls, with 8 cores and with more", _each(by_workers, _rising)),
        ("Tasks of medium grains (IV-C)", "32 µs to 1.3 ms, from 20,000 to 1,000,000 points",
         _each(by_workers, _medium_tasks)),
        ("Execution time over the cores (IV-D)", "about the same from eight cores on",
         _each(flat, _least_time_alone, NO_MORE_CORES) if len(flat) > 1 else NO_MORE_CORES),
        ("Standard deviation of the least time (IV-A)", "28 cores: 0.03 s, 1.8 % of 1.71 s",
         _each(by_workers, _deviation)),
        ("Coefficients of variation with more than 16 cores (IV)",
         "up to 21 % in a few sample sets of less than 32,000 points", _each(many, _variation_of_fine, NO_MORE_CORES)),
        ("Xeon Phi: fine grains (IV-A)", "12,500 points take 1.1 ms on one core", NO_PHI),
        ("Xeon Phi: idle-rate and time from 100,000 to 800,000 points (IV-A)",
         "with 32 and 60 cores the idle-rate rises although the time falls", NO_PHI),
        ("Xeon Phi: tasks of medium grains (IV-C)", "1.8 to 50 ms, from 20,000 to 1,000,000 points", NO_PHI),
        ("Xeon Phi: coefficients of variation (IV)", "above 10 % in some sample sets of less than 5,000 points", NO_PHI),
    ]  # fmt: skip


def _least_time(rows: Rows) -> str:
    top, (smallest, largest) = best(rows), near_best(rows)
    return (
        f"least at {top.partition:,} points, {_time(top.seconds)}; within 5 % of the best speed from {smallest:,} to"
        f" {largest:,}; {_times(rows[0], top)} as long at {rows[0].partition:,}, {_times(rows[-1], top)} at"
        f" {rows[-1].partition:,}"
    )


def _time(seconds: float) -> str:
    """Three digits."""
    units = {"s": 1.0, "ms": 1e3, "µs": 1e6}
    unit = next((u for u, factor in units.items() if abs(seconds) * factor >= 1), "µs")
    return f"{seconds * units[unit]:.3g} {unit}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _times(row: Metrics, top: Metrics) -> str:
    return f"{row.seconds / top.seconds:.1f} times"


def _finest(rows: Rows) -> str:
    finest = rows[0]
    return (
        f"{100 * finest.idle_rate:.1f} % at {finest.partition:,} points, which has {_percent(share(finest, rows))} of"
        " the best speed"
    )


def _choice(choice: Metrics | None, rows: Rows) -> str:
    if choice is None:
        return "none"
    return (
        f"{choice.partition:,} points, tasks of {_time(choice.task_ns * 1e-9)}; {_time(choice.seconds)} is"
        f" {_percent(share(choice, rows))} of the best speed"
    )


def _management(rows: Rows) -> str:
    shown = dict.fromkeys((rows[0], best(rows), rows[-1]))
    return ", ".join(
        f"{_time(row.management_s)} of {_time(row.seconds)} at {row.partition:,} points" for row in shown
    )


def _wait_of_a_task(rows: Rows) -> str:
    known = [(row.wait_ns, row.partition) for row in rows if row.wait_ns is not None]
    if not known:
        return ""
    medium = [(ns, partition) for ns, partition in known if MEDIUM[0] <= partition <= MEDIUM[1]]
    (first, at), (last, end) = (medium or known)[0], (medium or known)[-1]
    return f"{_time(first * 1e-9)} at {at:,} points, {_time(last * 1e-9)} at {end:,}"


def _wait(rows: Rows) -> str:
    known = [(row.partition, row.wait_s, row.seconds) for row in rows if row.wait_s is not None]
    if not known:
        return ""
    said = []
    medium = [(wait, seconds) for partition, wait, seconds in known if MEDIUM[0] <= partition <= MEDIUM[1]]
    if len(medium) > 2:
        waits, times = zip(*medium, strict=True)
        said.append(
            f"{_time(min(waits))} to {_time(max(waits))} there, of {_time(min(times))} to {_time(max(times))}"
            f" ({_together(waits, times)})"
        )
    negative = [partition for partition, wait, _ in known if wait < 0]
    listed = ", ".join(f"{partition:,}" for partition in negative)
    return "; ".join([*said, f"negative at {listed} points" if negative else "nowhere negative"])


def _together(waits: Sequence[float], times: Sequence[float]) -> str:
    if len(set(waits)) == 1 or len(set(times)) == 1:
        return "without a correlation"
    return f"correlation {correlation(waits, times):.2f}"


def _variation(rows: Rows) -> str:
    if max(row.runs for row in rows) < 2:
        return ""
    times = [row.seconds_variation for row in rows]
    counts = [row.counts_variation for row in rows]
    return (
        f"{_samples(rows)}; times at most {_percent(max(times))}, {_below(times)} below 3 %; counts at most"
        f" {_percent(max(counts))}, {_below(counts)} below 3 %"
    )


def _edge(rows: Rows) -> str:
    near = min(rows, key=lambda row: abs(math.log(row.partition / EDGE)))
    told = (
        f"{near.partition:,} points, tasks of {_time(near.task_ns * 1e-9)}: {_percent(share(near, rows))} of the best"
        " speed"
    )
    below = [row for row in rows if row.partition < near.partition]
    return told + (f"; {below[-1].partition:,} points: {_percent(share(below[-1], rows))}" if below else "")


def _about(rows: Rows, sizes: tuple[int, int]) -> list[Metrics]:
    """Those from the one size to the other, to within 5 %; none where there are not two."""
    found = [row for row in rows if sizes[0] / 1.05 <= row.partition <= 1.05 * sizes[1]]
    return found if len(found) > 1 else []


def _rising(rows: Rows) -> str:
    if not (found := _about(rows, RISING)):
        return ""
    steps = list(pairwise(found))
    so = sum(b.idle_rate > a.idle_rate and b.seconds < a.seconds for a, b in steps)
    first, last = (
        f"{100 * row.idle_rate:.2g} % and {_time(row.seconds)} at {row.partition:,} points"
        for row in (found[0], found[-1])
    )
    return f"{first}, {last}; in {so} of {len(steps)} steps between sizes the one rises and the other falls"


def _medium_tasks(rows: Rows) -> str:
    if not (found := _about(rows, MEDIUM)):
        return ""
    return ", ".join(
        f"{_time(row.task_ns * 1e-9)} at {row.partition:,} points" for row in (found[0], found[-1])
    )


def _least_time_alone(rows: Rows) -> str:
    return _time(best(rows).seconds)


def _deviation(rows: Rows) -> str:
    top = best(rows)
    if top.runs < 2:
        return ""
    return (
        f"{_time(top.seconds_deviation)}, {100 * top.seconds_variation:.1f} % of {_time(top.seconds)},"
        f" at {top.partition:,} points"
    )


def _variation_of_fine(rows: Rows) -> str:
    fine = [row.seconds_variation for row in rows if row.partition < VARIES and row.runs > 1]
    return f"times at most {_percent(max(fine))}" if fine else ""


def _samples(rows: Rows) -> str:
    least, most = min(row.runs for row in rows), max(row.runs for row in rows)
    return f"{most} samples" if least == most else f"{least} to {most} samples"


def _below(variations: Sequence[float]) -> str:
    return f"{sum(one < 0.03 for one in variations)} of {len(variations)}"
