"""Functions without arguments, in plain Python and compiled: the same is printed, and values or errors are the same."""

import numpy as np
import pytest

import treadle as td

POLICIES = (
    {"policy": "adaptive"},
    {"policy": "always-inline"},
    {"policy": "always-async"},
    {"policy": "paper-baseline", "count_threshold": 0, "lower_ns": 0, "upper_ns": 0},
    {"policy": "paper-adaptive"},
)
CONFIGS = [{**policy, "workers": workers} for workers in (1, 2) for policy in POLICIES]


class Table:
    """Functions for the tests of one file, and what refusals of them say."""

    def __init__(self):
        self.cases, self.refusals = [], []

    def case(self, function):
        self.cases.append(function)
        return function

    def refused(self, *parts):
        def register(function):
            self.refusals.append(pytest.param(function, parts, id=function.__name__))
            return function

        return register


def plain(value):
    """Something to compare: with the types of containers and of elements."""
    if isinstance(value, list | tuple):
        return type(value), [plain(v) for v in value]
    if isinstance(value, dict):
        return [(k, plain(v)) for k, v in value.items()]
    if value is None or isinstance(value, str | range):
        return repr(value)
    array = np.asarray(value)
    return isinstance(value, np.ndarray), array.dtype, array.shape, array.tolist()


def outcome(function, capsys):
    """What is printed, and the value or the error."""
    capsys.readouterr()
    try:
        found = plain(function())
    except td.UnsupportedError:
        raise
    except Exception as error:
        found = error
    return capsys.readouterr().out, found


def check(function, capsys):
    text, expected = outcome(function, capsys)
    compiled = td.jit(function)
    for config in CONFIGS:
        with td.config(**config):
            printed, found = outcome(compiled, capsys)
        assert printed == text, config
        if isinstance(expected, Exception):
            assert isinstance(found, td.PhyslError) and isinstance(found, type(expected)), repr(found)
        else:
            assert found == expected, config


def check_refusal(function, parts):
    """Before anything runs, with these words."""
    with pytest.raises(td.UnsupportedError) as caught:
        td.jit(function).lower()
    assert all(part in str(caught.value) for part in parts), str(caught.value)


def check_error(function, *arguments, match=None):
    """Whenever it is noticed: rather than a wrong answer."""
    for config in CONFIGS:
        with td.config(**config), pytest.raises(td.Error, match=match):
            td.jit(function)(*arguments)
