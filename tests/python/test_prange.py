"""Iterations of prange: what they may read, and what their variables are."""

import numpy as np
import pytest
from against_python import check_error
from source_text import function_of_text

import treadle as td


def reads_by_a_function(n):
    x = np.zeros(n)

    def get(k):
        return x[k]

    for i in td.prange(1, n):
        x[i] = get(i - 1) + 1
    return x


def reads_by_a_lambda(n):
    x = np.zeros(n)
    get = lambda k: x[k]  # noqa: E731
    for i in td.prange(1, n):
        x[i] += get(i - 1) + 1
    return x


def reads_by_a_function_in_a_list(n):
    x, held = np.zeros(n), []
    held.append(lambda k: x[k])
    for i in td.prange(1, n):
        f = held[0]
        x[i] = f(i - 1) + 1
    return x


def reads_by_a_function_of_a_function(n):
    x = np.zeros(n)

    def get(k):
        return x[k]

    def outer(k):
        return get(k) + 1

    for i in td.prange(1, n):
        x[i] = outer(i - 1)
    return x


def reads_by_an_argument(n):
    x = np.zeros(n)

    def call(f, k):
        return f(k) + 1

    def get(k):
        return x[k]

    for i in td.prange(1, n):
        x[i] = call(get, i - 1)
    return x


def reads_by_what_a_function_makes(n):
    x = np.zeros(n)

    def make():
        return lambda k: x[k]

    get = make()
    for i in td.prange(1, n):
        x[i] = get(i - 1) + 1
    return x


def reads_in_a_comprehension(n):
    x = np.ones(n)
    for i in td.prange(1, n):
        x[i] = sum(x[k] for k in range(i))
    return x


def reads_in_a_function_of_the_loop(n):
    x = np.ones(n)
    for i in td.prange(1, n):

        def get(k):
            return x[k]

        x[i] = get(i - 1) + 1
    return x


def reads_by_a_default_value(n):
    x = np.ones(n)

    def get(k, y=x):
        return y[k]

    for i in td.prange(1, n):
        x[i] = get(i - 1) + 1
    return x


def reads_by_what_a_called_function_gives(n):
    x = np.zeros(n)

    def get(k):
        return x[k]

    def choose(k):
        return get

    f = choose(0)
    for i in td.prange(1, n):
        x[i] = f(i - 1) + 1
    return x


def reads_by_what_a_list_holds(n):
    x, fs = np.zeros(n), [0, 0]
    fs[1] = lambda k: x[k]
    for f in fs:
        g = f
    for i in td.prange(1, n):
        x[i] = g(i - 1) + 1
    return x


def reads_by_what_a_recursion_gives(n):
    x = np.zeros(n)

    def get(k):
        return x[k]

    def find(k):
        return find(k - 1) if k else get

    f = find(2)
    for i in td.prange(1, n):
        x[i] = f(i - 1) + 1
    return x


def reads_by_a_function_as_default_value(n):
    x = np.zeros(n)

    def get(k):
        return x[k]

    def outer(k, get=get):
        return get(k) + 1

    for i in td.prange(1, n):
        x[i] = outer(i - 1)
    return x


READERS = [
    reads_by_a_function_as_default_value,
    reads_by_what_a_called_function_gives,
    reads_by_what_a_list_holds,
    reads_by_what_a_recursion_gives,
    reads_by_a_function,
    reads_by_a_lambda,
    reads_by_a_function_in_a_list,
    reads_by_a_function_of_a_function,
    reads_by_an_argument,
    reads_by_what_a_function_makes,
    reads_in_a_comprehension,
    reads_in_a_function_of_the_loop,
    reads_by_a_default_value,
]


@pytest.mark.parametrize("function", READERS, ids=lambda f: f.__name__)
def test_iterations_do_not_read_what_others_write(function):
    check_error(function, 5, match="other iterations|share")


