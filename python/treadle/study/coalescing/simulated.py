"""The simulated part: the pattern of the parquet equations between more localities than this machine has.

Localities ask others for single elements, by chance. Which parcels travel together is decided by the code that decides
it in programs: with all numbers of the grid, with `adaptive`, which finds its numbers out as at the beginning of a
program, and with each of the times to wait among which it chooses. Nothing here is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ... import _native
from .. import log
from .measured import NETWORKS, grid_of
from .measured import Plan as MeasuredPlan

WORK_NS = 500.0  # of a locality, before each request
BYTES = 16 << 10  # at which a message of `adaptive` leaves
OFF, ADAPTIVE = "off", "adaptive"
LONGER = (
    OFF,
    ADAPTIVE,
    "adaptive, 0 us",
    "adaptive, 2000 us",
    "adaptive, 5000 us",
    "256, 1000 us",
    "256, 5000 us",
)


@dataclass(frozen=True)
class Plan:
    localities: tuple[int, ...] = (4, 16, 64, 256, 1024)
    networks: tuple[str, ...] = tuple(name for name, text in NETWORKS.items() if text)
    partners: tuple[int, ...] = (16, 63)  # that each locality asks, at most
    requests: int = 300_000  # of all localities together
    fewest: int = 1_000  # of each
    longer: tuple[int, ...] = (16, 64, 256)  # localities that make ten times as many, with few settings

    def cells(self, measured: MeasuredPlan) -> Iterator[Cell]:
        """With the grid of the measured part."""
        grid = [name for name in measured.settings() if grid_of(name)]
        for network in self.networks:
            for count in self.localities:
                for partners in sorted({min(most, count - 1) for most in self.partners}):
                    for setting in (OFF, ADAPTIVE, *choices(), *grid):
                        yield Cell(
                            count, partners, max(self.requests // count, self.fewest), network, setting
                        )
            for count in self.longer:
                partners = min(self.partners[0], count - 1)
                for setting in LONGER:
                    yield Cell(count, partners, 10 * self.requests // count, network, setting)


QUICK = Plan(localities=(4, 64), networks=("costly messages",), requests=10_000, fewest=100, longer=())


@dataclass(frozen=True, order=True)
class Cell:
    """One simulated run."""

    localities: int
    partners: int
    requests: int  # of each
    network: str
    setting: str

    def title(self) -> str:
        return f"simulated: {self.localities} localities, network {self.network}, {self.setting}"


@dataclass(frozen=True)
class Run(Cell):
    seconds: float
    overhead: float  # percent of the processors' time
    answer_us: float  # from a request to its answer
    parcels: int
    messages: int

    @property
    def cell(self) -> Cell:
        return log.cell_from(self, Cell)


@cache
def choices() -> dict[str, int]:
    """Nanoseconds that `adaptive` chooses among, by name."""
    return {f"adaptive, {ns / 1000:g} us": ns for ns, size in _native.coalescing_choices() if size == BYTES}


def numbers_of(setting: str) -> tuple[str, int, int]:
    """Kind, nanoseconds, and bytes or parcels; -1: to be found out."""
    if setting == OFF:
        return "off", -1, -1
    if setting == ADAPTIVE:
        return "adaptive", -1, -1
    if setting in choices():
        return "adaptive", choices()[setting], BYTES
    grid = grid_of(setting)
    if grid is None:
        raise ValueError(f"no setting '{setting}'")
    return "paper", grid[1] * 1000, grid[0]


def run_once(cell: Cell) -> Run:
    latency, overhead, _, ps = map(float, NETWORKS[cell.network].split(","))
    found = _native.simulate_exchange(
        cell.localities, cell.partners, cell.requests, WORK_NS, latency, overhead, ps / 1000, *numbers_of(cell.setting)
    )  # fmt: skip
    seconds, share, answer_ns, parcels, messages = found
    return Run(
        cell.localities, cell.partners, cell.requests, cell.network, cell.setting, seconds, share, answer_ns / 1000,
        parcels, messages,
    )  # fmt: skip


def simulate(cells: list[Cell], file: Path, report: Callable[[int, int, str], None]) -> list[Run]:
    """All of them, see log.go_on()."""
    return log.measure(file, Run, cells, run_once, report)
