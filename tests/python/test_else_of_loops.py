"""`else` after loops runs unless a break has left the loop."""

import numpy as np
import pytest
from against_python import Table, check

import treadle as td

TABLE = Table()
case = TABLE.case


@case
def primes():
    found = []
    for n in range(2, 30):
        for d in range(2, n):
            if n % d == 0:
                break
        else:
            found.append(n)
    return found


@case
def loops_with_else():
    out = []
    for i in range(3):
        out.append(i)
    else:
        out.append("all")
    while len(out) < 8:
        out.append("x")
        if len(out) == 6:
            break
    else:
        out.append("no")
    while len(out) < 8:
        out.append("y")
    else:
        out.append("yes")
    for i in range(0):
        break
    else:
        out.append("none")
    return out


@case
def else_that_leaves_the_loop_around():
    out = []
    for i in range(5):
        for j in range(3):
            if j == 2 and i == 1:
                break
            if i == 2:
                continue
        else:
            out.append(i)
            if i == 2:
                break
            continue
        out.append(-i)
    else:
        out.append("not this")
    return out


@case
def else_that_returns():
    for i in range(3):
        if i > 5:
            break
    else:
        return "through"
    return "broken"


@case
def break_in_the_else_of_an_inner_loop():
    for i in range(3):
        while False:
            pass
        else:
            break
    else:
        return "no"
    return i


@case
def changes_around_an_else():
    x = np.zeros(4)
    for i in range(4):
        row = x[1:]
        for j in range(3):
            if row[j] > 0:
                break
        else:
            row = x[i]
        x[i] += i
    return x


@case
def prange_with_else():
    x = np.zeros(4)
    for i in td.prange(4):
        x[i] = i
    else:
        x[0] = 9
    return x


@pytest.mark.parametrize("function", TABLE.cases, ids=lambda f: f.__name__)
def test_as_in_python(function, capsys):
    check(function, capsys)
