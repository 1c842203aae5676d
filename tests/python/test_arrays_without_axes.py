"""Arrays without axes have memory as others do: a change in place shows under every name, or is refused."""

import numpy as np
import pytest
from source_text import function_of_text
from test_semantics import same

import treadle as td

HELD = np.array(3.0)
SHARED, FINE = [], []


def shared(function):
    SHARED.append(function)
    return function


def fine(function):
    FINE.append(function)
    return function


def increment(x):
    x += 1
    return x


def make():
    return np.array(3.0)


def itself(x):
    return x


@shared
def changed_by_a_function(v):
    a = np.array(v)
    increment(a)
    return a


@shared
def chosen(v):
    a = np.where(v > 0, 1.0, 2.0)
    increment(a)
    return a


@shared
def made_by_a_function(v):
    a = make()
    b = a
    a += v
    return b


@shared
def given_back(v):
    a = np.array(v)
    b = itself(a)
    b += 1
    return a


@shared
def in_a_list(v):
    a = np.array(v)
    items = [a]
    a += 1
    return items


@shared
def in_a_tuple(v):
    a = np.zeros(())
    pair = (a, v)
    a += 1
    return pair


@shared
def items_of_a_list(v):
    a = np.array(v)
    items = [a, a]
    items[0] += 1
    return items


@shared
def items_in_a_loop(v):
    a = np.array(v)
    items = [a, a]
    for item in items:
        item += 1
    return items


@shared
def items_in_a_parallel_loop(v):
    a = np.array(v)
    items = [a, a]
    for i in td.prange(2):
        items[i] += 1
    return items


@shared
def captured(v):
    a = np.array(v)

    def keep(w):
        return lambda: w

    g = keep(a)
    a += 1
    return g()


@shared
def of_the_module(v):
    a = HELD
    a += v
    return a


@shared
def unpacked(v):
    a, b = itself((np.array(v), 1))
    c = a
    a += b
    return c


@shared
def in_a_dict(v):
    d = {"a": np.array(v)}
    item = d["a"]
    item += 1
    return d["a"]


@shared
def like_another(v):
    a = np.zeros_like(v)
    b = a
    a += 1
    return b


@shared
def filled(v):
    a = np.full((), v)
    b = a
    a += 1
    return b


@shared
def copied(v):
    a = np.copy(v)
    b = a
    a += 1
    return b


@shared
def copied_by_method(v):
    a = np.array(v).copy()
    b = a
    a += 1
    return b


@shared
def of_another_type(v):
    a = np.array(v).astype(int)
    b = a
    a += 1
    return b


@shared
def as_it_is(v):
    a = np.array(v)
    b = np.asarray(a)
    b += 1
    return a


@shared
def turned(v):
    a = np.array(v)
    b = a.T
    b += 1
    return a


@shared
def multiplied(v):
    a = np.tensordot(np.ones(3), np.ones(3), 1)
    b = a
    a += v
    return b


@shared
def perhaps(v):
    a = np.array(v)
    b = a if v > 0 else 1.0
    b += 1
    return a


@shared
def shaped(v):
    shape = ()
    a = np.reshape(v, shape)
    b = a
    a += 1
    return b


@fine
def one_name(v):
    a = np.array(v)
    a += 1
    a *= 2
    return a


@fine
def numbers(v):
    n = 0
    for _ in range(3):
        n += 1
    return increment(n), increment(v)


@fine
def results_are_numbers(v):
    a = np.array(v) + 1
    b = a
    a += 1
    return a, b


@fine
def rebound(v):
    a = np.array(v)
    b = a
    b = b + 1
    return a, b


@fine
def counted(v):
    total = 0.0
    for i in range(3):
        total += np.where(i > 1, v, -v)
    return total


@pytest.mark.parametrize("policy", ["adaptive", "always-inline", "always-async"])
@pytest.mark.parametrize("function", SHARED, ids=lambda f: f.__name__)
def test_shared(function, policy):
    with td.config(policy=policy), pytest.raises(td.PhyslError, match="shares memory"):
        td.jit(function)(2.0)


@pytest.mark.parametrize("policy", ["adaptive", "always-inline", "always-async"])
@pytest.mark.parametrize("function", FINE, ids=lambda f: f.__name__)
def test_fine(function, policy):
    with td.config(policy=policy):
        for _ in range(2):
            same(td.jit(function)(2.0), function(2.0))


EXPRESSIONS = """
a + 1; a * n; -a; abs(a); n // 2; 2 ** n; b & b; not a; a and 1; a or 1; 1 if b else 2; a == 3; a < n < 5; a in [1.0, 3.0]
n in (1, 2); [a, n]; {"k": a}; [a] * 2; np.array([a, n]); np.array([[a, 1.0], [n, 2]]); np.stack([a, a]); x + a; x[n - 1, n]
x[n - 1]; x[:, n]; x[:n]; l[n]; l[:n]; l * n; [i for i in range(n)]; np.zeros(n); np.zeros((n, n)); np.full(n, a)
np.ones(n)
np.arange(a); np.linspace(0, a, n); np.eye(n); int(a); float(n); bool(b); min(a, 2.0); max(n, 5); min([a, 1.0]); sum([a, a])
any([b]), all([n]); np.sum(a); np.max(a); np.cumsum(a); np.sqrt(a); np.maximum(a, n); np.where(b, a, n)
np.where(x > a, x, a)
np.clip(x, a, a + 1); np.dot(a, a); np.dot(a, x); np.outer(a, a); a @ a; np.expand_dims(a, 0); np.reshape(a, (1, 1))
np.ravel(a); a.T; a.shape; a.size; a.ndim; np.copy(a); a.copy(); a.astype(int); a.item(); np.float64(n)
np.asarray(n, dtype=float)
np.zeros_like(a); np.full_like(a, 2); np.repeat(x, n); np.tile(x, n); np.tile(a, 2); np.insert(x[0], n, a); np.diag(x, n)
np.sort(a); np.nonzero(a); len(a); a[0]; [v for v in a]; np.broadcast_to(a, (2,)); np.indices((n,)); [v for v in l if v > a]
x.sum(axis=n - 1); np.mean([a, n]); np.stack([x, x], axis=n - 2); (lambda q: q + 1)(a); a.sum(); a.mean(); a; n; b
3.0 in x; 9.0 in x; x in [x, 1]; 2**53 + 1 in [2**53]; x[0] in [x[0]]; [v for v in zip(l)]; [v for (v,) in zip(l)]
"""


@pytest.mark.parametrize(
    "expression", [e.strip() for line in EXPRESSIONS.split("\n") for e in line.split(";") if e.strip()]
)
def test_they_compute_as_in_numpy(expression):
    text = (
        "def f(p, q, r, x, l):\n    a = np.array(p)\n    n = np.array(q)\n    b = np.array(r)\n"
        f"    return {expression}\n"
    )
    function = function_of_text(text, expression)
    arguments = (3.0, 2, True, np.arange(6.0).reshape(2, 3), [1.0, 2.0, 3.0])
    try:
        expected = function(*arguments)
    except (TypeError, ValueError, IndexError):
        with pytest.raises((TypeError, ValueError, IndexError)):
            td.jit(function)(*arguments)
    else:
        same(td.jit(function)(*arguments), expected, expression)


def test_arguments_without_axes():
    def add(x):
        x += 1
        return x

    with pytest.raises(td.PhyslError, match="shares memory"):
        td.jit(add)(np.array(2.0))
    assert td.jit(add)(np.float64(2.0)) == 3.0
