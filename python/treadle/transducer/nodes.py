"""PhySL as a small tree of calls, names and literals, and its text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Place:
    """A position in the Python source, both 1-based; written as the tag $line$column of an identifier."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"${self.line}${self.column}"


@dataclass(frozen=True, slots=True)
class Literal:
    text: str


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    place: Place | str = ""


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    args: tuple[Node, ...]
    place: Place | str = ""
    attribute: str = ""


Node = Literal | Name | Call

NIL, TRUE, FALSE = Literal("nil"), Literal("true"), Literal("false")
ZERO, ONE = Literal("0"), Literal("1")

ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\v": "\\v",
}


def string(text: str) -> Literal:
    return Literal(
        '"' + "".join(ESCAPES.get(c) or (c if c >= " " else f"\\x{ord(c):02x}") for c in text) + '"'
    )


def number(value: bool | int | float) -> Literal | Call:
    """Exact: repr of a float reads back as the same float. OverflowError when an int needs more than 64 bits."""
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if isinstance(value, int):
        if value == -(2**63):  # its digits alone would not fit
            return call("__sub", Literal(str(value + 1)), ONE)
        if not -(2**63) < value < 2**63:
            raise OverflowError(f"{value} does not fit into 64 bits")
        return Literal(str(value))
    if math.isnan(value):
        return Literal("nan")
    if math.isinf(value):
        return Literal("inf" if value > 0 else "ninf")
    return Literal(repr(value))


def call(name: str, *args: Node, place: Place | str = "") -> Call:
    return Call(name, args, place)


def definition(name: Name, params: Sequence[Node], body: Node, stored: bool) -> Call:
    """A function under a name, which exists already if it is to be stored. Without parameters, define(x, e) is a
    value."""
    if params and not stored:
        return Call("define", (name, *params, body), name.place)
    function = Call("lambda", (*params, body), name.place)
    return Call("store" if stored else "define", (name, function), name.place)


def block(statements: Iterable[Node], place: Place | str = "") -> Node:
    items = tuple(statements)
    return items[0] if len(items) == 1 else Call("block", items, place)


def keeps_order(tree: Node, parts: Iterable[Node]) -> bool:
    """Whether the parts stand in a tree once each and in this order; that of literals does not matter."""
    wanted = [id(part) for part in parts if not isinstance(part, Literal)]
    found: list[int] = []
    todo = [tree]
    while todo:
        node = todo.pop()
        if id(node) in wanted:
            found.append(id(node))
        elif isinstance(node, Call):
            todo += reversed(node.args)
    return found == wanted


def render(node: Node, indent: int = 0) -> str:
    """PhySL text, broken into indented lines where a call does not fit one."""
    if isinstance(node, Literal):
        return node.text
    if isinstance(node, Name):
        return f"{node.name}{node.place}"
    head = f"{node.name}{node.place}" + (f"{{{node.attribute}}}(" if node.attribute else "(")
    parts = [render(arg, indent + 2) for arg in node.args]
    flat = head + ", ".join(parts) + ")"
    if len(flat) + indent <= WIDTH and "\n" not in flat:
        return flat
    pad = "\n" + " " * (indent + 2)
    return head + pad + ("," + pad).join(parts) + ")"
