"""Do later measurements agree with the saved ones? Both as multiples of what a serial yardstick took in the same round.

The yardstick is the workload's serial program where there is one, else the loop that host.py runs on one core: machines
that call their processor alike differ in speed, and one machine does from hour to hour.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from machine import load, machine
from rich.console import Console
from rich.table import Table
from series import Key, Series

from treadle.study.median import Median, prediction

SERIAL, LOOP = "serial", "loop"


@dataclass(frozen=True)
class Cell:
    key: Key
    yardstick: str  # SERIAL or LOOP
    saved: Median  # with the interval in which a later median lies in at least 95 of 100 cases
    now: float

    @property
    def is_inside(self) -> bool:
        return self.saved.low <= self.now <= self.saved.high

    def record(self) -> dict:
        workload, rival, workers = self.key
        return {
            "workload": workload, "rival": rival, "workers": workers, "yardstick": self.yardstick,
            "saved": self.saved.value, "low": self.saved.low, "high": self.saved.high, "now": self.now,
            "inside": self.is_inside,
        }  # fmt: skip


def multiples(series: Mapping[Key, Series], key: Key, yardstick: str) -> list[float]:
    """What an operation costs, round by round, as a multiple of the yardstick; empty where that was not measured."""
    samples = series[key].counted()
    if yardstick == LOOP:
        return [s.cost / s.round.alone for s in samples if s.round.alone]
    serial = series.get((key[0], SERIAL, 1))
    costs = {s.round.number: s.cost for s in serial.counted()} if serial else {}
    return [s.cost / cost for s in samples if (cost := costs.get(s.round.number))]


def cells(saved: Mapping[Key, Series], now: Mapping[Key, Series]) -> Iterator[Cell]:
    """Those that both have, and enough rounds of."""
    for key in sorted(saved.keys() & now.keys()):
        if key[1] == SERIAL:
            continue
        for yardstick in (SERIAL, LOOP):
            before, after = (multiples(series, key, yardstick) for series in (saved, now))
            if before and after and (expected := prediction(before, len(after))).has_interval:
                yield Cell(key, yardstick, expected, Median.of(after).value)
                break


def compare(name: str, folder: Path, now: Mapping[Key, Series]) -> tuple[list[Cell], str]:
    """And why there is none."""
    file = folder / f"{name}.csv"
    if not file.is_file():
        return [], f"{file.name} was not saved"
    note, saved = load(file)
    here = machine()
    for what in ("cpu", "vectors", "usable cores"):
        if what in note and note[what] != here[what]:  # older files do not say all of it
            return [], f"{file.name} is of another machine: {what} {note[what]}, here {here[what]}"
    found = list(cells(saved, now))
    return found, "" if found else f"{file.name} has no yardstick, or too few rounds"


def show(found: list[Cell]) -> None:
    inside = sum(cell.is_inside for cell in found)
    table = Table(title=f"{inside} of {len(found)} medians lie where the saved ones say that 95 % do")
    for column in ("workload", "rival", "workers", "yardstick", "saved, as a multiple of it", "now", ""):
        table.add_column(
            column, justify="left" if column in ("workload", "rival", "yardstick", "") else "right"
        )
    for cell in found:
        workload, rival, workers = cell.key
        saved = f"{cell.saved.value:.4g} ({cell.saved.low:.4g}–{cell.saved.high:.4g})"
        said = "" if cell.is_inside else "outside"
        table.add_row(workload, rival, str(workers), cell.yardstick, saved, f"{cell.now:.4g}", said)
    Console(width=None if sys.stdout.isatty() else 150).print(table)
