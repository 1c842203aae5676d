"""Programs of several processes: `treadle run -n 4 -- python program.py`, or mpirun in place of `treadle run`.

Each process, a rank, runs the same program with its share of the cores. What ranks send each other is pickled; compiled
functions, too (treadle.sent). A program that was started alone has one rank.

>>> import treadle as td
>>> total = td.mpi.all_reduce(td.mpi.rank())     # 0 + 1 + 2 + 3
>>> future = td.mpi.submit(3, norm, x)           # runs there

The first use waits for all ranks, which have to come within a minute. The functions that are called "collective" are
called by all ranks in the same order, and by one thread of each; they return when what they need has come. Where ranks
call different ones, or one has ended that was to take part, or has died, they raise treadle.Error; Ctrl-C ends a wait.
A rank whose program is over goes on to execute what others submit, until no call is left anywhere; after a failure,
calls that last for a second more end with the process. After that, in the child of a fork, and where another rank has
failed, all of them raise treadle.Error.
"""

from __future__ import annotations

import atexit
import concurrent.futures
import concurrent.futures.thread  # it cannot be loaded any more when the program is over
import math
import operator
import os
import pickle
import queue
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar, cast

from . import _native, session
from .config import current
from .errors import Error

__all__ = [
    "all_gather", "all_reduce", "all_to_all", "barrier", "broadcast", "gather", "rank", "reduce", "scatter", "size",
    "submit",
]  # fmt: skip

T = TypeVar("T")
_CALL, _RESULT, _FAILED, _PART, _WAITING, _ENDED, _TROUBLE = range(7)  # kinds of arrivals
_REMEMBERED = 100_000  # operations of the past that a rank can say of which kind they were


