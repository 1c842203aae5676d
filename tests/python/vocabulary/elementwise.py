"""Elementwise functions, comparisons and choices."""

import operator

import numpy as np
import scipy.special

from .draw import case, one, two


def reals(d):
    """Numbers of all sizes, beside the small ones."""
    x = d.array(kinds="bif", ranks=(0, 1, 2))
    if isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype == np.float64 and d.chance(0.7)):
        scale = 10.0 ** d.choice([-300, -20, -3, 0, 0, 1, 2, 3, 15])
        x = x * scale * (1 + d.random.random())
        x = x if isinstance(x, float) else np.asarray(x)
    return (x,)


case("absolute square sign conj real imag floor ceil trunc", one(extreme=True))
case("rint isnan isinf isfinite isneginf isposinf sqrt", one(extreme=True))
case("logical_not", one())
case("__not", one(), np.logical_not)
case(
    "round",
    lambda d: (d.array(), *d.optional(d.choice([None, 0, 1, 2, -1]))),
    lambda x, n=None: np.round(x, n or 0),
)
case("exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh", reals, ulps=4)
case("arcsin arccos arctan arcsinh arccosh arctanh cbrt", reals, ulps=4)
case("radians degrees", reals, ulps=1)
case("exp10", reals, lambda x: np.power(10.0, x), ulps=2)
case("erf", reals, scipy.special.erf, ulps=4)
case("erfc", reals, scipy.special.erfc, ulps=1000)  # SciPy loses digits in the tail
case("sigmoid", reals, scipy.special.expit, ulps=4)
case("invsqrt", reals, lambda x: 1 / np.sqrt(x), ulps=1)
case("invcbrt", reals, lambda x: 1 / np.cbrt(x), ulps=5)
case("__add", two(extreme=True), operator.add)
case("__add", two(count=3), lambda a, b, c: a + b + c)
case("__sub", two(extreme=True), operator.sub)
case("__mul", two(extreme=True), operator.mul)
case("__minus", one(extreme=True), operator.neg)
case("__plus", one(extreme=True), operator.pos)
case("maximum minimum", two(extreme=True), ulps=None)
case("maximum", two(count=3), lambda a, b, c: np.maximum(np.maximum(a, b), c), ulps=None)
case("__truediv", lambda d: (d.broadcastable()[0], d.array((), "i") or 3), operator.truediv)
case("__truediv", lambda d: (d.array((2, 3)), d.array((3,), extreme=True)), operator.truediv)
case("logical_and logical_or logical_xor", two())
case("__xor", two(), np.logical_xor)
case("__bitand", two(kinds="bi", extreme=True), operator.and_)
case("__bitor", two(kinds="bi", extreme=True), operator.or_)
case("__bitxor", two(kinds="bi", extreme=True), operator.xor)


case("__invert", one(kinds="bi", extreme=True), operator.invert)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    case(f"__{_name}", two(extreme=True), getattr(operator, _name))
    case(
        f"__{_name}",
        lambda d: (*d.broadcastable(), True),
        lambda a, b, _, f=getattr(operator, _name): np.asarray(f(a, b)).astype(float),
    )


def by_numbers(d):
    """A divisor that is no scalar zero: Python's own numbers raise there, NumPy's warn."""
    a, b = d.broadcastable(extreme=True)
    return a, 3 if np.ndim(b) == 0 and b == 0 else b


def as_in_c(d):
    a, b = by_numbers(d)
    return a, np.where(np.equal(b, 0), 2, b) if np.ndim(b) else b


def whole(*x):
    return all(np.asarray(v).dtype != np.float64 for v in x)


def c_quotient(a, b):
    if not whole(a, b):
        return np.true_divide(a, b)
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    return (a - np.fmod(a, b)) // b


def c_remainder(a, b):
    return np.fmod(np.asarray(a, np.int64), np.asarray(b, np.int64)) if whole(a, b) else np.fmod(a, b)


case("__floordiv", by_numbers, lambda a, b: operator.floordiv(np.asarray(a), b))
case("__pymod", by_numbers, lambda a, b: operator.mod(np.asarray(a), b))
case("__div", as_in_c, c_quotient)
case("__mod", as_in_c, c_remainder)


def raised(a, b):
    result = a**b
    if isinstance(result, complex):
        raise ValueError("PhySL has no complex numbers")
    return result


case("power", lambda d: (d.array((2, 3)), d.array(d.choice([(), (3,)]))), raised, ulps=2)
case("power", lambda d: (d.array((), "if"), d.array(d.choice([(3,), ()]))), raised, ulps=2)


case("where", lambda d: d.broadcastable(count=3))
case("where nonzero", one(ranks=(1, 2, 3)), np.nonzero)
case("allclose", lambda d: (*d.broadcastable(kinds="bif"), *d.optional(0.5, 0.125, d.chance(0.5))))
case("allclose", lambda d: (x := d.array(ranks=(1, 2)), x + d.choice([0, 0.0, 1e-9, 1e-3])))
case(
    "array_equal",
    lambda d: d.choice([(d.array(), d.array()), (x := d.array(), x), (x, d.choice([x, x + 0.0]))]),
)
case(
    "clip",
    lambda d: (d.array(kinds="if"), *(d.choice([None, d.number()]) for _ in range(2))),
    lambda x, a, b: clip(x, a, b),
    ulps=None,
)
case(
    "clip",
    lambda d: (d.array((2, 3)), d.array((3,)), d.array((2, 1))),
    lambda x, a, b: clip(x, a, b),
    ulps=None,
)


def clip(x, low, high):
    return np.clip(np.asarray(x), low, high)
