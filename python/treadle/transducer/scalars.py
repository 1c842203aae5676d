"""Variables that are surely numbers: what changes in place cannot concern them, and an index of them is one
position."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .ranges import prange
from .scope import target_names, walk_own

Resolve = Callable[[ast.expr], Any]


def surely_scalars(
    params: list[str], bound: dict[str, int], body: list[ast.stmt], resolve: Resolve
) -> set[str]:
    """Narrowed down from all variables: x = x + 1 does not spoil x, x = f(y) does."""
    found = set(bound) - set(params)
    bindings = [
        n for n in walk_own(body) if isinstance(n, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For)
    ]
    found -= {n.name for n in walk_own(body) if isinstance(n, ast.FunctionDef)}
    while True:
        spoiled = {name for node in bindings for name in _spoiled(node, found, resolve)} & found
        if not spoiled:
            return found
        found -= spoiled


def _spoiled(
    node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For,
    scalars: set[str],
    resolve: Resolve,
) -> set[str]:
    """Names that this statement may bind to something else than a number."""
    if isinstance(node, ast.For):
        names = [n.id for n in target_names(node.target)]
        callee = resolve(node.iter.func) if isinstance(node.iter, ast.Call) else None
        if callee is range or callee is prange:
            return set()
        if (
            callee is enumerate
            and isinstance(node.target, ast.Tuple)
            and isinstance(node.target.elts[0], ast.Name)
        ):
            names.remove(node.target.elts[0].id)  # perhaps bound twice
        return set(names)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if node.value is None:
        return set()
    return {name for target in targets for name in _not_scalar(target, node.value, scalars, resolve)}


def _not_scalar(target: ast.expr, value: ast.expr, scalars: set[str], resolve: Resolve) -> set[str]:
    """Names of an assignment target that may get something else than a number."""
    if isinstance(target, ast.Name):
        return set() if _is_scalar(value, scalars, resolve) else {target.id}
    if isinstance(value, ast.Attribute) and value.attr == "shape":
        return set()
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        return {name for t, v in pairs for name in _not_scalar(t, v, scalars, resolve)}
    return {n.id for n in target_names(target)}


def _is_scalar(node: ast.expr, scalars: set[str], resolve: Resolve) -> bool:
    def inner(*nodes: ast.expr) -> bool:
        return all(_is_scalar(n, scalars, resolve) for n in nodes)

    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float)
    if isinstance(node, ast.Name):
        return node.id in scalars
    if isinstance(node, ast.BinOp):
        return inner(node.left, node.right)
    if isinstance(node, ast.UnaryOp):
        return inner(node.operand)
    if isinstance(node, ast.BoolOp):
        return inner(*node.values)
    if isinstance(node, ast.Compare):
        return inner(node.left, *node.comparators)
    if isinstance(node, ast.IfExp):
        return inner(node.body, node.orelse)
    if isinstance(node, ast.Subscript):  # x.shape[0]
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and inner(node.slice)
    if isinstance(node, ast.Attribute):
        return node.attr in ("size", "ndim") and not isinstance(resolve(node), type)
    if isinstance(node, ast.Call):
        callee = resolve(node.func)
        if callee in (len, int, float, bool):
            return True
        return callee in (abs, min, max) and len(node.args) > (callee is not abs) and inner(*node.args)
    return False
