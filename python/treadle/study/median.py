"""The median of a few measurements, and the interval that holds the true one in at least 95 of 100 cases.

The interval lies between two of the sorted measurements. Each measurement is below the true median with probability
1/2, so how many of them are is binomial, whatever their distribution: David and Nagaraja, Order Statistics, 3rd
edition, section 7.1; recommended for measured times by Hoefler and Belli, Scientific Benchmarking of Parallel Computing
Systems, SC 2015. It takes six measurements at least; with ten the interval goes from the second to the ninth.
"""

import math
import statistics
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
CONFIDENCE = 0.95


def left_out(count: int) -> int | None:
    """How many of `count` sorted measurements may lie outside at each end; None where all of them do not suffice."""
    outside, found = 0.0, None
    for below in range(count // 2):
        outside += 2 * math.comb(count, below) / 2**count
        if outside > 1 - CONFIDENCE:
            break
        found = below
    return found


@dataclass(frozen=True)
class Median:
    """An interval without ends says that there are too few measurements."""

    value: float
    low: float = -math.inf
    high: float = math.inf

    @classmethod
    def of(cls, measurements: Iterable[float]) -> "Median":
        found = sorted(measurements)
        value = statistics.median(found)
        if (outside := left_out(len(found))) is None:
            return cls(value)
        return cls(value, found[outside], found[-1 - outside])

    @property
    def has_interval(self) -> bool:
        return math.isfinite(self.low)

    def times(self, factor: float) -> "Median":
        return Median(self.value * factor, self.low * factor, self.high * factor)


def prediction(saved: Iterable[float], count: int) -> Median:
    """The median of what is saved, and the interval in which the median of `count` later measurements of the same lies
    in at least 95 of 100 cases, whatever their distribution.

    Of the later measurements, j lie below the r-th of m saved ones in C(r-1+j, j) C(m-r+count-j, count-j) of
    C(m+count, count) equally likely orders of all: David and Nagaraja, section 7.3.
    """
    found = sorted(saved)
    m, value = len(found), statistics.median(found)
    least = (count + 1) // 2  # this many of the later ones must lie below for their median to do so
    orders = math.comb(m + count, count)

    def below(r: int) -> float:
        ways = (
            math.comb(r - 1 + j, j) * math.comb(m - r + count - j, count - j) for j in range(least, count + 1)
        )
        return sum(ways) / orders

    outside = [r for r in range(1, m // 2 + 1) if 2 * below(r) <= 1 - CONFIDENCE]
    if not outside:
        return Median(value)
    return Median(value, found[outside[-1] - 1], found[-outside[-1]])


def leader(medians: Mapping[K, Median]) -> K | None:
    """The one whose interval lies below those of all others, if there is one and there are others."""
    first = min(medians, key=lambda key: medians[key].value, default=None)
    others = [median for key, median in medians.items() if key != first]
    if first is None or not others or any(medians[first].high >= other.low for other in others):
        return None
    return first
