"""Compiled functions of a module that other processes can import."""

import numpy as np

import treadle as td

SCALE = 3.0


@td.jit
def scaled_norm(x):
    return SCALE * np.sqrt(np.sum(x * x))


@td.jit
def refuses(x):
    return x[99]


def adder(n, offsets):
    """A function that no other process can import."""

    @td.jit(policy="always-async", name="add n")
    def add(x, y=1, *, more=0.5):
        return x + y + n + more + offsets[0]

    return add
