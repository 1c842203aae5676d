"""What was decided for the loops, blocks and nodes of a program, and from which evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from .config import Config, current
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
    share: float  # of them that ran in tasks of others
    why: str


class Node(NamedTuple):
    name: str
    file: str
    line: int
    column: int
    evaluations: int
    mean_us: float  # with the operands
    self_us: float  # without
    share: float  # of the evaluations that were tasks
    why: str


@dataclass
class Explanation:
    """Loops and blocks in the order of the text, nodes by what they cost."""

    regions: list[Region] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    threshold_us: float = 0.0  # adaptive: from so much work on parts are tasks; 0: nobody asked yet
    windows: int = 0  # of the outermost loop, in which thresholds were compared
    splitting_us: float = 0.0  # time spent on that
    tuner_us: float = 0.0  # by all sessions and searches of the process


def explain(program: Program | JitFunction) -> Explanation:  # type: ignore[type-arg]
    """What is known after the runs so far, under the policy of the configuration.

    >>> td.explain(als).regions[0].why
    'parallel: 1.3 ms per turn are worth tasks'
    """
    files = program.files if isinstance(program, JitFunction) else [(program.name, 0)]
    rows = rows_of(program.native, files)
    config = current()
    threshold_ns, windows, splitting_ns = program.native.splitting()
    found = Explanation(
        threshold_us=threshold_ns / 1000,
        windows=windows,
        splitting_us=splitting_ns / 1000,
        tuner_us=_number(counters["/tuning/time/cumulative"]) / 1000,
    )
    by_place = {
        (row.primitive, row.file, row.line, row.column): i for i, row in reversed(list(enumerate(rows)))
    }
    for form, at, column, parallel, text in program.native.parallelism():
        file, line = locate(files, at)
        index = by_place.get((form, file, line, column))
        found.regions.append(_region(rows, index, form, file, line, column, parallel, text, found))
    for row in sorted(rows, key=lambda r: -r.self_ns):
        if row.count:
            mean, own = _mean_us(row), row.self_ns / row.count / 1000
            found.nodes.append(
                Node(row.display, row.file, row.line, row.column, row.count, mean, own, row.spawned / row.count,
                     _decision(row, mean, config, found))
            )  # fmt: skip
    return found


def _region(
    rows: list[Row],
    index: int | None,
    form: str,
    file: str,
    line: int,
    column: int,
    parallel: bool,
    text: str,
    found: Explanation,
) -> Region:
    whole = body = rows[index] if index is not None else None
    if whole is not None and form != "block":
        inside = [row for row in rows if row.parent == index]
        body = inside[-1] if inside else whole  # the body is the last operand
    count = body.count if body else 0
    mean = _mean_us(body) if body and count else 0.0
    share = body.spawned / count if body and count else 0.0
    if parallel and count == 0:
        text = "parallel, and not executed"
    elif whole is not None and parallel and form != "block":
        text = f"parallel: {mean:.1f} us per turn"
        if found.threshold_us > 0 and whole.count:
            worth = count / whole.count * mean / 2 >= found.threshold_us
            text += " are worth tasks" if worth else " are too little for tasks"
    return Region(form, file, line, column, parallel, count, mean, share, text)


def _decision(row: Row, mean_us: float, config: Config, found: Explanation) -> str:
    match config.policy:
        case "adaptive":
            if row.spawned:
                return "split where it overlaps"
            less = f", less than {found.threshold_us:.0f}" if mean_us < found.threshold_us else ""
            return f"inline: {mean_us:.1f} us{less}"
        case "paper-baseline" | "paper-adaptive":
            bounds = f"{config.lower_ns / 1000:.0f} and {config.upper_ns / 1000:.0f} us"
            if config.policy == "paper-adaptive":
                bounds = "its threshold"
            return f"{row.mode}: {mean_us:.1f} us against {bounds}"
    return config.policy


def _mean_us(row: Row) -> float:
    return row.inclusive_ns / row.count / 1000 if row.count else 0.0


def _number(value: object) -> float:
    return value if isinstance(value, float) else 0.0
