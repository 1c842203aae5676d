"""Which NumPy functions, methods and builtins become which primitives.

Functions are looked up by identity of the object itself, so `import numpy as whatever` and `from numpy.linalg import
inv` both work. A specification lists the parameters as NumPy names them; an argument that is not listed is refused by name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .nodes import FALSE, NIL, ZERO, Call, Literal, Node, Place, call, string

if TYPE_CHECKING:
    from .expressions import ExpressionCompiler

DTYPES: dict[Any, str] = {
    int: "int", np.int64: "int", "int": "int", "int64": "int",
    float: "float", np.float64: "float", "float": "float", "float64": "float",
    bool: "bool", np.bool_: "bool", "bool": "bool",
}  # fmt: skip


class Arguments:
    """Arguments of one call bound to the parameters of a specification; expressions are compiled on demand."""

    def __init__(
        self, compiler: ExpressionCompiler, node: ast.Call, bound: dict[str, ast.expr | Node]
    ) -> None:
        self.compiler, self.call, self.bound = compiler, node, bound
        self.place: Place = compiler.source.place(node)

    def __contains__(self, name: str) -> bool:
        return name in self.bound

    def expression(self, name: str) -> ast.expr | None:
        found = self.bound.get(name)
        return found if isinstance(found, ast.expr) else None

    def __getitem__(self, name: str) -> Node:
        found = self.bound[name]
        return self.compiler.expression(found) if isinstance(found, ast.expr) else found

    def get(self, name: str, default: Node) -> Node:
        return self[name] if name in self else default  # noqa: SIM401 - this is what get() is

    def dtype(self, name: str = "dtype") -> str | None:
        """The element type named by an argument, which must be one that Treadle computes with."""
        node = self.expression(name)
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return None
        wanted = node.value if isinstance(node, ast.Constant) else self.compiler.resolve(node)
        try:
            found = DTYPES.get(wanted.type if isinstance(wanted, np.dtype) else wanted)
        except TypeError:
            found = None
        if found is None:
            self.compiler.source.unsupported(
                node, "this element type is not supported: use bool, int (int64) or float (float64)"
            )
        return found


Emit = Callable[[Arguments], Node]


@dataclass(frozen=True)
class Specification:
    name: str  # as the user knows it, for messages
    parameters: tuple[tuple[str, bool], ...]  # (name, required)
    variadic: str | None
    emit: Emit


def specification(name: str, signature: str, emit: str | Emit) -> Specification:
    """`signature`: parameter names; `axis?` is optional, `*rest` takes all further positional arguments."""
    parameters, variadic = [], None
    for word in signature.split():
        if word.startswith("*"):
            variadic = word[1:]
        else:
            parameters.append((word.rstrip("?"), not word.endswith("?")))
    if isinstance(emit, str):
        emit = positional(emit, [p for p, _ in parameters])
    return Specification(name, tuple(parameters), variadic, emit)


def positional(primitive: str, names: list[str]) -> Emit:
    """Arguments in order; omitted ones at the end are left out, omitted ones between become nil."""

    def emit(a: Arguments) -> Node:
        given = [a.get(name, NIL) for name in names]
        while given and given[-1] is NIL:
            given.pop()
        return Call(primitive, tuple(given), a.place)

    return emit


def bind(
    spec: Specification, compiler: ExpressionCompiler, node: ast.Call, first: Node | None = None
) -> Arguments:
    bound: dict[str, ast.expr | Node] = {}
    values: list[ast.expr | Node] = ([first] if first is not None else []) + list(node.args)
    names = [name for name, _ in spec.parameters]
    refuse = compiler.source.unsupported
    for value in values:
        if isinstance(value, ast.Starred):
            refuse(value, "argument unpacking with * is not supported: write the arguments out")
        if len(bound) < len(names):
            bound[names[len(bound)]] = value
        else:
            refuse(
                node, f"{spec.name} takes at most {len(names)} positional arguments here: {', '.join(names)}"
            )
    for keyword in node.keywords:
        if keyword.arg is None:
            refuse(keyword.value, "argument unpacking with ** is not supported: write the arguments out")
        if keyword.arg not in names:
            known = ", ".join(names)
            refuse(
                keyword.value, f"{spec.name}: argument '{keyword.arg}' is not supported; supported: {known}"
            )
        if keyword.arg in bound:
            refuse(keyword.value, f"{spec.name}: argument '{keyword.arg}' is given twice")
        bound[keyword.arg] = keyword.value
    for name, required in spec.parameters:
        if required and name not in bound:
            refuse(node, f"{spec.name}: argument '{name}' is missing")
    return Arguments(compiler, node, bound)


# --- special cases -------------------------------------------------------------------------------------------------
def _created(primitive: str, *names: str) -> Emit:
    """Arrays made from a shape or after a pattern, with an element type."""

    def emit(a: Arguments) -> Node:
        dtype = a.dtype()
        return Call(primitive, (*(a[n] for n in names), *([string(dtype)] if dtype else [])), a.place)

    return emit


def _astype(a: Arguments) -> Node:
    dtype = a.dtype()
    if dtype is None:
        a.compiler.source.unsupported(a.call, "astype needs a type: bool, int or float")
    return call("astype", a["a"], string(dtype), place=a.place)


def _eye(a: Arguments) -> Node:
    given = [a["N"]]
    if "M" in a or "k" in a:
        given.append(a.get("M", NIL))
    if "k" in a:
        given.append(a["k"])
    return _as(Call("eye", tuple(given), a.place), a.dtype())


def _as(node: Node, dtype: str | None) -> Node:
    return call("astype", node, string(dtype)) if dtype else node


def _arange(a: Arguments) -> Node:
    given = [a[n] for n in ("start", "stop", "step") if n in a]
    return _as(Call("arange", tuple(given), a.place), a.dtype())


def _where(a: Arguments) -> Node:
    if ("x" in a) != ("y" in a):
        a.compiler.source.unsupported(
            a.call, "np.where takes a condition alone, or a condition and both alternatives"
        )
    return call(
        "where" if "x" in a else "nonzero", *(a[n] for n in ("condition", "x", "y") if n in a), place=a.place
    )


def _extreme(primitive: str, comparison: str) -> Emit:
    """min(x) of a sequence, or Python's min(a, b): the first argument unless another one is really smaller."""

    def emit(a: Arguments) -> Node:
        arguments = a.call.args
        if len(arguments) == 1:
            return call(primitive, a.compiler.expression(arguments[0]), place=a.place)
        with a.compiler.temporaries() as t:
            best = t.simple(a.compiler.expression(arguments[0]))
            for argument in arguments[1:]:
                other = t.simple(a.compiler.expression(argument))
                best = t.simple(call("if", call(comparison, other, best, place=a.place), other, best))
            return t.finish(best)

    return emit


