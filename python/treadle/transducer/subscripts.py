"""Items and parts: x[i], x[1:, None], x[mask]."""

from __future__ import annotations

import ast

import numpy as np

from .compiler import Compiler
from .nodes import NIL, TRUE, Call, Literal, Node, call, string
from .source import MISSING


def is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


class SubscriptCompiler(Compiler):
    def _Subscript(self, node: ast.Subscript) -> Node:
        base = node.value
        if isinstance(base, ast.Attribute) and base.attr == "shape" and isinstance(node.slice, ast.Constant):
            axis = node.slice.value
            if isinstance(axis, int) and axis >= 0 and self.resolve(base) is MISSING:
                return Call(
                    "shape", (self.expression(base.value), Literal(str(axis))), self.place(node), "method"
                )
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not any(map(is_ellipsis, parts)):
            return self.item(node, self.expression(base))
        t = self.temporaries()  # x[..., 0] is a view, also where no axis is left
        owner = t.simple(self.expression(base))
        return t.finish(call("__viewed", self.item(node, owner), owner, place=self.place(node)))

    def item(self, node: ast.Subscript, value: Node) -> Call:
        """value[index]"""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(node.slice, ast.Tuple) and self._is_kept_whole(parts):
            return Call("slice", (value, call("__index", self.expression(node.slice))), self.place(node))
        several = len(parts) > 1
        return Call("slice", (value, *(self.index(part, several) for part in parts)), self.place(node))

    def _is_kept_whole(self, parts: list[ast.expr]) -> bool:
        """Whether a tuple may be the key of a dict that is more than its items one by one."""
        if any(isinstance(p, ast.Slice) or is_ellipsis(p) for p in parts):
            return False
        return len(parts) < 2 or any(isinstance(p, ast.Tuple) for p in parts)

    def index(self, node: ast.expr, several: bool = False) -> Node:
        """One position: list(start, stop, step) for a slice, an array for a gather, else a number."""
        if isinstance(node, ast.Slice):
            bounds = [self.expression(b) if b else NIL for b in (node.lower, node.upper, node.step)]
            if bounds[2] is NIL:
                bounds.pop()
            return call("list") if all(b is NIL for b in bounds) else Call("list", tuple(bounds))
        if is_ellipsis(node):
            return string("...")
        if isinstance(node, ast.List | ast.ListComp):
            return Call("__index", (self.expression(node), TRUE), self.place(node))
        if self.resolve(node) is None or (isinstance(node, ast.Constant) and node.value is None):
            return string("newaxis")
        if isinstance(node, ast.Tuple):
            self.source.unsupported(node, "a tuple inside of an index is not supported: use an array")
        compiled = self.expression(node)
        # A list that comes out of a variable would read as a slice: make it an array of positions.
        if self.is_position(node):
            return compiled
        return Call("__index", (compiled, TRUE) if several else (compiled,), self.place(node))

    def is_position(self, node: ast.expr) -> bool:
        """Whether an index is surely neither a list, a tuple nor None."""
        if isinstance(node, ast.Constant):
            return not isinstance(node.value, str | None)
        if isinstance(node, ast.Compare):
            return True
        if isinstance(node, ast.BinOp):
            return self.is_position(node.left) and self.is_position(node.right)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Invert) or self.is_position(node.operand)
        if isinstance(node, ast.Call):
            return self.resolve(node.func) in (len, int, np.argmax, np.argmin, np.argsort, np.arange)
        if isinstance(node, ast.Name):
            return node.id in self.scalars
        return False
