"""Random programs, compiled, against plain Python: the same values or errors under every policy and number of workers.

    python tests/python/random_programs.py --seconds 3600 --seed 1     # prints with which seed to go on
    python tests/python/random_programs.py --only 4711                  # one program, shown

A program that td.jit refuses must be refused under every policy, and few may be: they are counted by reason.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import linecache
import re
import sys
import time
from collections.abc import Iterator

import numpy as np
from program_generator import generate, size_of
from source_text import function_of_text

import treadle as td

POLICIES = (
    {"policy": "adaptive"},
    {"policy": "always-inline"},
    {"policy": "always-async"},
    {"policy": "paper-baseline", "count_threshold": 0, "lower_ns": 0, "upper_ns": 0},
    {"policy": "paper-adaptive"},
)
WORKERS = (1, 2, 4)
BATCH = 30  # programs between two changes of the number of workers
MOST_REFUSED = 0.05
LONGEST = (
    120  # seconds for a program; one that takes longer hangs, and ends the run with a traceback that names it
)


class DifferenceError(AssertionError):
    """A compiled program that does not do what Python does."""


def function_of(seed: int, text: str):
    return function_of_text(text, f"program {seed}")


def arguments(seed: int) -> tuple:
    random, n = np.random.default_rng(seed), size_of(seed)
    return (
        random.integers(-4, 9, n) / 2,
        random.integers(-4, 9, (n, n)) / 2,
        random.integers(-4, 9, n),
        [random.integers(-4, 9, n) / 2 for _ in range(3)],
    )


def outcome(function, seed: int):
    """What a call gives: ("value", it), ("error", type) or ("refused", reason)."""
    try:
        with np.errstate(all="ignore"):
            return "value", function(*arguments(seed))
    except td.UnsupportedError as error:
        return "refused", error.message
    except td.PhyslError as error:
        if "shares memory" in error.message or "is a copy" in error.message:
            return "refused", error.message
        return "error", error
    except (
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        AssertionError,
        NameError,
        AttributeError,
    ) as error:
        return "error", error


def equal(a, b) -> bool:
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    x, y = np.asarray(a), np.asarray(b)
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    return bool(np.allclose(x, y, rtol=1e-11, atol=1e-11, equal_nan=True))


class Session:
    """Counts what became of the programs."""

    def __init__(self) -> None:
        self.programs = self.errors = 0
        self.refused: collections.Counter[str] = collections.Counter()

    def check(self, seed: int, text: str, configs) -> None:
        function = function_of(seed, text)
        expected = outcome(function, seed)
        compiled = td.jit(function)
        found = []
        for config in configs:
            with td.config(**config):
                for _ in range(2 if config["policy"] == "adaptive" else 1):
                    found.append((config, outcome(compiled, seed)))
        kinds = {kind for _, (kind, _) in found}
        self.programs += 1
        if kinds == {"refused"}:
            reason = re.sub(r"'[^']*'", "'...'", found[0][1][1])
            self.refused[reason] += 1
            return
        for config, (kind, result) in found:
            if kind != expected[0] or (kind == "value" and not equal(result, expected[1])):
                raise DifferenceError(
                    f"program {seed}, {config}: {kind} {result!r}\n  Python: {expected[0]} {expected[1]!r}\n"
                    f"  all: {[k for _, (k, _) in found]}\n{text}"
                )
        self.errors += expected[0] == "error"

    def refuses_too_many(self) -> bool:
        """Of a few programs, one more or less says nothing."""
        return sum(self.refused.values()) > MOST_REFUSED * max(self.programs, 200)

    def share_refused(self) -> float:
        return sum(self.refused.values()) / max(1, self.programs)

    def report(self) -> str:
        lines = [
            f"{self.programs} programs, {self.errors} with errors as in Python, "
            f"{100 * self.share_refused():.1f} % refused"
        ]
        lines += [f"  {count:6d}  {reason}" for reason, count in self.refused.most_common()]
        return "\n".join(lines)


def batches(first: int) -> Iterator[tuple[int, list[int]]]:
    """(workers, seeds), without end."""
    while True:
        for workers in WORKERS:
            yield workers, list(range(first, first + BATCH))
            first += BATCH


def run(seconds: float, first: int, session: Session, keep_going: bool = False) -> tuple[int, int]:
    """The next seed, and how many programs differed."""
    end, differences = time.monotonic() + seconds, 0
    for workers, seeds in batches(first):
        for seed in seeds:
            if time.monotonic() > end:
                return seed, differences
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            try:
                session.check(seed, generate(seed), [{**p, "workers": workers} for p in POLICIES])
            except DifferenceError as difference:
                if not keep_going:
                    raise
                differences += 1
                print(difference, flush=True)
            finally:
                faulthandler.cancel_dump_traceback_later()
            linecache.cache.pop(f"<program {seed}>", None)
    raise AssertionError("unreachable")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument(
        "--seed", type=int, default=0, help="the first program; to go on, the last line of before"
    )
    parser.add_argument("--only", type=int, help="check one program, and show it")
    parser.add_argument(
        "--keep-going", action="store_true", help="show every difference instead of the first"
    )
    options = parser.parse_args()
    session = Session()
    if options.only is not None:
        text = generate(options.only)
        print(text)
        for workers in WORKERS:
            session.check(options.only, text, [{**p, "workers": workers} for p in POLICIES])
        print(session.report())
        return 0
    after, differences = run(options.seconds, options.seed, session, options.keep_going)
    print(session.report())
    print(f"go on with --seed {after}")
    return 1 if differences or session.refuses_too_many() else 0


if __name__ == "__main__":
    sys.exit(main())
