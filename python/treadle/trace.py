"""Records of what the runtime did: for Perfetto, as graph, tree or table."""

from __future__ import annotations

import os
from types import TracebackType

from . import _native
from .task_profile import TaskProfile

FORMATS = (".json", ".dot", ".txt", ".csv", ".tasks")
STREAMED = ".pftrace"


class Trace:
    """What the runtime did inside of a `with` block: see treadle.trace."""

    def __init__(self, files: list[str], records_per_thread: int) -> None:
        self._files = files
        self._records_per_thread = records_per_thread
        self._trace: _native.Trace | None = None
        self._stream: _native.StreamedTrace | None = None

    def __enter__(self) -> Trace:
        if self._files and self._files[0].endswith(STREAMED) and len(self._files) == 1:
            self._stream = _native.StreamedTrace(self._files[0], self._records_per_thread)
            return self
        for file in self._files:
            if file.endswith(STREAMED):
                raise ValueError(f"trace: '{file}' is written meanwhile, so it is the only file of a trace")
            if not file.endswith(FORMATS):
                raise ValueError(f"trace: no format for '{file}'; known: {', '.join((*FORMATS, STREAMED))}")
        self._trace = _native.Trace(
            self._records_per_thread, any(file.endswith(".tasks") for file in self._files)
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._stream is not None:
            return self._stream.stop()
        self._recorded.stop()
        for file in self._files:
            self.save(file)

    @property
    def _recorded(self) -> _native.Trace:
        if self._stream is not None:
            raise ValueError("the records of this trace are in its file, which Perfetto reads")
        if self._trace is None:
            raise RuntimeError("the trace has not been started: use it in a with statement")
        return self._trace

    def save(self, file: str | os.PathLike[str]) -> None:
        """Ends the trace and writes it in the format of the extension: .json, .dot, .txt, .csv or .tasks."""
        self._recorded.save(os.fspath(file))

    def text(self, format: str = "txt") -> str:
        """The same as text."""
        return self._recorded.text(format)

    def profile(self) -> list[TaskProfile]:
        """By name, the longest first: `pandas.DataFrame(recorded.profile())`."""
        return [TaskProfile(*row) for row in self._recorded.profile()]

    @property
    def records(self) -> int:
        return (self._stream or self._recorded).records()

    @property
    def dropped(self) -> int:
        return (self._stream or self._recorded).dropped()


def trace(*files: str | os.PathLike[str], records_per_thread: int = 1 << 18) -> Trace:
    """Records everything the runtime does inside of a `with` block.

    >>> with td.trace("work.json") as recorded:   # for https://ui.perfetto.dev; also .dot, .txt, .csv, .tasks
    ...     work()
    >>> recorded.profile()[0].tasks
    42

    A file .pftrace, in Perfetto's own format, is written while the block runs: nothing is dropped, and memory does not
    grow, however long it takes. It is the only file then, and the rest of this is not said of it.

    Each thread keeps its last `records_per_thread` records, a task makes three or more; what had no room is counted in
    `dropped`. A task costs about 60 ns more. With a file .tasks, for predictions, forks and loops make tasks of all
    that they could give away, which costs more. One trace at a time: RuntimeError for a second one. OSError when a
    file cannot be written in full; then there is none.
    """
    return Trace([os.fspath(file) for file in files], records_per_thread)
