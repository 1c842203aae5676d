"""Which variables of a function may hold functions that read certain other variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .aliasing import appends_to, root_name
from .scope import FUNCTIONS, bound_names, free_names, target_names


class Readers:
    """`found` grows until nothing changes. What is not understood counts as holding one."""

    def __init__(self, function: ast.FunctionDef, written: set[str]) -> None:
        self.written, self.found = written, set[str]()
        self._nodes = [n for n in ast.walk(function) if n is not function]
        self._once = {n for n, count in bound_names(function.body).items() if count == 1}
        while not self.found.issuperset(names := set(self._names())):
            self.found |= names

    def _names(self) -> Iterator[str]:
        for node in self._nodes:
            if isinstance(node, ast.FunctionDef):
                if self._reads(node):
                    yield node.name
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                if node.value and self.may_hold(node.value):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    yield from (name for t in targets for name in _stored(t))
            elif isinstance(node, ast.For | ast.comprehension):
                if self.may_hold(node.iter):
                    yield from _stored(node.target)
            elif (
                isinstance(node, ast.Call)
                and (owner := appends_to(node)) is not None
                and any(self.may_hold(a) for a in node.args)
            ):
                yield root_name(owner) or ""

    def _reads(self, node: ast.AST) -> bool:
        return isinstance(node, FUNCTIONS) and bool(free_names(node) & (self.written | self.found))

    def may_hold(self, node: ast.AST, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a value may hold such a function. Most calls of one do not give another."""
        called = {
            id(n.func)
            for n in ast.walk(node)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and not self._gives(n.func.id, seen)
        }
        return any(
            self._reads(n) or (isinstance(n, ast.Name) and n.id in self.found and id(n) not in called)
            for n in ast.walk(node)
        )

    def _gives(self, name: str, seen: frozenset[str]) -> bool:
        """Whether calling a name may give such a function: not where its only meaning is a def that just computes."""
        if name in seen:
            return False
        bodies: list[ast.AST] = []
        for node in self._nodes:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                bodies += node.body
            elif (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Lambda)
                and name in _stored(*node.targets)
            ):
                bodies.append(node.value.body)
        known = name in self._once and bodies
        return not known or any(self.may_hold(body, seen | {name}) for body in bodies)


def _stored(*targets: ast.expr) -> set[str]:
    """Variables that an assignment binds, or in which it stores."""
    parts = [n for t in targets for n in ast.walk(t) if isinstance(n, ast.Subscript)]
    return {n.id for t in targets for n in target_names(t)} | {root_name(p) or "" for p in parts}
