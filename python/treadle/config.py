"""Settings: defaults from the environment, changed for a block by `with td.config(...)`."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from . import _native
from .errors import Error

POLICIES = ("adaptive", "always-async", "always-inline", "paper-baseline", "paper-adaptive")


class policies:  # noqa: N801 - read as a namespace: td.policies.always_inline
    """Inlining policies: whether a primitive runs inside of the one that needs its value, or as a task of its own.

    `adaptive`, the default, evaluates as a plain call and splits loops, statements and operands that are independent
    where the work measured is worth it. `paper-baseline` decides per primitive by its mean time: 5 evaluations, then
    inline up to 350 us, spawn from 500 us; in `paper-adaptive` a search moves these bounds for each primitive.
    """

    adaptive = "adaptive"
    always_async = "always-async"
    always_inline = "always-inline"
    paper_baseline = "paper-baseline"
    paper_adaptive = "paper-adaptive"


@dataclass(frozen=True)
class Config:
    policy: str = policies.adaptive
    workers: int = 0  # 0: as many as usable cores, or as many as run already
    enabled: bool = True  # False: decorated functions run as plain Python
    count_threshold: int = 5  # paper-baseline: evaluations before it decides
    lower_ns: int = 350_000
    upper_ns: int = 500_000
    search: str = (
        "parallel-rank-order"  # paper-adaptive: also published-rank-order, exhaustive, nelder-mead, random
    )
    thresholds_ns: tuple[int, int, int] = (200_000, 1_000_000, 100_000)  # first, last, step
    window: int = 50  # evaluations with one threshold
    dense_diagonals: bool = False  # True: np.diag and np.identity make all their zeros, and products use them

    def checked(self) -> Config:
        if self.policy not in POLICIES:
            raise ValueError(f"no policy '{self.policy}'; there are {', '.join(POLICIES)}")
        if (
            isinstance(self.workers, bool)
            or not isinstance(self.workers, int)
            or not 0 <= self.workers <= 4096
        ):
            raise ValueError(
                f"workers is a number from 1 to 4096, or 0 for all usable cores, not {self.workers!r}"
            )
        if not 0 <= self.lower_ns <= self.upper_ns:
            raise ValueError(
                f"lower_ns ({self.lower_ns}) must not be above upper_ns ({self.upper_ns}), nor negative"
            )
        if self.count_threshold < 0:
            raise ValueError(f"count_threshold ({self.count_threshold}) is negative")
        try:
            _native.check_threshold_search(self.search, self.thresholds_ns, self.window)
        except TypeError:
            raise ValueError(
                "thresholds_ns are three numbers from 0 (first, last, step), window is one and search a name, not"
                f" {self.thresholds_ns!r}, {self.window!r} and {self.search!r}"
            ) from None
        return self


def _from_environment() -> Config:
    settings: dict[str, Any] = {}
    if text := os.environ.get("TREADLE_WORKERS"):
        try:
            settings["workers"] = int(text)
        except ValueError:
            raise Error(f"TREADLE_WORKERS is a number, not '{text}'") from None
    if text := os.environ.get("TREADLE_INLINING"):
        settings["policy"] = text
    try:
        return Config(**settings).checked()
    except ValueError as error:
        raise Error(f"environment: {error}") from None


_current: contextvars.ContextVar[Config | None] = contextvars.ContextVar("treadle_config", default=None)


def current() -> Config:
    found = _current.get()
    if found is None:
        found = _from_environment()
        _current.set(found)
    return found


@contextmanager
def config(**settings: Any) -> Iterator[Config]:
    """Change settings for a block: workers, policy, enabled, dense_diagonals, and the thresholds of paper-baseline.

    Blocks nest, and each thread and each asyncio task has its own.

    >>> with td.config(policy="always-inline", workers=2):
    ...     f(x)
    """
    known = list(Config.__dataclass_fields__)
    if unknown := sorted(set(settings) - set(known)):
        raise TypeError(f"config() has no setting '{unknown[0]}'; there are {', '.join(known)}")
    token = _current.set(replace(current(), **settings).checked())
    try:
        yield current()
    finally:
        _current.reset(token)
