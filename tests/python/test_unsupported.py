"""What cannot be compiled is refused by name and place, with what to write instead; before anything runs."""

import math

import numpy as np
import pytest

import treadle as td

CASES = []
HELD = np.zeros(3)
THING = object()


def refused(*parts):
    def register(function):
        CASES.append((function, parts))
        return function

    return register


@refused("argument", "x = x.copy()")
def writes_argument(x):
    x[0] = 1
    return x


@refused("share memory", ".copy()")
def writes_alias(n):
    x = np.zeros(n)
    y = x
    x[0] = 1
    return y


@refused("shares memory with the argument 'x'")
def writes_view_of_argument(x):
    y = x[1:, 0]
    y[0] = 1
    return y


@refused("share memory")
def writes_transpose(n):
    x = np.zeros((n, n))
    t = x.T
    t[0, 1] = 1
    return x


@refused("'items' would hold 'row' itself")
def writes_what_a_list_holds(n):
    row = np.zeros(n)
    items = []
    items.append(row)
    row[0] = 1
    return items


@refused("belongs to somebody else")
def writes_global(x):
    HELD[0] = x


@refused("try is not supported")
def uses_try(x):
    try:
        return x
    finally:
        pass


@refused("raise is not supported", "assert")
def uses_raise(x):
    raise ValueError(x)


@refused("with is not supported")
def uses_with(x):
    with x:
        return 1


@refused("f-strings")
def uses_fstring(x):
    return f"{x}"


@refused("np.einsum is not supported", "@")
def uses_einsum(x):
    return np.einsum("ij->ji", x)


@refused("math.sqrt is not supported: use np.sqrt")
def uses_math(x):
    return math.sqrt(x)


@refused("argument 'out' is not supported", "axis")
def unknown_argument(x):
    return np.sum(x, out=x)


@refused(".sum: argument 'out' is not supported")
def unknown_argument_of_method(x):
    return x.sum(axis=0, out=x)


@refused(".mean: argument 'where' is not supported")
def mean_of_some(x):
    return x.mean(where=x > 2)


@refused(".reshape: argument 'order' is not supported")
def columns_first(x):
    return x.reshape(3, 2, order="F")


@refused("a generator that is not used at once")
def array_of_generator(x):
    return np.array(v for v in x)


@refused("a generator that is not used at once")
def length_of_generator(x):
    return len(v for v in x)


@refused("a generator that is not used at once")
def printed_generator(x):
    print(v for v in x)


@refused("argument 'a' is missing")
def missing_argument():
    return np.sum()


@refused("name 'not_there' is not defined")
def undefined_name(x):
    return not_there(x)  # noqa: F821


@refused("no 'exponential'")
def unknown_in_module(x):
    return np.exponential(x)


@refused("method .view() is not supported", "reshape")
def unknown_method(x):
    return x.view()


@refused("attribute .real2", "T, shape")
def unknown_attribute(x):
    return x.real2


@refused("call it: .sum()")
def forgotten_call(x):
    return x.sum + 1


@refused("*args")
def packed(*x):
    return x


@refused("unpacking with *")
def starred(x):
    a, *b = x
    return a, b


@refused("import at the top")
def imports(x):
    import os

    return os.getpid() + x


@refused("generators")
def generates(x):
    yield x


@refused("walrus")
def walrus(x):
    if (y := x) > 1:
        return y


@refused("global")
def uses_global(x):
    global HELD
    HELD = x


@refused("`is` compares only with None")
def identity(x):
    return x is THING


@refused("is a builtins.object")
def foreign_object():
    return THING


@refused("this element type")
def complex_type(n):
    return np.zeros(n, dtype=complex)


@refused("64 bits")
def large_integer():
    return 2**3 + 99999999999999999999


@refused("each iteration has its own")
def private_after_loop(n):
    for i in td.prange(n):
        t = i
    return t


@refused("cannot add to a variable")
def sum_in_prange(n):
    s = 0
    for i in td.prange(n):
        s += i
    return n


@refused("written by other iterations")
def carried_in_prange(n):
    x = np.zeros(n)
    for i in td.prange(n):
        x[i] = x[i - 1] + 1
    return x


@refused("break and continue")
def break_in_prange(n):
    x = np.zeros(n)
    for i in td.prange(n):
        if i > 2:
            break
    return x


@refused("belongs to somebody else")
def nested_writes(x):
    y = np.zeros(3)

    def inner():
        y[0] = x

    inner()
    return y


@pytest.mark.parametrize(("function", "parts"), CASES, ids=[c[0].__name__ for c in CASES])
def test_refused(function, parts):
    with pytest.raises(td.UnsupportedError) as caught:
        td.jit(function).lower()
    error = caught.value
    for part in parts:
        assert part in str(error)
    first = function.__code__.co_firstlineno
    assert error.file == __file__ and first <= error.line <= first + 12
    report, source, caret = str(error).split("\n")
    assert report.startswith(f"{__file__}:{error.line}:{error.column}: ")
    assert caret.index("^") - 4 == error.column - 1 and source[4:].rstrip() == source_line(error.line)


def source_line(line):
    with open(__file__) as file:
        return file.read().split("\n")[line - 1].rstrip()


def test_a_lambda_has_no_name_to_compile():
    with pytest.raises(td.UnsupportedError, match="write a def"):
        td.jit(lambda x: x).lower()
