"""Loops over enumerate that change what they count: as in Python, or refused."""

import itertools
import random
import warnings

from source_text import function_of_text

import treadle as td

STARTS = (
    "np.arange(3.0)",
    "np.arange(3)",
    "np.ones((3, 2))",
    "[1, 2, 3]",
    "[[1], [2], [3]]",
    "{0: 1, 1: 2}",
    "(4, 5)",
)
HEADS = (
    "for i, v in enumerate(x):", "for i, (v, w) in enumerate(zip(x, y)):", "for i, v in enumerate(zip(x, y)):",
    "for i, v in enumerate(x[::-1]):", "for v in x:", "for i, v in enumerate(y):",
)  # fmt: skip
STATEMENTS = (
    "x[i] = v", "x[i] = v * 2", "x[i] += 1", "x[i] += v", "x[i - 1] = 7", "x[i][0] = 5", "y[i] = 3", "z[i] = 8", "v += 1",
    "v[0] = 9", "x = x * 2", "out.append(v)", "out.append(x[0])", "i = 0", "j = i; x[j] = 6", "z = x", "x.append(1); break",
    "y = [0, 0, 0]", "x[i] = y[0]", "if i: x[i] = v; break",
)  # fmt: skip


def outcome(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(function())
        except Exception as error:
            return error


def test_loops_that_change_what_they_count():
    programs = list(itertools.product(STARTS, HEADS, STATEMENTS, STATEMENTS))
    agreed = 0
    for number, (start, head, first, second) in enumerate(random.Random(3).sample(programs, 1200)):
        body = "".join(f"        {line}\n" for line in (first, second))
        text = (
            "def f():\n    i, v, w = 0, 0, 0\n"
            f"    x, y, z, out = {start}, {start}, [0, 0, 0], []\n    {head}\n{body}    return x, y, z, out, i\n"
        )
        function = function_of_text(text, f"counted {number}")
        expected = outcome(function)
        with td.config(policy="always-inline", workers=1):
            found = outcome(td.jit(function))
        if isinstance(expected, Exception):
            assert isinstance(found, Exception), text
        elif not isinstance(found, td.Error):
            assert found == expected, text
            agreed += 1
    assert agreed > 200
