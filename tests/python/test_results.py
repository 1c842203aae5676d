"""Which arguments the result of a function may hold, found before it is compiled."""

import numpy as np
import pytest

import treadle as td
from treadle.transducer.results import Results
from treadle.transducer.source import Source

CASES = []


def held(*names):
    def register(function):
        CASES.append((function, set(names)))
        return function

    return register


@held("x")
def itself(x, y):
    return x


@held()
def computed(x, y):
    return (x - y) * 2.0 + 1


@held("x", "y")
def perhaps_lists(x, y):
    return x + y


@held("x")
def repeated(x, n):
    return x * (n - 1)


@held("x")
def repeated_by_whole_numbers(x, n):
    return [x] * (n // 2)


@held()
def scaled(x, n):
    return x * (n / 2)


@held()
def of_numpy(x, y):
    return np.dot(x, y)


@held("x")
def view_of_numpy(x, y):
    return np.reshape(x, y.size)


@held("x")
def part(x, y):
    z = x[1:]
    return z.T


@held("x", "y")
def through_a_list(x, y):
    out = []
    out.append(x)
    out[0] = y
    return out


@held("x")
def through_a_loop(x, y):
    best = 0
    for v in x:
        best = v
    return best


@held("x", "y")
def through_a_swap(x, y):
    a, b = x, 1
    a, b = b, a
    pair = (y, b)
    return pair


@held("x")
def through_calls(x, y):
    z = itself(x, y)
    return computed(z, y) if y > 0 else z


@held("y")
def by_keyword(x, y):
    return itself(y=x, x=y)


@held()
def of_a_call(x, y):
    return computed(x, y)


@held("x")
def recursive(x, n):
    return x if n == 0 else circle(n - 1, x)


@held("z")
def circle(m, z):
    return recursive(z, m)


@held("x", "y")
def with_a_closure(x, y):
    return lambda: x


@held("f", "x")
def calls_an_argument(f, x):
    return f(x)


@held("x")
def sum_of_lists(x, y):
    return sum(x, [])


@held()
def sum_of_numbers(x, y):
    return sum(x)


@pytest.mark.parametrize(("function", "names"), CASES, ids=[c[0].__name__ for c in CASES])
def test_held(function, names):
    assert Results(function, Source)._held[function] == names


def copies(x):
    a = x * 1
    b = computed(a, a)
    a[0] = 5
    return a, b


def keeps(x):
    a = x * 1
    b = itself(a, a)
    a = x * 2
    a[0] = 5
    return a, b


def test_a_change_waits_for_what_may_hold_the_array():
    assert "list" not in td.jit(copies).lower().as_text()
    assert "list(b)" in td.jit(keeps).lower().as_text()
    for function in (copies, keeps):
        x = np.arange(1.0, 4.0)
        for got, expected in zip(td.jit(function)(x), function(x), strict=True):
            assert np.array_equal(got, expected)