def _python_sum(a: Arguments) -> Node:
    """From left to right, as Python adds; np.sum adds pairwise."""
    add = call("lambda", Literal("a"), Literal("b"), call("__add", Literal("a"), Literal("b")))
    return call("fold_left", add, a.get("start", ZERO), a["iterable"], place=a.place)


def _print(a: Arguments) -> Node:
    return Call("cout", tuple(a.compiler.expression(x) for x in a.call.args), a.place)


def _range(a: Arguments) -> Node:
    return Call("range", tuple(a[n] for n in ("start", "stop", "step") if n in a), a.place)


def _to(dtype: str) -> Emit:
    def emit(a: Arguments) -> Node:
        node = a.expression("x")
        if dtype == "float" and isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return a.compiler.constant(node, float(node.value))
            except ValueError:
                a.compiler.source.unsupported(node, f"float() of the text '{node.value}'")
        return call(dtype, a["x"], place=a.place)

    return emit


def _round(a: Arguments) -> Node:
    return call("int", call("round", a["number"], place=a.place), place=a.place)


def _last_axis(primitive: str) -> Emit:
    """Along the last axis unless told otherwise; axis=None means all elements, which trees have no axis for."""

    def emit(a: Arguments) -> Node:
        axis = a.expression("axis")
        if isinstance(axis, ast.Constant) and axis.value is None:
            return call(primitive, call("flatten", a["a"]), place=a.place)
        return positional(primitive, ["a", "axis"])(a)

    return emit


