"""Names: which are local to a function, and how all names of a program are called in PhySL."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def target_names(target: ast.expr) -> Iterator[ast.Name]:
    """The names an assignment target binds; item targets bind none."""
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from target_names(element)


def comprehension_names(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> list[str]:
    """The variables of a comprehension, in the order of their loops."""
    return [n.id for g in node.generators for n in target_names(g.target)]


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


def free_names(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """Names that a function may look up around it."""
    own = {a.arg for a in parameters(function.args)}
    own |= set() if isinstance(function, ast.Lambda) else set(bound_names(function.body))
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    inside, outside = (
        {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}
        for parts in (body, default_values(function.args).values())
    )
    return (inside - own) | outside


def default_values(args: ast.arguments) -> dict[str, ast.expr]:
    """By parameter, in the order in which Python evaluates them."""
    positional = [*args.posonlyargs, *args.args]
    pairs = list(zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True))
    pairs += [(a, v) for a, v in zip(args.kwonlyargs, args.kw_defaults, strict=True) if v]
    return {a.arg: value for a, value in pairs}


def local_functions(body: Iterable[ast.stmt], bound: dict[str, int]) -> dict[str, ast.arguments]:
    """Names that are bound once, by a def or to a lambda: with the parameters that they have wherever they are
    called."""
    found: dict[str, ast.arguments] = {}
    for node in walk_own(body):
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node.args
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            found |= {t.id: node.value.args for t in node.targets if isinstance(t, ast.Name)}
    return {name: args for name, args in found.items() if bound[name] == 1}


class Names:
    """The PhySL names of one program: ASCII, and none hides another that it does not hide in Python."""

    def __init__(self, reserved: frozenset[str]) -> None:
        self.reserved = reserved  # primitives and forms: `sum = sum(x)` must not hide sum()
        self._outer: set[str] = set()  # functions and captured values, which every function sees
        self._local: set[str] = set()

    def outer(self, wanted: str) -> str:
        name = self._free(wanted, lambda n: n in self._outer or n in self._local)
        self._outer.add(name)
        return name

    def local(self, wanted: str, taken: Callable[[str], bool]) -> str:
        name = self._free(wanted, lambda n: n in self._outer or taken(n))
        self._local.add(name)
        return name

    def _free(self, wanted: str, taken: Callable[[str], bool]) -> str:
        name = re.sub(r"[^A-Za-z0-9_]", lambda m: f"_u{ord(m[0]):x}_", wanted)
        while name in self.reserved or name.startswith(("__", "_t_")) or taken(name):
            name = f"{name.lstrip('_') or 'v'}_"
        return name


class Scope:
    """Maps Python names to PhySL names; nested functions see the enclosing scopes."""

    def __init__(self, names: Iterable[str], parent: Scope | None, program: Names) -> None:
        self.parent = parent
        self.names: dict[str, str] = {}
        self.temporaries: list[str] = []
        self.functions: dict[str, ast.arguments] = {}  # local functions whose parameters are known
        for name in names:
            if name not in self.names:
                self.names[name] = program.local(name, partial(self._means_another, name))

    def _means_another(self, name: str, physl_name: str) -> bool:
        """Whether a PhySL name stands for another variable than `name`, here or around."""
        scope: Scope | None = self
        while scope:
            if any(physl == physl_name and own != name for own, physl in scope.names.items()):
                return True
            scope = scope.parent
        return False

    def find(self, name: str) -> str | None:
        scope: Scope | None = self
        while scope:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def signature(self, name: str) -> ast.arguments | None:
        """The parameters of a local function, if a name can only mean that one."""
        scope: Scope | None = self
        while scope and name not in scope.names:
            scope = scope.parent
        return scope.functions.get(name) if scope else None

    def is_local(self, name: str) -> bool:
        return self.find(name) is not None

    def temporary(self) -> str:
        depth, scope = 0, self.parent
        while scope:
            depth, scope = depth + 1, scope.parent
        name = f"_t_{depth}_{len(self.temporaries)}" if depth else f"_t_{len(self.temporaries)}"
        self.temporaries.append(name)
        return name
