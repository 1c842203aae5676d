"""Loops over prange: all iterations as tasks, with the result of the sequential loop."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .nodes import NIL, Call, Literal, Name, Node, block, call
from .scope import Scope, bound_names, target_names, walk_own

if TYPE_CHECKING:
    from .statements import FunctionCompiler


def parallel_loop(outer: FunctionCompiler, node: ast.For, iterable: ast.Call) -> list[Node]:
    """The iterations compute, each with variables of its own, what is to be written; the writes follow in order."""
    from .statements import FunctionCompiler

    refuse = outer.source.unsupported
    if not isinstance(node.target, ast.Name):
        refuse(node.target, "prange counts one variable")
    private = {node.target.id, *bound_names(node.body)}
    _check_private(outer, node, private)
    writes = [
        s for s in node.body if isinstance(s, ast.Assign | ast.AugAssign) and _is_outer_write(s, private)
    ]
    written = {_owner(t) for s in writes for t in _targets(s)}
    _check_written(outer, node, private, writes, written)

    inner = FunctionCompiler.__new__(FunctionCompiler)
    inner.__dict__.update(outer.__dict__)
    inner.scope = Scope(private, outer.scope, outer.unit.reserved)
    inner.defined = {node.target.id}
    names = [n for n in bound_names(node.body) if n != node.target.id]
    inner.defined |= set(names)
    inner.numbers = outer.numbers | {node.target.id}
    statements: list[Node] = []
    shipped: list[Node] = []  # what one iteration hands out: index parts and value of each write
    recipe: list[
        tuple[Node, list[Node], ast.stmt]
    ] = []  # variable, index with positions in `shipped`, statement
    record = Name(outer.scope.temporary())

    def ship(value: Node) -> Node:
        if isinstance(value, Literal):
            return value
        name = Name(inner.scope.temporary())
        statements.append(call("store", name, value))
        shipped.append(name)
        return call("slice", record, Literal(str(len(shipped) - 1)))

    for statement in node.body:
        if statement not in writes:
            statements += inner.statement(statement)
            continue
        assert isinstance(statement, ast.Assign | ast.AugAssign)
        (target,) = _targets(statement)
        place = inner.item(target, outer.expression(target.value))
        index = [
            Call("list", tuple(ship(b) for b in i.args), i.place)
            if isinstance(i, Call) and i.name == "list"
            else ship(i)
            for i in place.args[1:]
        ]
        recipe.append((place.args[0], [*index, ship(inner.expression(statement.value))], statement))

    locals_ = [call("define", Name(inner.scope.names[n]), NIL) for n in names]
    locals_ += [call("define", Name(t), NIL) for t in inner.scope.temporaries]
    body = block([*locals_, *statements, Call("list", tuple(shipped)) if shipped else NIL])
    counter = Name(inner.scope.names[node.target.id], outer.place(node.target))
    steps = Call("range", tuple(outer._plain(a) for a in iterable.args), outer.place(iterable))
    task = call("lambda", counter, body, place=outer.place(node))
    mapped = call("parallel_map", task, steps, place=outer.place(node))
    if not recipe:
        return [mapped]
    records, position = Name(outer.scope.temporary()), Name(outer.scope.temporary())
    stores: list[Node] = [call("store", record, call("slice", records, position))]
    for variable, (*index, value), statement in recipe:
        item = Call("slice", (variable, *index), outer.place(statement))
        if isinstance(statement, ast.AugAssign):
            value = outer.binary(statement, statement.op, item, value)
        stores.append(call("store", item, value, place=outer.place(statement)))
    write_back = call(
        "for", call("store", position, Literal("0")), call("__lt", position, call("__len", records)),
        call("store", position, call("__add", position, Literal("1"))), block(stores), place=outer.place(node),
    )  # fmt: skip
    return [call("store", records, mapped, place=outer.place(node)), write_back]


def _targets(statement: ast.stmt) -> list[ast.Subscript]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [t for t in targets if isinstance(t, ast.Subscript)]


def _owner(target: ast.Subscript) -> str:
    return target.value.id if isinstance(target.value, ast.Name) else ""


def _is_outer_write(statement: ast.stmt, private: set[str]) -> bool:
    return any(_owner(t) not in private for t in _targets(statement))


def _check_private(outer: FunctionCompiler, node: ast.For, private: set[str]) -> None:
    """Variables of the body belong to one iteration: they may not come from before or be read after."""
    for argument in outer.params:
        if argument in private:
            outer.source.unsupported(
                node, f"'{argument}' is an argument and is assigned in a prange loop: use another name"
            )
    for inner in walk_own(node.body):
        if isinstance(inner, ast.Return):
            outer.source.unsupported(inner, "return cannot leave a prange loop: use range")
        if isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
            first = next((s for s in node.body if inner.target.id in bound_names([s])), None)
            if first is inner:
                outer.source.unsupported(
                    inner,
                    "an iteration of prange cannot add to a variable of the loop: write items of an array and sum it",
                )
    own: dict[str, set[int]] = {
        name: set() for name in private
    }  # where each may appear: here, and in loops like this
    for loop in ast.walk(outer.node):
        if isinstance(loop, ast.For) and (loop is node or _counts_with_prange(outer, loop)):
            names = {n.id for n in target_names(loop.target)} | set(bound_names(loop.body))
            places = {id(n) for s in [loop.target, *loop.body] for n in ast.walk(s)}
            for name in names & private:
                own[name] |= places
    for other in ast.walk(outer.node):
        if isinstance(other, ast.Name) and other.id in private and id(other) not in own[other.id]:
            outer.source.unsupported(
                other,
                f"'{other.id}' is assigned in a prange loop, so each iteration has its own: use another name here, "
                "or collect results in the items of an array",
            )
    for statement in node.body:
        _check_jumps(outer, statement)


def _counts_with_prange(outer: FunctionCompiler, loop: ast.For) -> bool:
    return isinstance(loop.iter, ast.Call) and outer.resolve(loop.iter.func) is outer.unit.prange


def _check_jumps(outer: FunctionCompiler, statement: ast.AST) -> None:
    if isinstance(statement, ast.For | ast.While | ast.FunctionDef | ast.Lambda):
        return
    if isinstance(statement, ast.Break | ast.Continue):
        outer.source.unsupported(
            statement, "break and continue cannot leave an iteration of prange: use range"
        )
    for child in ast.iter_child_nodes(statement):
        _check_jumps(outer, child)


def _check_written(
    outer: FunctionCompiler, node: ast.For, private: set[str], writes: Sequence[ast.stmt], written: set[str]
) -> None:
    targets = {id(t.value) for s in writes for t in _targets(s)}
    for statement in writes:
        for target in _targets(statement):
            if isinstance(statement, ast.Assign) and len(statement.targets) > 1:
                outer.source.unsupported(statement, "one assignment at a time in a prange loop")
            if _owner(target) not in outer.scope.names:
                outer.source.unsupported(
                    target, "only variables of this function can be written in a prange loop"
                )
    for inner in walk_own(node.body):
        if (
            inner not in writes
            and isinstance(inner, ast.Assign | ast.AugAssign)
            and _is_outer_write(inner, private)
        ):
            outer.source.unsupported(
                inner, "items are written by statements of the prange loop itself, not below an if or a loop"
            )
        if isinstance(inner, ast.Name) and inner.id in written and id(inner) not in targets:
            outer.source.unsupported(
                inner,
                f"'{inner.id}' is written by other iterations of this prange loop: read from a copy, or use range",
            )