def _concatenate(a: Arguments) -> Node:
    axis = a.expression("axis")
    if isinstance(axis, ast.Constant) and axis.value is None:
        a.compiler.source.unsupported(axis, "axis=None is not supported: join x.ravel() of the arrays")
    return positional("concatenate", ["arrays", "axis"])(a)


def _tuple(a: Arguments) -> Node:
    return call("__add", call("tuple"), _copied(a), place=a.place)


def _copied(a: Arguments) -> Node:
    name = a.compiler.lambda_parameter()
    return call("fmap", call("lambda", Literal(name), Literal(name)), a["x"], place=a.place)


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
        "floor ceil trunc rint conj real imag sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh"
        " arcsin arccos arctan arcsinh arccosh arctanh square sign isnan isinf isneginf isposinf isfinite logical_not"
        " absolute radians degrees"
    ).split():
        add(getattr(np, name), "x", name)
    for name, primitive in {
        "add": "__add", "subtract": "__sub", "multiply": "__mul", "true_divide": "__truediv",
        "floor_divide": "__floordiv", "remainder": "__pymod", "power": "power", "matmul": "__matmul",
        "maximum": "maximum", "minimum": "minimum", "equal": "__eq", "not_equal": "__ne", "less": "__lt",
        "less_equal": "__le", "greater": "__gt", "greater_equal": "__ge", "logical_and": "logical_and",
        "logical_or": "logical_or", "logical_xor": "logical_xor",
    }.items():  # fmt: skip
        add(getattr(np, name), "x1 x2", primitive)
    add(np.negative, "x", "__minus")
    for name, primitive in {
        "sum": "sum", "prod": "prod", "mean": "mean", "max": "amax", "min": "amin", "amax": "amax", "amin": "amin",
        "all": "all", "any": "any", "count_nonzero": "count_nonzero",
    }.items():  # fmt: skip
        add(getattr(np, name), "a axis? keepdims?", primitive)
    for name in ("std", "var"):
        add(getattr(np, name), "a axis? keepdims? ddof?", name)
    for name in ("argmax", "argmin", "cumsum", "cumprod", "squeeze", "flip"):
        add(getattr(np, name), "a axis?", name)
    for name in ("sort", "argsort"):
        add(getattr(np, name), "a axis?", _last_axis(name))
    for name in ("dot", "outer", "allclose", "array_equal"):
        add(getattr(np, name), "a b", name)
    add(np.expand_dims, "a axis", "expand_dims")
    add(np.swapaxes, "a axis1 axis2", "swapaxes")
    add(np.transpose, "a axes?", "transpose")
    add(np.reshape, "a shape", "reshape")
    add(np.broadcast_to, "a shape", "broadcast_to")
    add(np.ravel, "a", "flatten")
    add(np.concatenate, "arrays axis?", _concatenate)
    add(np.stack, "arrays axis?", "stack")
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        add(getattr(np, name), "arrays", name)
    add(np.tile, "A reps", "tile")
    add(np.repeat, "a repeats axis?", "repeat")
    add(np.take, "a indices axis?", "take")
    add(np.unique, "a", "unique")
    add(np.bincount, "x weights? minlength?", "bincount")
    add(np.trace, "a", "trace")
    add(np.clip, "a a_min? a_max?", "clip")
    add(np.round, "a decimals?", "round")
    add(np.diag, "v k?", "diag")
    add(np.where, "condition x? y?", _where)
    add(np.nonzero, "a", "nonzero")
    add(np.copy, "a", lambda a: a["a"])
    add(np.shape, "a", "shape")
    add(np.size, "a axis?", "size")
    add(np.ndim, "a", "ndim")
    for name in ("zeros", "ones", "empty"):
        add(getattr(np, name), "shape dtype?", _created(name, "shape"))
        add(getattr(np, name + "_like"), "a dtype?", _created(name + "_like", "a"))
    add(np.full, "shape fill_value dtype?", _created("full", "shape", "fill_value"))
    add(np.full_like, "a fill_value dtype?", _created("full_like", "a", "fill_value"))
    add(np.array, "object dtype?", _created("array", "object"))
    add(np.asarray, "object dtype?", _created("array", "object"))
    add(np.eye, "N M? k? dtype?", _eye)
    add(np.identity, "n dtype?", lambda a: _as(call("identity", a["n"], place=a.place), a.dtype()))
    add(np.arange, "start stop? step? dtype?", _arange)
    add(np.linspace, "start stop num?", "linspace")
    add(np.linalg.inv, "a", "inverse", "linalg")
    add(np.linalg.det, "a", "determinant", "linalg")
    add(np.linalg.solve, "a b", "solve", "linalg")
    add(np.linalg.norm, "x ord? axis? keepdims?", "norm", "linalg")
    add(np.float64, "x", _to("float"))
    add(np.int64, "x", _to("int"))
    add(np.bool_, "x", _to("bool"))

    add(len, "x", "__len")
    add(abs, "x", "absolute")
    add(pow, "x y", "power")
    add(int, "x", _to("int"))
    add(float, "x", _to("float"))
    add(bool, "x", _to("bool"))
    add(round, "number", _round)
    add(range, "start stop? step?", _range)
    add(min, "*values", _extreme("amin", "__lt"))
    add(max, "*values", _extreme("amax", "__gt"))
    add(sum, "iterable start?", _python_sum)
    add(any, "x", "any")
    add(all, "x", "all")
    add(list, "x", _copied)
    add(tuple, "x", _tuple)
    add(print, "*values", _print)
    return table


