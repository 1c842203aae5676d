"""What the paper says, what was measured here, what was simulated, and what follows: a row for each statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isnan, nan
from statistics import median
from typing import NamedTuple

from ..workers import named
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
POOLS = ("paper-default", "paper-pools")
MAPPINGS = ("paper-pools", "paper-pools-mtp")


class Row(NamedTuple):
    what: str
    paper: str
    measured: str
    simulated: str
    verdict: str


class Here(NamedTuple):
    """One of the paper's cases as it was measured: where each worker had a core, from which verdicts follow, and apart
    from that where they were oversubscribed."""

    alone: Measured
    crowded: Measured

    @classmethod
    def of(cls, runs: Sequence[measured.Run], program: str, n: int | None = None) -> Here:
        return cls(Measured(runs, program, n), Measured(runs, program, n, oversubscribed=True))

    def said(self, tell: Callable[[Measured], str]) -> str:
        return lines_of(tell(self.alone), self.crowded.workers, lambda: tell(self.crowded))


def lines_of(alone: str, workers: int, crowded: Callable[[], str]) -> str:
    """A line for the workers that had a core each, and one for those that were oversubscribed, if any."""
    return f"{alone}\n{named(workers, oversubscribed=True)}: {crowded()}" if workers else alone


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
    small, large, sort = (
        Here.of(runs, *case) for case in (("cholesky", 512), ("cholesky", 2048), ("merge_sort",))
    )
    there = {costs: Cases.of(predicted, costs) for costs in COSTS}

    def each(changes: Callable[[Cases], list[Change]]) -> ByCosts:
        return {costs: changes(cases) for costs, cases in there.items()}

    return [
        gain("Cholesky 512² on KNL4: pools of 256 and 32 workers against the default", -31.8, "",
             small, each(lambda c: c.knl.changes(*POOLS, 256))),
        gain("Cholesky 2048² on OCX: the best pools against the default", -33.5, "",
             large, each(lambda c: c.ocx.changes(*POOLS))),
        mapping("Cholesky 512² on KNL4: numa-balanced-mtp with these pools", "4.8 % more performance", -1, "",
                small, domains, each(lambda c: c.knl.changes(*MAPPINGS, 256))),
        mapping("Cholesky 2048² on OCX: numa-balanced-mtp with the best pools", "less performance", 1,
                "; the paper's reason, data in the other domain, is not in the simulation",
                large, domains, each(lambda c: c.ocx.changes(*MAPPINGS))),
        every_size(sort, {costs: cases.sort for costs, cases in there.items()}),
        gain("merge sort on KNL4: pools of 256 and 32 workers against the default", -47, ", the best of all",
             sort, each(lambda c: c.sort.changes(*POOLS, 256))),
        without_critical(there),
        waits(small.alone.workers, there["hpx"].knl),
        workload(small, "Cholesky", "critical tasks take much longer than the others"),
        workload(sort, "merge sort", "about as many critical tasks as others"),
        beyond("critical-path, for which nobody marks tasks, against the paper's best pools", "paper-pools",
               "critical-path", (small, large, sort), there),
        beyond("Treadle's default against the paper's", "paper-default", "default", (small, large, sort), there),
        lending((small, large, sort), predicted),
    ]  # fmt: skip


def by_costs(changes: ByCosts, text: Callable[[list[Change], str], str] = listed) -> str:
    if not any(changes.values()):
        return NOT_SIMULATED
    return "\n".join(f"{COSTS_OF[costs]}: {text(found, '–')}" for costs, found in changes.items())


def judged(here: Sequence[Change], there: ByCosts) -> str:
    """Which of them take less time."""
    said = [f"with {COSTS_OF[costs]} {less_time(found)}" for costs, found in there.items() if found]
    return ", ".join([*said, f"here {less_time(here)}"])


def agrees(there: ByCosts, sign: int = -1) -> str:
    """A statement of the paper against the simulation with HPX's costs; `sign` 1: that something takes more time."""
    changes = [sign * c.percent for c in there["hpx"]]
    agree = sum(change >= NOTICEABLE for change in changes)
    if not changes:
        return "open"
    return f"the simulation has the paper's sign in {agree or 'none'} of {len(changes)} case{'s' * (len(changes) > 1)}"


