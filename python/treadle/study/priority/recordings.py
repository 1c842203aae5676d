"""Recordings of small runs: who ran where and when, who depends on whom, and how long each task waited."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from .. import programs
from .configurations import CONFIGURATIONS, CRITICAL_TASKS

KINDS = {"cholesky": ("potrf", "trsm", "syrk", "gemm"), "merge_sort": ("sort", "merge")}
WARM_UP, RECORDED = 3, 6  # runs in a process: the first ones get memory from the system
RECORDS = 1 << 19  # that a thread keeps


@dataclass(frozen=True)
class Node:
    """A task; times in ns."""

    kind: str
    parent: int
    created: int
    ready: int
    start: int
    end: int


@dataclass(frozen=True)
class Graph:
    """Tasks by number, and (task, input)."""

    nodes: dict[int, Node]
    inputs: list[tuple[int, int]]


@dataclass(frozen=True)
class Slice:
    """What a worker did without a break; µs."""

    kind: str
    worker: str
    start: float
    end: float


@dataclass(frozen=True)
class Waits:
    """Means per task in ns: from being made to having all inputs, and from there to its start."""

    tasks: int
    staged_ns: float
    pending_ns: float


def record(file: Path, program: str, options: dict[str, object]) -> Path:
    """A recording in the format of the file's ending; made when it is not there."""
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_name("partial-" + file.name)
        trace = (f"--treadle:trace={partial}", f"--treadle:trace-records={RECORDS}")
        programs.run(program, options, (), *trace)
        partial.replace(file)
    return file


def read_graph(file: Path, kinds: Iterable[str]) -> Graph:
    """The tasks of these kinds; `treadle predict` describes the format. ValueError where it is something else."""
    sites: list[str] = []
    nodes: dict[int, Node] = {}
    inputs: list[tuple[int, int]] = []
    wanted = set(kinds)
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        what, _, rest = line.partition(" ")
        try:
            if what == "site":
                sites.append(rest)
            elif what == "node":
                words = rest.split()
                node, site, parent = int(words[0]), int(words[2]), int(words[3])
                if sites[site] in wanted:
                    nodes[node] = Node(sites[site], parent, *map(int, words[6:10]))
            elif what == "input":
                task, needed = map(int, rest.split())
                inputs.append((task, needed))
        except (ValueError, IndexError, TypeError):
            raise ValueError(f"{file}, line {number}: not a recording") from None
    return Graph(nodes, [(a, b) for a, b in inputs if a in nodes and b in nodes])


def read_slices(file: Path, kinds: Iterable[str]) -> list[Slice]:
    """In the order of their beginnings, without sleep; what is none of these kinds is "program"."""
    wanted = set(kinds)
    events = json.loads(file.read_text("utf-8"))["traceEvents"]
    threads = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    found = [
        Slice(e["name"] if e["name"] in wanted else "program", threads[e["tid"]], e["ts"], e["ts"] + e["dur"])
        for e in events
        if e["ph"] == "X" and e["name"] != "parked"
    ]
    return sorted(found, key=lambda s: s.start)


def fastest_run(slices: list[Slice], critical: str, count: int) -> list[Slice]:
    """Of several in a process, in each of which the last of `count` critical tasks begins last; times from its
    beginning.

    Where a run ends does not tell it from the next: the system may hold up a worker that has just ended a task.
    """
    last = [s.start for s in slices if s.kind == critical][count - 1 :: count]
    runs = []
    for before, begun in zip([-1.0, *last], last, strict=False):
        mine = [s for s in slices if s.kind != "program" and before < s.start <= begun]
        begin, end = min(s.start for s in mine), max(s.end for s in mine)
        mine += [s for s in slices if s.kind == "program" and s.start < end and s.end > begin]
        runs.append(
            [Slice(s.kind, s.worker, max(s.start, begin) - begin, min(s.end, end) - begin) for s in mine]
        )
    return min(runs, key=lambda run: max(s.end for s in run), default=[])


def waits_of(graph: Graph, critical: str) -> dict[str, Waits]:
    """Of "critical" and "other" tasks, without the runs that warm up."""
    numbers = sorted(graph.nodes)
    counted = numbers[len(numbers) * WARM_UP // (WARM_UP + RECORDED) :]
    found = {}
    for whose, wanted in (("critical", True), ("other", False)):
        mine = [n for n in map(graph.nodes.__getitem__, counted) if (n.kind == critical) == wanted]
        if mine:
            found[whose] = Waits(
                len(mine),
                fmean(max(n.ready - n.created, 0) for n in mine),
                fmean(max(n.start - n.ready, 0) for n in mine),
            )
    return found


@dataclass(frozen=True)
class Recordings:
    """Of the programs that are here: small ones, so that pictures can be read."""

    folder: Path
    workers: int = 2
    cholesky: tuple[int, int, int] = (512, 64, 10)  # n, tile, slow
    merge_sort: tuple[int, int] = (20_000, 64)  # n, cut-off

    def programs(self) -> list[str]:
        return [name for name in KINDS if programs.find(name)]

    def _options(self, program: str, configuration: str) -> dict[str, object]:
        split = CONFIGURATIONS[configuration].split
        how: dict[str, object] = {
            "configuration": configuration, "workers": self.workers, "critical": self.workers // 2 if split else 0,
        }  # fmt: skip
        if program == "cholesky":
            n, tile, slow = self.cholesky
            return how | {"n": n, "tile": tile, "slow-potrf": slow}
        n, cut_off = self.merge_sort
        return how | {"n": n, "cut-off": cut_off}

    def waits(self, program: str, configuration: str) -> dict[str, Waits]:
        options = self._options(program, configuration) | {"repeat": WARM_UP + RECORDED}
        file = record(self.folder / f"{program}-{configuration}.tasks", program, options)
        return waits_of(read_graph(file, KINDS[program]), CRITICAL_TASKS[program])

    def schedule(self, program: str, configuration: str) -> list[Slice]:
        """Of one run; merge sort sorts few numbers."""
        options = self._options(program, configuration) | {"repeat": WARM_UP + RECORDED}
        parts = -(-self.cholesky[0] // self.cholesky[1])
        if program == "merge_sort":
            n, cut_off = 1000, 125
            options |= {"n": n, "cut-off": cut_off}
            parts = n // cut_off - 1
        file = record(self.folder / f"{program}-{configuration}.json", program, options)
        return fastest_run(read_slices(file, KINDS[program]), CRITICAL_TASKS[program], parts)

    def graph(self, program: str) -> Graph:
        """Of one small run."""
        options: dict[str, object] = {"configuration": "paper-default", "workers": 1}
        options |= {"n": 256, "tile": 64} if program == "cholesky" else {"n": 16, "cut-off": 2}
        return read_graph(record(self.folder / f"{program}-graph.tasks", program, options), KINDS[program])
