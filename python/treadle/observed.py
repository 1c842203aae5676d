"""Who watches the programs that run: the active profiles, and where lines of joint sources come from."""

from __future__ import annotations

import contextvars
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from . import _native

Files = Sequence[tuple[str, int]]  # (file, lines before it in the text that line numbers count in)


class Observer(Protocol):
    timeline_capacity: int

    def add(self, program: _native.Program, files: Files) -> None: ...


observers: contextvars.ContextVar[tuple[Observer, ...]] = contextvars.ContextVar(
    "treadle_observers", default=()
)


@contextmanager
def observe(program: _native.Program, files: Files) -> Iterator[int]:
    """Around each run: enters the program into the active profiles; gives the length of timeline they want."""
    active = observers.get()
    for observer in active:
        observer.add(program, files)
    yield max((o.timeline_capacity for o in active), default=0)


def locate(files: Files, line: int) -> tuple[str, int]:
    """File and line behind a line of the joint text."""
    for file, before in reversed(files):
        if line > before:
            return file, line - before
    return (files[0][0], line) if files else ("", line)
