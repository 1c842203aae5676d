"""Errors have Python's types and the place; what callbacks, deep lists and forgotten functions do."""

import gc
import os
import sys
import threading
import weakref

import numpy as np
import pytest
from source_text import function_of_text

import treadle as td
from treadle.error_types import PHYSL_ERRORS


def index(x):
    return x[7]


def item(x):
    return [1, 2][5]


def key(x):
    return {"a": 1}["b"]


def division(x):
    return x.size // (x.size - 3)


def assertion(x):
    assert x[0] > 100, "too small"
    return x


def kind(x):
    return x + "a"


def unpacking(x):
    a, b = x
    return a


def shapes(x):
    return x + np.zeros(2)


def name(x):
    if x[0] > 100:
        y = 1
    return y


def depth(x):
    return depth(x) + 1


def missing_axis(x):
    return x.sum(axis=3)


def singular(x):
    return np.linalg.inv(np.outer(x, x))


def beyond_integers(x):
    return int(x[1] / x[0])


def method(x):
    return (x.size,).sum()


def truths(x):
    return -(x > 1)


def floats(x):
    return 1.0 % float(x[0])


def steps(x):
    return np.arange(0, 5, int(x[0]))


def place(x):
    return np.insert(x, 7, 1.0)


def tuple_item(x):
    t = (1, 2)
    t[0] = 3
    return t


def both_errors(function, *arguments):
    """What the function raises in Python, and compiled."""
    with pytest.raises(Exception) as python:
        function(*arguments)
    with pytest.raises(td.PhyslError) as compiled:
        td.jit(function)(*arguments)
    return python.value, compiled.value


@pytest.mark.parametrize(
    "function",
    [
        index,
        item,
        key,
        division,
        assertion,
        unpacking,
        shapes,
        name,
        tuple_item,
        missing_axis,
        singular,
        beyond_integers,
        method,
        truths,
        floats,
        steps,
        place,
    ],  # fmt: skip
    ids=lambda f: f.__name__,
)
def test_errors_have_the_types_of_python(function):
    python, compiled = both_errors(function, np.arange(3.0))
    assert isinstance(compiled, type(python))
    first = function.__code__.co_firstlineno
    assert compiled.file == __file__ and first <= compiled.line <= first + 6
    assert str(compiled).startswith(f"{__file__}({compiled.line}, ")


WRONG = (
    "l + 5",
    "l - 1",
    "l * 2.0",
    "l / 2",
    "-l",
    "~l",
    "+l",
    "abs(l)",
    "l + (1,)",
    "l[1.0]",
    "l[None]",
    "int(x)",
    "bool(x)",
    "np.sort(42)",
    "np.nonzero(1)",
    "min(x.reshape(2, 2))",
    "any([x])",
    "max([])",
)


@pytest.mark.parametrize("expression", WRONG)
def test_what_python_refuses(expression):
    function = function_of_text(f"def f(x, l):\n    return {expression}\n", f"wrong {expression}")
    python, compiled = both_errors(function, np.arange(4.0), [1, 2])
    assert isinstance(python, TypeError | ValueError)
    assert isinstance(compiled, ValueError if isinstance(python, ValueError) else TypeError)


# Arguments that NumPy has no None for, and what it does not take for an array, for lengths or for an integer.
NO_ARGUMENT = (
    "np.linspace(0, 1, k)",
    "np.trace(m, k)",
    "np.diag(v, k)",
    "np.eye(3, k=k)",
    "np.round(v, k)",
    "v.round(k)",
    "np.std(v, ddof=k)",
    "v.var(ddof=None)",
    "np.sum(m, 0, keepdims=k)",
    "m.max(0, keepdims=k)",
    "np.any(m, 0, keepdims=k)",
    "np.bincount(n, minlength=k)",
    "np.allclose(v, v, rtol=k)",
    "np.tensordot(m, m, axes=k)",
    "sorted([2, 1], reverse=k)",
    "np.repeat(3, 2, axis=7)",
    "np.vstack(4)",
    "np.dstack(4)",
    "np.hstack(4)",
    "np.column_stack(4)",
    "np.stack(np.array(4))",
    "np.concatenate(4)",
    "np.indices(4)",
    "np.pad(n, 1, constant_values=np.nan)",
    "np.pad(n, 1, constant_values=v[0] / 0 * 1e300)",
    "np.array([np.nan], dtype=int)",
    "np.array([1, 1e300], dtype=int)",
    "np.array(np.nan, dtype=int)",
    "np.asarray([[np.inf]], dtype=int)",
    "np.insert(n, 0, 1e300)",
    "np.insert(n, 0, [1.0, np.nan])",
)


@pytest.mark.parametrize("expression", NO_ARGUMENT)
def test_arguments_that_numpy_refuses(expression):
    function = function_of_text(f"def f(v, m, n, k):\n    return {expression}\n", f"argument {expression}")
    arguments = np.arange(3.0), np.arange(9.0).reshape(3, 3), np.array([1, 2, 2]), None
    with np.errstate(all="ignore"):
        python, compiled = both_errors(function, *arguments)
    assert isinstance(compiled, type(python))


