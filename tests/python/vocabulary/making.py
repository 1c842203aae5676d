"""Arrays from nothing, and parts of arrays."""

import numpy as np

from .draw import CASES, DTYPES, case, length_of


def any_shape(d):
    return d.choice([d.shape(d.integer(1, 3)), list(d.shape(d.integer(1, 3))), d.integer(0, 4), (), (-1,)])


def some_dtype(d):
    return d.choice([None, "int", "float", "bool"])


def typed(function):
    return lambda *a: function(*a[:-1], dtype=DTYPES[a[-1]])


def number_or_row(d):
    return d.choice([d.number(), d.array((2,), special=False)])


case("zeros ones", lambda d: (any_shape(d),))
case("zeros ones", lambda d: (any_shape(d), some_dtype(d)), None)
for _name in ("zeros", "ones"):
    CASES[_name][-1].twin = typed(getattr(np, _name))
    case(f"{_name}_like", lambda d: (d.array(), some_dtype(d)), typed(getattr(np, _name + "_like")))
case("empty", lambda d: (any_shape(d), some_dtype(d)), typed(np.zeros))
case("empty_like", lambda d: (d.array(), some_dtype(d)), typed(np.zeros_like))
case(
    "full",
    lambda d: (
        any_shape(d),
        d.choice([d.number(special=False) if False else d.number("bi"), 2.5, np.array([1, 2])]),
        some_dtype(d),
    ),
    typed(np.full),
)
case("full_like", lambda d: (d.array(), d.choice([d.number("bi"), 2.5]), some_dtype(d)), typed(np.full_like))
case(
    "constant",
    lambda d: (d.choice([d.number("bi"), 2.5]), any_shape(d), some_dtype(d)),
    lambda x, s, t: np.full(s, x, DTYPES[t]),
)
case(
    "constant_like",
    lambda d: (d.choice([d.number("bi"), 2.5]), d.array(), some_dtype(d)),
    lambda x, a, t: np.full_like(a, x, DTYPES[t]),
)
case(
    "array",
    lambda d: (
        d.choice(
            [
                d.array(special=False),
                [1, 2.5],
                [[True, 2], [3, 4]],
                [],
                [d.array((2,), special=False), [1, 2]],
                [[1], [2, 3]],
            ]
        ),
        some_dtype(d),
    ),
    typed(np.array),
)
case(
    "arange",
    lambda d: tuple(d.choice([d.integer(-9, 9), d.integer(-70, 70) / 8]) for _ in range(d.integer(1, 3))),
)
case(
    "arange", lambda d: (d.integer(-9, 9), d.integer(-9, 9), d.choice([1, 2, -1, None]), some_dtype(d)), None
)
CASES["arange"][-1].twin = lambda a, b, s, t: np.arange(a, b, s, DTYPES[t])
case(
    "linspace",
    lambda d: (
        d.number("if"),
        d.number("if"),
        *d.optional(d.choice([0, 1, 2, 5, 7, -1]), d.chance(0.5), some_dtype(d), probability=0.6),
    ),
    None,
    ulps=1,
    scaled=True,
)
CASES["linspace"][-1].twin = lambda a, b, n=50, end=True, t=None: np.linspace(a, b, n, end, dtype=DTYPES[t])
case(
    "eye",
    lambda d: (
        d.integer(0, 4),
        *d.optional(d.choice([None, d.integer(0, 4)]), d.integer(-5, 5), some_dtype(d)),
    ),
    None,
)
CASES["eye"][-1].twin = lambda n, m=None, k=0, t=None: np.eye(n, m, k, DTYPES[t] or float)
case(
    "identity",
    lambda d: (d.integer(0, 4), *d.optional(some_dtype(d))),
    lambda n, t=None: np.identity(n, DTYPES[t] or float),
)
case("diag", lambda d: (d.array(ranks=(0, 1, 2, 2, 3)), *d.optional(d.integer(-4, 4))))
case(
    "indices",
    lambda d: (
        d.choice([d.shape(d.integer(1, 3)), [2, 3], (), (-1,)]),
        *d.optional(d.choice([None, "int", "float"])),
    ),
    None,
)
CASES["indices"][-1].twin = lambda s, t=None: np.indices(s, DTYPES[t] or int)


def taking(d):
    x = d.array(ranks=(1, 1, 2, 3))
    axis = d.axis(x) if d.chance(0.8) else None
    length = length_of(x, axis)
    indices = (
        d.random.integers(-length, max(length, 1), d.shape(d.choice((1, 1, 2))))
        if x.size
        else np.zeros(0, np.int64)
    )
    if d.chance(0.1) and x.size:  # of nothing NumPy takes anything
        indices = indices + 2
    if d.chance(0.2) and indices.size:
        indices = int(indices.flat[0])
    return (x, indices) if axis is None else (x, indices, axis)


case("take", taking, lambda x, i, axis=None: np.take(x, i, axis))


def index(d, length):
    kind = d.integer(0, 4)
    if kind == 0:
        return d.integer(-length, max(0, length - 1))
    if kind == 1:
        step = d.choice([1, 2, -1, -2])
        return slice(d.choice([None, d.integer(-5, 5)]), d.choice([None, d.integer(-5, 5)]), step)
    if kind == 2:
        return d.random.random(length) < 0.5
    if kind == 3 and length:
        return d.random.integers(-length, length, 2)
    return None


def slicing(d):
    x = d.array(ranks=(1, 2, 3))
    indices = []
    for i in range(d.integer(1, np.ndim(x))):
        found = index(d, x.shape[i])
        if isinstance(found, np.ndarray) and any(isinstance(v, np.ndarray) for v in indices):
            found = 0
        indices.append(slice(None) if found is None else found)
    return (x, *([i.start, i.stop, i.step] if isinstance(i, slice) else i for i in indices))


def sliced(x, *indices):
    return x[tuple(slice(*i) if isinstance(i, list) else i for i in indices)]


case("slice", slicing, sliced)
case(
    "slice_row slice_page",
    lambda d: (x := d.array(ranks=(1, 2, 3)), d.axis(x.T, none=False)),
    lambda x, i: x[i],
)
case("slice_column", lambda d: (x := d.array(ranks=(2, 3)), d.integer(-2, 3)), lambda x, i: x[:, i])
case("tuple_slice", lambda d: (d.array((3, 4)), d.integer(-3, 2)), lambda x, i: x[i])
