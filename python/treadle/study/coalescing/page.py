"""The page of the study of parcels that travel together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..median import Median
from ..page import Section, captioned, head, notes_of, sections, table_of, words
from . import figures, simulated_page
from . import simulated as simulated_part
from .measured import FIXED, NETWORKS, SEARCHES, Run, correlation, grid_of

NONE = "–"


class Row(NamedTuple):
    """What is said of one setting, and its time against that of the best of the grid, where there is one."""

    where: str
    setting: str
    seconds: Median
    overhead: Median | None
    ratio: float | None

    @property
    def texts(self) -> tuple[str, ...]:
        ratio = NONE if self.ratio is None else f"{self.ratio:.3f}"
        return self.where, self.setting, _text(self.seconds), ratio, _text(self.overhead, 1)


class Found:
    """Medians of the repeats."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        self.kinds = list(dict.fromkeys((r.program, r.network) for r in runs))
        self.settings = list(dict.fromkeys(r.setting for r in runs))

    def of(self, program: str, network: str, setting: str, what: str = "seconds") -> Median | None:
        values = [
            getattr(r, what)
            for r in self.runs
            if (r.program, r.network, r.setting) == (program, network, setting)
        ]
        return Median.of(values) if values else None

    def grid(self, program: str, network: str, what: str) -> dict[tuple[int, int], float]:
        return {
            place: median.value
            for setting in self.settings
            if (place := grid_of(setting)) and (median := self.of(program, network, setting, what))
        }

    def best_of_grid(self, program: str, network: str) -> tuple[str, Median] | None:
        """The fastest pair of numbers, tried all of them."""
        found = [
            (s, m) for s in self.settings if grid_of(s) and (m := self.of(program, network, s)) is not None
        ]
        return min(found, key=lambda pair: pair[1].value, default=None)

    def pairs(self, program: str, network: str) -> list[tuple[float, float]]:
        """(overhead, seconds) of all settings that stay."""
        return [
            (overhead.value, seconds.value)
            for s in self.settings
            if (s in FIXED or grid_of(s))
            and (seconds := self.of(program, network, s))
            and (overhead := self.of(program, network, s, "overhead"))
        ]


def page(runs: Sequence[Run], notes: Sequence[str], simulated: Sequence[simulated_part.Run] = ()) -> str:
    """A page that stands alone. Needs matplotlib."""
    found = Found(runs)
    about = (
        "How many parcels should travel together, and for how long should they wait for each other? The question of Wagle,"
        " Kellar, Serio and Kaiser, Methodology for adaptive active message coalescing in task based runtime systems. Two"
        " processes of one machine, over shared memory, and as if there was a network between them, whose latency and"
        " costs are added to what is there. The poster gives almost no numbers: a search takes a step every 5 000 parcels,"
        " tasks take less than 1 ms. Measured on"
    )
    parts = [
        head("Parcels that travel together", "How many parcels should travel together?", about),
        words(
            ("network", "latency, overhead, gap (ns), per byte (ps)"),
            (
                (name, NETWORKS[name] or "shared memory as it is")
                for name in dict.fromkeys(n for _, n in found.kinds)
            ),
        ),
        words(
            ("program, network", "setting", "s", "against the best of the grid", "overhead"),
            (row.texts for row in rows(found)),
        ),
        words(("program, network", "settings", "correlation of overhead and time"), correlations(found)),
        notes_of(notes),
        *sections(shown(found)),
        *simulated_page.parts(simulated),
        table(found),
    ]
    return "\n".join(parts)


def _text(median: Median | None, digits: int = 4) -> str:
    if median is None:
        return NONE
    text = f"{median.value:.{digits}f}"
    return text + (f" ({median.low:.{digits}f} to {median.high:.{digits}f})" if median.has_interval else "")


def rows(found: Found) -> Iterator[Row]:
    for program, network in found.kinds:
        best = found.best_of_grid(program, network)
        where = f"{program}, {network}"
        if best:
            overhead = found.of(program, network, best[0], "overhead")
            yield Row(where, f"best of the grid: {best[0]}", best[1], overhead, 1.0)
        for setting in (*FIXED, *SEARCHES):
            if median := found.of(program, network, setting):
                ratio = median.value / best[1].value if best else None
                yield Row(where, setting, median, found.of(program, network, setting, "overhead"), ratio)


def correlations(found: Found) -> Iterator[tuple[str, ...]]:
    for program, network in found.kinds:
        pairs = found.pairs(program, network)
        yield f"{program}, {network}", str(len(pairs)), f"{correlation(pairs):.3f}"


def shown(found: Found) -> Iterator[Section]:
    for program, network in found.kinds:
        maps = [
            captioned(figures.heat_map(values, label), f"{what}: {program}, network {network}")
            for what, label in (("seconds", "s"), ("overhead", "%"))
            if (values := found.grid(program, network, what))
        ]
        yield f"{program}, network {network}", "Over the parcels of a message and the interval.", maps
    networks = dict.fromkeys(network for _, network in found.kinds)
    yield "Time and network overhead", "A point for each setting that stays.", [
        captioned(
            figures.time_against_overhead({p: found.pairs(p, network) for p, n in found.kinds if n == network}),
            f"network {network}",
        )
        for network in networks
    ]  # fmt: skip
    yield "What is found out", "Over the parcels sent, of the first run.", [
        captioned(figures.found_out(series), f"{program}, network {network}")
        for program, network in found.kinds
        if (series := _series(found, program, network))
    ]  # fmt: skip


def _series(found: Found, program: str, network: str) -> dict[str, str]:
    return {
        r.setting: r.series
        for r in found.runs
        if (r.program, r.network, r.repeat) == (program, network, 0) and r.series
    }


def table(found: Found) -> str:
    names = ("program", "network", "setting", "s", "overhead, %", "parcels per message")
    lines = []
    for program, network in found.kinds:
        for setting in found.settings:
            parcels, messages = (found.of(program, network, setting, w) for w in ("parcels", "messages"))
            per_message = (
                f"{parcels.value / messages.value:.1f}" if parcels and messages and messages.value else NONE
            )
            lines.append((
                program, network, setting, _text(found.of(program, network, setting)),
                _text(found.of(program, network, setting, "overhead"), 1), per_message,
            ))  # fmt: skip
    return table_of(names, lines, "All settings")