def test_numbers_of_arrays_are_cast_where_numbers_of_the_language_are_refused():
    def plain(x, n):
        return (
            np.array(x[0], dtype=int),
            np.array([x, x], dtype=int),
            np.insert(n, 0, x),
            np.insert(n, 0, x[0]),
        )

    x, n = np.array([np.nan, 1e300]), np.array([1, 2])
    with np.errstate(all="ignore"):
        for found, expected in zip(td.jit(plain)(x, n), plain(x, n), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_a_result_that_is_nested_too_deeply():
    @td.jit
    def nested(n):
        x = []
        for _ in range(n):
            x = [x]
        return x

    for call in (nested, lambda n: nested.submit(n).result()):
        with pytest.raises(RecursionError) as caught:
            call(500)
        assert isinstance(caught.value, td.PhyslError) and caught.value.file == __file__


def test_too_many_calls_are_a_recursion_error():
    with pytest.raises(RecursionError) as caught:
        td.jit(depth)(1)
    assert isinstance(caught.value, td.PhyslError)


def test_a_callback_that_fails_does_not_stop_others(monkeypatch):
    seen = []
    monkeypatch.setattr(threading, "excepthook", seen.append)

    @td.jit
    def twice(x):
        return x * 2

    def fail(_):
        if threading.current_thread() is not threading.main_thread():  # else it was complete already
            raise SystemExit(3)

    first = twice.submit(1)
    first.add_done_callback(fail)
    assert first.result(10) == 2
    assert [twice.submit(i).result(10) for i in range(5)] == [0, 2, 4, 6, 8]


def test_submitted_arrays_are_taken_as_they_are():
    @td.jit
    def total(n, x, more):
        s = 0.0
        for i in range(n):
            s += x[i % 3]
        return s + more[0][1]

    x, more = np.ones(3), [np.ones(2)]
    futures = [total.submit(3000, x, more) for _ in range(10)]
    x[:] = np.nan
    more[0][:] = np.nan
    assert [f.result(30) for f in futures] == [3001.0] * 10


def test_programs_go_with_their_functions():
    def make(k):
        @td.jit
        def f(x):
            return x * k

        return f

    f = make(7.25)
    assert f(2) == 14.5
    program = weakref.ref(f.native)
    assert program() in list(sys.modules["treadle.jit"]._programs.values())
    del f
    gc.collect()
    assert program() is None


def test_lists_nested_without_end():
    @td.jit
    def nest(n, result):
        items = []
        for _ in range(n):
            items = [items]
        if result == 0:
            return 1
        if result == 1:
            return items
        if result == 2:
            return items == [items]
        return np.array(items)

    assert nest(200_000, 0) == 1  # made and destroyed
    assert nest(50, 1) is not None
    for result in (1, 2, 3):
        with pytest.raises((RecursionError, ValueError)):
            nest(200_000, result)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        nest(1, deep)
    while deep:
        deep = deep[0]


def test_print_is_pythons(capsys):
    @td.jit
    def show(x, m):
        print(
            "text", 1, 2.5, True, None, x, [x, "a\n", (1,), ()], {"k": [1.0, None]}, [x[0]], {x[1]: x[0] > 3}
        )
        print(m)
        x = x.copy()
        x[0] = 9
        print()
        print(x[0], x.sum() > 3, x.shape)
        return 0

    x, m = np.array([1.0, 2.5, -3.0]), np.arange(2000.0).reshape(20, 100) / 7
    show(x, m)
    compiled = capsys.readouterr().out
    show.__treadle_function__(x, m)
    assert compiled == capsys.readouterr().out


def test_every_kind_of_error_has_a_type():
    assert all(issubclass(t, td.PhyslError) for t in PHYSL_ERRORS.values())


@td.jit
def spin(n):
    s = 0.0
    for i in range(n):
        s = s * 0.5 + i
    return s


def test_another_number_of_workers_waits_for_nothing():
    with td.config(workers=2):
        future = spin.submit(10**12)
        while not future.running():
            pass
    made = td.info()["runtime"]["tasks_created"]
    assert made > 0
    for workers in (1, 2, 1):
        with td.config(workers=workers):
            assert spin(10) == spin.__treadle_function__(10)
            assert td.info()["runtime"]["workers"] == workers
    assert future.running() and td.info()["runtime"]["tasks_created"] >= made  # of the same runtime
    future.stop()
    with pytest.raises(td.PhyslError, match="cancelled"):
        future.result(30)


def test_more_workers_than_there_are_wait_for_what_runs():
    most = 2 * (os.cpu_count() or 1)
    for workers in (most, most + 1, 1):
        with td.config(workers=workers):
            future = spin.submit(200_000)
        with td.config(workers=workers + 1):
            assert spin(10) == spin.__treadle_function__(10)
            assert td.info()["runtime"]["workers"] == workers + 1
        assert future.result(30) > 0
    with td.config(workers=most + 2):
        future = spin.submit(10**12)
        while not future.running():
            pass
        future.stop()
    with td.config(workers=most + 3):
        assert spin(3) == 2.5
    with pytest.raises(td.PhyslError, match="cancelled"):
        future.result(30)
