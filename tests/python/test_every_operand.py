"""Whatever an operator or function is given: Python's and NumPy's value, of the same type, or an error."""

import warnings

import numpy as np
import pytest
from operand_cases import CHANGES, ONE, TWO, function_of, operands, templates

import treadle as td

# What NumPy refuses and has an obvious meaning here, such as an axis in a list.
LOOSER = set(
    templates(
        "round(a) | np.eye(a) | np.identity(a) | np.hstack(a) | np.vstack(a) | np.stack(a) | sum(a, b) | np.repeat(a, b)"
        " | np.sum(a, b) | np.max(a, b) | np.round(a, b) | np.expand_dims(a, b) | np.squeeze(a, b) | np.arange(a, b)"
        " | np.diag(a, b) | np.trace(a, b) | a.sum(b) | a.dot(b) | sorted(a, reverse=b)"
    )
)
# Results whose type differs: an array without axes for a number and the like.
UNTYPED = set(
    templates(
        "np.transpose(a) | np.transpose(a, b) | np.real(a) | np.imag(a) | np.dot(a, b) | a.dot(b) | np.array([a, b])"
    )
)
LARGE = set(  # do not try these with 2**53
    templates(
        "a * b | a ** b | pow(a, b) | [a] * b | a *= b | a **= b | list(a) | tuple(a) | range(a) | range(a, b)"
        " | np.zeros(a) | np.eye(a) | np.identity(a) | np.arange(a) | np.arange(a, b) | np.full(a, b)"
        " | np.repeat(a, b) | np.tile(a, b) | np.diag(a, b)"
        " | np.broadcast_to(a, b) | np.round(a, b) | np.linspace(a, b, 3) | np.power(a, b)"
        " | np.multiply(a, b) | a * 2 - a | np.square(a) | np.outer(a, a) | np.outer(a, b) | np.dot(a, b) | np.trace(a, b)"
    )
)
NUMBERS = (np.dtype(bool), np.dtype(int), np.dtype(float))


def copied(value):
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list):
        return [copied(v) for v in value]
    if isinstance(value, dict):
        return {k: copied(v) for k, v in value.items()}
    return value


def is_shown(value):
    """Whether Treadle has such values at all: no complex numbers, no int8, no arrays of objects."""
    if isinstance(value, list | tuple):
        return all(map(is_shown, value))
    if isinstance(value, dict):
        return all(map(is_shown, value.values()))
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype in NUMBERS
    return value is None or isinstance(value, bool | int | float | str | range)


def agree(actual, expected, typed):
    if isinstance(expected, list | tuple):
        return (
            type(actual) is type(expected)
            and len(actual) == len(expected)
            and all(agree(a, e, typed) for a, e in zip(actual, expected, strict=True))
        )
    if isinstance(expected, dict):
        keys = zip(actual, expected, strict=True) if len(actual) == len(expected) else [(0, None)]
        return all(repr(k) == repr(e) and agree(actual[k], expected[e], typed) for k, e in keys)
    if typed and type(actual) is not type(expected):
        # One exception: NumPy's truth values of comparisons with text.
        return isinstance(actual, bool | np.bool_) and actual == expected
    if isinstance(expected, np.ndarray | np.generic | float):
        a, e = np.asarray(actual), np.asarray(expected)
        return a.shape == e.shape and (not typed or a.dtype == e.dtype) and close(a, e)
    return actual == expected


def close(a, e):
    return a.size == 0 or np.allclose(a, e, rtol=1e-13, atol=1e-15, equal_nan=True)


def outcome(function, arguments):
    try:
        return function(*map(copied, arguments)), None
    except Exception as error:
        return None, error


def difference(template, function, compiled, arguments):
    expected, error = outcome(function, arguments)
    actual, refusal = outcome(compiled, arguments)
    if refusal is not None:
        assert isinstance(refusal, td.Error | TypeError), refusal
        return None
    if error is not None:
        return None if template in LOOSER else f"{actual!r} instead of {type(error).__name__}: {error}"
    if is_shown(expected) and not agree(actual, expected, template not in UNTYPED):
        return f"{actual!r} ({type(actual).__name__}) instead of {expected!r} ({type(expected).__name__})"
    return None


@pytest.mark.parametrize("template", [*templates(ONE), *templates(TWO), *templates(CHANGES)])
def test_every_operand(template):
    function = function_of(template)
    compiled = td.jit(function)
    values = operands()
    if template in LARGE:
        values = {n: v for n, v in values.items() if not isinstance(v, int | float) or not 1e3 < v < 1e300}
    rows = [(n,) for n in values] if template in templates(ONE) else [(n, m) for n in values for m in values]
    findings = []
    with warnings.catch_warnings(), td.config(policy="always-inline", workers=1):
        warnings.simplefilter("ignore")
        for names in rows:
            wrong = difference(template, function, compiled, [values[n] for n in names])
            if wrong:
                findings.append(f"{' and '.join(names)}: {wrong}")
    assert not findings, f"{len(findings)} of {len(rows)}:\n" + "\n".join(findings[:20])
