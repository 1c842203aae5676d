"""Reductions, running sums and norms."""

import numpy as np
import scipy.special

from .draw import CASES, DTYPES, case, one


def reduction(several=True, **options):
    def generate(d):
        x = d.array(**options)
        return (x, *d.optional(d.axis(x, several), d.chance(0.5), probability=0.75))

    return generate


def keep(function):
    return lambda x, axis=None, keepdims=False: function(x, axis=axis, keepdims=keepdims)


def with_initial(d):
    x = d.array(extreme=True)
    kind = d.choice([None, "bool", "int", "float"])
    return (x, d.axis(x, True), d.choice([None, True, False]), d.choice([None, d.number()]), kind)


def initial(function, has_dtype=True):
    def twin(x, axis, keepdims, start, dtype):
        x = np.asarray(x)
        options = {} if start is None else {"initial": start}
        if has_dtype:
            options["dtype"] = DTYPES[dtype]
        elif dtype is not None:
            x = x.astype(DTYPES[dtype])
        return function(x, axis=axis, keepdims=bool(keepdims), **options)

    return twin


for _name in "sum prod amax amin all any count_nonzero".split():
    case(_name, reduction(), keep(getattr(np, _name)), ulps=4)
case("mean", reduction(), keep(np.mean), ulps=4)
for _name in ("sum", "prod", "amax", "amin"):
    case(_name, with_initial, initial(getattr(np, _name), _name in ("sum", "prod")), ulps=4)
case(
    "mean",
    lambda d: (x := d.array(), d.axis(x), d.chance(0.5), d.choice(["float", None])),
    lambda x, axis, k, t: np.mean(x, axis=axis, keepdims=k, dtype=DTYPES[t]),
    ulps=4,
)


def deviations(d):
    x = d.array(kinds="bif", special=d.chance(0.3))
    return (
        x,
        d.axis(x, True),
        *d.optional(d.chance(0.5), d.choice([0, 1, 2, None, 0.5]), d.choice(["float", None])),
    )


def deviation(function):
    return lambda x, axis=None, keepdims=False, ddof=None, dtype=None: function(
        x, axis=axis, keepdims=keepdims, ddof=ddof or 0, dtype=DTYPES[dtype]
    )


case("var", deviations, deviation(np.var), ulps=8)
case("std", deviations, deviation(np.std), ulps=8)
case(
    "logsumexp",
    lambda d: (
        x := d.array(least=1),
        *d.optional(d.axis(x, np.ndim(x) > 0) or None, np.ndim(x) > 0 and d.chance(0.5)),
    ),
    lambda x, axis=None, keepdims=False: scipy.special.logsumexp(x, axis=axis, keepdims=keepdims),
    ulps=1e4,
)  # fmt: skip - near 0 digits are gone


def running(d):
    x = d.array()
    return (x, *d.optional(d.axis(x), d.choice([None, "bool", "int", "float"]), probability=0.7))


case("cumsum", running, lambda x, axis=None, t=None: np.cumsum(x, axis=axis, dtype=DTYPES[t]), ulps=2)
case("cumprod", running, lambda x, axis=None, t=None: np.cumprod(x, axis=axis, dtype=DTYPES[t]), ulps=2)
ORDERS = [None, 0, 1, -1, 2, -2, 3, 0.5, np.inf, -np.inf, "fro", "nuc", "other"]


def matrix_norms(d):
    """Of a singular matrix the least singular value is rounding error."""
    order = d.choice(ORDERS)
    while True:
        x = d.matrix(d.integer(1, 4), d.integer(1, 4))
        if order != -2 or np.linalg.norm(x, -2) > 1e-6 * np.linalg.norm(x, 2):
            return x, order


def norms(d):
    x = d.array(ranks=(1, 2, 2, 3), special=d.chance(0.2))
    return (x, *d.optional(d.choice(ORDERS), d.axis(x, True), d.chance(0.5), probability=0.7))


case(
    "norm",
    norms,
    lambda x, ord=None, axis=None, k=False: np.linalg.norm(x, ord, axis, k),
    ulps=32,
    scaled=True,
)
case(
    "norm",
    matrix_norms,
    np.linalg.norm,
    ulps=32,
    scaled=True,
)
case("normalize", one(ranks=(1, 2), kinds="if", special=False), lambda x: x / np.linalg.norm(x), ulps=4)


KINDS = [None, "quicksort", "mergesort", "heapsort", "stable", "what"]


def sorting(d):
    x = d.array(least=0, ranks=(0, 1, 1, 2, 3))
    if isinstance(x, np.ndarray) and x.ndim == 1 and d.chance(0.3):
        x = np.resize(x, 200) if x.size else x
    return (x, *d.optional(d.axis(x), d.choice(KINDS), probability=0.7))


def kinds(kind, order):
    if kind == "what":
        raise ValueError(kind)
    return "stable" if order else kind  # the order of equal elements is defined for the stable kind alone


case("sort", sorting, lambda x, axis=-1, kind=None: np.sort(x, axis, kinds(kind, False)), ulps=None)
case("argsort", sorting, lambda x, axis=-1, kind=None: np.argsort(x, axis, kinds(kind, True)))
case("argmax argmin", lambda d: (x := d.array(), *d.optional(d.axis(x), d.chance(0.5))), None)
CASES["argmax"][-1].twin = lambda x, axis=None, k=False: np.argmax(x, axis, keepdims=k)
CASES["argmin"][-1].twin = lambda x, axis=None, k=False: np.argmin(x, axis, keepdims=k)
case("unique", one(), ulps=None)
case("bincount", lambda d: (np.abs(d.array(ranks=(1,), kinds="i")) if d.chance(0.9) else d.array(), *d.optional(None, d.choice([0, 3, 12]))),
     lambda x, w=None, n=0: np.bincount(np.asarray(x), w, n))  # fmt: skip
case("bincount", lambda d: (np.abs(d.array((4,), "ib")), d.array((4,), "if")), None)
case("bincount", lambda d: (np.abs(d.array((4,), "ib")), d.array((4,), "if"), 3), None)
for _case in CASES["bincount"][-2:]:
    _case.twin = lambda x, w, n=0: np.bincount(x, w, n)
