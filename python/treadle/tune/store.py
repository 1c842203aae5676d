"""Reads the store of decisions (treadle/tune/tuning_store.hpp in C++), and removes from it. Writes nothing else."""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import _native
from ..session import name_program

SCHEMA_VERSION = 2


class StoreError(OSError):
    """The file cannot be read, is damaged, or is of another version."""


def standard_path() -> Path:
    """$TREADLE_STORE; otherwise treadle/tuning-2.sqlite in $XDG_STATE_HOME or ~/.local/state."""
    if given := os.environ.get("TREADLE_STORE"):
        return Path(given)
    state = os.environ.get("XDG_STATE_HOME") or Path(os.environ.get("HOME", "/")) / ".local/state"
    return Path(state) / "treadle" / f"tuning-{SCHEMA_VERSION}.sqlite"


def remember(path: str | Path | None = None) -> None:
    """All that adapts begins with what earlier runs have found, and leaves what it finds, in the standard file or
    another.

    That is the splitting of functions and sessions without a store of their own. Each script has results of its own, by
    its path. The first call in a process counts; so does TREADLE_REMEMBER=1, or =FILE, when the first function runs.
    The file is read now, and written twice a minute and at the end.
    """
    name_program()
    _native.remember(str(path or standard_path()))


@dataclass(frozen=True)
class Point:
    values: str  # of the knobs, "1024, 8", or another choice
    cost: float  # geometric mean; ns, or in the session's unit
    spread: float  # of single windows around it, as a share
    windows: int


@dataclass(frozen=True)
class Search:
    """What is known of one decision in one context, of one program on one machine; the best point first."""

    number: int
    kind: str  # session, grain, chunks, inlining or splitting
    instance: str  # a session's name, a place, a loop, a program
    choices: str  # knobs with their domains
    context: str
    program: str
    machine: str
    saved: str
    windows: int
    epoch: int
    converged: bool
    points: list[Point]

    @property
    def best(self) -> Point | None:
        return self.points[0] if self.points else None


class Store:
    """The store in a file, which need not exist: then it is empty."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or standard_path()

    def searches(self) -> list[Search]:
        """All of them, by session. Raises StoreError."""
        rows: list[Any] = []
        points: dict[int, list[Point]] = {}
        with self._transaction() as run:
            rows = run(
                "SELECT id, kind, instance, choices, context, program, machine, saved, windows, epoch, converged "
                "FROM search ORDER BY kind, instance, context, program, machine"
            )
            for search, values, mean, deviation, windows in run(
                'SELECT search, "values", mean, deviation, windows FROM point ORDER BY mean'
            ):
                cost, spread = math.exp(min(mean, 700)), math.expm1(min(deviation, 700))
                points.setdefault(search, []).append(Point(values, cost, spread, windows))
        return [Search(*(*row[:10], bool(row[10]), points.get(row[0], []))) for row in rows]

    def forget(self, numbers: list[int]) -> None:
        """Removes searches. Raises StoreError."""
        with self._transaction("IMMEDIATE") as run:  # waits for a program that saves
            run(f"DELETE FROM search WHERE id IN ({', '.join('?' * len(numbers))})", numbers)

    @contextmanager
    def _transaction(self, kind: str = "DEFERRED") -> Iterator[Callable[..., list[Any]]]:
        """Gives what runs SQL, which finds nothing where there is no file."""
        if not self.path.exists():
            yield lambda *_: []
            return
        # Not read-only, where that is possible: the one that comes after a crash has to take back what was half
        # written.
        uri = f"{self.path.resolve().as_uri()}?mode=rw"
        try:
            with closing(sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None)) as db:
                db.text_factory = lambda text: text.decode(errors="replace")
                db.execute("PRAGMA foreign_keys = ON")
                db.execute(f"BEGIN {kind}")
                (version,) = db.execute("PRAGMA user_version").fetchone()
                if version != SCHEMA_VERSION:
                    raise StoreError(
                        f"{self.path} is of version {version}, and this is version {SCHEMA_VERSION}"
                    )
                yield lambda *sql: db.execute(*sql).fetchall()
                db.execute("COMMIT")  # what is closed without is undone
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None
