"""Plain NumPy functions with arguments; compiled or not, they must give the same. One language feature or two each."""

import numpy as np
import scipy.linalg
import scipy.special
from scipy.sparse.linalg import cg

import treadle as td

A = np.arange(12.0).reshape(3, 4)
V = np.array([3.0, -1.0, 2.5, 0.0, -7.25])
N = np.array([5, -3, 0, 7, 2, 2])
SCALE = 2.5
TABLE = np.linspace(0.0, 1.0, 100)
WORDS = ["a", "b"]
CASES = []


def case(*arguments):
    def register(function):
        CASES.append((function.__name__, function, arguments))
        return function

    return register


@case(7, 3)
@case(-7, 3)
@case(7.5, -2.0)
def arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, -a, +a, abs(a), a**2


@case(V, 2.0)
@case(A, A + 1)
def array_arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, -a, np.abs(a) ** 1.5


@case(N, 3)
def integer_arrays(a, b):
    return a + b, a * b, a // b, a % b, a / b, a**2, a & b, a | b, a ^ b, ~a


@case(3, 4)
@case(4.0, 4)
def comparisons(a, b):
    return a < b, a <= b, a == b, a != b, a > b, a >= b, 1 < a < b <= 4, not a == b


@case(0, 3)
@case(2, 0)
@case(2, 5)
def junctions(a, b):
    return a and b, a or b, not a, (a > 1 and b > 1) or a == 0, 1 if a else 2


@case(10)
@case(0)
@case(-1)
def if_chain(n):
    if n > 5:
        r = "big"
    elif n == 0:
        r = "none"
    else:
        r = "other"
    return r


@case(6)
@case(1)
def early_return(n):
    for i in range(n):
        if i == 3:
            return i * 10
        if i > 100:
            break
    return -1


@case(10)
def loops(n):
    total = 0
    for i in range(n):
        if i % 2 == 0:
            continue
        total += i
        if total > 12:
            break
    k = 0
    while k < 5:
        k += 2
    return total, i, k


@case(5)
def loop_variable_is_its_own(n):
    seen = []
    for i in range(n):
        seen.append(i)
        i = i * 100
        seen.append(i)
    return seen, i


@case(4)
def bounds_are_evaluated_once(n):
    count = 0
    for _ in range(0, n, 1):
        n = n + 5
        count += 1
    for j in range(n, 0, -7):
        count += j
    return n, count


@case(3, -2)
@case(3, 2)
def computed_steps(n, step):
    return [i for i in range(0, n * step, step)]


@case(V)
def iterate_array(v):
    s = 0.0
    for x in v:
        s = s * 0.5 + x
    return s


@case(A)
def iterate_rows(a):
    out = []
    for i, row in enumerate(a):
        out.append(row.sum() + i)
    for row, name in zip(a, [1, 2, 3]):
        out.append(row[0] * name)
    return out


@case(V, N)
def comprehensions(v, n):
    evens = [int(k) for k in n if k % 2 == 0]
    pairs = [x * y for x, y in zip(v, n)]
    indexed = [i * x for i, x in enumerate(v) if x > 0]
    table = {k: k * k for k in range(4)}
    return evens, pairs, indexed, table[3], sum(x for x in v), [[i + j for j in range(2)] for i in range(2)]


@case(V)
def containers(v):
    pair = (1, 2.5)
    x, y = pair
    (p, q), r = (x, y), v
    d = {"first": v, "second": [x, y]}
    items = [1, 2, 3]
    items[1] = 20
    items.append(4)
    return d["first"] + r, d["second"][1], items, len(items), items[-1], items[1:3], p + q, pair + (3,)


@case(1, 2)
def swapping(a, b):
    a, b = b, a
    c = d = a + b
    return a, b, c, d


@case(A)
def reading_slices(a):
    return (
        a[0], a[-1], a[1, 2], a[-1, -1], a[:, 1], a[1:, :2], a[::2], a[::-1], a[:, ::-2], a[5:], a[-100:2], a[1:1], a[...],
        a[..., 0],
    )  # fmt: skip


@case(A)
def new_axes(a):
    return a[:, None].shape, a[None], a[:, np.newaxis, 0], a[..., None].shape, a[0][:, None] - a[0][None, :]


