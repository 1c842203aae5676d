"""Functions inside of functions: how they are called, and what their default values are."""

import numpy as np
import pytest
from against_python import Table, check, check_refusal

X = np.array([3.0, 1.0, 9.0])
TABLE = Table()
case, refused = TABLE.case, TABLE.refused


def note(k):
    print("note", k)
    return k


@case
def named_arguments():
    def f(a, b, c):
        return a, b, c

    return f(note(1), c=note(2), b=note(3)), f(c=1, b=2, a=3), f(1, 2, c=3)


@case
def default_values():
    def f(a, b=2, *, c, d=-4.5, e=None, s="text"):
        return a, b, c, d, e, s

    return f(1, c=3), f(c=note(1), a=note(2)), f(1, 7, d=8, c=9), f(1, s="t", c=3)


@case
def default_values_are_those_of_the_definition():
    found = []
    for i in range(3):

        def f(a, k=i):
            return a, k

        found.append(f)
    i = 10
    return [f(5) for f in found], [f(5, 6) for f in found], f(1, k=2)


@case
def default_values_in_order():
    def f(a=note(1), b=note(2), *, c=note(3)):
        return a, b, c

    return f(), f(note(4)), f(5, b=6), note(0)


@case
def lambdas_with_default_values():
    k = 3
    f = lambda x, by=k * 2, more=1: x * by + more  # noqa: E731
    k = 100
    return f(1), f(1, 2), f(x=1, by=3), f(2, more=5, by=7), k


@case
def lambdas_that_keep_their_item():
    return [f(10) for f in [lambda x, i=i: x + i for i in range(3)]]


@case
def lambdas_that_share_their_variable():
    return [f(10) for f in [lambda x: x + i for i in range(3)]]


@case
def lambdas_that_share_a_variable_with_a_condition():
    return [f(10) for f in [lambda x: x + i for i in range(5) if i != 4]]


@case
def positional_parameters():
    def f(a, /, b):
        return a - b

    return f(1, b=2), f(1, 2)


@case
def a_name_that_is_looked_up_first():
    if X.size > 5:

        def f(a, b):
            return a - b

    return f(b=note(1), a=note(2))


@case
def called_inside_of_others():
    def f(a, b=2):
        return a * b

    def g(c):
        return f(b=c, a=1) + f(c)

    return g(3), [f(b=i, a=2) for i in range(3)], (lambda z: f(b=z, a=z))(4)


@case
def default_values_that_are_calls():
    def f(a, b=1):
        return a * 10 + b

    def f2(a, b=f(b=2, a=3), c=4):
        return a, b, c

    return f2(1), f2(1, 2), f2(b=5, a=1)


@case
def recursion_with_names():
    def power(base, n=3):
        return 1 if n == 0 else base * power(n=n - 1, base=base)

    return power(2), power(n=5, base=2)


@case
def too_few_for_an_unknown_function():
    def f(a, b):
        return a - b

    def call(g):
        return g(1)

    return call(f)


@case
def defaults_of_unknown_functions():
    def f(a, b=3):
        return a - b

    def call(g):
        return g(1)

    return call(f), call(lambda x, y=2: x + y)


@pytest.mark.parametrize("function", TABLE.cases, ids=lambda f: f.__name__)
def test_as_in_python(function, capsys):
    check(function, capsys)


@refused("too many positional arguments")
def too_many():
    def f(a):
        return a

    return f(1, 2)


@refused("missing a required argument: 'b'")
def too_few():
    def f(a, b):
        return a

    return f(1)


@refused("unexpected keyword argument 'z'")
def unknown_name():
    f = lambda a: a  # noqa: E731
    return f(1, z=2)


@refused("too many positional arguments")
def named_only():
    def f(a, *, b=1):
        return a + b

    return f(1, 2)


@refused("positional only")
def positional_only():
    def f(a, /):
        return a

    return f(a=1)


@refused("keyword-only parameters", "only be called")
def named_only_as_a_value():
    def f(a, *, b=1):
        return a + b

    g = f
    return g(1, 2)


def kept(a, *, b=1):
    return a + b


@refused("keyword-only parameters", "only be called")
def named_only_of_the_module_as_a_value():
    g = kept
    return g(1, 2)


@refused("bound once")
def named_only_without_a_name():
    return [lambda a, *, b: a + b][0](1, 2)


@refused("positional arguments only")
def named_arguments_of_an_unknown_function():
    if X.size > 2:
        f = lambda a, b: a - b  # noqa: E731
    else:
        f = lambda b, a: a - b  # noqa: E731
    return f(a=1, b=2)


@refused("pass 'b', too")
def leaves_a_gap():
    k = 3

    def f(a, b=k, c=2):
        return a, b, c

    return f(1, c=5)


@pytest.mark.parametrize(("function", "parts"), TABLE.refusals)
def test_refused(function, parts):
    check_refusal(function, parts)
