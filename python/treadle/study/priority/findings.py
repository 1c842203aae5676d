"""What the paper says, what was measured here, what was simulated, and what follows: a row for each statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isnan, nan
from statistics import median
from typing import NamedTuple

from . import measured, simulated
from .comparisons import (
    NOTICEABLE,
    Change,
    Measured,
    Simulated,
    less_time,
    listed,
    part_name,
    percent,
    spread,
)
from .simulated import COSTS

NOT_MEASURED, NOT_SIMULATED = "not measured", "not simulated"
HEAD = ("what", "the paper says", "measured here", "simulated", "verdict")
COSTS_OF = {"hpx": "HPX's costs", "treadle": "Treadle's costs"}

ByCosts = dict[str, list[Change]]


class Row(NamedTuple):
    what: str
    paper: str
    measured: str
    simulated: str
    verdict: str


class Cases(NamedTuple):
    """The paper's three: Cholesky on both machines, merge sort on one."""

    knl: Simulated
    ocx: Simulated
    sort: Simulated

    @classmethod
    def of(cls, predicted: Sequence[simulated.Run], costs: str) -> Cases:
        return cls(
            Simulated(predicted, "KNL4", "cholesky", costs), Simulated(predicted, "OCX", "cholesky", costs),
            Simulated(predicted, "KNL4", "merge_sort", costs),
        )  # fmt: skip


def rows(runs: Sequence[measured.Run], predicted: Sequence[simulated.Run], domains: int) -> list[Row]:
    """`domains`: of memory, on this machine."""
    small, large = Measured(runs, "cholesky", 512), Measured(runs, "cholesky", 2048)
    sort = Measured(runs, "merge_sort")
    there = {costs: Cases.of(predicted, costs) for costs in COSTS}

    def each(changes: Callable[[Cases], list[Change]]) -> ByCosts:
        return {costs: changes(cases) for costs, cases in there.items()}

    pools = ("paper-default", "paper-pools")
    mappings = ("paper-pools", "paper-pools-mtp")
    return [
        gain("Cholesky 512² on KNL4: pools of 256 and 32 workers against the default", "-31.8 % time",
             small.changes(*pools), each(lambda c: c.knl.changes(*pools, 256))),
        gain("Cholesky 2048² on OCX: the best pools against the default", "-33.5 % time",
             large.changes(*pools), each(lambda c: c.ocx.changes(*pools))),
        mapping("Cholesky 512² on KNL4: numa-balanced-mtp with these pools", "4.8 % more performance", small, domains,
                each(lambda c: c.knl.changes(*mappings, 256))),
        mapping("Cholesky 2048² on OCX: numa-balanced-mtp with the best pools", "less performance", large, domains,
                each(lambda c: c.ocx.changes(*mappings))),
        every_size(sort, {costs: cases.sort for costs, cases in there.items()}),
        gain("merge sort on KNL4: pools of 256 and 32 workers against the default", "-47 % time, the best of all",
             sort.changes(*pools), each(lambda c: c.sort.changes(*pools, 256))),
        waits(there["hpx"].knl),
        workload(small, "Cholesky", "critical tasks take much longer than the others"),
        workload(sort, "merge sort", "about as many critical tasks as others"),
        beyond("critical-path, for which nobody marks tasks, against the paper's best pools", "paper-pools",
               "critical-path", (small, large, sort), there),
        beyond("Treadle's default against the paper's", "paper-default", "default", (small, large, sort), there),
        lending(predicted),
    ]  # fmt: skip


def by_costs(changes: ByCosts, text: Callable[[list[Change], str], str] = listed) -> str:
    if not any(changes.values()):
        return NOT_SIMULATED
    return "; ".join(f"{COSTS_OF[costs]}: {text(found, '–')}" for costs, found in changes.items())


def judged(here: Sequence[Change], there: ByCosts) -> str:
    """Which of them take less time."""
    said = [f"with {COSTS_OF[costs]} {less_time(found)}" for costs, found in there.items() if found]
    return "; ".join([*said, f"here {less_time(here)}"])


def gain(what: str, paper: str, here: Sequence[Change], there: ByCosts) -> Row:
    """A statement that something takes less time."""
    return Row(what, paper, listed(here, NOT_MEASURED), by_costs(there), judged(here, there))


def mapping(what: str, paper: str, here: Measured, domains: int, there: ByCosts) -> Row:
    changes = here.changes("paper-pools", "paper-pools-mtp")
    said = listed(changes, NOT_MEASURED)
    if domains == 1:
        said += "; this machine has one domain, and nothing to balance"
    verdict = (
        judged(changes, there) + "; data in the other domain, the paper's reason, are not in the simulation"
    )
    return Row(what, paper, said, by_costs(there), verdict)