@case(A, N)
def gathers(a, n):
    rows = np.array([2, 0])
    positions = [0, 2]
    return (
        a[[2, 0]],
        a[rows],
        a[positions],
        a[a > 4],
        a[:, [1, 3]],
        n[n != 2],
        a[rows, [1, 2]],
        n[np.argsort(n)],
    )


@case(A)
def writing(a):
    a = a.copy()
    a[0] = 7
    a[1, 2] = -1.0
    a[:, 0] = np.array([1.0, 2.0, 3.0])
    a[2, 1:3] += 100
    a[a > 50] = 0.5
    a[-1, -1] *= 3
    b = np.zeros((2, 3))
    b[:] = 4
    b[1] += np.arange(3)
    return a, b


@case(A)
def rebinding_in_place(a):
    b = a * 2
    b += 1
    b /= 4
    b **= 2
    n = 3
    n -= 1
    n *= 5
    n //= 3
    n %= 2
    return b, n


@case(5)
def element_swaps(n):
    x = np.arange(n) * 1.5
    for i in range(n // 2):
        t = x[i]
        x[i] = x[n - 1 - i]
        x[n - 1 - i] = t
    x[0], x[1] = x[1], x[0]
    return x


@case(A)
def shapes(a):
    m, n = a.shape
    return (
        a.shape,
        a.shape[0],
        a.shape[-1],
        a.size,
        a.ndim,
        len(a),
        m * n,
        a.T,
        a.T.shape,
        np.shape(a),
        np.size(a, 1),
    )


@case(A)
def reshaping(a):
    return (
        a.reshape(4, 3), a.reshape((2, 6)), a.reshape(-1), np.reshape(a, (2, -1)), a.ravel(), a.flatten(), a.transpose(),
        np.transpose(a), np.expand_dims(a, 1).shape, np.squeeze(a[None]).shape, a.reshape(3, 2, 2).transpose(2, 0, 1),
        np.swapaxes(a, 0, 1),
    )  # fmt: skip


@case(A)
@case(V)
def reductions(a):
    return (
        a.sum(), a.mean(), a.min(), a.max(), a.std(), a.var(), a.prod(), a.argmin(), a.argmax(), np.sum(a), np.mean(a),
        np.all(a > -100), np.any(a > 100), np.cumsum(a), np.count_nonzero(a),
    )  # fmt: skip


@case(A)
def reductions_by_axis(a):
    return (
        a.sum(axis=0), a.sum(1), np.mean(a, axis=1, keepdims=True), np.max(a, axis=0), a.argmax(axis=1), a.std(axis=0, ddof=1),
        np.cumsum(a, axis=1), np.cumprod(a + 1, axis=0), np.all(a > 2, axis=0), np.sum(a, axis=-1), np.linalg.norm(a, axis=1),
    )  # fmt: skip


@case(A, V)
def elementwise_functions(a, v):
    return (
        np.exp(v), np.sqrt(a), np.log(a + 1), np.sin(v), np.tanh(v), np.abs(v), np.square(v), np.sign(v), np.floor(v),
        np.ceil(v), np.maximum(v, 1), np.minimum(v, 0.5), np.clip(v, -1, 2), np.where(v > 0, v, -v), np.isnan(v),
        np.power(a, 2), np.logical_and(v > 0, v < 3), np.logical_not(v > 0), np.round(v, 1), np.log1p(a), np.expm1(v),
    )  # fmt: skip


@case(3)
def creation(n):
    return (
        np.zeros(n), np.zeros((n, 2)), np.ones((2, n)), np.full((2, 2), 7), np.full(n, 0.5), np.eye(n), np.identity(2),
        np.arange(n), np.arange(1, 10, 3), np.arange(0.0, 1.0, 0.25), np.linspace(0, 1, 5), np.zeros(2, dtype=int),
        np.array([1, 2, n]), np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros_like(A), np.ones_like(N), np.diag([1.0, 2.0]),
        np.eye(3, k=1), np.eye(2, 3), np.full_like(A, 2), np.array([True, False]), np.arange(n, dtype=float),
    )  # fmt: skip


@case(A, V)
def joining(a, v):
    return (
        np.concatenate([v, v]), np.concatenate((a, a), axis=1), np.hstack([v, v]), np.vstack([v, v]), np.stack([v, v * 2]),
        np.stack([v, v], axis=1), np.outer(v, v), np.tile(v, 2), np.repeat(v, 2), np.flip(v), np.column_stack([v, v]),
    )  # fmt: skip


@case(A @ A.T + 5 * np.eye(3), np.array([1.0, 2.0, 3.0]))
def linear_algebra(m, b):
    return (
        m @ m, m @ b, b @ m, b @ b, np.dot(m, b), m.dot(m), np.linalg.inv(m), np.linalg.solve(m, b), np.linalg.solve(m, m),
        np.linalg.det(m), np.linalg.norm(b), np.linalg.norm(m), np.diag(m), np.trace(m), np.matmul(m, m), np.linalg.norm(b, 1),
    )  # fmt: skip


@case(N, V)
def sorting(n, v):
    return (
        np.sort(n),
        np.argsort(v),
        np.sort(v)[::-1],
        np.unique(n),
        np.argmin(v),
        np.argmax(n),
        np.nonzero(n)[0],
        np.where(n > 2)[0],
    )


@case(V)
def conversions(v):
    return (
        int(3.9),
        int(-3.9),
        float(2),
        bool(0),
        v.astype(int),
        (v > 0).astype(float),
        round(2.5),
        round(-1.4),
        v.astype(bool),
    )


@case(3, 9, 4)
def python_extremes(a, b, c):
    return (
        min(a, b),
        max(a, b, c),
        min(a * 2, b - 4),
        max([a, b, c]),
        sum([a, b, c]),
        any([False, True]),
        all([True, False]),
    )


@case(12)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@case(9)
def mutual_recursion(n):
    return is_even(n), is_odd(n)


def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


@case(V)
def calls_others(v):
    return shifted(v), shifted(v, by=2.0), shifted(by=1, v=v), compiled(v)


def shifted(v, by=10.0):
    return v + by * SCALE


@td.jit
def compiled(v):
    return shifted(v) * 2


@case(4.0)
def closures(x):
    def power(n):
        result = 1.0
        for _ in range(n):
            result *= x
        return result

    def apply_twice(f, y):
        return f(f(y))

    square = lambda q: q * q + x  # noqa: E731
    return power(3), square(2.0), apply_twice(square, 1.0), [power(k) for k in range(3)]


@case(50)
def module_values(i):
    return TABLE[i], TABLE.sum(), SCALE, np.pi, np.inf, WORDS, TABLE.shape


@case(None)
@case(1)
def nothing(x):
    if x is None:
        return None
    if x is not None and 1 in [x, 2] and 5 not in [x]:
        pass


@case("text")
def text(s):
    return s + "!", s == "text", len(s), {"key": s}["key"]


@case(6)
def names_of_primitives(n):
    list = [n, 2]  # noqa: A001
    sum = list[0] + list[1]  # noqa: A001
    shape, slice, block = 1, 2, 3  # noqa: A001
    store = np.sum(np.array([shape, slice, block]))
    return list, sum, shape + slice + block, store


@case(5, 4)
def nested_assignment(n, m):
    rows = [[0], [0]]
    rows[1][0] = m
    grid = np.zeros((2, 3))
    grid[1][2] = n
    return rows, grid


@case(A)
def parallel(a):
    out = np.zeros(a.shape[0])
    for i in td.prange(a.shape[0]):
        row = a[i] * 2
        out[i] = row.sum()
    return out


@case(A)
def parallel_updates(a):
    total = np.ones((3, 4))
    weights = np.arange(3.0)
    for i in td.prange(3):
        total[i, 1:] += a[i, 1:] * weights[i]
        total[i, 0] = i
    return total


@case(1.0)
def mean_of_bools(x):
    mask = np.array([True, False, True])
    return mask.sum(), mask.mean(), mask & ~mask, mask | (x > 0)


@case(4)
def statements_after_return(n):
    while True:
        n += 1
        if n > 6:
            break
    assert n == 7, "n"
    return n


@case(5)
def nested_definitions(n):
    def factorial(k):
        return 1 if k < 2 else k * factorial(k - 1)

    def late():
        return offset + n

    offset = 10
    if n > 3:

        def chosen(x):
            return x * 2

    else:

        def chosen(x):
            return x * 3

    offset = 20
    return factorial(n), late(), chosen(n), [late() + k for k in range(2)]


@case(A)
def alternating_parallel_loops(a):
    x = np.zeros(3)
    y = np.zeros(4)
    for k in range(3):
        for i in td.prange(3):
            s = a[i] @ y + k
            x[i] = s
        for j in td.prange(4):
            s = a[:, j] @ x
            y[j] = s + j
    return x, y


@case(3)
def unpacking(n):
    out = []
    for i, (p, q) in enumerate([(1, 2), (3, 4)]):
        out.append(i + p * q + n)
    for p, q in [(5, 6)]:
        out.append(p - q)
    a, (b, c) = n, (n + 1, n + 2)
    return out, a, b, c, [p + q for p, q in zip([1, 2], [3, 4])], [p * q for p, q in [(2, 3)]]


@case(np.array([2, 0, 1]))
def positions(order):
    table = np.array([10.0, 20.0, 30.0])
    ranked = order.copy()
    ranked[order] = np.arange(3)
    first = order[0]
    return table[order], table[first], table[ranked[1]], table[[int(i) for i in order]], table[order > 0]


@case(7.0)
def conditional_values(x):
    y = x if x > 3 and not x > 9 else -x
    z = (x or 1) + (0 or 2)
    big = x > 5
    if big:
        y = y + 1
    return y, z, big, (x > 1) == True, None if x else 2  # noqa: E712


@case(4)
def int_and_float_powers(n):
    return n**2, n**0.5, 2.0**n, n**-1.0, (-8) ** 3, n / 2, n // 3 * 1.0, -n % 3


@case(np.array([[1.0, 2.0], [3.0, 4.0]]))
def augmented_items(m):
    m = m.copy()
    m[0, 1] -= 5
    m[:, 0] *= 2
    m[1] **= 2
    v = m[0].copy()
    v += 1
    return m, v


@case(1)
def without_parameters(n):
    def constant_value():
        return 41

    return constant_value() + n, answer(), [answer() for _ in range(2)]


def answer():
    return 42


@case(A)
def tuples_stay_tuples(x):
    shape = x.shape
    pair = (shape, [1, (2,)])
    if x[0, 0] > 100:
        return None
    return (
        pair,
        shape + (1,),
        shape[1:],
        np.nonzero(x),
        list(shape),
        tuple([1, 2]),
        [(a, b) for a, b in zip(shape, (5, 6))],
    )


@case((1, 2), A)
def tuples_as_indices(where, x):
    y = x.copy()
    hits = np.where(x > 5)
    y[hits] = 0.0
    y[where] = 77.0
    return x[where], x[hits], x[np.nonzero(x > 9)], y, x[([0, 1], [1, 2])] if len(where) == 2 else x


@case(V, N)
def masks_combine_by_arithmetic(x, n):
    inside = (x > -2) * (x < 3)
    outside = (x < -2) + (x > 2.7)
    return (
        inside,
        x[inside],
        outside,
        x[outside],
        (x > 0) @ (x > 1),
        np.abs(x > 0),
        (n > 0) * 2,
        (n > 0) + True,
    )


@case(3)
def repeated_sequences(n):
    r = [0.0] * n
    r[1] = 5.0
    return r, n * [1, 2], (1,) * n, [7] * 0


@case(np.arange(24.0).reshape(2, 3, 4))
def integers_among_index_arrays(t):
    y = t.copy()
    y[0, :, [0, 1]] = np.arange(6.0).reshape(2, 3)
    return t[0, :, [0, 1]], t[[0, 1], :, 0], t[:, 0, [0, 1]], t[0, [0, 2]], y


@case(N)
def taking_by_lists(x):
    return np.take(x, [0, 1]), np.take(x, [4, 3, 2, 1]), np.take(x, [2]), np.take(x, (1, 3))


@case(np.array([[3, 1], [2, 15], [25, 4]]))
def all_axes_at_once(x):
    return np.sort(x, axis=None), np.argsort(x, axis=None), np.round(x, -1), np.round(25, -1)


@case(np.array([np.inf, 3.0, -3.0, -7.5]))
def floor_division_at_infinity(x):
    return x // 2.0, x // np.inf, x % np.inf


@case(A, V)
def element_types_and_orders(a, v):
    return (
        np.sum(a, 0, float), np.sum(v > 0, dtype=int), np.sum(a, axis=1, keepdims=True, initial=2.0), np.cumsum(v > 0, dtype=float),
        np.std(a, 0, float, None, 1), np.mean(v > 0, dtype=float), np.hstack((v > 0, v > 1), dtype=float), np.max(v, initial=9.0),
        np.concatenate([a, a], axis=None), np.stack([v, v], dtype=float), np.ravel(a, "F"), a.flatten("F"), a.flatten(order="C"),
        np.argmax(a, axis=1, keepdims=True), np.sort(a, axis=None), np.sort(v, kind="stable"), np.argsort(v, kind="mergesort"),
        np.linspace(0.0, 1.0, 4, endpoint=False), np.linspace(0.0, 1.0, 4, False), np.eye(2, dtype=int), np.trace(a, 1),
        np.allclose(v, v, equal_nan=True), np.array_equal(a, a), np.indices((2, 3)), np.indices((2,), float),
    )  # fmt: skip


@case(A, V, None)
@case(A, V, 0)
def axes_known_at_run_time(a, v, axis):
    return (
        np.sort(a, axis),
        np.concatenate([a, a], axis),
        np.argsort(a, axis),
        np.sum(a, axis),
        np.cumsum(a, axis),
    )


@case(A, V)
def new_functions(a, v):
    return (
        np.tensordot(a, a, 2), np.tensordot(a, a, ([0], [0])), np.flipud(a), np.fliplr(a), np.flip(a, (0, 1)), np.insert(v, 1, 5.0),
        np.insert(a, [0, 2], 1.5, axis=1), np.pad(v, 2), np.pad(a, ((1, 0), (0, 2)), constant_values=3), np.pad(v, (1, 2), "reflect"),
        np.fromfunction(lambda i, j: i * 10 + j, (2, 3)), np.fromfunction(lambda i: i + 1, (4,), dtype=int), np.repeat(v, [1, 0, 2, 1, 3]),
        np.dot(np.ones((2, 3, 4)), np.ones((5, 4, 2))), np.linalg.norm(a, 1), np.linalg.norm(a, "nuc"), np.linalg.norm(v, 3),
    )  # fmt: skip


@case(A @ A.T + 5 * np.eye(3), np.array([1.0, 2.0, 3.0]))
def functions_of_scipy(m, b):
    x, info = cg(m, b, rtol=1e-12)
    return (
        scipy.linalg.solve(m, b), scipy.linalg.solve(m, b, assume_a="pos"), scipy.linalg.solve(m, b, assume_a="sym"), x, info,
        scipy.linalg.lu(m), scipy.special.erf(b), scipy.special.expit(b), scipy.special.logsumexp(m, axis=0), scipy.linalg.inv(m),
    )  # fmt: skip


@case(A, None)
def none_as_axis_and_index(a, n):
    b = a.copy()
    b[0, n] = 7
    joined = np.concatenate((a, a), n)
    return (
        np.sort(a[::-1], n), np.argsort(-a, n), joined, np.cumsum(a, n), np.flip(a, n), np.sum(a, axis=n), a[n].shape,
        a[0, n].shape, a[:, n].shape, b, np.repeat(a, 2, n), np.take(a, [1], n),
    )  # fmt: skip


@case(np.array([0.0, 1.0, 2.0]), [3, 1, 2])
def pythons_extremes(v, items):
    v = np.where(v == 0, np.nan, v)
    return (
        max(v), min(v), max([1.0, np.nan]), min([1.0, np.nan]), min(2, 1.5), max(items), min(items), any(v), all(v),
        any([]), all([]), any([0, 0.0, []]), all([1, [0]]), np.max(v), np.min(v),
    )  # fmt: skip


@case([1, 2], (1, 2))
def lists_are_lists(items, pair):
    return (
        items + [3], items * 2, 2 * items, items * np.array([1, 2]), np.array([1, 2]) + items, items == [1, 2],
        items == pair, pair + (3,), pair * 2, np.add(items, 1), np.negative(items), np.abs(items), tuple(items),
    )  # fmt: skip
