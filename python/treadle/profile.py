"""What the nodes of execution trees did: how often, how long, inlined or spawned."""

from __future__ import annotations

import csv
import linecache
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace

from . import _native
from .observed import Files, locate, observers


@dataclass(frozen=True)
class Row:
    """One primitive instance, or a group of them. Times are in nanoseconds."""

    name: str
    display: str
    primitive: str
    file: str
    line: int
    column: int
    parent: int  # index of the row it is an operand of, -1 at the top; for a group always -1
    count: int
    inclusive_ns: int
    self_ns: int
    inlined: int
    spawned: int
    mode: str  # inlined, spawned or undecided: the latest decision

    @property
    def source(self) -> str:
        return linecache.getline(self.file, self.line).strip()


@dataclass(frozen=True)
class Slice:
    """One evaluation on the timeline, in nanoseconds since the start of its run. worker -1: a thread of the program."""

    row: int
    worker: int
    start_ns: int
    end_ns: int


MODES = {-1: "undecided", 0: "spawned", 1: "inlined"}
GROUPS = ("node", "line", "primitive")


def rows_of(program: _native.Program, files: Files) -> list[Row]:
    result = []
    for n in program.profile():
        file, line = locate(files, n.line)
        result.append(
            Row(n.name, n.display, n.primitive, file, line, n.column, n.parent, n.count, n.inclusive_ns, n.self_ns,
                n.inlined, n.spawned, MODES[n.mode])
        )  # fmt: skip
    return result


class Table(list[Row]):
    """Rows that print themselves."""

    def table(self, sort_by: str = "self_ns", limit: int = 20) -> str:
        """The rows with the largest `sort_by`, as text."""
        if sort_by not in ("count", "inclusive_ns", "self_ns", "inlined", "spawned"):
            raise ValueError(f"cannot sort by '{sort_by}': count, inclusive_ns, self_ns, inlined or spawned")
        rows = sorted(self, key=lambda r: getattr(r, sort_by), reverse=True)[:limit]
        head = f"{'node':36} {'count':>9} {'inclusive ms':>13} {'self ms':>10} {'inlined':>9} {'spawned':>9}  place"
        lines = [head, "-" * len(head)]
        for r in rows:
            place = f"{os.path.basename(r.file)}:{r.line}" if r.line else ""
            lines.append(
                f"{r.display[:36]:36} {r.count:9} {r.inclusive_ns / 1e6:13.3f} {r.self_ns / 1e6:10.3f} "
                f"{r.inlined:9} {r.spawned:9}  {place}"
            )
        return "\n".join(lines)


@dataclass
class Profile:
    """Recorded by `with td.profile() as p:`; complete when the block is left. Recording changes no decision."""

    timeline_capacity: int = 0
    programs: dict[int, tuple[_native.Program, Files, list[Row]]] = field(default_factory=dict)
    rows: Table = field(default_factory=Table)
    slices: list[Slice] = field(default_factory=list)
    dropped: int = 0

    def add(self, program: _native.Program, files: Files) -> None:
        if id(program) not in self.programs:
            self.programs[id(program)] = (program, files, rows_of(program, files))

    def finish(self) -> None:
        """What happened since each program was first run in the block."""
        for program, files, before in self.programs.values():
            first = len(self.rows)
            for old, new in zip(before, rows_of(program, files), strict=True):
                self.rows.append(
                    replace(
                        new,
                        parent=new.parent + first if new.parent >= 0 else -1,
                        count=new.count - old.count,
                        inclusive_ns=new.inclusive_ns - old.inclusive_ns,
                        self_ns=new.self_ns - old.self_ns,
                        inlined=new.inlined - old.inlined,
                        spawned=new.spawned - old.spawned,
                    )  # fmt: skip
                )
            if self.timeline_capacity:
                records, dropped = program.timeline()
                self.slices += [
                    Slice(node + first, worker, start, end) for node, worker, start, end in records
                ]
                self.dropped += dropped
        self.programs.clear()

    def to_rows(self) -> list[Row]:
        return list(self.rows)

    def key_averages(self, group_by: str = "node") -> Table:
        """Sums over all nodes of one "line", one "primitive", or for each "node"."""
        if group_by not in GROUPS:
            raise ValueError(f"cannot group by '{group_by}': there are {', '.join(GROUPS)}")
        if group_by == "node":
            return Table(self.rows)
        groups: dict[tuple[str, int] | str, list[Row]] = {}
        for row in self.rows:
            groups.setdefault((row.file, row.line) if group_by == "line" else row.primitive, []).append(row)
        return Table(_sum(rows, group_by) for rows in groups.values())

    def table(self, sort_by: str = "self_ns", limit: int = 20) -> str:
        return self.rows.table(sort_by, limit)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(Row.__dataclass_fields__)
            writer.writerows(asdict(row).values() for row in self.rows)


def _sum(rows: list[Row], group_by: str) -> Row:
    first = rows[0]
    display = f"{os.path.basename(first.file)}:{first.line}" if group_by == "line" else first.primitive
    modes = {r.mode for r in rows if r.count}
    totals = {
        name: sum(getattr(r, name) for r in rows) for name in ("count", "self_ns", "inlined", "spawned")
    }
    # Nodes of a line lie inside of each other: only those without a parent among them count inclusively.
    return replace(
        first, name=display, display=display, parent=-1, mode=modes.pop() if len(modes) == 1 else "undecided",
        primitive=first.primitive if group_by == "primitive" else "", column=0 if group_by == "line" else first.column,
        inclusive_ns=max(r.inclusive_ns for r in rows), **totals,
    )  # fmt: skip


@contextmanager
def profile(*, timeline: int = 0) -> Iterator[Profile]:
    """Record what every node does while the block runs, and with `timeline=N` up to N single evaluations per program.

    >>> with td.profile() as p:
    ...     als(ratings)
    >>> print(p.key_averages(group_by="line").table())
    """
    if timeline < 0:
        raise ValueError(f"timeline ({timeline}) is negative")
    recorded = Profile(timeline)
    token = observers.set((*observers.get(), recorded))
    try:
        yield recorded
    finally:
        observers.reset(token)
        recorded.finish()


def total(rows: Iterable[Row], name: str) -> int:
    return sum(getattr(row, name) for row in rows)
