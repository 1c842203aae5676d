"""How a call of a known function is taken apart: its parameters as NumPy names them, and the arguments given to
them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from .nodes import NIL, Call, Literal, Node, Place, string
from .scope import default_values
from .source import MISSING, Source
from .temporaries import Temporaries

DTYPES: dict[Any, str] = {
    int: "int", np.int64: "int", "int": "int", "int64": "int",
    float: "float", np.float64: "float", "float": "float", "float64": "float",
    bool: "bool", np.bool_: "bool", "bool": "bool",
}  # fmt: skip


@dataclass
class Arguments:
    """The compiled arguments of one call, by parameter; element types are names."""

    source: Source
    call: ast.Call
    place: Place
    temporaries: Callable[[], Temporaries]
    nodes: dict[str, Node]
    rest: tuple[Node, ...]  # what a variadic parameter takes
    written: dict[str, ast.expr]  # as the program writes them
    dtype: Node | None = None

    def __contains__(self, name: str) -> bool:
        return name in self.nodes or (name == "dtype" and self.dtype is not None)

    def __getitem__(self, name: str) -> Node:
        return self.nodes[name]

    def get(self, name: str, default: Node) -> Node:
        return self.nodes.get(name, default)

    def constant(self, name: str) -> Any:
        """The value of an argument that the program writes out; MISSING for any other."""
        found = self.written.get(name)
        return found.value if isinstance(found, ast.Constant) else MISSING

    def refuse(self, message: str, name: str = "") -> NoReturn:
        self.source.unsupported(self.written.get(name, self.call), message)


Emit = Callable[[Arguments], Node]


@dataclass(frozen=True)
class Specification:
    name: str  # as the user knows it, for messages
    parameters: tuple[tuple[str, bool], ...]  # (name, required)
    variadic: str | None
    emit: Emit
    refused: frozenset[str] = frozenset()  # parameters that may only be None
    never_none: frozenset[str] = frozenset()  # optional ones that must be left out instead

    def lacks(self, name: str) -> str:
        known = ", ".join(p for p, _ in self.parameters if p not in self.refused)
        return f"{self.name}: argument '{name}' is not supported; supported: {known}"

    def bind(self, source: Source, node: ast.Call, method: bool) -> dict[str, ast.expr]:
        """The arguments of a call by parameter. The first parameter of a method is its object, which is not among
        them."""
        if self.variadic:
            for keyword in node.keywords:
                source.unsupported(keyword.value, f"{self.name}: argument '{keyword.arg}' is not supported")
            return {}
        names = [name for name, _ in self.parameters]
        objects = names[:1] if method else []
        bound: dict[str, ast.expr] = {}
        for name, value in zip(names[len(objects) :], node.args, strict=False):
            bound[name] = value
        for value in node.args:
            if isinstance(value, ast.Starred):
                source.unsupported(
                    value, "argument unpacking with * is not supported: write the arguments out"
                )
        if len(objects) + len(node.args) > len(names):
            listed = ", ".join(names)
            source.unsupported(
                node, f"{self.name} takes at most {len(names)} positional arguments here: {listed}"
            )
        for keyword in node.keywords:
            if keyword.arg is None:
                source.unsupported(
                    keyword.value, "argument unpacking with ** is not supported: write the arguments out"
                )
            if keyword.arg not in names:
                source.unsupported(keyword.value, self.lacks(keyword.arg))
            if keyword.arg in bound or keyword.arg in objects:
                source.unsupported(keyword.value, f"{self.name}: argument '{keyword.arg}' is given twice")
            bound[keyword.arg] = keyword.value
        for name in self.refused & bound.keys():
            given = bound.pop(name)
            if not (isinstance(given, ast.Constant) and given.value is None):
                source.unsupported(node, self.lacks(name))
        for name, required in self.parameters:
            if required and name not in bound and name not in objects:
                source.unsupported(node, f"{self.name}: argument '{name}' is missing")
        return bound


def signature_of(args: ast.arguments) -> inspect.Signature:
    """How Python binds the arguments of a local function; default values are not looked at."""
    defaults = default_values(args)
    kinds = (
        (args.posonlyargs, inspect.Parameter.POSITIONAL_ONLY),
        (args.args, inspect.Parameter.POSITIONAL_OR_KEYWORD),
        (args.kwonlyargs, inspect.Parameter.KEYWORD_ONLY),
    )
    return inspect.Signature(
        [
            inspect.Parameter(a.arg, kind, default=defaults.get(a.arg, inspect.Parameter.empty))
            for listed, kind in kinds
            for a in listed
        ]
    )


def specification(name: str, signature: str, emit: str | Emit) -> Specification:
    """`signature`: parameter names in NumPy's order; `axis?` is optional and may be None, `k~` is optional and must
    not, `axis?=-1` says what stands for it where only a later one is given, `!out` is refused, `*rest` takes all
    further positional arguments."""
    parameters, variadic, refused, never_none = [], None, [], []
    defaults: dict[str, Node] = {}
    for word in signature.split():
        if word.startswith("*"):
            variadic = word[1:]
            continue
        parameter, _, default = word.strip("!").partition("=")
        parameters.append((parameter.rstrip("?~"), parameter[-1] not in "?~" and not word.startswith("!")))
        if word.startswith("!"):
            refused.append(parameters[-1][0])
        if parameter.endswith("~"):
            never_none.append(parameters[-1][0])
        if default:
            defaults[parameters[-1][0]] = Literal(default)
    if isinstance(emit, str):
        emit = positional(emit, [p for p, _ in parameters if p not in refused], defaults)
    return Specification(name, tuple(parameters), variadic, emit, frozenset(refused), frozenset(never_none))


def positional(primitive: str, names: list[str], defaults: dict[str, Node] | None = None) -> Emit:
    """Arguments in the order of the primitive; omitted ones at the end are left out, those between get their
    default."""

    def one(a: Arguments, name: str) -> Node:
        if name == "dtype":
            return a.dtype or NIL
        return a.get(name, (defaults or {}).get(name, NIL))

    def emit(a: Arguments) -> Node:
        count = max((i + 1 for i, name in enumerate(names) if name in a), default=0)
        return Call(primitive, tuple(one(a, name) for name in names[:count]), a.place)

    return emit


def element_type(source: Source, node: ast.expr, resolve: Callable[[ast.expr], Any]) -> Literal | None:
    """The element type that an argument names, which must be one that Treadle computes with."""
    wanted = node.value if isinstance(node, ast.Constant) else resolve(node)
    if isinstance(node, ast.Constant) and wanted is None:
        return None
    try:
        found = DTYPES.get(wanted.type if isinstance(wanted, np.dtype) else wanted)
    except TypeError:
        found = None
    if found is None:
        source.unsupported(
            node, "this element type is not supported: use bool, int (int64) or float (float64)"
        )
    return string(found)
