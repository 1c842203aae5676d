"""Knobs and sessions: good values for what depends on machine and input, found while the program runs."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from .. import _native
from ..session import name_program
from .store import Point, standard_path

T = TypeVar("T")


class Knob(Generic[T]):
    """A value that may be changed while the program runs, one of a few.

    `values` in an order in which neighbours do about the same, unless `ordered` is false; `initial` is where it
    starts, the first one by default.

    >>> block = Knob("block", [16, 32, 64, 128], initial=32)
    >>> block.value
    32
    """

    def __init__(
        self, name: str, values: Iterable[T], initial: T | None = None, *, ordered: bool = True
    ) -> None:
        self.name = name
        self.values: list[T] = list(values)
        if not self.values:
            raise ValueError(f"knob '{name}' has no values")
        texts = [str(v) for v in self.values]
        if _differ(texts) < len(texts) or _differ(self.values) < len(texts):
            raise ValueError(f"knob '{name}': a value is there twice in {self.values}")
        start = 0 if initial is None else self._index(initial)
        self._native = _native.Knob(name, texts, start, ordered)

    @property
    def value(self) -> T:
        return self.values[self._native.index]

    @value.setter
    def value(self, value: T) -> None:
        self._native.index = self._index(value)

    def _index(self, value: T) -> int:
        try:
            return self.values.index(value)
        except ValueError:
            raise ValueError(
                f"knob '{self.name}' cannot be {value!r}: its values are {self.values}"
            ) from None

    def __repr__(self) -> str:
        return f"Knob({self.name!r}, {self.value!r})"


def _differ(values: list[Any]) -> int:
    """How many of them do, as far as they can be told apart quickly."""
    try:
        return len(set(values))
    except TypeError:  # lists, for example
        return len(values)


class Trial:
    """A measurement of the values that are in the knobs."""

    def __init__(self, native: _native.Trial) -> None:
        self._native = native
        self.units = 1.0

    def report(self, cost: float) -> None:
        """What it cost, in any unit, instead of the time that the `with` block takes."""
        self._native.report(cost)

    def fail(self) -> None:
        """The values do not work at all."""
        self._native.fail()


class Status(NamedTuple):
    best: dict[str, Any]
    trying: bool  # the values in the knobs are being tried
    converged: bool  # the search is done, and watches; local-ucb never is
    epoch: int  # how often it has begun again
    windows: int
    voids: int  # measurements that said nothing
    exploring_ns: float  # that tries took longer than the best would have
    tuner_ns: float  # time spent in the session itself
    known: list[Point]  # in this epoch, most windows first


def _over_positions(allowed: Callable[..., bool], knobs: Sequence[Knob[Any]]) -> Callable[[list[int]], bool]:
    if not callable(allowed):
        raise TypeError(f"expected a function of the knobs' values, got {allowed!r}")
    return lambda positions: bool(allowed(*(k.values[i] for k, i in zip(knobs, positions, strict=True))))


def _while_it_lives(allows: Callable[[list[int]], bool]) -> Callable[[list[int]], bool]:
    """The native session must not keep what the program gave: that may know the session, and neither would ever end."""
    kept = weakref.ref(allows)

    def ask(positions: list[int]) -> bool:
        function = kept()
        return function is None or function(positions)

    return ask


class Session:
    """One search over some knobs for the values that make something cheap, as long as it lives.

    >>> block = Knob("block", [16, 32, 64, 128])
    >>> tuning = Session("product", block)
    >>> for _ in range(10):
    ...     with tuning.trial():
    ...         pass  # work with block.value

    `strategy`: local-ucb, or, for comparison, exhaustive, random, nelder-mead, parallel-rank-order or
    published-rank-order. What is compared is the mean cost of a window: measurements that together take `window`
    seconds at least, and are at least `repeats`. `settling` measurements after a change are ignored. `budget` is the
    share of the time that tries may lose against the best known values, 0 for no limit; None is what the process allows
    everything that adapts together, 1 %. With `drift` the search begins again when costs change for good. `allowed`
    says which combinations may be chosen, with the values in the order of the knobs:

    >>> readers, writers = Knob("readers", range(1, 9)), Knob("writers", range(1, 9))
    >>> farm = Session("farm", readers, writers, allowed=lambda r, w: r + w <= 8)

    It is asked each time when a choice is made, so its answer may change; what it raises, trial() raises, and then
    nothing was chosen. The search begins with the allowed values that are nearest to those in the knobs; ValueError
    when there are none.
    `store`: True or a file keeps what was found for later runs. ValueError when a knob belongs to another session
    already.
    """

    def __init__(
        self,
        name: str,
        *knobs: Knob[Any],
        strategy: str = "local-ucb",
        window: float = 0.002,
        repeats: int = 1,
        settling: int = 0,
        budget: float | None = None,
        drift: bool = True,
        seed: int = 1,
        allowed: Callable[..., bool] | None = None,
        store: bool | str | Path = False,
    ) -> None:
        if budget is not None and not budget >= 0:
            raise ValueError(f"session '{name}': expected a budget of at least 0, got {budget}")
        self.name = name
        self.knobs: Sequence[Knob[Any]] = knobs
        natives = [k._native for k in knobs]
        share = -1.0 if budget is None else budget
        allows = None if allowed is None else _over_positions(allowed, knobs)
        ask = None if allows is None else _while_it_lives(allows)
        self._native = _native.TuningSession(
            name, natives, strategy, window * 1e9, repeats, settling, share, drift, seed, ask
        )
        self._allows = allows  # after the native session, whose end asks as well
        self.store_message = ""
        if store:
            name_program()
            kept = _native.TuningStore(str(standard_path() if store is True else store))
            self.store_message = kept.message
            self._native.remember_in(kept)
            weakref.finalize(self, kept.save)  # also where the interpreter ends without destroying anything

    @contextmanager
    def trial(self, context: str = "") -> Iterator[Trial]:
        """Puts values into the knobs and takes the time of the block, per `trial.units` of work.

        `trial.report(cost)` tells another cost. What an exception ends says nothing. What is learned is kept apart for
        each context, say "log2n=20" for inputs of some size.
        """
        trial = Trial(self._native.next(context))
        try:
            yield trial
        except BaseException:
            trial._native.report(float("nan"))
            raise
        trial._native.report_time(trial.units)  # nothing, when it was reported

    def pause(self) -> None:
        """Only the best values, until resume()."""
        self._native.pause()

    def resume(self) -> None:
        self._native.resume()

    def reopen(self) -> None:
        """Searches again: something has changed."""
        self._native.reopen()

    def status(self, context: str = "") -> Status:
        """What is known by now."""
        raw = self._native.status(context)
        known = [Point(*row) for row in raw.pop("known")]
        best = dict(zip((k.name for k in self.knobs), raw.pop("best"), strict=False))
        return Status(
            best={k.name: k.values[best[k.name]] for k in self.knobs} if best else {}, known=known, **raw
        )
