"""Names mean in a compiled program what they mean in Python, whatever is called alike elsewhere."""

import linecache
import types

import numpy as np
import pytest
from test_semantics import same

import treadle as td

TEXT = """
import numpy as np

WEIGHTS = np.array([1.0, 2.0])


def norm(x):
    return np.sqrt((x * x).sum())


def half(x):
    WEIGHTS = 0.5
    return x * WEIGHTS
"""
other = types.ModuleType("other")
linecache.cache["<other>"] = (len(TEXT), None, TEXT.splitlines(True), "<other>")
exec(compile(TEXT, "<other>", "exec"), other.__dict__)

CASES = []


def case(function):
    CASES.append(function)
    return function


@case
def local_function_and_function_of_a_module(x):
    def norm(q):
        return q - 1

    return other.norm(x), norm(x)


@case
def variable_and_array_of_a_module(x):
    WEIGHTS = 3.0
    return other.WEIGHTS * WEIGHTS


@case
def parameter_and_function_of_a_module(x, norm=2.0):
    return other.norm(x) + norm


@case
def variables_of_comprehensions_and_lambdas(x):
    first = [other.WEIGHTS * WEIGHTS for WEIGHTS in x[0]]
    return first, (lambda WEIGHTS: other.WEIGHTS + WEIGHTS)(1.0)


@case
def counters_of_loops(x):
    out = []
    for WEIGHTS in range(2):
        out.append(other.WEIGHTS + WEIGHTS)
    part = np.zeros(3)
    for norm in td.prange(3):
        part[norm] = other.WEIGHTS[0] + norm
    return out, part, other.norm(part)


@case
def array_of_a_module_under_its_own_name(x):
    WEIGHTS = other.WEIGHTS
    WEIGHTS = WEIGHTS + 1
    return WEIGHTS + other.WEIGHTS


@case
def variable_of_a_function_compiled_before(x):
    return other.half(x).sum() + other.WEIGHTS


@case
def variable_of_a_function_compiled_later(x):
    return other.WEIGHTS + other.half(x).sum()


@case
def renamed_and_with_that_name_around(x):
    sum_ = x.sum()

    def inner():
        sum = 2.0
        return sum * 10 + sum_

    return inner(), (lambda sum: sum + sum_)(1.0), [sum + sum_ for sum in [1.0, 2.0]]


@case
def hidden_as_in_python(x):
    a = 1.0

    def inner(a):
        return a * 10

    return inner(x), [a * 2 for a in [3.0]], a


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_names(function):
    x = np.arange(6.0).reshape(2, 3)
    same(td.jit(function)(x), function(x))
