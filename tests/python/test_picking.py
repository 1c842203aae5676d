"""Elements picked by truths, which are looked at eight at a time."""

import numpy as np
import pytest

import treadle as td


@td.jit
def positions(mask):
    return np.nonzero(mask)


@td.jit
def picked(x, mask):
    return x[mask]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_every_length_gives_what_numpy_gives(share):
    random = np.random.default_rng(1)
    for length in [*range(70), 1000, 4097]:
        mask = random.random(length) < share
        x = random.random(length)
        np.testing.assert_array_equal(positions(mask)[0], np.nonzero(mask)[0])
        np.testing.assert_array_equal(picked(x, mask), x[mask])