def gain(what: str, paper: float, more: str, here: Here, there: ByCosts) -> Row:
    """A statement that the paper's pools take less time, in percent."""
    return Row(
        what, f"{paper:+.1f} % time{more}", here.said(lambda m: listed(m.changes(*POOLS), NOT_MEASURED)),
        by_costs(there), f"{agrees(there)}: {judged(here.alone.changes(*POOLS), there)}",
    )  # fmt: skip


def mapping(what: str, paper: str, sign: int, more: str, here: Here, domains: int, there: ByCosts) -> Row:
    """numa-balanced-mtp against packed; `sign` 1: the paper says that it takes more time."""
    balanced = "; this machine has one domain, and nothing to balance" * (domains == 1)
    return Row(
        what, paper, here.said(lambda m: listed(m.changes(*MAPPINGS), NOT_MEASURED)) + balanced, by_costs(there),
        f"{agrees(there, sign)}: {judged(here.alone.changes(*MAPPINGS), there)}{more}",
    )  # fmt: skip


def every_size(here: Here, there: dict[str, Simulated]) -> Row:
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

    def tell(mine: Measured) -> str:
        said = listed(mine.changes(*POOLS), NOT_MEASURED)
        if failed := mine.failures():
            cut_offs = ", ".join(str(part) for part in sorted({r.part for r in failed}))
            said += f"; with cut-off {cut_offs} the paper's policies need more stacks than this system gives"
        return said

    return Row(
        "merge sort on KNL4: which sizes of the pools are faster than the default", "all", here.said(tell),
        by_costs(changes, spread), f"{agrees(changes)}: {judged(here.alone.changes(*POOLS), changes)}",
    )  # fmt: skip


def without_critical(there: dict[str, Cases]) -> Row:
    """How much of what two pools gain is left when the critical pool, and its workers, are left out."""
    shares = {
        costs: {
            f"{machine} {where}": share
            for machine, case, critical in (("KNL4", cases.knl, 256), ("OCX", cases.ocx, None))
            for where, share in case.shares_of_gain(*POOLS, "paper-rest", critical).items()
        }
        for costs, cases in there.items()
    }
    text = "\n".join(
        f"{COSTS_OF[costs]}: "
        + (", ".join(f"{where}: {share:.0%}" for where, share in found.items()) or "no gain")
        for costs, found in shares.items()
    )
    of = list(shares["hpx"].values())
    most = sum(share >= 0.8 for share in of)
    verdict = (
        f"with HPX's costs four fifths or more are left in {most} of {len(of)} cases: there it is the smaller pool that"
        " helps, which is cheaper to give tasks to, and not that critical tasks have workers of their own"
    )
    return Row(
        "Cholesky: how much of what these pools gain is left without the critical pool and its workers", "–",
        "simulated only", text if any(shares.values()) else NOT_SIMULATED, verdict if of else "open",
    )  # fmt: skip


def waits(workers: int, there: Simulated) -> Row:
    """For which size of the critical pool tasks wait shortest; `workers` were measured at most."""
    found, agree = [], 0
    for part in there.parts:
        sizes = list(there.of(part, "paper-pools").values())
        if sizes:
            staged, pending = (_shortest(sizes, what) for what in ("staged", "pending"))
            found.append(f"tile {part}: staged {staged}, pending {pending}")
            agree += staged == pending == 256
    measured_sizes = NOT_MEASURED
    if workers >= 2:
        measured_sizes = "two workers have one size" if len(measured.sizes(workers)) < 2 else "not compared"
    return Row(
        "Cholesky 512² on KNL4: the size of the critical pool with the shortest waits", "256, staged and pending",
        measured_sizes,
        f"HPX's costs: {', '.join(found)}" if found else NOT_SIMULATED,
        f"the simulation {'agrees' if agree else 'does not agree'}: both for {agree} of {len(found)} tiles"
        if found else "open",
    )  # fmt: skip


def _shortest(sizes: Iterable[simulated.Run], what: str) -> int:
    return min(sizes, key=lambda run: run.mean_wait_ns(what)).critical


