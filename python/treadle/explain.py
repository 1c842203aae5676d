"""What was decided for the loops, blocks and nodes of a program, and from which evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from math import inf
from typing import NamedTuple

from . import _native
from .counters import counters
from .jit import JitFunction
from .observed import locate
from .physl import Program
from .profile import Row, rows_of


class Region(NamedTuple):
    """A loop, or a block with statements that may overlap."""

    form: str
    file: str
    line: int
    column: int
    parallel: bool  # its parts are independent
    turns: int  # evaluations of its body; of a block, of the block
    mean_us: float  # of one
    share: float  # of them that ran in tasks of others; of a block, of the statement of which most did
    why: str  # it is not parallel, or no part of it was a task


class Node(NamedTuple):
    name: str
    file: str
    line: int
    column: int
    evaluations: int
    mean_us: float  # with the operands
    self_us: float  # without
    share: float  # of the evaluations that were tasks
    why: str  # by the latest run that decided: "inlined: 19.1 us against 350 and 500 us"


class Alternative(NamedTuple):
    choice: str
    cost: float  # of a unit of work: ns, or what a session is told
    deviation: float  # relative, of one window
    windows: int


class Decision(NamedTuple):
    """What the process has decided in one context: the record of it, not a guess."""

    kind: str  # inlining, chunks, grain, splitting, pools, coalescing, session
    instance: str
    name: str  # the same, short enough for a table
    choices: str  # all that could be chosen
    context: str  # "2 workers"
    chosen: str
    best: str  # another one while that is tried
    why: str
    present: bool  # the program is in this context
    trying: bool
    converged: bool  # the search is done, and watches
    measured: list[Alternative]  # cheapest first
    windows: int
    epoch: int  # how often the search began again
    deciding_us: float
    exploring_us: float  # that tries took longer than the best would have


@dataclass
class Explanation:
    """Loops and blocks in the order of the text, nodes by what they cost. Prints as tables, also in notebooks."""

    regions: list[Region] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    threshold_us: float = (
        0.0  # adaptive: parts with at least this much work are tasks; 0: nobody asked yet; inf: none is
    )
    windows: int = 0  # of the outermost loop, in which thresholds were compared
    splitting_us: float = 0.0  # time spent on that
    tuner_us: float = 0.0  # by everything that adapts in the process

    def tables(self) -> list[list[tuple[str, ...]]]:
        """What there is, each with its head."""
        regions: list[tuple[str, ...]] = [
            (r.form, f"{r.line}:{r.column}", "yes" if r.parallel else "no", f"{r.turns:,}", f"{r.mean_us:.1f}",
             f"{r.share:.0%}", r.why)
            for r in self.regions
        ]  # fmt: skip
        nodes: list[tuple[str, ...]] = [
            (n.name, f"{n.evaluations:,}", f"{n.mean_us:.2f}", f"{n.self_us:.2f}", f"{n.share:.0%}", n.why)
            for n in self.nodes
        ]
        decisions: list[tuple[str, ...]] = [
            (f"{d.kind} of {d.name}", d.context, d.chosen + (f" (a try; best: {d.best})" if d.trying else ""),
             f"{d.windows:,}", f"{d.deciding_us:.0f}", f"{d.exploring_us:.0f}", d.why)
            for d in self.decisions
        ]  # fmt: skip
        heads: list[tuple[str, ...]] = [
            ("loop or block", "place", "parallel", "turns", "mean us", "in tasks", "why"),
            ("node", "evaluations", "mean us", "self us", "as task", "decision"),
            ("decision", "context", "chosen", "windows", "deciding us", "exploring us", "why"),
        ]
        return [[head, *rows] for head, rows in zip(heads, (regions, nodes, decisions), strict=True) if rows]

    def _threshold(self) -> list[str]:
        if self.threshold_us == 0:
            return []
        chosen = (
            "no part is a task"
            if self.threshold_us == inf
            else f"parts from {self.threshold_us:.0f} us on are tasks"
        )
        return [
            f"adaptive: {chosen}; {self.windows:,} windows were compared, deciding took {self.splitting_us:.0f} us"
        ]

    def text(self) -> str:
        return "\n\n".join([*map(_aligned, self.tables()), *self._threshold()])

    def __str__(self) -> str:
        return "\n\n".join(filter(None, (self.text(), f"deciding took {self.tuner_us:.0f} us in all")))

    def _repr_html_(self) -> str:
        def row(cells: tuple[str, ...], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        tables = (
            f"<table>{row(head, 'th')}{''.join(row(cells, 'td') for cells in rows)}</table>"
            for head, *rows in self.tables()
        )
        closing = [*self._threshold(), f"deciding took {self.tuner_us:.0f} us in all"]
        return "".join(tables) + "".join(f"<p>{line}</p>" for line in closing)


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def explain(program: Program | JitFunction | None = None) -> Explanation:  # type: ignore[type-arg]
    """What was decided in the runs so far, and why; without a program, by the whole process.

    >>> print(td.explain(als))
    >>> td.explain(als).regions[0].why
    'parallel'
    """
    found = Explanation(tuner_us=_number(counters["/tuning/time/cumulative"]) / 1000)
    for raw in _native.decisions():
        *told, measured, windows, epoch, deciding, exploring = raw
        alternatives = [Alternative(*a) for a in measured]
        found.decisions.append(
            Decision._make([*told, alternatives, windows, epoch, deciding / 1000, exploring / 1000])
        )
    if program is None:
        return found
    files = program.files if isinstance(program, JitFunction) else [(program.name, 0)]
    mine = program.native.instance
    found.decisions = [d for d in found.decisions if d.instance == mine and d.kind == "splitting"]
    rows = rows_of(program.native, files)
    threshold_ns, found.windows, splitting_ns = program.native.splitting()
    found.threshold_us, found.splitting_us = threshold_ns / 1000, splitting_ns / 1000
    for form, at, column, parallel, text, index, decision in program.native.parallelism():
        file, line = locate(files, at)
        found.regions.append(_region(rows, index, form, file, line, column, parallel, text, decision))
    reasons = [node.why for node in program.native.profile()]
    for row, why in sorted(zip(rows, reasons, strict=True), key=lambda r: -r[0].self_ns):
        if row.count:
            mean, own = _mean_us(row), row.self_ns / row.count / 1000
            found.nodes.append(
                Node(row.display, row.file, row.line, row.column, row.count, mean, own, row.spawned / row.count,
                     why)
            )  # fmt: skip
    return found


def _region(
    rows: list[Row],
    index: int,
    form: str,
    file: str,
    line: int,
    column: int,
    parallel: bool,
    text: str,
    decision: str,
) -> Region:
    inside = [row for row in rows if row.parent == index]
    whole = rows[index] if form == "block" else inside[-1]  # the body is the last operand
    parts = inside if form == "block" else [whole]
    share = max((row.spawned / row.count for row in parts if row.count), default=0.0)
    if parallel and whole.count == 0:
        text = "parallel, and not executed"
    elif parallel and share == 0:
        text = f"parallel; {decision}"
    return Region(form, file, line, column, parallel, whole.count, _mean_us(whole), share, text)


def _mean_us(row: Row) -> float:
    return row.inclusive_ns / row.count / 1000 if row.count else 0.0


def _number(value: object) -> float:
    return value if isinstance(value, float) else 0.0
