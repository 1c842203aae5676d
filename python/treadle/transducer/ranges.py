"""The mark of loops whose iterations do not depend on each other."""

from __future__ import annotations


def prange(*bounds: int) -> range:
    """Like range, and promises that the iterations of the loop do not depend on each other: they run in parallel.

    A compiled loop evaluates all iterations as tasks, each with variables of its own, and then assigns the items they
    wrote, in order: the result is that of the sequential loop, always. What they print may come in
    another order. Undecorated it simply is range.
    """
    return range(*bounds)
