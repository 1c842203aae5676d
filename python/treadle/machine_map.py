"""Where the workers of pools go on a machine: this one, one in a file, or one that is only described."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from string import ascii_lowercase
from typing import Any, NamedTuple

from . import _native

MAPPINGS = tuple(_native.mappings())
FREE = "·"
WORKERS_MOST = 4096  # as many as a runtime may have


class Unit(NamedTuple):
    """A hardware thread; numbers through the whole machine, but `thread`, which is of its core."""

    os_index: int
    thread: int
    core: int
    cache: int
    domain: int
    package: int


@dataclass(frozen=True)
class MachineMap:
    units: list[Unit]
    domains: int
    distances: list[list[float]]  # between domains; empty: not known
    pools: dict[str, list[Unit]]  # where the workers of each are, in their order

    def record(self) -> dict[str, Any]:
        return {
            "units": [u._asdict() for u in self.units],
            "domains": self.domains,
            "distances": self.distances,
            "pools": {name: [u.os_index for u in place] for name, place in self.pools.items()},
        }

    def lines(self) -> list[str]:
        """A picture: a group of letters per core, a letter per hardware thread."""
        letters = dict(zip(self.pools, letters_of(list(self.pools)), strict=True))
        taken: dict[int, str] = {}
        for name, place in self.pools.items():
            for unit in place:
                taken[unit.os_index] = (
                    letters[name] if taken.get(unit.os_index) in (None, letters[name]) else "#"
                )
        found = []
        for domain, units in groupby(sorted(self.units, key=lambda u: u.domain), key=lambda u: u.domain):
            cores = [
                "".join(taken.get(u.os_index, FREE) for u in core)
                for _, core in groupby(units, key=lambda u: u.core)
            ]
            found.append(f"domain {domain}  {' '.join(cores)}")
        for name, place in self.pools.items():
            count = Counter(u.domain for u in place)
            each = " ".join(str(count[d]) for d in range(self.domains))
            found.append(
                f"{letters[name]} = {name}: {len(place)} worker{'s' * (len(place) != 1)}, by domain {each}"
            )
        if any(letter == "#" for letter in taken.values()):
            found.append("# = hardware threads that several pools share")
        return found

    def shape(self) -> str:
        cores = len({u.core for u in self.units})
        parts = {"domain": self.domains, "core": cores, "hardware thread": len(self.units)}
        return ", ".join(f"{n} {name}{'s' * (n != 1)}" for name, n in parts.items())


def letters_of(names: list[str]) -> list[str]:
    """Their initials, where those are taken the next letters that are free."""
    found: list[str] = []
    for name in names:
        wanted = [*name.lower(), *ascii_lowercase]
        found.append(next((c for c in wanted if c in ascii_lowercase and c not in found), "?"))
    return found


def parse_pools(text: str) -> dict[str, int]:
    """How many workers each has: "critical:256,default:32", as runtimes take it. Raises ValueError."""
    pools: dict[str, int] = dict(_native.parse_pools(text))
    for name, workers in pools.items():
        if workers == 0:
            raise ValueError(f"pools '{text}': pool '{name}' needs a number of workers here")
        if workers > WORKERS_MOST:
            raise ValueError(f"pools '{text}': pool '{name}' has more than {WORKERS_MOST} workers")
    return pools


def map_machine(
    machine: str = "", distances: str = "", mapping: str = "packed", pools: dict[str, int] | None = None
) -> MachineMap:
    """The map of a machine and of pools on it.

    machine: "" for the hardware threads that this process may use, the name of a file that ends in .xml, as
    `lstopo FILE.xml` writes them, or a description in the syntax of hwloc: "numa:4 core:18 pu:4". distances: between
    its domains, "10,21;21,10". Without pools there is one with a worker for each hardware thread. Raises ValueError
    that names what cannot be read.
    """
    found = _native.map_workers(machine, distances, mapping, list((pools or {}).values()))
    units = [Unit(*u) for u in found["units"]]
    if pools is None:
        pools = {"default": len(units)}
        found = _native.map_workers(machine, distances, mapping, [len(units)])
    n, flat = found["domains"], found["distances"]
    rows = [flat[d * n : (d + 1) * n] for d in range(n)] if flat else []
    places = {name: [units[i] for i in place] for name, place in zip(pools, found["pools"], strict=True)}
    return MachineMap(units, n, rows, places)
