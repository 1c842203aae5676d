"""The simulated part of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..page import COLORS, Section, canvas, captioned, sections, svg, words
from .measured import correlation, grid_of
from .simulated import ADAPTIVE, OFF, Run, choices

TEXT = (
    "Simulated: localities with one processor each ask others, by chance, for single elements, and go on; who is asked"
    " answers. All together make about as many requests, so that of more localities each makes fewer; some numbers of"
    " localities make ten times as many, too, with few settings, and the figures show those. The code that decides which"
    " parcels travel together is that of programs. adaptive finds out how long parcels wait, which takes some 10 ms; a"
    " locality that sends few stays as it begins, with a wait of 0 us. The search that goes on for all the time of a"
    " program is left out. At its best: with the best of the times among which it chooses."
)


class Found:
    """The runs of one network, and of one number of localities, partners and requests."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        self.first = runs[0]
        by_setting = {run.setting: run for run in runs}
        self.off, self.found_out = by_setting.get(OFF), by_setting.get(ADAPTIVE)
        self.best = _fastest(run for run in runs if run.setting in choices())
        self.grid = _fastest(run for run in runs if grid_of(run.setting))

    def against_grid(self, run: Run | None) -> float | None:
        return run.seconds / self.grid.seconds if run and self.grid else None


def groups(runs: Sequence[Run]) -> list[Found]:
    by_cell: dict[tuple[str, int, int, int], list[Run]] = {}
    for run in runs:
        by_cell.setdefault((run.network, run.partners, run.localities, run.requests), []).append(run)
    return [Found(group) for group in by_cell.values()]


def by_localities(found: Sequence[Found]) -> dict[int, Found]:
    """Those with the fewest partners, and of these with the most requests."""
    shown = {}
    for one in sorted(found, key=lambda one: (-one.first.partners, one.first.requests)):
        shown[one.first.localities] = one
    return dict(sorted(shown.items()))


def parts(runs: Sequence[Run]) -> list[str]:
    """HTML; empty where nothing was simulated."""
    if not runs:
        return []
    found = groups(runs)
    names = (
        "network, localities, asked by each, requests of each", "best of the grid", "off", "adaptive",
        "adaptive at its best", "correlation of overhead and time",
    )  # fmt: skip
    return [*sections([section(found)]), words(names, rows(found))]


def rows(found: Sequence[Found]) -> Iterator[tuple[str, ...]]:
    for one in found:
        first = one.first
        pairs = [(run.overhead, run.seconds) for run in one.runs]
        yield (
            f"{first.network}, {first.localities}, {first.partners}, {first.requests}",
            f"{one.grid.setting}: {one.grid.seconds * 1e3:.3f} ms" if one.grid else "–",
            _times(one.against_grid(one.off)),
            _times(one.against_grid(one.found_out)),
            f"{_times(one.against_grid(one.best))} ({one.best.setting})" if one.best else "–",
            f"{correlation(pairs):.3f}",
        )


def section(found: Sequence[Found]) -> Section:
    networks = dict.fromkeys(one.first.network for one in found)
    return "More localities", TEXT, [
        captioned(_over_localities([one for one in found if one.first.network == network]), f"simulated, network {network}")
        for network in networks
    ]  # fmt: skip


def _over_localities(found: Sequence[Found]) -> str:
    """Time against the best of the grid."""
    drawing = canvas()
    axes = drawing.add_subplot()
    shown = by_localities(found)
    for label, color in zip((OFF, ADAPTIVE, "adaptive at its best"), COLORS, strict=False):
        points = []
        for count, one in shown.items():
            run = {OFF: one.off, ADAPTIVE: one.found_out}.get(label, one.best)
            if (ratio := one.against_grid(run)) is not None:
                points.append((count, ratio))
        axes.plot([x for x, _ in points], [y for _, y in points], "o-", ms=4, color=color, label=label)
    axes.set_xscale("log", base=2)
    axes.set_xticks(list(shown), [str(count) for count in shown])
    most = max(one.first.partners for one in shown.values())
    axes.set(
        xlabel=f"localities, each asks up to {most}", ylabel="time, best of the grid = 1", ylim=(0, None)
    )
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)
    return svg(drawing)


def _fastest(runs: Iterator[Run]) -> Run | None:
    return min(runs, key=lambda run: run.seconds, default=None)


def _times(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.3f}"
