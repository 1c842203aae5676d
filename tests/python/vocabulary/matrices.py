"""Products and systems of equations."""

import operator

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

from .draw import case, refuse


def inner_pair(d):
    k = d.integer(0, 4)
    left = (*d.shape(d.integer(0, 2), 1), k)
    right = (*d.shape(d.integer(0, 1), 1), k, d.integer(1, 4)) if d.chance(0.7) else (k,)
    if d.chance(0.1):
        right = (*right[:-1], right[-1] + 1)
    return left, right


def products(d):
    left, right = inner_pair(d)
    if d.chance(0.1):  # with a number: BLAS makes 0 of 0 times infinity there
        return (d.array(left, special=False), d.number("bi"))
    return (d.array(left), d.array(right))


def stacks(d):
    k, stack = d.integer(0, 3), d.shape(d.integer(0, 2), 1)
    left = (*(stack if d.chance(0.7) else stack[1:]), d.integer(1, 3), k)
    right = (*(1 if d.chance(0.2) else n for n in stack), k, d.integer(1, 3))
    return (d.array(left if d.chance(0.9) else (k,)), d.array(right if d.chance(0.9) else (k,)))


def contraction(d):
    shape = d.shape(d.integer(1, 3))
    axes = d.choice([0, 1, 2, ([0], [0]), (0, -1), ([0, 1], [1, 0]), [[0, 1], [0, 1]], -1])
    return (
        d.array(shape),
        d.array(shape[::-1] if d.chance(0.5) else shape),
        *d.optional(axes, probability=0.8),
    )


case("dot", products, ulps=4, scaled=True)
case("__matmul", stacks, operator.matmul, ulps=4, scaled=True)
case("__matmul", products, lambda a, b: np.matmul(a, b), ulps=4, scaled=True)
case("outer", lambda d: (d.array(ranks=(0, 1, 2)), d.array(ranks=(0, 1, 2))))
case("tensordot", contraction, lambda a, b, axes=2: np.tensordot(a, b, axes), ulps=4, scaled=True)
case("trace", lambda d: (d.array(ranks=(1, 2, 2, 2, 3)), *d.optional(d.integer(-3, 3))))


def square(d, least=0):
    """Mostly well conditioned, sometimes singular, sometimes large."""
    n = d.choice([least, 1, 2, 3, 5, 5, 20])
    x = d.matrix(n, n, "bif") if d.chance(0.3) else d.matrix(n, n, "f") + 4 * np.eye(n)
    return np.zeros_like(x) if d.chance(0.05) else x


def definite(d):
    n = d.choice([1, 2, 3, 5, 20])
    x = d.matrix(n, n, "f")
    return x @ x.T + n * np.eye(n) if d.chance(0.9) else x @ x.T - n * 9 * np.eye(n)


def sides(d, n):
    return d.array(
        d.choice([(n,), (n, 1), (n, 3), (n, 0), (n + 1,)]) if d.chance(0.5) else (n,), "bif", special=False
    )


def system(matrix):
    def generate(d):
        a = matrix(d)
        return (a, sides(d, len(a)))

    return generate


def solved(a, b):
    return np.linalg.solve(a, b) if np.linalg.matrix_rank(a) == len(a) else refuse()


def regular(function):
    return lambda a: function(a) if np.linalg.matrix_rank(a) == len(a) else refuse()


def conditioned(matrix):
    """Far from singular or exactly singular: what is in between is decided by rounding."""

    def generate(d):
        while True:
            arguments = matrix(d)
            a = arguments[0] if isinstance(arguments, tuple) else arguments
            if a.size == 0 or np.linalg.cond(a.astype(float)) < 1e4 or not a.any():
                return arguments if isinstance(arguments, tuple) else (arguments,)

    return generate


case("inverse", conditioned(square), regular(np.linalg.inv), ulps=1e5, scaled=True)
case("inverse determinant", lambda d: (d.array(d.choice([(2, 3), (3,), (2, 2, 3)])),), refuse)
case("determinant", conditioned(square), np.linalg.det, ulps=1e5, scaled=True)
case("solve linear_solver_lu", conditioned(system(lambda d: square(d, 1))), solved, ulps=1e5, scaled=True)


def cholesky_solved(a, b):
    return scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), b)


def conjugate_gradient(a, b, rtol=None, maxiter=None):
    x, failed = scipy.sparse.linalg.cg(
        a, b, rtol=rtol or 1e-5, maxiter=(maxiter or 10 * len(b)) + 1
    )  # it looks before a step, not after the last
    return refuse() if failed else x


def symmetric(d):
    n = d.choice([1, 2, 3, 5, 20])
    x = d.matrix(n, n, "f")
    return x + x.T


case("linear_solver_cholesky", system(definite), cholesky_solved, ulps=1e5, scaled=True)
case("linear_solver_ldlt", conditioned(system(symmetric)), solved, ulps=1e5, scaled=True)
case(
    "iterative_solver_conjugate_gradient",
    lambda d: (a := definite(d), d.array((len(a),), "bif", special=False)),
    conjugate_gradient,
    ulps=1e6,
    scaled=True,
)
case(
    "iterative_solver_conjugate_gradient",
    lambda d: (
        a := definite(d),
        d.array((len(a),), "f", special=False),
        d.choice([None, 1e-3, 1e-12]),
        d.choice([None, 1, 2, 30]),
    ),
    conjugate_gradient,
    ulps=1e6,
    scaled=True,
)
case(
    "lu",
    lambda d: (
        d.matrix(d.integer(1, 5), d.integer(1, 5), "bif") if d.chance(0.9) else d.matrix(20, 23, "f"),
    ),
    lambda a: scipy.linalg.lu(a.astype(float)),
    ulps=1e3,
    scaled=True,
)
