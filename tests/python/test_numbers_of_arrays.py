"""Numbers out of arrays stay NumPy's on their way through variables, containers, functions and loops."""

import numpy as np
import pytest

import treadle as td


def containers(x):
    s = x[0] > 0
    items = [s, True, x[1]]
    table = {"a": s, 1: x[2]}

    def first():
        return items[0] + items[0]

    return first(), items[1] + items[1], table["a"] + True, table[1] / 3


def extremes(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best, min(x), max(x[0], 2), sum([a > 1 for a in x]), sum(x), any(a > 2 for a in x), sorted(x)


def truths(x):
    count = 0
    flags = [v > 1 for v in x]
    for f in flags:
        count += f
    return count, flags, [a and b for a, b in zip(flags, flags, strict=False)], all(flags)


def lists(x):
    out = [0.0] * 3
    for i in range(3):
        out[i] = x[i] / 2
    k = out[0]
    out[0] += 1
    return out, k, [q * 2 for q in out if q > 0]


def elements(x):
    n = 0
    y = x.copy()
    for i in range(len(x)):
        y[i] = x[i] // 1 if x[i] > 1 else i
        n += int(y[i])
    return y, n, y[0] == y[1], len(x) == 3, x.shape[0] / 2


def conversions(x):
    a = x.sum()
    b, c, d = float(a), int(a), a.item()
    numbers = a, b, c, d, round(a), abs(a), -a, +b, a**2, b**2, c**2, a**0.5
    return numbers, np.sqrt(b), np.sqrt(c), np.float64(c), np.int64(b), bool(a), not a


def nested_loops(x):
    m = np.outer(x, x)
    t = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if m[i, j] > 1 and i != j:
                t += m[i][j] * (i + 1) / (j + 1)
    return t, m.trace(), np.max(m), m.argmax(), m.any(), np.linalg.norm(m), m[1].sum() > 2, m.mean(axis=0)[0]


def dictionaries(x):
    d = {}
    for i in range(4):
        key = i % 2
        d[key] = d[key] + x[i % 3] if key in d else x[0]
    return d, list(d), d[0] in [1.0, d[0]], {k: v > 1 for k, v in d.items()}


def functions(x):
    def add(a, b=1):
        return a + b

    return [add(v) for v in x], add(2), add(True), add(x[0] > 1), add(x[0] > 1, x[1] > 1)


def tuples(x):
    w = 0
    while w < x[2]:
        w += 1
    a, b = x[0], w
    a, b = b, a
    return w, a, b, (a, b) == (w, x[0]), [a] + [b], (a,) < (b, 1), x[0] in (1.0, 2.0), 1.0 in x, w in x


def counts(x):
    z = np.where(x > 1, x, 0)
    c, p = np.count_nonzero(z), z[z > 0]
    return (
        c,
        c / 2,
        p.size / 2,
        c * True,
        (c > 1) + (c > 0),
        (p.size > 1) + (p.size > 0),
        z.astype(int)[0] + 1,
    )


def products(x):
    z = x * -0.0
    m = np.outer(z, z + 1.0)
    one_by_one = np.dot(z[:1], 2), np.dot(m[:1, 1:2], 2.0), np.dot(2, z[:0])
    return (
        np.dot(z, 2),
        np.dot(-1, z),
        z.dot(3.0),
        np.dot(m, 2.0),
        np.dot(m.T[::2], 2),
        one_by_one,
        m[None].dot(1),
    )


FUNCTIONS = (
    containers, extremes, truths, lists, elements, conversions, nested_loops, dictionaries, functions, tuples, counts,
    products,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "elements", [[1.5, 2.0, 3.0], [1, 2, 3], [True, True, True], [0.0, -1.0, 2.5]], ids=str
)
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("policy", ["adaptive", "always-inline", "always-async", "paper-baseline"])
def test_shown_as_python_shows_it(function, elements, workers, policy):
    x = np.array(elements)
    with np.errstate(all="ignore"):
        expected = outcome(function, x)
        with td.config(policy=policy, workers=workers):
            assert outcome(td.jit(function), x) == expected


def outcome(function, x):
    try:
        return repr(function(x.copy()))
    except (TypeError, ValueError) as error:
        return "TypeError" if isinstance(error, TypeError) else "ValueError"
