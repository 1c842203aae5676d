"""Programs of several processes: `treadle run -n 4 -- python program.py`, or mpirun in place of `treadle run`.

Each process, a rank, runs the same program with its share of the cores. What ranks send each other is pickled; compiled
functions, too (treadle.sent). A program that was started alone has one rank.

>>> import treadle as td
>>> total = td.mpi.all_reduce(td.mpi.rank())     # 0 + 1 + 2 + 3
>>> future = td.mpi.submit(3, norm, x)           # runs there

The functions that are called "collective" are called by all ranks, in the same order and by one thread of each; they
return when what they need has come. All raise treadle.Error when a process of the program has ended too early.
"""

from __future__ import annotations

import atexit
import concurrent.futures
import operator
import pickle
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from . import _native, session
from .config import current
from .errors import Error

__all__ = [
    "all_gather", "all_reduce", "all_to_all", "barrier", "broadcast", "gather", "rank", "reduce", "scatter", "size",
    "submit",
]  # fmt: skip

T = TypeVar("T")

_lock = threading.Lock()
_everybody: _native.Communicator | None = None
_calls: dict[int, concurrent.futures.Future[Any]] = {}  # that others execute
_submitted = 0
_completed = 0


def _all() -> _native.Communicator:
    """Begins at the first use, for which ranks wait for each other."""
    global _everybody
    if _everybody is None:
        with _lock:
            if _everybody is None:
                session.start_runtime(current().workers)
                _translated(_native.begin_localities)
                _everybody = _native.Communicator("treadle.mpi")
                threading.Thread(target=_serve, name="treadle-mpi", daemon=True).start()
                atexit.register(_end)
    return _everybody


def _translated(call: Callable[..., T], *args: Any) -> T:
    try:
        return call(*args)
    except RuntimeError as error:
        raise Error(str(error)) from None


def rank() -> int:
    """The number of this process, from 0."""
    _all()
    return int(_native.locality())


def size() -> int:
    """How many processes the program has."""
    _all()
    return int(_native.number_of_localities())


def barrier() -> None:
    """Collective: returns when all ranks have called it."""
    _translated(_all().barrier)


def broadcast(value: T | None = None, root: int = 0) -> T:
    """Collective: the value that rank `root` has given, everywhere."""
    everybody = _checked(root)
    return cast(
        T, _loaded(_translated(everybody.broadcast, _dumped(value if rank() == root else None), root))
    )


def gather(value: T, root: int = 0) -> list[T] | None:
    """Collective: at rank `root` the values of all, in the order of the ranks; None elsewhere."""
    return _list(_translated(_checked(root).gather, _dumped(value), root))


def all_gather(value: T) -> list[T]:
    """Collective: the values of all, in the order of the ranks, everywhere."""
    found = _list(_translated(_all().all_gather, _dumped(value)))
    assert found is not None
    return found


def scatter(values: Sequence[T] | None = None, root: int = 0) -> T:
    """Collective: of the values that rank `root` has given, one for each rank, that of this one."""
    everybody = _checked(root)
    given = [_dumped(v) for v in _one_for_each(values)] if rank() == root else []
    return cast(T, _loaded(_translated(everybody.scatter, given, root)))


def all_to_all(values: Sequence[T]) -> list[T]:
    """Collective: what each rank has given for this one. `values`: one for each rank."""
    found = _list(_translated(_all().all_to_all, [_dumped(v) for v in _one_for_each(values)]))
    assert found is not None
    return found


def reduce(value: T, operation: Callable[[T, T], T] = operator.add, root: int = 0) -> T | None:
    """Collective: at rank `root` all values put together, in the order of the ranks; None elsewhere."""
    found = gather(value, root)
    return None if found is None else _together(found, operation)


def all_reduce(value: T, operation: Callable[[T, T], T] = operator.add) -> T:
    """Collective: the same everywhere."""
    return _together(all_gather(value), operation)


def submit(to: int, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[T]:
    """Call the function in the process with this rank, on a thread of its own; returns at once.

    What it raises there result() raises here, with a note that names the rank.
    """
    global _submitted
    _checked(to)
    what = _dumped((function, args, kwargs))
    future: concurrent.futures.Future[T] = concurrent.futures.Future()
    future.set_running_or_notify_cancel()
    with _lock:
        _submitted += 1
        ticket = _submitted
        _calls[ticket] = future
    try:
        _translated(_native.send_call, to, ticket, what)
    except Error:
        with _lock:
            del _calls[ticket]
        raise
    return future


# --------------------------------------------------------------------------------------------------------------------
def _dumped(value: Any) -> bytes:
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def _loaded(value: bytes) -> Any:
    return pickle.loads(value)  # of a process of the same program


def _list(values: list[bytes] | None) -> list[Any] | None:
    return None if values is None else [_loaded(v) for v in values]


def _together(values: list[T], operation: Callable[[T, T], T]) -> T:
    result = values[0]
    for value in values[1:]:
        result = operation(result, value)
    return result


def _checked(number: int) -> _native.Communicator:
    everybody = _all()
    if not 0 <= number < size():
        raise ValueError(f"there is no rank {number}: the program has {size()}")
    return everybody


def _one_for_each(values: Sequence[T] | None) -> Sequence[T]:
    if values is None or len(values) != size():
        raise ValueError(f"expected {size()} values, one for each rank, not {values and len(values)}")
    return values


def _serve() -> None:
    """Takes what other ranks send, until the end. Calls have threads of their own, because they may wait for calls."""
    while (arrival := _native.next_arrival()) is not None:
        is_call, origin, ticket, failed, what = arrival
        if is_call:
            threading.Thread(target=_execute, args=(origin, ticket, what), daemon=True).start()
        else:
            _finish(origin, ticket, failed, what)


def _execute(origin: int, ticket: int, what: bytes) -> None:
    try:
        function, args, kwargs = _loaded(what)
        failed, result = False, _dumped(function(*args, **kwargs))
    except BaseException as error:
        failed, result = True, _dumped_error(error)
    _native.send_result(origin, ticket, failed, result)


def _dumped_error(error: BaseException) -> bytes:
    """Itself, where it can be sent."""
    try:
        what = _dumped(error)
        _loaded(what)
        return what
    except Exception:
        return _dumped(Error(f"{type(error).__name__}: {error}"))


def _finish(origin: int, ticket: int, failed: bool, what: bytes) -> None:
    global _completed
    with _lock:
        future = _calls.pop(ticket)
    try:
        result = _loaded(what)
    except Exception as error:
        failed, result = True, error
    if failed:
        result.add_note(f"in rank {origin}")
        future.set_exception(result)
    else:
        future.set_result(result)
    with _lock:
        _completed += 1


def _end() -> None:
    """Leaves with all others, when no call is left: two looks at how many were made and are done, with equal sums."""
    try:
        before = None
        while True:
            with _lock:
                own = (_submitted, _completed)
            all_counts = all_gather(own)
            if before == all_counts and sum(s for s, _ in all_counts) == sum(c for _, c in all_counts):
                break
            before = all_counts
    except Error:
        pass  # end_localities() says what has happened
    _native.end_localities()
