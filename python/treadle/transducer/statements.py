"""Python statements to PhySL: one function body at a time."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .aliasing import GROWING_METHODS, Analysis
from .expressions import ExpressionCompiler
from .functions import FUNCTIONS
from .nodes import FALSE, NIL, Call, Literal, Name, Node, block, call, definition, string
from .scope import Scope, bound_names, parameters, target_names, walk_own
from .source import MISSING, Source

if TYPE_CHECKING:
    from .unit import Unit

NOT_SUPPORTED: dict[type[ast.AST], str] = {
    ast.Try: "try is not supported: let the error leave the compiled function",
    ast.Raise: "raise is not supported: use assert condition, 'message'",
    ast.With: "with is not supported inside of a compiled function: use it around the call",
    ast.ClassDef: "classes are not supported: pass arrays and numbers",
    ast.Import: "import at the top of the module",
    ast.ImportFrom: "import at the top of the module",
    ast.Global: "global is not supported: return the value",
    ast.Nonlocal: "nonlocal is not supported: return the value",
    ast.Delete: "del is not supported, and not needed",
    ast.Match: "match is not supported: use if and elif",
    ast.AsyncFor: "async for is not supported: use for",
    ast.AsyncWith: "async with is not supported",
    ast.AsyncFunctionDef: "async functions are not supported: write a plain def",
}


def always_returns(body: list[ast.stmt]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return always_returns(last.body) and always_returns(last.orelse)
    return isinstance(last, ast.Return)


class FunctionCompiler(ExpressionCompiler):
    """Compiles one def. Locals are defined where they are first assigned if that surely runs first, else at the top."""

    def __init__(
        self,
        source: Source,
        unit: Unit,
        node: ast.FunctionDef,
        parent: Scope | None,
        parent_numbers: set[str] | None = None,
    ) -> None:
        self.node = node
        self.params = [a.arg for a in parameters(node.args)]
        self.bound = bound_names(node.body)
        super().__init__(source, unit, Scope([*self.params, *self.bound], parent, unit.reserved))
        self.refuse_packed(node.args)
        for inner in walk_own(node.body):  # these bind names, which would seem undefined otherwise
            if isinstance(inner, ast.Starred | ast.NamedExpr):
                self.expression(inner)
        self.analysis = Analysis(self.params, node.body, self.resolve, self.returns_argument)
        self.defined: set[str] = set(self.params)
        self.hoisted: list[str] = []
        self.guards: dict[ast.AST, str] = {}
        self.numbers = self._surely_numbers(parent_numbers or set())

    def _surely_numbers(self, enclosing: set[str]) -> set[str]:
        """Names that are only bound to counters, numbers and arithmetic: as an index they mean one position."""
        found = (enclosing - set(self.params)) | set(self.bound)
        self.numbers = found  # while it is being narrowed down: x = x + 1 does not spoil x
        narrowed = True
        while narrowed:
            spoiled = {n for n in found if n in self.bound and not self._binds_numbers(n)} | (
                found & set(self.params)
            )
            narrowed = bool(spoiled)
            found -= spoiled
        return found

    def _binds_numbers(self, name: str) -> bool:
        for node in walk_own(self.node.body):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return False
            if isinstance(node, ast.For) and any(n.id == name for n in target_names(node.target)):
                callee = self.resolve(node.iter.func) if isinstance(node.iter, ast.Call) else MISSING
                first = isinstance(node.target, ast.Tuple) and isinstance(node.target.elts[0], ast.Name)
                counts = callee is enumerate and first and node.target.elts[0].id == name  # type: ignore[attr-defined]
                if callee not in (range, self.unit.prange) and not counts:
                    return False
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if (
                        isinstance(target, ast.Name)
                        and target.id == name
                        and not self.is_position(node.value)
                    ):
                        return False
                    if isinstance(target, ast.Tuple) and any(n.id == name for n in target_names(target)):
                        from_shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
                        if not from_shape:
                            return False
        return True

    # --- whole function -----------------------------------------------------------------------------------------
    def compile(self) -> tuple[list[Node], Node]:
        """Parameters and body."""
        for place, message in self.analysis.conflicts():
            self.source.unsupported(place, message)
        self.guards = self.analysis.guarded()
        in_place = self._defined_in_place(self.node.body)
        self.hoisted = [n for n in self.bound if n not in in_place and n not in self.params]
        self.defined |= set(self.hoisted)
        statements = self.tail(self.node.body)
        defines = [call("define", Name(self.scope.names[n])) for n in self.hoisted]
        defines += [call("define", Name(t), NIL) for t in self.scope.temporaries]
        params: list[Node] = [
            Name(self.scope.names[a.arg], self.place(a)) for a in parameters(self.node.args)
        ]
        return params, block([*defines, *statements])

    def _defined_in_place(self, body: list[ast.stmt]) -> set[str]:
        """Names whose first appearance is a plain assignment among the statements of the body itself."""
        seen: set[str] = set()
        result: set[str] = set()
        for statement in body:
            if (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
            ):
                name = statement.targets[0].id
                used = {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
                if name not in seen | used:
                    result.add(name)
            elif isinstance(statement, ast.FunctionDef) and statement.name not in seen:
                result.add(statement.name)
            seen |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
            seen |= {n.name for n in ast.walk(statement) if isinstance(n, ast.FunctionDef)}
        return result

    def returns_argument(self, node: ast.Call) -> bool:
        """Whether the result of a call may be one of its arguments, or share memory with it."""
        callee = self.resolve(node.func)
        if callee is MISSING:
            return not isinstance(node.func, ast.Attribute)  # a local function: nothing is known
        return (
            self.unit.is_function(callee)
            and callee not in FUNCTIONS
            and self.unit.may_return_argument(callee)
        )

    # --- blocks -------------------------------------------------------------------------------------------------
    def tail(self, body: list[ast.stmt]) -> list[Node]:
        """Statements whose last value is what the function returns."""
        result: list[Node] = []
        for i, statement in enumerate(body):
            rest = body[i + 1 :]
            if isinstance(statement, ast.Return):
                return [*result, self._returned(statement)]
            if isinstance(statement, ast.If) and (always_returns(statement.body) or not rest):
                # What follows an `if` that always returns is its else: no jump is needed.
                other = [*statement.orelse, *rest]
                then, otherwise = block(self.tail(statement.body)), block(self.tail(other)) if other else NIL
                branches = [then] if otherwise is NIL else [then, otherwise]
                return [
                    *result,
                    call("if", self.truth(statement.test), *branches, place=self.place(statement)),
                ]
            result += self.statement(statement)
        return [*result, NIL]

    def body(self, statements: list[ast.stmt]) -> Node:
        result = [node for statement in statements for node in self.statement(statement)]
        return block(result) if result else NIL

    def statement(self, node: ast.stmt) -> list[Node]:
        handler = getattr(self, f"_{type(node).__name__}", None)
        if handler is None:
            message = NOT_SUPPORTED.get(type(node), f"{type(node).__name__} is not supported")
            self.source.unsupported(node, message)
        result: list[Node] = handler(node)
        return result

    # --- simple statements --------------------------------------------------------------------------------------
    def _returned(self, node: ast.Return) -> Node:
        return self.expression(node.value) if node.value else NIL

    def _Return(self, node: ast.Return) -> list[Node]:
        return [call("return", self._returned(node), place=self.place(node))]

    def _Pass(self, node: ast.Pass) -> list[Node]:
        return []

    def _Break(self, node: ast.Break) -> list[Node]:
        return [call("break", place=self.place(node))]

    def _Continue(self, node: ast.Continue) -> list[Node]:
        return [call("continue", place=self.place(node))]

    def _Assert(self, node: ast.Assert) -> list[Node]:
        message = (
            self.expression(node.msg) if node.msg else string(f"assertion failed: {ast.unparse(node.test)}")
        )
        return [call("assert", self.truth(node.test), message, place=self.place(node))]

    def _Expr(self, node: ast.Expr) -> list[Node]:
        value = node.value
        if isinstance(value, ast.Constant):
            return []
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in GROWING_METHODS
        ):
            target = value.func.value
            if self.resolve(target) is MISSING:
                if not isinstance(target, ast.Name) or target.id not in self.scope.names:
                    self.source.unsupported(
                        value, "append is supported on lists that are variables of this function"
                    )
                if len(value.args) != 1 or value.keywords:
                    self.source.unsupported(value, "append takes one argument")
                name = self.expression(target)
                grown = call("append", name, self.expression(value.args[0]), place=self.place(value))
                return [call("store", name, grown, place=self.place(value))]
        return [self.expression(value)]

    # --- assignment ---------------------------------------------------------------------------------------------
    def _Assign(self, node: ast.Assign) -> list[Node]:
        if len(node.targets) == 1:
            return self._assign(node.targets[0], node.value, node)
        with self.temporaries() as t:
            value = t.simple(self.expression(node.value))
            return t.stores + [s for target in node.targets for s in self.bind(target, value, node)]

    def _AnnAssign(self, node: ast.AnnAssign) -> list[Node]:
        return self._assign(node.target, node.value, node) if node.value else []

    def _assign(self, target: ast.expr, value: ast.expr, node: ast.AST) -> list[Node]:
        if isinstance(target, ast.Tuple | ast.List):
            with self.temporaries() as t:
                if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                    self._refuse_moving_views(target, value)
                    # All of the right side first: a, b = b, a.
                    values: list[Node] = []
                    for element in value.elts:
                        compiled = self.expression(element)
                        keep = isinstance(compiled, Literal)
                        name = compiled if keep else Name(self.scope.temporary())
                        if not keep:
                            t.stores.append(call("store", name, compiled, place=self.place(element)))
                        values.append(name)
                    bound = [
                        s for e, v in zip(target.elts, values, strict=True) for s in self.bind(e, v, node)
                    ]
                    return t.stores + bound
                whole = t.simple(self.expression(value))
                return t.stores + self.unpack(target, whole, define=False) + self._guard(target, node)
        return self.bind(target, self.expression(value), node)

    def _refuse_moving_views(self, target: ast.Tuple | ast.List, value: ast.Tuple | ast.List) -> None:
        """x[0], x[1] = x[1], x[0] swaps numbers; on rows NumPy would lose one: views move under the assignment."""
        changed = {
            e.value.id for e in target.elts if isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name)
        }
        for element in value.elts:
            for name, sure in self.analysis.sources(element):
                if name in changed and sure:
                    self.source.unsupported(
                        element, f"a view of '{name}', which this statement changes: write .copy()"
                    )

    def bind(self, target: ast.expr, value: Node, node: ast.AST) -> list[Node]:
        """target = value."""
        if isinstance(target, ast.Name):
            name = self.scope.names.get(target.id)
            if name is None:
                self.source.unsupported(
                    target, f"'{target.id}' belongs to the enclosing function: return the value instead"
                )
            verb = "store" if target.id in self.defined else "define"
            self.defined.add(target.id)
            return [
                call(verb, Name(name, self.place(target)), value, place=self.place(target)),
                *self._guard(target, node),
            ]
        if isinstance(target, ast.Subscript):
            return [call("store", self.writable(target), value, place=self.place(target))]
        if isinstance(target, ast.Tuple | ast.List):
            with self.temporaries() as t:
                whole = t.simple(value)
                return t.stores + self.unpack(target, whole, define=False)
        what = (
            "attributes cannot be assigned to"
            if isinstance(target, ast.Attribute)
            else "this cannot be assigned to"
        )
        self.source.unsupported(target, f"{what}: assign to a variable or to x[...]")

    def writable(self, target: ast.Subscript) -> Call:
        """slice(x, indices...) of an own variable x; x[i][j] becomes x[i, j], which a single position i allows."""
        self._own_variable(target)
        owner, indices = target.value, list(self.item(target, NIL).args[1:])
        while isinstance(owner, ast.Subscript):
            if isinstance(owner.slice, ast.Slice | ast.Tuple | ast.List | ast.Compare):
                self.source.unsupported(target, "this would change a part of a part: write x[i, j] = value")
            indices = [self.index(owner.slice), *indices]
            owner = owner.value
        return Call("slice", (self.expression(owner), *indices), self.place(target))

    def _own_variable(self, target: ast.Subscript) -> None:
        owner = target.value
        while isinstance(owner, ast.Subscript):
            owner = owner.value
        if not isinstance(owner, ast.Name):
            self.source.unsupported(target, "only items of variables can be assigned")
        if owner.id not in self.scope.names:
            self.source.unsupported(
                target, f"'{owner.id}' belongs to somebody else: copy it to a variable of this function first"
            )

    def _guard(self, target: ast.expr, node: ast.AST) -> list[Node]:
        """A check that a value is one element, where an array would share memory with one that is changed."""
        changed = self.guards.get(node)
        if changed is None:
            return []
        result: list[Node] = []
        for name in target_names(target):
            if self.analysis.group(name.id) & {changed}:
                shared = f"'{name.id}' would share memory with '{changed}', which is changed: make it a copy with .copy()"
                result.append(self._scalar_check(name, shared))
        return result

    def _scalar_check(self, name: ast.Name, message: str) -> Node:
        value = Name(self.scope.names[name.id], self.place(name))
        return call(
            "assert", call("__eq", call("ndim", value), Literal("0")), string(message), place=self.place(name)
        )

    def _AugAssign(self, node: ast.AugAssign) -> list[Node]:
        target = node.target
        if isinstance(target, ast.Name):
            if target.id not in self.scope.names:
                self.source.unsupported(
                    target, f"'{target.id}' belongs to the enclosing function: return the value instead"
                )
            name = Name(self.scope.names[target.id], self.place(target))
            checks: list[Node] = []
            if self.analysis.shares_when_array(target.id):
                message = f"'{target.id}' shares memory with another variable or an argument and would change in place: "
                checks = [
                    self._scalar_check(target, message + f"write {target.id} = {target.id} + ... instead")
                ]
            return [
                *checks,
                call(
                    "store",
                    name,
                    self.binary(node, node.op, name, self.expression(node.value)),
                    place=self.place(node),
                ),
            ]
        if not isinstance(target, ast.Subscript):
            self.source.unsupported(target, "only variables and items can be updated in place")
        with self.temporaries() as t:
            place = self.writable(target)
            indices = [self._once(t, i) for i in place.args[1:]]
            item = Call("slice", (place.args[0], *indices), place.place)
            value = self.binary(node, node.op, item, self.expression(node.value))
            return [*t.stores, call("store", item, value, place=self.place(node))]

    def _once(self, t: Any, index: Node) -> Node:
        """An index that is written twice must be evaluated once."""
        if isinstance(index, Call) and index.name == "list":
            return Call("list", tuple(t.simple(a) for a in index.args), index.place)
        simple: Node = t.simple(index)
        return simple

    # --- control ------------------------------------------------------------------------------------------------
    def _If(self, node: ast.If) -> list[Node]:
        branches = [self.body(node.body)]
        if node.orelse:
            branches.append(self.body(node.orelse))
        return [call("if", self.truth(node.test), *branches, place=self.place(node))]

    def _While(self, node: ast.While) -> list[Node]:
        self._refuse_else(node)
        return [call("while", self.truth(node.test), self.body(node.body), place=self.place(node))]

    def _refuse_else(self, node: ast.While | ast.For) -> None:
        if node.orelse:
            self.source.unsupported(
                node.orelse[0], "else after a loop is not supported: set a flag before break"
            )

    def _For(self, node: ast.For) -> list[Node]:
        self._refuse_else(node)
        iterable = node.iter
        callee = self.resolve(iterable.func) if isinstance(iterable, ast.Call) else MISSING
        if callee is self.unit.prange and isinstance(iterable, ast.Call):
            from .parallel import parallel_loop

            return parallel_loop(self, node, iterable)
        bound: list[Node] = []
        if isinstance(node.target, ast.Name):
            variable = Name(self.scope.names[node.target.id], self.place(node.target))
            bound = self._guard(node.target, node)
        else:
            variable = Name(self.scope.temporary())
            if not isinstance(node.target, ast.Tuple | ast.List):
                self.source.unsupported(node.target, "a loop counts with a variable or a tuple of variables")
            if callee in (zip, enumerate) and self._width(iterable) == len(node.target.elts):
                for i, part in enumerate(node.target.elts):
                    item = call("slice", variable, Literal(str(i)), place=self.place(part))
                    bound += self.bind(part, item, node)
            else:
                bound = [*self.unpack(node.target, variable, define=False), *self._guard(node.target, node)]
        body = block([*bound, *_statements(self.body(node.body))])
        return [call("for_in", variable, self.sequence(iterable), body, place=self.place(node))]

    def _width(self, iterable: ast.expr) -> int:
        """How many values zip and enumerate give at a time."""
        assert isinstance(iterable, ast.Call)
        return 2 if self.resolve(iterable.func) is enumerate else len(iterable.args)

    def _FunctionDef(self, node: ast.FunctionDef) -> list[Node]:
        if node.decorator_list:
            self.source.unsupported(
                node.decorator_list[0], "decorators of nested functions are not supported: leave it out"
            )
        if node.args.defaults or any(node.args.kw_defaults):
            self.source.unsupported(
                node, "default values of nested functions are not supported: pass the argument"
            )
        known = node.name in self.defined
        self.defined.add(node.name)
        params, body = FunctionCompiler(self.source, self.unit, node, self.scope, self.numbers).compile()
        name = Name(self.scope.names[node.name], self.place(node))
        return [definition(name, params, body, stored=known)]


def _statements(node: Node) -> tuple[Node, ...]:
    """The statements of a block, so that blocks do not nest without need."""
    if isinstance(node, Call) and node.name == "block":
        return node.args
    return () if node is NIL else (node,)


__all__ = ["FALSE", "FunctionCompiler", "always_returns"]