class _Threads:
    """Threads that are kept for the next call; as many as calls go on at a time, because calls may wait for calls."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._all: list[threading.Thread] = []

    def start(self, work: Callable[[], None]) -> None:
        """Raises RuntimeError where there is no thread to be had."""
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
            else:
                one = threading.Thread(target=self._run, name="treadle-mpi-call", daemon=True)
                one.start()
                self._all.append(one)
        self._work.put(work)

    def end(self, within_s: float | None) -> None:
        """Waits until all have done what is left; no longer than that, where calls may never end."""
        for _ in self._all:
            self._work.put(None)
        until = None if within_s is None else time.monotonic() + within_s
        for one in self._all:
            one.join(None if until is None else max(0.0, until - time.monotonic()))

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                work()
            except BaseException as error:  # a callback of the user's, as threads report it
                threading.excepthook(
                    threading.ExceptHookArgs(
                        (type(error), error, error.__traceback__, threading.current_thread())
                    )
                )
            with self._lock:
                self._idle += 1


class _World:
    """This process among the ranks, from the first use to the end."""

    def __init__(self) -> None:
        session.start_runtime(current().workers)
        _interruptible(_native.begin_localities)
        os.environ.pop("TREADLE_LOCALITIES", None)  # processes that this one starts are no ranks
        self.rank, self.size = int(_native.locality()), int(_native.number_of_localities())
        self._news = threading.Condition()  # of all that follows
        self._parts: dict[tuple[str, int, int], bytes | None] = {}  # by space, number and origin
        self._begun: dict[tuple[str, int], str] = {}  # the operations of this rank by space and number
        self._known: dict[tuple[str, int, int], str] = {}  # and those that others have begun before it
        self._next = {"": 0, "end": 0}
        self._ended: set[int] = set()
        self._trouble = ""
        self._calls: dict[int, concurrent.futures.Future[Any]] = {}  # that others execute
        self._tickets = self._submitted = self._completed = 0
        self._threads = _Threads()
        self._server = threading.Thread(target=self._serve, name="treadle-mpi", daemon=True)
        self._server.start()

    # Collectives ----------------------------------------------------------------------------------------------------
    def exchange(
        self, operation: str, give: Callable[[], dict[int, bytes]], need: Sequence[int], space: str = ""
    ) -> dict[int, bytes]:
        """Sends give()[r] to each rank r, and returns what the ranks in `need` have sent to this one. All ranks call it
        for an operation, or none; what give() raises is raised here, and everywhere else as Error."""
        everybody = range(self.size)
        operation = sys.intern(operation)
        with self._news:
            number = self._next[space]
            self._next[space] += 1
            self._begun[space, number] = operation
            self._begun.pop((space, number - _REMEMBERED), None)
            known = [self._known.pop((space, number, r), operation) for r in everybody]
            self._raise_trouble()
        missing = set(everybody)
        try:
            for to, value in give().items():
                _translated(_native.send_to, to, _PART, number, _dumped((space, operation, value)))
                missing.remove(to)
        except BaseException:
            for to in missing - {self.rank}:
                self._try_to_send(to, _PART, number, _dumped((space, operation, None)))
            raise
        for r in everybody:  # now that the others know what this one calls, too
            self._compare(operation, r, known[r])
        with self._news:
            self._raise_trouble()
        return {r: self._await_part(operation, space, number, r) for r in need}

    @staticmethod
    def _try_to_send(to: int, kind: int, number: int, what: bytes) -> None:
        with suppress(Error):  # a rank that has died is noticed otherwise
            _translated(_native.send_to, to, kind, number, what)

    def _await_part(self, operation: str, space: str, number: int, origin: int) -> bytes:
        ask_at = time.monotonic() + 0.1
        while True:
            with self._news:
                self._raise_trouble()
                if (space, number, origin) in self._parts:
                    if (value := self._parts.pop((space, number, origin))) is None:
                        raise Error(f"{operation}: rank {origin} has not given a value that can be sent")
                    return value
                if not space and origin in self._ended:
                    raise Error(f"{operation}: rank {origin} has ended")
                self._news.wait(0.1)  # so that Ctrl-C is seen
            if time.monotonic() >= ask_at:
                # It may be in another operation, which has no part for this rank and waits for one from here.
                ask_at = math.inf
                self._try_to_send(origin, _WAITING, number, _dumped((space, operation)))

    def _learn(self, space: str, number: int, origin: int, operation: str) -> None:
        """What another rank calls; compared now, or when this one gets there."""
        with self._news:
            own = self._begun.get((space, number))
            if own is None and number >= self._next[space]:
                self._known[space, number, origin] = operation
        self._compare(own or operation, origin, operation)

    def _compare(self, own: str, origin: int, operation: str) -> None:
        if own != operation:
            self._fail_everywhere(f"rank {self.rank} calls {own}, and rank {origin} {operation}")

    def _raise_trouble(self) -> None:
        """With the lock."""
        if self._trouble:
            raise Error(self._trouble)

    # Calls ----------------------------------------------------------------------------------------------------------
    def submit(self, to: int, what: bytes) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        future.set_running_or_notify_cancel()
        with self._news:
            self._raise_trouble()
            self._tickets += 1
            ticket = self._tickets
            self._calls[ticket] = future
            self._submitted += 1
        try:
            _translated(_native.send_to, to, _CALL, ticket, what)
        except BaseException:
            with self._news:
                self._calls.pop(ticket, None)
                self._submitted -= 1
            raise
        return future

    def _execute(self, origin: int, ticket: int, what: bytes) -> None:
        try:
            function, args, kwargs = _loaded_call(what)
            kind, result = _RESULT, _dumped(function(*args, **kwargs))
        except BaseException as error:
            kind, result = _FAILED, _dumped_error(error)
        self._answer(origin, kind, ticket, result)

    def _answer(self, origin: int, kind: int, ticket: int, result: bytes) -> None:
        try:
            _native.send_to(origin, kind, ticket, result)
        except Exception as error:  # too large; or nobody is there any more, which all are told otherwise
            if kind == _RESULT:
                self._answer(origin, _FAILED, ticket, _dumped_error(error))

    def _finish(self, origin: int, ticket: int, failed: bool, what: bytes) -> None:
        with self._news:
            future = self._calls.pop(ticket, None)
        if future is None:  # it has failed with all others
            return
        try:
            result = _loaded(what)
        except BaseException as error:
            failed, result = True, error
        try:
            if failed:
                result.add_note(f"in rank {origin}")
                future.set_exception(result)
            else:
                future.set_result(result)
        finally:
            with self._news:
                self._completed += 1
                self._news.notify_all()

    # What comes -----------------------------------------------------------------------------------------------------
    def _serve(self) -> None:
        while (arrival := _native.next_arrival()) is not None:
            try:
                self._take(*arrival)
            except BaseException as error:
                self._fail_everywhere(f"td.mpi: {type(error).__name__}: {error}")

    def _take(self, kind: int, origin: int, ticket: int, what: bytes) -> None:
        if kind == _CALL:
            try:
                self._threads.start(lambda: self._execute(origin, ticket, what))
            except RuntimeError as error:
                self._answer(origin, _FAILED, ticket, _dumped_error(error))
        elif kind in (_RESULT, _FAILED):
            self._start(lambda: self._finish(origin, ticket, kind == _FAILED, what))
        elif kind == _PART:
            space, operation, value = _loaded(what)
            with self._news:
                self._parts[space, ticket, origin] = value
                self._news.notify_all()
            self._learn(space, ticket, origin, operation)
        elif kind == _WAITING:
            space, operation = _loaded(what)
            self._learn(space, ticket, origin, operation)
        elif kind == _ENDED:
            with self._news:
                self._ended.add(origin)
                self._news.notify_all()
        else:  # what another rank has found, or the connection: which of the processes has died
            self._fail(what.decode())

    def _start(self, work: Callable[[], None]) -> None:
        """What calls functions of the user's, which may take long: here only where there is no thread to be had."""
        try:
            self._threads.start(work)
        except RuntimeError:
            work()

    def _fail(self, why: str) -> None:
        with self._news:
            self._trouble = self._trouble or why
            waiting, self._calls = self._calls, {}
            self._news.notify_all()
        for future in waiting.values():
            self._start(partial(future.set_exception, Error(why)))

    def _fail_everywhere(self, why: str) -> None:
        """Others wait for what will not come, too; they are told once."""
        with self._news:
            if self._trouble:
                return
            self._trouble = why
        for to in range(self.size):
            if to != self.rank:
                self._try_to_send(to, _TROUBLE, 0, why.encode())
        self._fail(why)

    # The end --------------------------------------------------------------------------------------------------------
    def end(self) -> None:
        """Leaves with all others, when no call is left: two looks at how many were made and are done, with equal
        sums."""
        all_calls_are_done = False
        _native.end_arrays()  # programs in PhySL that wait for this one go on, and get to their end
        with suppress(Error):  # end_localities() says what has happened
            for to in range(self.size):
                _translated(_native.send_to, to, _ENDED, 0, b"")
            self._settle()
            all_calls_are_done = True
        _native.end_localities()
        self._fail("td.mpi has ended")  # who still waits for a call, which is nobody where all went well
        self._server.join()
        self._threads.end(None if all_calls_are_done else 1.0)

    def _settle(self) -> None:
        before, pause = None, 0.001
        everybody = range(self.size)
        while True:
            with self._news:
                own = dict.fromkeys(everybody, _dumped((self._submitted, self._completed)))
            found = self.exchange("end", own.copy, everybody, "end")
            counts = [_loaded(found[r]) for r in everybody]
            if before == counts and sum(s for s, _ in counts) == sum(c for _, c in counts):
                return
            before = counts
            time.sleep(pause)
            pause = min(2 * pause, 0.1)


