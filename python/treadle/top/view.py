"""Programs as lines of text, in columns and colours."""

from __future__ import annotations

from ..programs import RunningProgram
from .looks import Rates, Seen

# A look every second may not cost what it shows: text and escape codes are put together here, in a tenth of the time
# that a library for tables takes.
Line = list[tuple[str, str]]  # texts, each with the codes of its colour
BOLD, DIM, RED, GREEN, YELLOW, MAGENTA = "1", "2", "31", "32", "33", "35"


def _in_short(number: float) -> str:
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return f"{number:.3g}"


def _age(ns: int) -> str:
    seconds = ns / 1e9
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    return f"{seconds // 3600:.0f} h {seconds % 3600 // 60:.0f} min"


def _workers(one: RunningProgram) -> Line:
    """A letter for each worker, at most 32: busy ones first."""
    line, room = [], 32
    for letter, style, count in (
        ("█", GREEN, one.active), ("▒", YELLOW, one.searching), ("b", MAGENTA, one.blocked), ("·", DIM, one.parked),
    ):  # fmt: skip
        shown = min(count, room)
        line.append((letter * shown, style))
        room -= shown
    return line


def _progress(one: RunningProgram) -> Line:
    if not one.answers:
        return [(f"does not answer, as of {_age(one.age_ns)} ago", RED)]
    texts = (
        f"{p.stream} {p.value:.6g}".strip() + (f" ({_age(p.age_ns)} ago)" if p.age_ns > 5e9 else "")
        for p in one.streams
    )
    return [(", ".join(texts), "")]


COLUMNS = ("pid", "program", "runs", "granted", "cores", "workers", "queued", "tasks/s", "progress")
LEFT = {"machine", "program", "workers", "progress"}


def _row(one: RunningProgram, rate: Rates) -> list[Line]:
    plain = (
        str(one.pid), one.name, _age(one.runs_ns), f"{one.granted} of {one.workers}",
        "" if rate.cores is None else f"{rate.cores:.2f}", None, _in_short(one.queued),
        "" if rate.tasks is None else _in_short(rate.tasks),
    )  # fmt: skip
    return [_workers(one) if text is None else [(text, "")] for text in plain] + [_progress(one)]


def _length(line: Line) -> int:
    return sum(len(text) for text, _ in line)


def _in_columns(rows: list[list[Line]], left: list[bool]) -> list[Line]:
    widths = [max(map(_length, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        line: Line = []
        for cell, width, is_left in zip(row, widths, left, strict=True):
            gap = " " * (width - _length(cell))
            line += [*cell, (gap + "  ", "")] if is_left else [(gap, ""), *cell, ("  ", "")]
        lines.append(line)
    return lines


def view(found: list[Seen], complaints: dict[str, str], details: bool, with_machines: bool) -> list[Line]:
    """A row for each program and a line for each complaint about a machine; with `details` decisions, too."""
    lines: list[Line] = []
    if found:
        head = [[(name, BOLD)] for name in (("machine",) if with_machines else ()) + COLUMNS]
        rows = [
            ([[(one.machine, "")]] if with_machines else []) + _row(one.program, one.rates) for one in found
        ]
        lines += _in_columns([head, *rows], [cell[0][0] in LEFT for cell in head])
    else:
        lines.append([("No program of this user has a Treadle runtime at the moment.", "")])
    lines += [[(f"{machine}: {complaint}", RED)] for machine, complaint in complaints.items()]
    for machine, one, _ in found if details else []:
        if one.decisions:
            decided = [[[(text, "")] for text in ("", *decision)] for decision in one.decisions]
            title = f"{machine + ' ' if with_machines else ''}{one.pid} {one.name} has decided"
            lines += [[], [(title, "")], *_in_columns(decided, [True] * 4)]
    return lines


def printed(line: Line, width: int, colours: bool) -> str:
    parts = []
    for text, style in line:
        text = "".join(c if c.isprintable() else "?" for c in text[:width])
        width -= len(text)
        parts.append(f"\x1b[{style}m{text}\x1b[0m" if colours and style and text else text)
    return "".join(parts).rstrip()


__all__ = ["Line", "printed", "view"]
