"""Stores that change what they read, and truth values: the same as in Python, or refused."""

import numpy as np
import pytest
from against_python import check

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


def changes_where_a_tuple_says():
    a, at = np.zeros((2, 3, 4)), (1, 2)
    a[0][at] = 5
    a[1][at] -= 3
    a[1][at[:1]] += 1
    a[0][0, 1:][(1,)] = 7
    a[1][(None, np.array([0, 2]))] = np.ones((1, 2, 4)) * 9
    return a


def changes_where_a_tuple_says_in_a_loop():
    a, b, at = np.zeros((300, 3, 4)), np.zeros((300, 3, 4)), (1, 2)
    for i in range(300):
        a[i][at] = i
        b[i][at] += i
    return a, b


def keys_that_are_tuples():
    d, table, k = {}, {None: 0}, ((1, 2), "a")
    d[(1,)] = 1
    d[2,] = 2
    d[()] = 3
    d[k] = 4
    d[((1, 2), (3, 4))] = 5
    for key in [(None, 1), ("newaxis", None), ("...", 2)]:
        d[key] = len(d)
        table[key] = 1
    d[()] += 1
    return (
        d,
        (1,) in d,
        1 in d,
        d[(1,)],
        d[((1, 2), "a")],
        (None, 1) in d,
        None in table,
        list(table),
        None in d,
    )


def arrays_take_tuples():
    x, one, none, rows = np.arange(6.0).reshape(2, 3), (1,), (), ([0, 1], 2)
    return x[one], x[1,], x[(0,)], x[none], x[()], x[rows], x[(None, 1)].shape, x[0, 0][()]


def copies_lists():
    x = [1, 2, 3]
    b = x[:]
    b.append(5)
    h = x[1:]
    h[0] = 9
    return x, b, h


def rewrites_what_it_counts():
    x, y, rows = np.arange(4.0), [1, 2, 3, 4], [[1], [2]]
    for i, v in enumerate(x):
        x[i] = v * 2
    for i, v in enumerate(y):
        y[i] += v
    for i, (a, b) in enumerate(zip(x, y, strict=False)):
        y[i] = a + b
    for i, r in enumerate(rows):
        rows[i] = [len(r), i]
    return x, y, rows


def loops_over_what_a_function_gives():
    out = [0, 0]

    def twice(v):
        return [v, v * 2]

    for i, v in enumerate(twice(3)):
        out[i] = v
    return out


def far_ranges():
    r = range(0, 10**9, 7)
    wide = (
        7 * 10**7 in r,
        7 * 10**7 + 1 in r,
        7.0 in r,
        7.5 in r,
        True in range(3),
        "a" in r,
        None in r,
        -7 in r,
    )
    backwards = range(10, -(10**9), -3)
    same = (
        r == range(0, 10**9, 7),
        r == range(0, 10**9, 8),
        range(3, 3) == range(0),
        range(0, 3, 5) == range(0, 2, 4),
    )
    return wide, -2 in backwards, 10 in backwards, 13 in backwards, -(10**9) in backwards, same


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
        changes_where_a_tuple_says,
        arrays_take_tuples,
        far_ranges,
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


@pytest.mark.parametrize(
    "function",
    [
        changes_where_a_tuple_says_in_a_loop,
        keys_that_are_tuples,
        copies_lists,
        rewrites_what_it_counts,
        loops_over_what_a_function_gives,
    ],
)
def test_changes_as_in_python(function, capsys):
    check(function, capsys)


def test_keyword_only_parameters_are_no_positions():
    @td.jit
    def two(a, b=2, *, c=3):
        return a, b, c

    assert two(1, c=5) == (1, 2, 5)
    with pytest.raises(TypeError, match="too many positional arguments"):
        two(1, 2, 3)


def counts_beyond_64_bits(text):
    return list(enumerate(text, 9223372036854775807))


def list_with_axes_to_spare(x):
    x[0] = [[7, 8, 9]]
    return x


def key_that_is_deep(n):
    t = ()
    for _ in range(n):
        t = (t,)
    return t in {1: 2}


def list_that_is_deep(n):
    a = [1]
    for _ in range(n):
        a = [a]
    assert not a, a


def counts_the_keys_of_a_dict(d):
    for i, _ in enumerate(d):
        d[i] = 1
    return d


def text_index_in_a_tuple(x):
    k = ("newaxis", 1)
    return x[k]


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


def steps_beyond_64_bits(r):
    return r[:: 2**62]


def has_nan_as_a_key(x):
    return {x: 1}


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (steps_beyond_64_bits, range(0, 20, 4)),
        (counts_beyond_64_bits, "ab"),
        (list_with_axes_to_spare, np.ones((2, 3))),
        (key_that_is_deep, 20000),
        (list_that_is_deep, 190),
        (list_that_is_deep, 490),
        (counts_the_keys_of_a_dict, {"a": 1}),
        (text_index_in_a_tuple, X),
        (has_nan_as_a_key, np.nan),
        (has_nan_as_a_key, (1, np.nan)),
        (swaps_in_a_loop_over_them, np.array([3, 1, 2, 0])),
        (not_of_many, X),
        (spaces_arrays, X),
    ],
)
def test_refused_rather_than_wrong(function, argument):
    for policy in ("always-inline", "always-async"):
        with td.config(policy=policy, workers=2), pytest.raises(td.Error):
            td.jit(function)(argument)