def test_what_functions_gave_before_can_be_read():
    @td.jit
    def program(n):
        x, y = np.zeros(n), np.ones(n)

        def get(k):
            return x[k] + y[k]

        def twice(k):
            return get(k) + get(k)

        first, row = get(0), [twice(k) for k in range(n)]
        for i in td.prange(n):
            x[i] = first + row[i]
        for i in td.prange(n):
            y[i] = x[i]
        return x, y

    assert [v.tolist() for v in program(2)] == [[3.0, 3.0], [3.0, 3.0]]


def test_functions_beside_a_parallel_loop():
    @td.jit
    def program(n):
        x, y = np.zeros(n), np.arange(float(n))

        def last(x):
            return x[-1]

        def after():
            return x[0]

        for i in td.prange(n):
            x[i] = last(y) + i
        return x, after()

    values, first = program(4)
    assert values.tolist() == [3.0, 4.0, 5.0, 6.0] and first == 3.0


def breaks_after_an_inner_loop(n):
    x = np.zeros(n)
    for i in td.prange(n):
        for _ in range(2):
            pass
        else:
            break
        x[i] = 1
    return x


def goes_on_after_an_inner_loop(n):
    x = np.zeros(n)
    for _ in td.prange(n):
        while x.size < 0:
            continue
        else:
            continue
    return x


@pytest.mark.parametrize("function", [breaks_after_an_inner_loop, goes_on_after_an_inner_loop])
def test_else_of_inner_loops_cannot_leave_an_iteration(function):
    check_error(function, 4, match="break and continue")


def test_variables_of_an_iteration_begin_without_a_value():
    @td.jit
    def program(n):
        found = [0] * n
        for i in td.prange(n):
            if i == 0:
                t = 5
            found[i] = t
        return found

    assert program(1) == [5]
    with pytest.raises(UnboundLocalError, match="'t'"):
        program(2)


def keeps_a_lambda(n):
    y = [None] * 3
    for i in td.prange(3):
        y[i] = lambda v: v + i  # noqa: B023
    return [f(1) for f in y]


def keeps_a_list_of_lambdas(n):
    y = [None] * 3
    for i in td.prange(3):
        k = i * 2
        y[i] = [lambda: k]  # noqa: B023
    return [f[0]() for f in y]


@pytest.mark.parametrize("function", [keeps_a_lambda, keeps_a_list_of_lambdas])
def test_functions_cannot_leave_an_iteration(function):
    with pytest.raises(td.UnsupportedError, match="cannot leave an iteration"):
        td.jit(function)(3)


def test_other_variables_may_have_the_same_name():
    def program(n):
        squares = [i * i for i in range(n)]
        total = 0
        for i in range(n):
            total += i
        y = np.zeros(n)

        def g(i):
            return i + 1

        for i in td.prange(n):
            y[i] = squares[i] + total
        for i in range(n):
            total += g(i) * 2
        return y, total, sum(y[i] for i in range(n)), {i: y[i] for i in range(2)}, (lambda i: -i)(4)

    expected = program(5)
    for workers in (1, 2):
        with td.config(workers=workers):
            assert str(td.jit(program)(5)) == str(expected)


@pytest.mark.parametrize("after", ["i", "(lambda: i)()", "[i for k in range(2)]", "[k for k in range(i)]"])
def test_the_counter_ends_with_the_loop(after):
    text = f"def f(n):\n    y = [0] * n\n    for i in td.prange(n):\n        y[i] = i\n    return {after}\n"
    with pytest.raises(td.UnsupportedError, match="'i' is assigned in a prange loop"):
        td.jit(function_of_text(text, f"counter {after}"))(3)


def test_a_loop_around_has_a_counter_of_its_own():
    def program(n):
        y = [0] * n
        for i in range(2):
            for i in td.prange(n):  # noqa: B020
                y[i] = i
            y[0] = i
        return y

    with pytest.raises(td.UnsupportedError, match="'i' is assigned in a prange loop"):
        td.jit(program)(3)
