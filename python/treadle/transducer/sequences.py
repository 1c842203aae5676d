"""What loops and comprehensions step through, and how its items are unpacked into variables."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .aliasing import Resolve, appends_to, root_name
from .nodes import NIL, Call, Literal, Name, Node, call
from .scope import bound_names, target_names
from .source import MISSING
from .subscripts import SubscriptCompiler

ITERATORS = (zip, enumerate, reversed)
DICT_VIEWS = ("keys", "values", "items")


def is_iterator(callee: Any) -> bool:
    return any(callee is f for f in ITERATORS)


def dict_view(node: ast.expr, resolve: Resolve) -> tuple[ast.expr | None, str]:
    """The dictionary of a call d.keys(), d.values() or d.items(), and which of these it is."""
    match node:
        case ast.Call(ast.Attribute(owner, which) as method) if which in DICT_VIEWS and resolve(
            method
        ) is MISSING:
            return owner, which
    return None, ""


def read_in_turns(node: ast.expr, resolve: Resolve) -> list[ast.expr]:
    """What Python goes on reading while a loop over `node` runs: none of plain sequences, which the loop holds
    itself."""
    if not isinstance(node, ast.Call):
        return []
    if is_iterator(resolve(node.func)):
        given = [*node.args, *(k.value for k in node.keywords)]
        return [part for a in given for part in (read_in_turns(a, resolve) or [a])]
    viewed, _ = dict_view(node, resolve)
    return [viewed] if viewed else []


def keeps_keys(loop: ast.For, resolve: Resolve, group: Callable[[str], set[str]]) -> bool:
    """Whether a loop over a dictionary changes it only by d[key], which has no new key: Python goes on with the old
    ones. `group` tells which variables may be the same dictionary."""
    viewed, which = dict_view(loop.iter, resolve)
    owner, key = viewed or loop.iter, loop.target
    if which == "items":
        if not isinstance(key, ast.Tuple) or len(key.elts) != 2:
            return False
        key = key.elts[0]
    if which == "values" or not isinstance(owner, ast.Name) or not isinstance(key, ast.Name):
        return False
    theirs = [t for t in changes_of(loop) if root_name(t) in group(owner.id)]
    return _binds_once(loop, key.id) and all(_item_names(t) == (owner.id, key.id) for t in theirs)


def kept_items(loop: ast.For, resolve: Resolve, group: Callable[[str], set[str]]) -> list[ast.Name]:
    """The sequences of a loop over enumerate(x) or enumerate(zip(x, y)) that changes them only at its counter, or none:
    the items that Python reads later are as they were."""
    match loop.iter, loop.target:
        case ast.Call(func, [ast.Name() | ast.Call() as counted], []), ast.Tuple([ast.Name(counter), _]):
            pass
        case _:
            return []
    parts: list[ast.expr] = [counted]
    if isinstance(counted, ast.Call) and resolve(counted.func) is zip:
        parts = counted.args
    owners = [part for part in parts if isinstance(part, ast.Name)]
    if resolve(func) is not enumerate or len(owners) < len(parts):
        return []
    theirs = [t for o in owners for t in changes_of(loop) if root_name(t) in group(o.id)]
    kept = _binds_once(loop, counter) and all(_item_names(t) == (root_name(t), counter) for t in theirs)
    return owners if kept else []


def _binds_once(loop: ast.For, name: str) -> bool:
    return [*(n.id for n in target_names(loop.target)), *bound_names(loop.body)].count(name) == 1


def changes_of(loop: ast.For) -> list[ast.expr]:
    """What the body of a loop changes in place."""
    nodes = (n for statement in loop.body for n in ast.walk(statement))
    return [target for n in nodes if (target := changed_by(n)) is not None]


def changed_by(node: ast.AST) -> ast.expr | None:
    """What a statement or a part of one changes in place."""
    if isinstance(node, ast.AugAssign):
        return node.target
    if isinstance(node, ast.Subscript):
        return node if isinstance(node.ctx, ast.Store) else None
    return appends_to(node) if isinstance(node, ast.expr) else None


def _item_names(target: ast.expr) -> tuple[str, str] | None:
    """(x, i) of a change of x[i], or of something in it."""
    while isinstance(target, ast.Subscript) and isinstance(target.value, ast.Subscript):
        target = target.value
    match target:
        case ast.Subscript(ast.Name(owner), ast.Name(key)):
            return owner, key
    return None


class SequenceCompiler(SubscriptCompiler):
    def sequence(self, node: ast.expr) -> Node:
        """For the one that uses up all items at once: those that Python makes one after the other, as a list."""
        if not isinstance(node, ast.Call):
            return self.expression(node)
        callee = self.resolve(node.func)
        if is_iterator(callee):
            return self._iterator(node, callee)
        viewed, which = dict_view(node, self.resolve)
        return self.expression(node) if viewed is None else self._dict_view(node, viewed, which)

    def _iterator(self, node: ast.Call, callee: type) -> Node:
        name, place = callee.__name__, self.place(node)
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            self.source.unsupported(
                node, "argument unpacking with * is not supported: write the arguments out"
            )
        if callee is zip:
            lenient = all(
                k.arg == "strict" and isinstance(k.value, ast.Constant) and not k.value.value
                for k in node.keywords
            )
            if not lenient or not node.args:
                self.source.unsupported(node, "zip takes sequences here, at least one, and nothing else")
            return Call(name, tuple(self.sequence(a) for a in node.args), place)
        if callee is reversed:
            if node.keywords or len(node.args) != 1:
                self.source.unsupported(node, "reversed takes one sequence")
            return call(
                "slice", self.expression(node.args[0]), call("list", NIL, NIL, Literal("-1")), place=place
            )
        given = dict(zip(("iterable", "start"), node.args, strict=False))
        given |= {str(k.arg): k.value for k in node.keywords}
        if len(given) < len(node.args) + len(node.keywords) or not {"iterable"} <= given.keys() <= {
            "iterable",
            "start",
        }:
            self.source.unsupported(node, "enumerate takes a sequence, and perhaps what to start with")
        items = self.sequence(given["iterable"])
        if "start" not in given:
            return call(name, items, place=place)
        start = self.expression(given["start"])
        if not isinstance(start, Literal) or not start.text.lstrip("-").isdigit():
            self.source.unsupported(
                given["start"], "enumerate starts with a whole number that is written out here"
            )
        return call(name, items, start, place=place)

    def _dict_view(self, node: ast.Call, viewed: ast.expr, which: str) -> Node:
        if node.args or node.keywords:
            self.source.unsupported(node, f".{which}() takes no arguments")
        t = self.temporaries()
        owner = t.simple(self.expression(viewed))
        keys, place = call("dict_keys", owner, place=self.place(node)), self.place(node)
        if which == "keys":
            return t.finish(keys)
        key = Literal("_t_key")
        value = call("slice", owner, key, place=place)
        entry = value if which == "values" else call("tuple", key, value)
        return t.finish(call("fmap", call("lambda", key, entry), keys, place=place))

    # --- variables of loops -------------------------------------------------------------------------------------
    def stepped(self, target: ast.expr, iterable: ast.expr) -> tuple[Name, list[Node]]:
        """The variable that a loop over `iterable` counts with, and what stores its items in the targets."""
        if isinstance(target, ast.Name):
            return Name(self.scope.names[target.id], self.place(target)), []
        if not isinstance(target, ast.Tuple | ast.List):
            self.source.unsupported(target, "a loop counts with a variable or a tuple of variables")
        variable = Name(self.scope.temporary())
        return variable, self.unpack(target, variable, checked=self._width(iterable) != len(target.elts))

    def _width(self, iterable: ast.expr) -> int | None:
        """How many values zip, enumerate and items() give at a time."""
        callee = self.resolve(iterable.func) if isinstance(iterable, ast.Call) else MISSING
        if isinstance(iterable, ast.Call) and callee is zip:
            return len(iterable.args)
        return 2 if callee is enumerate or dict_view(iterable, self.resolve)[1] == "items" else None

    def unpack(
        self,
        target: ast.expr,
        value: Node,
        checked: bool = True,
        other: Callable[[ast.expr, Node], list[Node]] | None = None,
    ) -> list[Node]:
        """Statements that store the items of `value` in the names of a tuple, checking their number. `other` stores in
        what is no name and no tuple."""
        if not isinstance(target, ast.Tuple | ast.List):
            self.source.unsupported(target, "only names and tuples of names can be bound here")
        if any(isinstance(e, ast.Starred) for e in target.elts):
            self.source.unsupported(target, "unpacking with * is not supported: use slices")
        result: list[Node] = []
        if checked:
            count = Literal(str(len(target.elts)))
            result.append(call("__expect_items", value, count, place=self.place(target)))
        for i, element in enumerate(target.elts):
            place = self.place(element)
            item = call("slice", value, Literal(str(i)), place=place)
            if isinstance(element, ast.Name):
                name = self.scope.names.get(element.id) or self.scope.find(element.id) or element.id
                result.append(call("store", Name(name, place), item, place=place))
            elif other is not None and not isinstance(element, ast.Tuple | ast.List):
                result += other(element, item)
            else:
                inner = Name(self.scope.temporary())
                result.append(call("store", inner, item, place=place))
                result += self.unpack(element, inner, other=other)
        return result