_lock = threading.Lock()
_world: _World | None = None
_over = ""  # why there is none any more
_parents: _World | None = None  # in the child of a fork, which leaves it alone


def _all() -> _World:
    global _world
    if _over:
        raise Error(_over)
    if _world is None:
        with _lock:
            if _world is None:
                _world = _World()
                # Before threads cannot be started any more, where Python lets us.
                getattr(threading, "_register_atexit", atexit.register)(_end)
    return _world


def _end() -> None:
    global _over
    if _world is not None and not _over:
        _world.end()
        _over = "td.mpi has ended with the program"


def _after_fork() -> None:
    global _over, _lock, _world, _parents
    _lock = threading.Lock()
    if _world is not None:
        _parents, _world = _world, None
        _over = "td.mpi: the child of a fork is no rank of the program"


os.register_at_fork(after_in_child=_after_fork)


def _translated(call: Callable[..., T], *args: Any) -> T:
    try:
        return call(*args)
    except (RuntimeError, OSError, ValueError) as error:
        raise Error(str(error)) from None


def _interruptible(call: Callable[[], None]) -> None:
    """On a thread of its own, so that Ctrl-C is seen meanwhile."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            _translated(call)
        except BaseException as error:
            failed.append(error)

    waits = threading.Thread(target=run, daemon=True)
    waits.start()
    while waits.is_alive():
        waits.join(0.1)
    if failed:
        raise failed[0]


def started_as_several() -> bool:
    """Whether this process is one of a program's, as far as it can be told without waiting for the others."""
    names = ("TREADLE_LOCALITIES", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
    return _world is not None or any(name in os.environ for name in names)


def rank() -> int:
    """The number of this process, from 0; also after the end."""
    return _world.rank if _world else _all().rank


def size() -> int:
    """How many processes the program has; also after the end."""
    return _world.size if _world else _all().size


def barrier() -> None:
    """Collective: returns when all ranks have called it."""
    _to_all("barrier", lambda: b"")


def broadcast(value: T | None = None, root: int = 0) -> T:
    """Collective: the value that rank `root` has given, everywhere."""
    world = _checked(root)
    give = (lambda: dict.fromkeys(range(world.size), _dumped(value))) if world.rank == root else dict
    return cast(T, _loaded(world.exchange(f"broadcast from {root}", give, (root,))[root]))


def gather(value: T, root: int = 0) -> list[T] | None:
    """Collective: at rank `root` the values of all, in the order of the ranks; None elsewhere."""
    return _gathered("gather", value, root)


def all_gather(value: T) -> list[T]:
    """Collective: the values of all, in the order of the ranks, everywhere."""
    return _to_all("all_gather", lambda: _dumped(value))


def scatter(values: Sequence[T] | None = None, root: int = 0) -> T:
    """Collective: of the values that rank `root` has given, one for each rank, that of this one."""
    world = _checked(root)
    give = (lambda: _one_for_each(values)) if world.rank == root else dict
    return cast(T, _loaded(world.exchange(f"scatter from {root}", give, (root,))[root]))


def all_to_all(values: Sequence[T]) -> list[T]:
    """Collective: what each rank has given for this one. `values`: one for each rank."""
    everybody = range(size())
    found = _all().exchange("all_to_all", lambda: _one_for_each(values), everybody)
    return [_loaded(found[r]) for r in everybody]


def reduce(value: T, operation: Callable[[T, T], T] = operator.add, root: int = 0) -> T | None:
    """Collective: at rank `root` all values put together, in the order of the ranks; None elsewhere."""
    found = _gathered("reduce", value, root)
    return None if found is None else _together(found, operation)


def all_reduce(value: T, operation: Callable[[T, T], T] = operator.add) -> T:
    """Collective: the same everywhere."""
    return cast(T, _together(_to_all("all_reduce", lambda: _dumped(value)), operation))


def submit(to: int, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[T]:
    """Call the function in the process with this rank, on a thread of its own; returns at once.

    Functions and classes of the program itself have to be defined there by then: define them before the first use of
    td.mpi, which waits for all ranks.
    What it raises there result() raises here, with a note that names the rank.
    """
    world = _checked(to)
    return world.submit(operator.index(to), _dumped((function, args, kwargs)))


# --------------------------------------------------------------------------------------------------------------------
def _gathered(name: str, value: T, root: int) -> list[T] | None:
    world = _checked(root)
    need = range(world.size) if world.rank == root else ()
    found = world.exchange(f"{name} at {root}", lambda: {root: _dumped(value)}, need)
    return [_loaded(found[r]) for r in need] if world.rank == root else None


def _to_all(name: str, value: Callable[[], bytes]) -> list[Any]:
    world = _all()
    everybody = range(world.size)
    found = world.exchange(name, lambda: dict.fromkeys(everybody, value()), everybody)
    return [_loaded(found[r]) if found[r] else None for r in everybody]


def _one_for_each(values: Sequence[Any] | None) -> dict[int, bytes]:
    count = None if values is None else len(values)
    if values is None or count != size():
        raise ValueError(f"expected {size()} values, one for each rank, not {count}")
    return {r: _dumped(v) for r, v in enumerate(values)}


def _dumped(value: Any) -> bytes:
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def _loaded(value: bytes) -> Any:
    return pickle.loads(value)  # of a process of the same program


def _loaded_call(what: bytes) -> Any:
    try:
        return _loaded(what)
    except AttributeError as error:
        if not str(error).startswith("Can't get attribute"):
            raise
        raise Error(
            f"{error}: what others submit has to be defined before the first use of td.mpi"
        ) from error


def _dumped_error(error: BaseException) -> bytes:
    """Itself, where it can be sent."""
    try:
        what = _dumped(error)
        if isinstance(_loaded(what), BaseException):
            return what
    except Exception:
        pass
    return _dumped(Error(f"{type(error).__name__}: {error}"))


def _together(values: list[T], operation: Callable[[T, T], T]) -> T:
    result: T = values[0]
    for value in values[1:]:
        result = operation(result, value)
    return result


def _checked(number: int) -> _World:
    world = _all()
    if not 0 <= operator.index(number) < world.size:
        raise ValueError(f"there is no rank {number}: the program has {world.size}")
    return world
