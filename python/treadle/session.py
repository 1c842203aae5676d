"""The process's side of the runtime: one thread that does for workers what needs Python, and an orderly end."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from . import _native
from .config import Config, current
from .errors import Error, PhyslRecursionError
from .shares import forget as forget_share
from .shares import workers_by_share

_lock = threading.Lock()
_output_lock = threading.Lock()  # text leaves in the order it was printed
_pump: threading.Thread | None = None
_waiting: dict[int, Callable[[Any, BaseException | None], None]] = {}
_next_ticket = 0
_is_named = False  # the program, for stores
_output_error: Exception | None = None  # why the pump could not print; the run that goes on raises it


def settings(config: Config | None = None, timeline: int = 0) -> _native.Settings:
    c = config or current()
    return _native.Settings(
        policy=c.policy, count_threshold=c.count_threshold, lower_ns=c.lower_ns, upper_ns=c.upper_ns,
        search=c.search, thresholds_ns=c.thresholds_ns, window=c.window,
        timeline_capacity=timeline, workers=c.workers or workers_by_share(), dense_diagonals=bool(c.dense_diagonals),
    )  # fmt: skip


def flush_output() -> None:
    """Print what programs printed. Called after each run, and by the pump while runs go on."""
    with _output_lock:
        if parts := _native.take_output():
            for part in parts:
                if isinstance(part, str):
                    sys.stdout.write(part)
                else:
                    print(*part)
            sys.stdout.flush()


def name_program() -> None:
    """Tells stores of tuning results, before one is opened, that the program is the script and not the interpreter.

    It is not known while the package is imported by `python -m package`, so this is called by whatever opens stores.
    """
    global _is_named
    if file := getattr(sys.modules.get("__main__"), "__file__", None):
        _native.name_program(os.path.abspath(file))
        _is_named = True


def start_runtime(workers: int) -> None:
    """Unless it runs."""
    if _native.runtime_workers() == 0:
        name_program()
        _native.start_runtime(workers or workers_by_share())


def run(
    program: _native.Program, arguments: Any, names: list[str], chosen: _native.Settings, prints: bool
) -> Any:
    if not _is_named:
        name_program()
    if prints:
        start_pump()
    try:
        return program.run(arguments, names, chosen)
    except RuntimeError as error:
        raise _named(error) from None
    finally:
        if prints:
            _finish_output()


def _named(error: BaseException) -> BaseException:
    """What the runtime itself says, as an error of Treadle's."""
    if isinstance(error, Error) or not isinstance(error, RuntimeError):
        return error
    return (PhyslRecursionError if isinstance(error, RecursionError) else Error)(str(error))


def _finish_output() -> None:
    global _output_error
    flush_output()
    failed, _output_error = _output_error, None
    if failed is not None:
        raise failed


def submit(
    program: _native.Program, arguments: Any, names: list[str], chosen: _native.Settings,
    done: Callable[[Any, BaseException | None], None],
) -> tuple[_native.Submission, Callable[[], None]]:  # fmt: skip
    """Start a run; `done(result, error)` is called on the pump's thread, unless the returned function was called."""
    global _next_ticket
    if not _is_named:
        name_program()
    start_pump()
    with _lock:
        _next_ticket += 1
        ticket = _next_ticket
        _waiting[ticket] = done
    try:
        return program.submit(arguments, names, chosen, ticket), lambda: _waiting.pop(ticket, None) and None
    except BaseException as error:
        with _lock:
            del _waiting[ticket]
        raise _named(error) from None


def start_pump() -> None:
    global _pump
    with _lock:
        if _pump is None:
            _pump = threading.Thread(target=_pump_events, name="treadle", daemon=True)
            _pump.start()


def _pump_events() -> None:
    global _output_error
    while _native.wait_for_events():
        try:
            flush_output()
        except (
            Exception
        ) as failed:  # no space, closed, a stream of the user's: completions must arrive all the same
            _output_error = failed
        for ticket, result, error in _native.take_completions():
            with _lock:
                done = _waiting.pop(ticket, None)
            if done is not None:
                _complete(done, result, error and _named(error))


def _complete(
    done: Callable[[Any, BaseException | None], None], result: Any, error: BaseException | None
) -> None:
    """Other runs wait for the pump, whatever a callback of the user raises: that is reported as threads report it."""
    try:
        done(result, error)
    except BaseException:
        kind, raised, trace = sys.exc_info()
        threading.excepthook(threading.ExceptHookArgs((kind, raised, trace, threading.current_thread())))


def _stop() -> None:
    _native.cancel_submissions()
    _native.stop_runtime()
    _native.close_events()
    if _pump is not None:
        _pump.join()


def _after_fork() -> None:
    global _pump, _lock, _output_lock
    _native.forget_after_fork()
    _lock, _output_lock, _pump = threading.Lock(), threading.Lock(), None
    _waiting.clear()
    forget_share()


atexit.register(_stop)
os.register_at_fork(after_in_child=_after_fork)
