"""Diagonal matrices have no zeros in memory, and nobody can tell."""

import numpy as np
import pytest

import treadle as td
from treadle.config import POLICIES
from treadle.demo import data

N = 20  # smaller ones are ordinary arrays
V = np.resize([2.0, -0.0, -1.5, 0.0, 1e-3], N)
M = np.random.default_rng(3).standard_normal((N, 3))
INTEGERS = np.resize([3, 0, -2, 7, 1], N)
ODD = np.resize([np.inf, 1.0, -np.inf, np.nan, 1e-200], N)


def sums(v, w, m):
    D, I = np.diag(v), np.identity(N)  # noqa: E741
    return D + I, D - I, I + I, 2 * D, D * 0.5, -D, -2.0 * D, D / 4, D * np.inf, 0.0 * D, D + v, D + 1


def products(v, w, m):
    D, E = np.diag(v), np.diag(w) + np.identity(N)
    return (
        D @ m,
        m.T @ D,
        m.T @ D @ m,
        D @ v,
        w @ D,
        D @ E,
        D @ E @ m,
        np.dot(D, m),
        (D @ m[:, 0]) @ w,
        D.T @ m,
    )


def elementwise(v, w, m):
    D, E = np.diag(v), np.eye(N)
    return (
        D * E,
        D == E,
        D > 0,
        np.abs(D),
        np.sqrt(np.abs(D)),
        D**2,
        np.exp(E),
        np.maximum(D, E),
        np.where(D > 0, D, E),
    )


def shapes(v, w, m):
    D = np.diag(v)
    return (
        D.T,
        D.reshape(N * N),
        D[1],
        D[:, 2],
        D[1:3, ::2],
        D.ravel(),
        np.diag(D),
        np.trace(D),
        D.sum(),
        D.sum(axis=1),
    )


def changed(v, w, m):
    D = np.diag(v)
    D[0, 1] = 7.0
    E = np.identity(N)
    E += D
    E[2] = w
    F = np.diag(v).T
    F[3, 0] = 1.0
    return D @ m, E @ m, D, E, F, F.sum()


def of_integers(v, w, m):
    D, I = np.diag(w), np.identity(N, dtype=int)  # noqa: E741
    return (
        D + I,
        -D,
        D * 2,
        D @ w,
        D @ D,
        D @ m,
        D / 2,
        D // 2,
        np.eye(N, dtype=bool) @ I,
        np.diag(w > 0) @ np.diag(w < 0),
    )


def sizes(v, w, m):
    return (
        np.diag(v[:0]), np.diag(v[:1]), np.identity(0) @ m[:0], np.identity(1) @ m[:1], np.identity(1) * -1,
        np.eye(2, 3), np.eye(3, k=1), np.diag(v, 1), np.identity(2) @ m[:2, :0],
    )  # fmt: skip


def shared(v, w, m):
    v = v.copy()
    D = np.diag(v)
    E = D
    total = E.sum()
    E = D.copy()
    E[0, 0] = 100.0
    v[0] = 55.0
    return D, E, total


def loop(v, w, m):
    total = np.zeros((3, 3))
    rows = np.zeros((N, N))
    unit = np.identity(N)
    for i in range(N):
        D = np.diag(v * float(i))
        total = total + m.T @ (D + unit) @ m
        rows[i, :] = D[i] + unit[i]
    return total, rows


PROGRAMS = [sums, products, elementwise, shapes, changed, of_integers, sizes, shared, loop]


def assert_same(found, expected):
    assert len(found) == len(expected)
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        a, b = np.asarray(a), np.asarray(b)
        assert a.shape == b.shape and a.dtype == b.dtype, (i, a, b)
        np.testing.assert_allclose(a, b, rtol=1e-14, atol=0, err_msg=str(i))
        zeros = (b == 0) & (b.dtype == float)
        assert (np.signbit(a) == np.signbit(b))[zeros].all(), (i, a, b)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("policy", POLICIES)
def test_same_as_numpy(function, policy):
    compiled = td.jit(function)
    for v in (V, np.arange(N) - 3.5, ODD):
        for workers in (1, 2):
            with np.errstate(all="ignore"), td.config(policy=policy, workers=workers):
                expected = function(v, INTEGERS, M)
                assert_same(compiled(v, INTEGERS, M), expected)
                with td.config(dense_diagonals=True):
                    assert_same(compiled(v, INTEGERS, M), expected)


def test_results_are_ordinary_arrays():
    def make(v):
        return np.diag(v)

    def use(d, m):
        return d @ m

    made = td.jit(make)(V)
    made[0, 1] = 3.0
    made.T[0, 2] = 4.0
    assert made.flags.writeable and made[0, 1] == 3.0 and made[2, 0] == 4.0
    np.testing.assert_allclose(td.jit(use)(made, M), made @ M)


def test_als_has_the_bits_of_dense_diagonals():
    random = np.random.default_rng(5)
    workload = data.als_workload("als", "ALS", np.floor(6 * random.random((40, 30)) ** 4), 6, 3)
    for policy in POLICIES:
        for workers in (1, 2, 4):
            with td.config(policy=policy, workers=workers):
                found = workload.program(*workload.arguments)
                with td.config(dense_diagonals=True):
                    dense = workload.program(*workload.arguments)
            for a, b in zip(found, dense, strict=True):
                assert a.tobytes() == b.tobytes()
    for a, b in zip(found, workload.by_hand(*workload.arguments), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
