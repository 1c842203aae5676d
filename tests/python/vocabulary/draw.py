"""Random arguments for the functions of the vocabulary, and the table of what they mean."""

from dataclasses import dataclass
from typing import Any

import numpy as np


class Draw:
    """Random arguments; the same ones for the same seed."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def chance(self, probability):
        return self.random.random() < probability

    def choice(self, items):
        return items[int(self.random.integers(len(items)))]

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def number(self, kinds="bif"):
        return self.array((), kinds)

    def shape(self, rank, least=0):
        empty = least == 0 and self.chance(0.1)
        return tuple(0 if empty and self.chance(0.5) else self.integer(1, 4) for _ in range(rank))

    def elements(self, kind, shape, special, extreme):
        """Floats are multiples of 1/8, so that sums of them are exact in any order."""
        if kind == "b":
            return self.random.random(shape) < 0.5
        x = self.random.integers(-9, 10, shape)
        if kind == "i":
            if extreme and shape != () and self.chance(0.2):  # Python's own integers do not overflow
                x = np.where(self.random.random(shape) < 0.3, self.choice([2**62, -(2**63), 2**63 - 1]), x)
            return x
        x = x / 8 if self.chance(0.7) else x * 1.0
        if special and self.chance(0.3):
            values = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0])
            x = np.where(self.random.random(shape) < 0.3, self.random.choice(values, shape), x)
        return x

    def layout(self, x):
        """The same elements behind other strides."""
        if x.ndim == 0 or self.chance(0.6):
            return x
        if x.ndim > 1 and self.chance(0.5):
            return np.asfortranarray(x)
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2] if self.chance(0.5) else np.ascontiguousarray(x[..., ::-1])[..., ::-1]

    def array(self, shape=None, kinds="bif", ranks=(0, 1, 1, 2, 2, 3), special=True, extreme=False, least=0):
        """An array, or a Python number where the shape is ()."""
        if shape is None:
            shape = self.shape(self.choice(ranks), least)
        x = np.asarray(self.elements(self.choice(kinds), shape, special, extreme))
        return x.item() if x.ndim == 0 else self.layout(x)

    def broadcastable(self, kinds="bif", count=2, **options):
        """Arrays whose shapes fit together, mostly."""
        whole = self.shape(self.choice((0, 1, 2, 2, 3)))
        result = []
        for _ in range(count):
            shape = tuple(1 if self.chance(0.2) else n for n in whole[self.integer(0, len(whole)) :])
            if self.chance(0.5):
                shape = whole
            if self.chance(0.02):
                shape = (*shape, 5)
            result.append(self.array(shape, kinds, **options))
        return tuple(result)

    def axis(self, x, several=False, none=True):
        """An axis of x: mostly one that it has."""
        rank = np.ndim(x)
        if none and self.chance(0.25):
            return None
        if several and self.chance(0.25):
            axes = [self.integer(-rank, max(0, rank - 1)) for _ in range(self.integer(0, 2))]
            return tuple(axes)
        if self.chance(0.1):
            return self.choice([rank, -rank - 1])
        return self.integer(-max(rank, 1), max(rank, 1) - 1)

    def optional(self, *arguments, probability=0.5):
        """A beginning of the arguments."""
        count = 0
        while count < len(arguments) and self.chance(probability):
            count += 1
        return arguments[:count]

    def matrix(self, rows, columns, kinds="bif", special=False):
        return self.array((rows, columns), kinds, special=special)


@dataclass
class Case:
    generate: Any  # from a Draw: the arguments
    twin: Any  # what they give
    ulps: float = (
        0  # how far floats may be away, in units of the last place; None: zeros may have another sign
    )
    scaled: bool = False  # of the largest element, for what adds many of them


CASES: dict[str, list[Case]] = {}


def case(names, generate, twin=None, ulps=0, scaled=False):
    for name in names.split():
        function = twin or getattr(np, name)
        CASES.setdefault(name, []).append(Case(generate, function, ulps, scaled))


DTYPES = {None: None, "bool": bool, "int": np.int64, "float": np.float64}


def refuse(*_):
    raise ValueError


def length_of(x, axis):
    """Of an axis, which x may not have."""
    if axis is None or np.ndim(x) == 0:
        return np.size(x)
    return np.shape(x)[axis] if -np.ndim(x) <= axis < np.ndim(x) else 3


def one(**options):
    return lambda d: (d.array(**options),)


def two(**options):
    return lambda d: d.broadcastable(**options)
