"""What calls become that are not simply a primitive with the same arguments."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from .nodes import NIL, ZERO, Call, Literal, Node, Place, call, number
from .signatures import Arguments, Emit, positional


def of_object(node: Node, value: Node) -> Node:
    """What a method or an attribute of `value` becomes, with a check that such a value has it."""
    if not isinstance(node, Call) or not node.args:
        return node
    first = node.args[0]
    if first is value:
        return replace(node, attribute="method")
    return replace(node, args=(of_object(first, value), *node.args[1:]))


def own_memory(node: Node, place: Place) -> Node:
    """Memory of its own, as NumPy gives: what values share until somebody writes, nobody may write here."""
    return call("copy", node, place=place)


def copy_of(emit: Emit) -> Emit:
    return lambda a: own_memory(emit(a), a.place)


def read_only(emit: Emit) -> Emit:
    return lambda a: call("__read_only", emit(a), place=a.place)


def made(emit: Emit, shape: str = "") -> Emit:
    """A new array that may have no axes, if the shape or the items that are written out do not show some."""

    def emitted(a: Arguments) -> Node:
        written = a.written.get(shape)
        has_axes = isinstance(written, ast.ListComp) or (
            isinstance(written, ast.Tuple | ast.List) and len(written.elts) > 0
        )
        node = emit(a)
        if has_axes or (shape == "shape" and isinstance(a.constant(shape), int)):
            return node
        assert isinstance(node, Call)
        return replace(node, attribute="array")

    return emitted


def created(primitive: str, *names: str) -> Emit:
    """Arrays made from a shape or after a pattern, with an element type."""

    def emit(a: Arguments) -> Node:
        return Call(primitive, (*(a[n] for n in names), *([a.dtype] if a.dtype else [])), a.place)

    return emit


def astype(a: Arguments) -> Node:
    if a.dtype is None:
        a.refuse("astype needs a type: bool, int or float")
    return own_memory(call("astype", a["a"], a.dtype, place=a.place), a.place)


def _as_given(node: Node, dtype: Node | None) -> Node:
    return call("astype", node, dtype) if dtype else node


def eye(a: Arguments) -> Node:
    given = [a["N"]]
    if "M" in a or "k" in a:
        given.append(a.get("M", NIL))
    if "k" in a:
        given.append(a["k"])
    return _as_given(Call("eye", tuple(given), a.place), a.dtype)


def identity(a: Arguments) -> Node:
    return _as_given(call("identity", a["n"], place=a.place), a.dtype)


def arange(a: Arguments) -> Node:
    given = [a[n] for n in ("start", "stop", "step") if n in a]
    if "step" in a and "stop" not in a:
        given.insert(0, ZERO)
    return _as_given(Call("arange", tuple(given), a.place), a.dtype)


def where(a: Arguments) -> Node:
    if ("x" in a) != ("y" in a):
        a.refuse("np.where takes a condition alone, or a condition and both alternatives")
    if "x" not in a:
        return call("nonzero", call("__with_axes", a["condition"], place=a.place), place=a.place)
    return Call("where", tuple(a[n] for n in ("condition", "x", "y")), a.place, "array")


def nonzero(a: Arguments) -> Node:
    return call("nonzero", call("__with_axes", a["a"], place=a.place), place=a.place)


def extreme(primitive: str, comparison: str) -> Emit:
    """min(x) of a sequence, or Python's min(a, b): the first argument unless another one is really smaller."""

    def emit(a: Arguments) -> Node:
        if len(a.rest) == 1:
            return call(primitive, a.rest[0], place=a.place)
        t = a.temporaries()
        best, *others = [t.simple(argument) for argument in a.rest]
        for other in others:
            best = t.simple(call("if", call(comparison, other, best, place=a.place), other, best))
        return t.finish(best)

    return emit


def python_sum(a: Arguments) -> Node:
    """From left to right, as Python adds; np.sum adds pairwise."""
    add = call("lambda", Literal("a"), Literal("b"), call("__add", Literal("a"), Literal("b")))
    return call("fold_left", add, sum_start(a.get("start", ZERO), a.place), a["iterable"], place=a.place)


def sum_start(start: Node, place: Place) -> Node:
    """What Python's sum begins with, which is not text."""
    return start if start is ZERO else call("__sum_start", start, place=place)


def printed(a: Arguments) -> Node:
    return Call("__print", a.rest, a.place)


def counted(a: Arguments) -> Node:
    return Call("range", tuple(a[n] for n in ("start", "stop", "step") if n in a), a.place)


def converted(dtype: str, primitive: str | None = None) -> Emit:
    def emit(a: Arguments) -> Node:
        text = a.constant("x")
        if dtype == "float" and isinstance(text, str):
            try:
                return number(float(text))
            except ValueError:
                a.refuse(f"float() of the text '{text}'", "x")
        return call(primitive or dtype, a["x"], place=a.place)

    return emit


def rounded(a: Arguments) -> Node:
    return call("__to_int", call("round", a["number"], place=a.place), place=a.place)


def joined(primitive: str) -> Emit:
    """hstack and its like take the element type after the arrays, where one is given."""
    return lambda a: Call(primitive, (a["tup"], *([a.dtype] if a.dtype else [])), a.place)


def as_function(primitive: str, *names: str) -> Emit:
    """What also is an operator: np.add([1, 2], 3) computes with lists, [1, 2] + 3 does not."""
    return lambda a: Call(primitive, tuple(a[n] for n in names), a.place, "function")


def ravel(a: Arguments) -> Node:
    """With an order it may be a view or not."""
    if "order" in a:
        return call("__read_only", call("ravel", a["a"], a["order"], place=a.place), place=a.place)
    return call("__ravel", a["a"], place=a.place)


def copied_list(a: Arguments) -> Node:
    return call("fmap", call("lambda", Literal("_t_x"), Literal("_t_x")), a["x"], place=a.place)


def scipy_solve(a: Arguments) -> Node:
    known: dict[Any, str] = {
        None: "solve", "gen": "solve", "sym": "linear_solver_ldlt", "pos": "linear_solver_cholesky",
    }  # fmt: skip
    kind = a.constant("assume_a") if "assume_a" in a else None
    if kind not in known:
        a.refuse("assume_a may be 'gen', 'sym' or 'pos' here", "assume_a")
    return call(known[kind], a["a"], a["b"], place=a.place)


def conjugate_gradient(a: Arguments) -> Node:
    """SciPy's answer is (x, 0) where it converges; where it does not, the primitive raises."""
    solved = positional("iterative_solver_conjugate_gradient", ["A", "b", "rtol", "maxiter"])(a)
    return call("tuple", solved, ZERO, place=a.place)