def every_size(here: Measured, there: dict[str, Simulated]) -> Row:
    """Whether the paper's pools are faster whatever their sizes."""
    changes = {
        costs: [
            Change(str(run.critical), percent(default.seconds, run.seconds))
            for part in case.parts
            if (default := case.best(part, "paper-default"))
            for run in case.of(part, "paper-pools").values()
        ]
        for costs, case in there.items()
    }
    found = here.changes("paper-default", "paper-pools")
    said = listed(found, NOT_MEASURED)
    if failed := here.failures():
        cut_offs = ", ".join(str(part) for part in sorted({r.part for r in failed}))
        said += f"; with cut-off {cut_offs} the paper's policies need more stacks than this system gives"
    return Row(
        "merge sort on KNL4: which sizes of the pools are faster than the default", "all", said,
        by_costs(changes, spread), judged(found, changes),
    )  # fmt: skip


def waits(there: Simulated) -> Row:
    """For which size of the critical pool tasks wait shortest."""
    found, agree = [], 0
    for part in there.parts:
        sizes = list(there.of(part, "paper-pools").values())
        if sizes:
            staged, pending = (_shortest(sizes, what) for what in ("staged", "pending"))
            found.append(f"tile {part}: staged {staged}, pending {pending}")
            agree += staged == pending == 256
    return Row(
        "Cholesky 512² on KNL4: the size of the critical pool with the shortest waits", "256, staged and pending",
        "two workers have one size", f"HPX's costs: {', '.join(found)}" if found else NOT_SIMULATED,
        f"both for {agree} of {len(found)} tiles" if found else "no data",
    )  # fmt: skip


def _shortest(sizes: Iterable[simulated.Run], what: str) -> int:
    return min(sizes, key=lambda run: run.mean_wait_ns(what)).critical


def workload(here: Measured, name: str, paper: str) -> Row:
    """How many tasks are critical, and how long they take against the others."""
    found, ratios, shares = [], [], []
    for part in here.parts:
        mine = [r for r in here.runs if r.part == part and r.configuration == "paper-pools" and counts(r)]
        if mine:
            shares.append(median(r.tasks_critical / r.tasks for r in mine))
            ratios.append(median(length_ratio(r) for r in mine))
            found.append(
                f"{part_name(here.program)} {part}: {shares[-1]:.0%} of the tasks, each {ratios[-1]:.1f} times as long"
            )
    if not found:
        verdict = "no data"
    elif here.program == "cholesky":
        verdict = f"{'so' if min(ratios) > 2 else 'not for all tiles'}, with potrf computed {here.slow} times"
    else:
        verdict = f"{min(shares):.0%}: two halves have one merge" if max(shares) < 0.45 else "so"
    return Row(f"{name}: what is critical", paper, ", ".join(found) or NOT_MEASURED, "as generated", verdict)


def counts(run: measured.Run) -> bool:
    """Whether critical tasks and others were counted."""
    return not run.failed and not isnan(run.tasks_critical) and 0 < run.tasks_critical < run.tasks


def length_ratio(run: measured.Run) -> float:
    """How many times as long as another task a critical one takes."""
    others = (run.time_ns - run.time_critical_ns) / (run.tasks - run.tasks_critical)
    return run.time_critical_ns / run.tasks_critical / others if others else nan


def beyond(what: str, before: str, after: str, here: Iterable[Measured], there: dict[str, Cases]) -> Row:
    """What the paper does not have, over all cases."""
    found = [
        Change(f"{TITLES.get(case.program, '')} {case.n} {c.where}".strip(), c.percent, c.doubt)
        for case in here
        for c in case.changes(before, after)
    ]
    simulated_ = {
        costs: [c for case in cases for c in case.changes(before, after)] for costs, cases in there.items()
    }
    return Row(
        what, "–", listed(found, NOT_MEASURED), by_costs(simulated_, spread), judged(found, simulated_)
    )


TITLES = {"cholesky": "Cholesky", "merge_sort": "merge sort"}


def lending(predicted: Sequence[simulated.Run]) -> Row:
    """Pools that lend against pools that do not, at each size."""
    seconds = {r.cell: r.seconds for r in predicted if r.configuration in ("strict", "lending")}
    changes: ByCosts = {costs: [] for costs in COSTS}
    for cell, s in seconds.items():
        strict = simulated.of_other(cell, "strict")
        if cell.configuration == "lending" and strict in seconds:
            changes[cell.costs].append(Change(cell.title(), percent(seconds[strict], s)))
    worse = {costs: sum(c.percent >= NOTICEABLE for c in found) for costs, found in changes.items()}
    return Row(
        "pools that lend idle workers against those that do not, at each size", "–", "see the results",
        by_costs(changes, spread),
        "; ".join(f"with {COSTS_OF[costs]} more time in {n} of {len(changes[costs])}" for costs, n in worse.items())
        if any(changes.values()) else "no data",
    )  # fmt: skip
