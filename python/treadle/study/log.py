"""Runs of a study, one per line of a CSV: what is there when it is interrupted is not measured again."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Protocol, TypeVar

R = TypeVar("R")
C = TypeVar("C")
M = TypeVar("M", bound="Measured")


def read(file: Path, kind: type[R]) -> list[R]:
    """The runs in the file, dataclasses of int, float and str; a last line that was not written in full is left out.

    Raises ValueError when the file holds something else.
    """
    if not file.is_file():
        return []
    convert: dict[str, Callable[[str], Any]] = {
        f.name: {"int": int, "float": float, "str": str}[str(f.type)]
        for f in fields(kind)  # type: ignore[arg-type]
    }
    runs = []
    whole = file.read_text(errors="replace").rpartition("\n")[0].splitlines(keepends=True)
    rows = csv.DictReader(whole)
    try:
        if rows.fieldnames is not None and list(rows.fieldnames) != list(convert):
            raise ValueError(
                f"{file}: its columns are {', '.join(rows.fieldnames)}, not {', '.join(convert)}: of another study"
                " or version; move it away"
            )
        for row in rows:
            try:
                if None in row:
                    raise ValueError("more cells than columns")
                runs.append(kind(**{name: make(row[name]) for name, make in convert.items()}))
            except (ValueError, TypeError):
                raise ValueError(f"{file}, line {rows.line_num}: not a run") from None
    except csv.Error as error:
        raise ValueError(f"{file}, line {rows.line_num}: {error}") from None
    return runs


def go_on(
    file: Path,
    kind: type[R],
    cells: Sequence[C],
    cell_of: Callable[[R], C | None],
    run: Callable[[C], R],
    report: Callable[[int, int, C | None], None],
) -> list[R]:
    """Runs of all cells: those in the file, and the others, each added to it as soon as it is done.

    `cell_of` a run in the file is None when it is not of this study. `report(done, of, next)` is called before each run
    and at the end. KeyboardInterrupt leaves the file whole. Raises ValueError as read().
    """
    rows = read(file, kind)
    known = {cell: row for row in rows if (cell := cell_of(row)) is not None}
    runs = [known[cell] for cell in cells if cell in known]
    columns = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial")
    with partial.open("w", newline="") as out:  # anew: without half a line
        _write(csv.DictWriter(out, columns), rows)
    partial.replace(file)
    with file.open("a", newline="") as out:
        writer = csv.DictWriter(out, columns)
        for cell in cells:
            if cell in known:
                continue
            report(len(runs), len(cells), cell)
            done = run(cell)
            writer.writerow(asdict(done))  # type: ignore[call-overload]
            out.flush()
            runs.append(done)
    report(len(runs), len(cells), None)
    return runs


class Measured(Protocol):
    """A run that knows what it is of: a cell, which can be compared and has a title()."""

    @property
    def cell(self) -> Any: ...


def cell_from(run: Any, kind: type[C]) -> C:
    """The cell, a dataclass, whose fields are all among those of the run."""
    return kind(**{f.name: getattr(run, f.name) for f in fields(kind)})  # type: ignore[arg-type]


def measure(
    file: Path,
    kind: type[M],
    cells: Iterable[Any],
    run: Callable[[Any], M],
    report: Callable[[int, int, str], None],
) -> list[M]:
    """go_on() for runs that know their cells, and cells that have a title: `report(done, of, title of the next)`."""
    cells = list(cells)
    wanted = set(cells)
    return go_on(
        file, kind, cells, lambda run: run.cell if run.cell in wanted else None, run,
        lambda done, of, cell: report(done, of, cell.title() if cell else ""),
    )  # fmt: skip


def wanted(cells: Iterable[Any], runs: Iterable[M]) -> list[M]:
    """Those runs that are of these cells."""
    mine = set(cells)
    return [run for run in runs if run.cell in mine]


def _write(writer: csv.DictWriter[str], rows: Iterable[Any]) -> None:
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
