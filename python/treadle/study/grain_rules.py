"""Which partition is best, and which one the rules of Grubel et al. (CLUSTER 2015) choose.

The paper chooses afterwards, from the means of runs with every size. A grain_tuner with a policy of the same name
chooses while the program runs, from what it has tried so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .metrics import Metrics
from .page import table_of

POLICIES = ("paper-idle-rate", "paper-pending", "paper-costs")


def best(rows: Sequence[Metrics]) -> Metrics:
    return max(rows, key=lambda row: row.points_per_s)


def share(choice: Metrics, rows: Sequence[Metrics]) -> float:
    """Of the best speed."""
    return choice.points_per_s / best(rows).points_per_s


def near_best(rows: Sequence[Metrics]) -> tuple[int, int]:
    """The smallest and the largest partition within 5 % of the best speed."""
    near = [row.partition for row in rows if share(row, rows) > 0.95]
    return min(near), max(near)


def calm(rows: Sequence[Metrics], idle_rate: float) -> Metrics | None:
    """Section IV-A: the smallest partition with at most this idle-rate, in percent."""
    return next((row for row in rows if 100 * row.idle_rate <= idle_rate), None)


def fewest_looks(rows: Sequence[Metrics]) -> Metrics:
    """Section IV-E: the partition with the fewest looks at pending queues."""
    return min(rows, key=lambda row: row.pending_accesses)


def least_costs(rows: Sequence[Metrics]) -> Metrics | None:
    """Sections IV-D and VI: the partition with the least management and wait time; None without runs of one worker."""
    known = [(row.costs_s, row.partition, row) for row in rows if row.costs_s is not None]
    return min(known)[2] if known else None


def chosen(policy: str, rows: Sequence[Metrics], idle_rate: float) -> Metrics | None:
    """`rows` of one number of workers, by size. None where no partition satisfies the rule."""
    if policy == "paper-idle-rate":
        return calm(rows, idle_rate)
    return fewest_looks(rows) if policy == "paper-pending" else least_costs(rows)


def table_of_rules(
    by_workers: Mapping[int, Sequence[Metrics]], idle_rate: float, title: str, whose: str = "workers"
) -> str:
    """What the rules choose, and what it costs."""
    names = (
        whose, "best Gpoints/s", "best time s", "at points per partition", "a task µs", "within 5 %",
        f"idle-rate at most {idle_rate:g} %: smallest", "of best", "fewest looks at", "of best", "T_o + T_w least at",
        "of best",
    )  # fmt: skip
    lines = []
    for rows in by_workers.values():
        top, (smallest, largest) = best(rows), near_best(rows)
        cells = [
            top.workers_cell(), f"{top.points_per_s / 1e9:.2f}", f"{top.seconds:.3g}", f"{top.partition:,}",
            f"{top.task_ns / 1000:.1f}", f"{smallest:,} to {largest:,}",
        ]  # fmt: skip
        for policy in POLICIES:
            choice = chosen(policy, rows, idle_rate)
            cells += [f"{choice.partition:,}", f"{share(choice, rows):.0%}"] if choice else ["none", ""]
        lines.append(cells)
    return table_of(names, lines, title)
