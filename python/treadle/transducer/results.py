"""Which arguments the result of a user's function may hold: found from the sources of all functions that are called,
before any of them is compiled. What is not understood counts as held."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from ..errors import Error
from .aliasing import appends_to, gives_new_memory, root_name
from .scope import FUNCTIONS, bound_names, parameters, target_names, walk_own
from .source import MISSING, Source, is_user_function, plain

# Operators of numbers and arrays alone; lists have sums and multiples, dictionaries unions.
NUMERIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)


class Results:
    """By function, the parameters that its result may hold; grows until nothing changes."""

    def __init__(self, entry: FunctionType, source_of: Callable[[FunctionType], Source]) -> None:
        self._bodies: dict[FunctionType, Body] = {}
        self._held: dict[FunctionType, frozenset[str]] = {}
        todo = [entry]
        while todo:
            function = todo.pop()
            if function not in self._bodies:
                body = self._bodies[function] = Body(function, source_of)
                self._held[function] = frozenset() if body.understood else body.params
                todo += body.callees
        changed = True
        while changed:
            changed = False
            for function, body in self._bodies.items():
                try:
                    held = body.held(self) if body.understood else body.params
                except RecursionError:  # an expression that is refused when it is compiled
                    held = body.params
                changed |= held != self._held[function]
                self._held[function] = held

    def held(self, callee: Any, node: ast.Call) -> list[ast.expr]:
        """The arguments of a call that its result may hold."""
        everything = [*node.args, *(k.value for k in node.keywords)]
        if not is_user_function(callee) or plain(callee) not in self._held:
            return everything
        function = plain(callee)
        signature = inspect.signature(function)
        try:
            bound = signature.bind(*node.args, **{str(k.arg): k.value for k in node.keywords}).arguments
        except TypeError:  # refused when the call is compiled
            return everything
        held = [value for name, value in bound.items() if name in self._held[function]]
        return held if all(isinstance(value, ast.expr) for value in held) else everything


class Body:
    """One function: what each of its variables may hold, whatever the order of its statements."""

    def __init__(self, function: FunctionType, source_of: Callable[[FunctionType], Source]) -> None:
        self.params: frozenset[str] = frozenset(inspect.signature(function).parameters)
        self.callees: list[FunctionType] = []
        self.understood = False
        try:
            self._source = source_of(function)
        except (Error, RecursionError, SyntaxError):  # refused when it is compiled, by name
            return
        node = self._source.node
        self._statements = node.body
        self._locals = {a.arg for a in parameters(node.args)} | set(bound_names(node.body))
        self._locals |= {
            n.id for c in ast.walk(node) if isinstance(c, ast.comprehension) for n in target_names(c.target)
        }
        packed = node.args.vararg or node.args.kwarg
        inner = any(n is not node and isinstance(n, (*FUNCTIONS, ast.NamedExpr)) for n in ast.walk(node))
        for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
            if is_user_function(callee := self._resolve(call.func)):
                self.callees.append(plain(callee))
        self.understood = not (packed or inner)  # what functions inside of it keep is not followed

    def _resolve(self, node: ast.expr) -> Any:
        try:
            return self._source.resolve(node, self._locals.__contains__)
        except Error:
            return MISSING

    def held(self, results: Results) -> frozenset[str]:
        """The parameters that may be found from what is returned."""
        graph: dict[str, set[str]] = {}
        found: set[str] = set()

        def keep(target: ast.expr, *values: ast.expr) -> None:
            names = [n.id for n in target_names(target)]
            names += [root_name(n) or "" for n in ast.walk(target) if isinstance(n, ast.Subscript)]
            for name in names:
                graph.setdefault(name, set()).update(*(self._names(v, results) for v in values))

        for node in walk_own(self._statements):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    keep(target, node.value, *node.targets)
            elif isinstance(node, ast.AugAssign | ast.AnnAssign):
                keep(node.target, *([node.value] if node.value else []))
            elif isinstance(node, ast.For):
                keep(node.target, node.iter)
            elif isinstance(node, ast.Return) and node.value:
                found |= self._names(node.value, results)
            elif isinstance(node, ast.Call) and (owner := appends_to(node)) is not None:
                keep(ast.Name(root_name(owner) or ""), *node.args)
        todo = list(found)
        while todo:
            more = graph.get(todo.pop(), set()) - found
            found |= more
            todo += more
        return frozenset(found & self.params)

    def _names(self, node: ast.expr, results: Results) -> set[str]:
        """The variables that the value of an expression may hold."""
        if self._is_new(node):
            return set()
        if isinstance(node, ast.Call) and (callee := self._resolve(node.func)) is not MISSING:
            return self._all(results.held(callee, node), results)
        if isinstance(node, ast.BinOp):
            return self._all((node.left, node.right), results)
        if isinstance(node, ast.IfExp):
            return self._all((node.body, node.orelse), results)
        if isinstance(node, ast.Tuple | ast.List):
            return self._all(node.elts, results)
        return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}

    def _all(self, nodes: Iterable[ast.expr], results: Results) -> set[str]:
        return set().union(*(self._names(n, results) for n in nodes))

    def _is_new(self, node: ast.expr) -> bool:
        """Numbers, text, and arrays that were just computed: no list, and nothing that existed before."""
        if isinstance(node, ast.Constant | ast.Compare):
            return True
        if isinstance(node, ast.UnaryOp):
            return not isinstance(node.op, ast.UAdd)
        if isinstance(node, ast.Attribute):
            return node.attr in ("shape", "size", "ndim") and self._resolve(node) is MISSING
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            if isinstance(node.op, ast.Add):  # of a number or an array: not of lists
                return any(self._is_numeric(side) for side in sides)
            return isinstance(node.op, NUMERIC) or any(_is_real(side) for side in sides)
        return isinstance(node, ast.Call) and gives_new_memory(self._resolve(node.func), node)

    def _is_numeric(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int | float)
        return isinstance(node, ast.BinOp) and self._is_new(node)


def _is_real(node: ast.expr) -> bool:
    """No whole number, by which a list can be multiplied."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Div) or _is_real(node.left) or _is_real(node.right)
    return isinstance(node, ast.Constant) and isinstance(node.value, float)
