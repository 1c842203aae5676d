"""Which NumPy functions, methods and builtins become which primitives.

Functions are looked up by identity of the object itself, so `import numpy as whatever` and `from numpy.linalg import
inv` both work. A specification lists the parameters as NumPy names them; an argument that is not listed is refused by
name.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from . import emitters as e
from .nodes import ZERO
from .signatures import Emit, Specification, positional, specification


def _table() -> dict[Any, Specification]:
    table: dict[Any, Specification] = {}

    def add(function: Any, signature: str, emit: str | Emit, name: str = "") -> None:
        module = "np.linalg." if name == "linalg" else "np."
        shown = (
            function.__name__
            if getattr(function, "__module__", "") == "builtins"
            else module + function.__name__
        )
        table[function] = specification(shown, signature, emit)

    for name in (
        "floor ceil trunc rint conj imag sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh"
        " arcsin arccos arctan arcsinh arccosh arctanh square sign isnan isinf isneginf isposinf isfinite logical_not"
        " absolute radians degrees"
    ).split():
        add(getattr(np, name), "val" if name == "imag" else "x", name)
    for name, primitive in {
        "add": "__add", "subtract": "__sub", "multiply": "__mul", "true_divide": "__truediv",
        "floor_divide": "__floordiv", "remainder": "__pymod", "power": "power", "matmul": "__matmul",
        "maximum": "maximum", "minimum": "minimum", "equal": "__eq", "not_equal": "__ne", "less": "__lt",
        "less_equal": "__le", "greater": "__gt", "greater_equal": "__ge", "logical_and": "logical_and",
        "logical_or": "logical_or", "logical_xor": "logical_xor",
    }.items():  # fmt: skip
        add(getattr(np, name), "x1 x2", e.as_function(primitive, "x1", "x2"))
    add(np.negative, "x", e.as_function("__minus", "x"))
    add(np.real, "val", "array")
    for name in ("sum", "prod"):
        add(
            getattr(np, name),
            "a axis? dtype? !out keepdims~ initial? !where",
            positional(name, ["a", "axis", "keepdims", "initial", "dtype"]),
        )
    for name, primitive in {"max": "amax", "min": "amin", "amax": "amax", "amin": "amin"}.items():
        add(getattr(np, name), "a axis? !out keepdims~ initial? !where", primitive)
    add(
        np.mean,
        "a axis? dtype? !out keepdims~ !where",
        positional("mean", ["a", "axis", "keepdims", "dtype"]),
    )
    for name in ("all", "any"):
        add(getattr(np, name), "a axis? !out keepdims~ !where", name)
    add(np.count_nonzero, "a axis? keepdims~", "count_nonzero")
    for name in ("std", "var"):
        add(
            getattr(np, name),
            "a axis? dtype? !out ddof~ keepdims~ !where !mean !correction",
            positional(name, ["a", "axis", "keepdims", "ddof", "dtype"]),
        )
    for name in ("argmax", "argmin"):
        add(getattr(np, name), "a axis? !out keepdims?", name)
    for name in ("cumsum", "cumprod"):
        add(getattr(np, name), "a axis? dtype? !out", name)
    for name in ("sort", "argsort"):
        add(getattr(np, name), "a axis?=-1 kind? !order !stable", name)
    add(np.squeeze, "a axis?", "__squeeze")
    add(np.flip, "m axis?", "flip")
    for name in ("flipud", "fliplr"):
        add(getattr(np, name), "m", name)
    for name in ("dot", "outer"):
        add(getattr(np, name), "a b !out", name)
    add(np.tensordot, "a b axes~", e.made(positional("tensordot", ["a", "b", "axes"])))
    add(np.allclose, "a b rtol~ atol~ equal_nan?", "allclose")
    add(np.array_equal, "a1 a2 equal_nan?", "array_equal")
    add(np.expand_dims, "a axis", e.made(positional("expand_dims", ["a", "axis"])))
    add(np.swapaxes, "a axis1 axis2", "swapaxes")
    add(np.transpose, "a axes?", e.made(positional("transpose", ["a", "axes"])))
    add(np.reshape, "a shape !order !newshape !copy", "__reshape")
    add(
        np.broadcast_to,
        "array shape !subok",
        e.made(e.read_only(positional("broadcast_to", ["array", "shape"]))),
    )
    add(np.ravel, "a order?", e.ravel)
    add(
        np.concatenate,
        "arrays axis?=0 !out dtype? !casting",
        positional("concatenate", ["arrays", "axis", "dtype"], {"axis": ZERO}),
    )
    add(
        np.stack,
        "arrays axis?=0 !out dtype? !casting",
        positional("stack", ["arrays", "axis", "dtype"], {"axis": ZERO}),
    )
    for name in ("hstack", "vstack"):
        add(getattr(np, name), "tup dtype? !casting", e.joined(name))
    for name in ("dstack", "column_stack"):
        add(getattr(np, name), "tup", name)
    add(np.insert, "arr obj values axis?", "insert")
    add(
        np.pad,
        "array pad_width mode~ constant_values~",
        e.made(positional("pad", ["array", "pad_width", "mode", "constant_values"])),
    )
    add(np.tile, "A reps", "tile")
    add(np.repeat, "a repeats axis?", "repeat")
    add(np.take, "a indices axis? !out !mode", e.copy_of(positional("take", ["a", "indices", "axis"])))
    add(np.unique, "ar !return_index !return_inverse !return_counts !axis !equal_nan !sorted", "unique")
    add(np.bincount, "x weights? minlength~", "bincount")
    add(np.trace, "a offset~ !axis1 !axis2 !dtype !out", "trace")
    add(np.clip, "a a_min? a_max? !out !min !max", "clip")
    add(np.round, "a decimals~ !out", "round")
    add(np.diag, "v k~", e.read_only(positional("diag", ["v", "k"])))
    add(np.where, "condition x? y?", e.where)
    add(np.nonzero, "a", e.nonzero)
    add(np.copy, "a !order !subok", e.made(e.copy_of(positional("array", ["a"]))))
    add(np.shape, "a", "shape")
    add(np.size, "a axis?", "size")
    add(np.ndim, "a", "ndim")
    for name in ("zeros", "ones", "empty"):
        add(getattr(np, name), "shape dtype? !order !device !like", e.made(e.created(name, "shape"), "shape"))
        pattern = "prototype" if name == "empty" else "a"
        rest = "dtype? !order !subok !shape !device"
        add(getattr(np, name + "_like"), f"{pattern} {rest}", e.made(e.created(name + "_like", pattern)))
    add(
        np.full,
        "shape fill_value dtype? !order !device !like",
        e.made(e.created("full", "shape", "fill_value"), "shape"),
    )
    add(
        np.full_like,
        "a fill_value dtype? !order !subok !shape !device",
        e.made(e.created("full_like", "a", "fill_value")),
    )
    add(np.array, "object dtype?", e.made(e.copy_of(e.created("array", "object")), "object"))
    add(np.asarray, "a dtype? !order", e.made(e.created("array", "a"), "a"))
    add(np.eye, "N M? k~ dtype? !order !device !like", e.eye)
    add(np.identity, "n dtype? !like", e.identity)
    add(np.arange, "start stop? step? dtype?", e.arange)
    add(
        np.linspace,
        "start stop num~ endpoint~ !retstep dtype? !axis !device",
        positional("linspace", ["start", "stop", "num", "endpoint", "dtype"]),
    )
    add(np.indices, "dimensions dtype? !sparse", "indices")
    add(np.fromfunction, "function shape dtype?", "fromfunction")
    add(np.linalg.inv, "a", "inverse", "linalg")
    add(np.linalg.det, "a", "determinant", "linalg")
    add(np.linalg.solve, "a b", "solve", "linalg")
    add(np.linalg.norm, "x ord? axis? keepdims~", "norm", "linalg")
    add(np.float64, "x", e.converted("float"))
    add(np.int64, "x", e.converted("int"))
    add(np.bool_, "x", e.converted("bool"))

    add(len, "x", "__len")
    add(abs, "x", "__abs")
    add(pow, "x y", "power")
    add(int, "x", e.converted("int", "__to_int"))
    add(float, "x", e.converted("float", "__to_float"))
    add(bool, "x", "__to_bool")
    add(round, "number", e.rounded)
    add(range, "start stop? step?", e.counted)
    add(min, "*values", e.extreme("__min", "__lt"))
    add(max, "*values", e.extreme("__max", "__gt"))
    add(sum, "iterable start?", e.python_sum)
    add(sorted, "iterable !key reverse~", positional("__sorted", ["iterable", "reverse"]))
    add(any, "x", "__any")
    add(all, "x", "__all")
    add(list, "x", e.copied_list)
    add(tuple, "x", "__tuple")
    add(print, "*values", e.printed)
    return table


FUNCTIONS = _table()


def find(function: Any) -> Specification | None:
    """What a function of Python, NumPy or SciPy becomes. SciPy is looked at only where somebody has imported it."""
    try:
        known = FUNCTIONS.get(function)
        return known or _scipy_table(frozenset(m for m in SCIPY if m in sys.modules)).get(function)
    except TypeError:  # no function at all, and not hashable
        return None


SCIPY: dict[str, dict[str, tuple[str, str | Emit]]] = {
    "scipy.special": {
        "erf": ("x", "erf"),
        "erfc": ("x", "erfc"),
        "expit": ("x", "sigmoid"),
        "logsumexp": ("a axis? !b keepdims~ !return_sign", "logsumexp"),
    },
    "scipy.linalg": {
        "inv": ("a", "inverse"),
        "det": ("a", "determinant"),
        "lu": ("a !permute_l !overwrite_a !check_finite !p_indices", "lu"),
        "solve": ("a b !lower !overwrite_a !overwrite_b !check_finite assume_a? !transposed", e.scipy_solve),
    },
    "scipy.sparse.linalg": {
        "cg": ("A b !x0 rtol~ !atol maxiter? !M !callback", e.conjugate_gradient),
    },
}


@functools.cache
def _scipy_table(modules: frozenset[str]) -> dict[Any, Specification]:
    return {
        getattr(sys.modules[module], name): specification(f"{module}.{name}", signature, emit)
        for module in modules
        for name, (signature, emit) in SCIPY[module].items()
        if hasattr(sys.modules[module], name)
    }


def _method(name: str) -> Specification:
    """x.sum(axis) is np.sum(x, axis)."""
    known = FUNCTIONS[getattr(np, name)]
    return replace(known, name=f".{name}")


# Methods of arrays; the object is the first parameter.
METHODS: dict[str, Specification] = {
    name: _method(name)
    for name in (
        "sum prod mean std var max min all any argmax argmin cumsum cumprod dot squeeze argsort ravel nonzero repeat"
        " take swapaxes trace round clip"
    ).split()
} | {
    "clip": specification(".clip", "a min? max?", "clip"),
    "copy": specification(".copy", "a", "copy"),
    "flatten": specification(".flatten", "a order?", e.copy_of(positional("flatten", ["a", "order"]))),
    "astype": specification(".astype", "a dtype", e.astype),
    "item": specification(".item", "a", "__item"),
}

# Attributes of arrays: which primitive gives them.
ATTRIBUTES = {"T": "transpose", "shape": "shape", "size": "size", "ndim": "ndim"}

# What to write instead of a few things that people try.
ADVICE = {
    "append": "np.append copies everything each time: collect rows in a list and use np.stack",
    "einsum": "write it with @, * and sum",
    "vectorize": "apply the expression to the whole array",
}

TRUE_RESULTS = {
    "__not",
    "__contains",
    "__to_bool",
}
