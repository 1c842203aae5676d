"""Stores that change what they read, and truth values: the same as in Python, or refused."""

import numpy as np
import pytest

import treadle as td

X = np.array([3.0, 1.0, 9.0])


def unpacks_into_itself():
    a = [[1, 2], 4]
    a, b = a
    return a, b


def unpacks_twice():
    a = (1, 2)
    c = a, b = a
    return a, b, c


def walks_pairs():
    node, total = (1, (2, (3, None))), 0
    while node is not None:
        v, node = node
        total += v
    return total


def changes_behind_a_position():
    x = np.arange(12.0).reshape(2, 2, 3)
    x[0][:, [0, 2]] = np.array([[1.0, 2.0], [3.0, 4.0]])
    return x


def ranges_with_a_step():
    return np.arange(5, step=2), np.arange(1, 9, step=3)


def not_of_one_element():
    return not (X[:1] > 5)


def or_of_one_element():
    return (X[:1] < 5) or 7


def asserts_with_a_message_that_fails():
    assert X.size == 3, X[5]
    return True


def takes_by_truth_values():
    return np.take(np.array([1.0, 5.0, 3.0]), X > 2)


def functions_of_lists():
    return np.logical_not([1, 0]), np.bool_([1, 0]), np.bool_(np.array([5]))


def negative_powers():
    return 10**-6, 2**-1, -(10**-3), 1.0 + 10**-0


@pytest.mark.parametrize(
    "function",
    [
        negative_powers,
        unpacks_into_itself,
        unpacks_twice,
        walks_pairs,
        changes_behind_a_position,
        ranges_with_a_step,
        not_of_one_element,
        or_of_one_element,
        asserts_with_a_message_that_fails,
        takes_by_truth_values,
        functions_of_lists,
    ],
)
def test_as_in_python(function):
    def plain(value):
        return (
            [plain(v) for v in value]
            if isinstance(value, list | tuple)
            else (np.shape(value), np.asarray(value).tolist())
        )

    assert plain(td.jit(function)()) == plain(function())


def swaps_in_a_loop_over_them(p):
    for i, v in enumerate(p):
        if v != i:
            j = int(v)
            p[i], p[j] = p[j], p[i]
    return p


def not_of_many(x):
    return not (x > 5)


def spaces_arrays(x):
    return np.linspace(0.0, x, 4)


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (swaps_in_a_loop_over_them, np.array([3, 1, 2, 0])),
        (not_of_many, X),
        (spaces_arrays, X),
    ],
)
def test_refused_rather_than_wrong(function, argument):
    with pytest.raises(td.Error):
        td.jit(function)(argument)
