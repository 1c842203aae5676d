"""The result of a submitted run."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from ._native import Submission

T = TypeVar("T")


class Future(concurrent.futures.Future[T], Generic[T]):
    """A concurrent.futures.Future that can also be awaited.

    cancel() succeeds until a worker takes the run up. stop() asks a run that goes on already to end: it then fails with
    PhyslError at its next call or loop turn.
    """

    _submission: Submission | None = None
    _forget: Callable[[], None] = staticmethod(lambda: None)

    def cancel(self) -> bool:
        if self._submission is None or not self._submission.try_cancel():
            return super().cancelled()
        self._forget()
        super().cancel()
        self.set_running_or_notify_cancel()  # tells those who wait
        return True

    def running(self) -> bool:
        return not self.done() and self._submission is not None and self._submission.running()

    def stop(self) -> None:
        if self._submission is not None:
            self._submission.stop()

    def __await__(self) -> Generator[object, None, T]:
        import asyncio  # takes as long to load as the rest of the package

        return asyncio.wrap_future(self).__await__()
