"""Names of one function: which are local, and how they are called in PhySL."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def target_names(target: ast.expr) -> Iterator[ast.Name]:
    """The names an assignment target binds; item targets bind none."""
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from target_names(element)


def walk_own(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node in source order, without entering nested functions and comprehensions (yielded themselves)."""
    for node in nodes:
        yield node
        if isinstance(node, FUNCTIONS):
            continue
        if isinstance(node, COMPREHENSIONS):
            yield from walk_own([node.generators[0].iter])  # evaluated outside of the comprehension
            continue
        yield from walk_own(ast.iter_child_nodes(node))


def bound_names(body: Iterable[ast.stmt]) -> dict[str, int]:
    """Every name that statements of a function bind, in order of first binding, with how often."""
    found: dict[str, int] = {}

    def bind(name: str) -> None:
        found[name] = found.get(name, 0) + 1

    for node in walk_own(body):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for name in target_names(target):
                    bind(name.id)
        elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For):
            if not isinstance(node, ast.AnnAssign) or node.value:
                for name in target_names(node.target):
                    bind(name.id)
        elif isinstance(node, ast.FunctionDef):
            bind(node.name)
    return found


def parameters(args: ast.arguments) -> list[ast.arg]:
    return [*args.posonlyargs, *args.args, *args.kwonlyargs]


class Scope:
    """Maps Python names to PhySL names; nested functions see the enclosing scopes."""

    def __init__(self, names: Iterable[str], parent: Scope | None, reserved: frozenset[str]) -> None:
        self.parent, self.reserved = parent, reserved
        self.names: dict[str, str] = {}
        self.temporaries: list[str] = []
        for name in names:
            self.names.setdefault(name, self._physl_name(name))

    def _physl_name(self, name: str) -> str:
        """ASCII, and never the name of a primitive: `sum = sum(x)` must not hide sum()."""
        plain = re.sub(r"[^A-Za-z0-9_]", lambda m: f"_u{ord(m[0]):x}_", name)
        while plain in self.reserved or plain.startswith(("__", "_t_")) or plain in self.names.values():
            plain = f"{plain.lstrip('_') or 'v'}_"
        return plain

    def find(self, name: str) -> str | None:
        scope: Scope | None = self
        while scope:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def is_local(self, name: str) -> bool:
        return self.find(name) is not None

    def temporary(self) -> str:
        depth, scope = 0, self.parent
        while scope:
            depth, scope = depth + 1, scope.parent
        name = f"_t_{depth}_{len(self.temporaries)}" if depth else f"_t_{len(self.temporaries)}"
        self.temporaries.append(name)
        return name