def workload(here: Here, name: str, paper: str) -> Row:
    """How many tasks are critical, and how long they take against the others."""

    def tell(mine: Measured) -> str:
        return ", ".join(
            f"{part_name(mine.program)} {part}: {share:.0%} of the tasks, each {ratio:.1f} times as long"
            for part, (share, ratio) in critical_tasks(mine).items()
        ) or NOT_MEASURED  # fmt: skip

    critical = critical_tasks(here.alone).values()
    shares, ratios = [share for share, _ in critical], [ratio for _, ratio in critical]
    if not shares:
        verdict = "open"
    elif here.alone.program == "cholesky":
        verdict = f"{'confirmed' if min(ratios) > 2 else 'not confirmed'}, with potrf computed {here.alone.slow} times"
    else:
        verdict = (
            "not confirmed: there is one merge for two halves, so a third of the tasks are critical"
            if max(shares) < 0.45
            else "confirmed"
        )
    return Row(f"{name}: what is critical", paper, here.said(tell), "as generated", verdict)


def critical_tasks(here: Measured) -> dict[int, tuple[float, float]]:
    """For each tile or cut-off: their share of all tasks, and how many times as long as another one they take."""
    found = {}
    for part in here.parts:
        mine = [r for r in here.runs if r.part == part and r.configuration == "paper-pools" and counts(r)]
        if mine:
            found[part] = (
                median(r.tasks_critical / r.tasks for r in mine),
                median(length_ratio(r) for r in mine),
            )
    return found


def counts(run: measured.Run) -> bool:
    """Whether critical tasks and others were counted."""
    return not run.failed and not isnan(run.tasks_critical) and 0 < run.tasks_critical < run.tasks


def length_ratio(run: measured.Run) -> float:
    """How many times as long as another task a critical one takes."""
    others = (run.time_ns - run.time_critical_ns) / (run.tasks - run.tasks_critical)
    return run.time_critical_ns / run.tasks_critical / others if others else nan


def beyond(what: str, before: str, after: str, here: Sequence[Here], there: dict[str, Cases]) -> Row:
    """What the paper does not have, over all cases."""
    found = {
        costs: [c for case in cases for c in case.changes(before, after)] for costs, cases in there.items()
    }
    measured_ = all_changes((case.alone for case in here), before, after)
    return Row(what, "–", over_all(here, before, after), by_costs(found, spread), judged(measured_, found))


def all_changes(cases: Iterable[Measured], before: str, after: str) -> list[Change]:
    return [change for case in cases for change in case.changes(before, after)]


def over_all(here: Sequence[Here], before: str, after: str) -> str:
    """What was measured of something over all cases."""

    def tell(cases: Iterable[Measured]) -> str:
        found = all_changes(cases, before, after)
        doubtful = sum(bool(c.doubt) for c in found)
        return spread(found, NOT_MEASURED) + (f"; in {doubtful} it may be noise" if doubtful else "")

    crowd = max(case.crowded.workers for case in here)
    return lines_of(tell(case.alone for case in here), crowd, lambda: tell(case.crowded for case in here))


TITLES = {"cholesky": "Cholesky", "merge_sort": "merge sort"}


def lending(here: Sequence[Here], predicted: Sequence[simulated.Run]) -> Row:
    """Pools that lend against pools that do not, at each size."""
    seconds = {r.cell: r.seconds for r in predicted if r.configuration in ("strict", "lending")}
    changes: ByCosts = {costs: [] for costs in COSTS}
    for cell, s in seconds.items():
        strict = simulated.of_other(cell, "strict")
        if cell.configuration == "lending" and strict in seconds:
            changes[cell.costs].append(Change(cell.title(), percent(seconds[strict], s)))
    worse = {costs: sum(c.percent >= NOTICEABLE for c in found) for costs, found in changes.items()}
    return Row(
        "pools that lend idle workers against those that do not, at each size", "–",
        over_all(here, "strict", "lending"), by_costs(changes, spread),
        "; ".join(f"with {COSTS_OF[costs]} more time in {n} of {len(changes[costs])}" for costs, n in worse.items())
        if any(changes.values()) else "no data",
    )  # fmt: skip