FUNCTIONS = _table()


def _method(name: str) -> Specification:
    """x.sum(axis) is np.sum(x, axis)."""
    known = FUNCTIONS[getattr(np, name)]
    return Specification(f".{name}", known.parameters, None, known.emit)


# Methods of arrays; the object is the first parameter.
METHODS: dict[str, Specification] = {
    name: _method(name)
    for name in (
        "sum prod mean std var max min all any argmax argmin cumsum cumprod dot squeeze argsort ravel nonzero copy repeat"
        " take swapaxes trace round clip"
    ).split()
} | {
    "clip": specification(".clip", "a min? max?", "clip"),
    "flatten": specification(".flatten", "a", "flatten"),
    "astype": specification(".astype", "a dtype", _astype),
    "item": specification(".item", "a", lambda a: call("reshape", a["a"], call("list"), place=a.place)),
    "keys": specification(".keys", "a", "dict_keys"),
}

ATTRIBUTES: dict[str, Callable[[Node, Place], Node]] = {
    "T": lambda x, place: call("transpose", x, place=place),
    "shape": lambda x, place: call("shape", x, place=place),
    "size": lambda x, place: call("size", x, place=place),
    "ndim": lambda x, place: call("ndim", x, place=place),
}

# What to write instead of a few things that people try.
ADVICE = {
    "append": "np.append copies everything each time: collect rows in a list and use np.stack",
    "einsum": "write it with @, * and sum",
    "vectorize": "apply the expression to the whole array",
}

TRUE_RESULTS = {
    "__eq",
    "__ne",
    "__lt",
    "__le",
    "__gt",
    "__ge",
    "__not",
    "isnan",
    "isinf",
    "isfinite",
    "all",
    "any",
}
__all__ = [
    "ADVICE",
    "ATTRIBUTES",
    "FALSE",
    "FUNCTIONS",
    "METHODS",
    "TRUE_RESULTS",
    "Arguments",
    "Specification",
    "bind",
]
