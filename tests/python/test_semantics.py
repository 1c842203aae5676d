"""Compiled functions give what NumPy gives, under every policy, bit for bit among policies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from semantics_cases import CASES

import treadle as td


def same(actual, expected, where=""):
    """Equal values; kinds and shapes must agree, and floats to the last few bits (sums are added in another order)."""
    if isinstance(expected, list | tuple):
        assert type(actual) is type(expected) and len(actual) == len(expected), where
        for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
            same(a, e, f"{where}[{i}]")
    elif isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        for key in expected:
            same(actual[key], expected[key], f"{where}[{key!r}]")
    elif expected is None or isinstance(expected, str):
        assert actual == expected, where
    else:
        a, e = np.asarray(actual), np.asarray(expected)
        assert a.shape == e.shape, f"{where}: shape {a.shape} instead of {e.shape}"
        assert a.dtype == e.dtype, f"{where}: {a.dtype} instead of {e.dtype}"
        np.testing.assert_allclose(a, e, rtol=1e-13, atol=1e-13, err_msg=where)


def identical(a, b):
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(identical(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(identical(a[k], b[k]) for k in a)
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.mark.parametrize(
    ("name", "function", "arguments"), CASES, ids=[f"{i}-{c[0]}" for i, c in enumerate(CASES)]
)
def test_same_as_numpy(name, function, arguments):
    copies = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
    expected = function(*copies)
    compiled = td.jit(function)
    results = []
    for policy in ("always-inline", "paper-baseline", "always-async"):
        with td.config(policy=policy):
            results.append(compiled(*arguments))
    same(results[0], expected, name)
    assert all(identical(results[0], r) for r in results[1:]), "policies disagree"
    for given_, copy in zip(arguments, copies, strict=True):
        assert given_ is copy or np.array_equal(given_, copy), "an argument was changed"


numbers = st.one_of(st.integers(-50, 50), st.floats(-50, 50, allow_nan=False).map(lambda x: round(x, 3)))


@td.jit
def division(a, b):
    return a // b, a % b, a / b, a < b, a == b


@given(numbers, numbers.filter(lambda x: abs(x) > 0.01))
@settings(max_examples=150, deadline=None)
def test_division_is_pythons(a, b):
    with td.config(policy="always-inline"):
        same(division(a, b), division.__treadle_function__(a, b))


@td.jit
def sliced(x, a, b, c):
    y = x.copy()
    y[a:b:c] = -1.0
    return x[a:b:c], y


bound = st.one_of(st.none(), st.integers(-9, 9))


@given(st.integers(0, 7), bound, bound, bound.filter(lambda c: c != 0))
@settings(max_examples=200, deadline=None)
def test_slices_are_numpys(n, a, b, c):
    x = np.arange(float(n))
    with td.config(policy="always-inline"):
        same(sliced(x, a, b, c), sliced.__treadle_function__(x, a, b, c))


@td.jit
def broadcast(a, b):
    return a + b, a * b, np.maximum(a, b), a < b


shapes = st.sampled_from([(), (1,), (3,), (2, 1), (1, 3), (2, 3), (4, 1, 3), (4, 2, 1), (2, 1, 2, 3)])


@given(shapes, shapes, st.integers(0, 2**32 - 1))
@settings(max_examples=120, deadline=None)
def test_broadcasting_is_numpys(left, right, seed):
    random = np.random.default_rng(seed)
    a, b = random.integers(-5, 5, left), random.standard_normal(right)
    a = np.asarray(a)[...] if left else np.int64(a).item()
    b = np.asarray(b)[...] if right else float(b)
    try:
        expected = broadcast.__treadle_function__(a, b)
    except ValueError:
        with pytest.raises(td.PhyslError, match="broadcast"):
            broadcast(a, b)
        return
    with td.config(policy="always-inline"):
        same(broadcast(a, b), expected)


@td.jit
def through(x):
    return x, x + 0


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint8", "int16", "uint32", "int32", "int64", "float32", "float64", ">i4", ">f8"],
)
@pytest.mark.parametrize("layout", ["plain", "strided", "reversed", "fortran", "empty"])
def test_arrays_in_every_layout(dtype, layout):
    x = (np.arange(24) % 2 if dtype == "bool" else np.arange(24)).reshape(4, 6).astype(dtype)
    x = {
        "plain": x,
        "strided": x[::2, ::3],
        "reversed": x[::-1, ::-1],
        "fortran": np.asfortranarray(x),
        "empty": x[:0],
    }[layout]
    same_object, computed = through(x)
    np.testing.assert_array_equal(same_object, x)
    np.testing.assert_array_equal(computed, x)
    assert same_object.flags.writeable and not np.shares_memory(same_object, x)


def test_large_arrays_are_read_in_place():
    """A column of a large array must not cost a copy of the whole."""
    import tracemalloc

    @td.jit
    def corner(x):
        return x[0, 0] + x[-1, -1]

    x = np.ones((2000, 2000))
    corner(x)
    tracemalloc.start()
    corner(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < x.nbytes / 10
