"""Python statements to PhySL: one function body at a time."""

from __future__ import annotations

import ast

from .assignments import AssignmentCompiler
from .nodes import FALSE, NIL, TRUE, Call, Literal, Name, Node, block, call, definition, string
from .scope import parameters
from .sequences import changes_of, keeps_keys, kept_items, read_in_turns

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


class StatementCompiler(AssignmentCompiler):
    """Compiles one def. Locals are defined where they are first assigned if that surely runs first, else at the top."""

    # --- whole function -----------------------------------------------------------------------------------------
    def compile(self) -> tuple[list[Name], Node]:
        """Parameters and body."""
        for place, message in self.analysis.conflicts():
            self.source.unsupported(place, message)
        in_place = self._defined_in_place(self.node.body)
        self.hoisted = [n for n in self.bound if n not in in_place and n not in self.params]
        self.defined |= set(self.hoisted)
        statements = self.tail(self.node.body)
        defines = [call("define", Name(self.scope.names[n])) for n in self.hoisted]
        defines += [call("define", Name(t), NIL) for t in self.scope.temporaries]
        params = [Name(self.scope.names[a.arg], self.place(a)) for a in parameters(self.node.args)]
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
        before = len(self.scope.temporaries)
        result: list[Node] = handler(node)
        finished = [t for t in self.scope.temporaries[before:] if t not in self.finished]
        self.finished += finished
        # What a statement kept for itself must not stand in the way of a change, here or in the next turn of a loop.
        kept = [t for t in finished if t not in self.positions] if self.turns else []
        return result + [call("store", Name(t), NIL) for t in kept]

    # --- simple statements --------------------------------------------------------------------------------------
    def _returned(self, node: ast.Return) -> Node:
        return self.expression(node.value) if node.value else NIL

    def _Return(self, node: ast.Return) -> list[Node]:
        return [call("return", self._returned(node), place=self.place(node))]

    def _Pass(self, node: ast.Pass) -> list[Node]:
        return []

    def _Break(self, node: ast.Break) -> list[Node]:
        flag = self.completed[-1]
        return [*([call("store", flag, FALSE)] if flag else []), call("break", place=self.place(node))]

    def _Continue(self, node: ast.Continue) -> list[Node]:
        return [call("continue", place=self.place(node))]

    def _Assert(self, node: ast.Assert) -> list[Node]:
        place = self.place(node)
        message = (
            self.expression(node.msg) if node.msg else string(f"assertion failed: {ast.unparse(node.test)}")
        )
        test = self.truth(node.test)
        if isinstance(message, Literal):
            return [call("assert", test, message, place=place)]
        failure = call("assert", FALSE, message, place=place)  # a message is only evaluated when it is needed
        return [call("if", test, NIL, failure, place=place)]

    # --- control ------------------------------------------------------------------------------------------------
    def _If(self, node: ast.If) -> list[Node]:
        branches = [self.body(node.body)]
        if node.orelse:
            branches.append(self.body(node.orelse))
        return [call("if", self.truth(node.test), *branches, place=self.place(node))]

    def _While(self, node: ast.While) -> list[Node]:
        test = self.truth(node.test)
        body, prepared, otherwise = self._turns_of(node)
        loop = call("while", test, body, place=self.place(node))
        return [*prepared, loop, *otherwise]

    def _For(self, node: ast.For) -> list[Node]:
        iterable = node.iter
        sequence = self.sequence(iterable)
        held: list[Node] = []
        if changes_of(node):
            others = [e for e in self.analysis.edges if e.where is not node]  # its items are not the whole

            def same(name: str) -> set[str]:
                return self.analysis.group(name, others)

            if kept := kept_items(node, self.resolve, same):
                held = [call("__no_dict", self.expression(name)) for name in kept]
            elif not keeps_keys(node, self.resolve, same):
                held = self._hold(iterable)
            elif isinstance(sequence, Name):
                is_dict = call("__eq", call("__type", sequence), string("dict"))
                sequence = call("if", is_dict, call("dict_keys", sequence), sequence)
        variable, bound = self.stepped(node.target, iterable)
        body, prepared, otherwise = self._turns_of(node)
        turn = block([*bound, *_statements(body)])
        loop = call("for_in", variable, sequence, turn, place=self.place(node))
        return [*held, *prepared, loop, *otherwise]

    def _turns_of(self, node: ast.While | ast.For) -> tuple[Node, list[Node], list[Node]]:
        """The body of a loop, and what is before and after it so that its `else` runs unless it was left by a break."""
        flag = Name(self.scope.temporary()) if node.orelse and _breaks(node.body) else None
        self.completed.append(flag)
        self.turns += 1
        body = self.body(node.body)
        self.turns -= 1
        self.completed.pop()
        otherwise = _statements(self.body(node.orelse))
        if flag is None:
            return body, [], [*otherwise]
        return body, [call("store", flag, TRUE)], [call("if", flag, block(otherwise), place=self.place(node))]

    def _hold(self, iterable: ast.expr) -> list[Node]:
        """Python reads these sequences turn by turn, a tree before the loop: they must not change meanwhile."""
        read = [
            name for part in read_in_turns(iterable, self.resolve) for name, _ in self.analysis.sources(part)
        ]
        held: list[Node] = []
        for name in dict.fromkeys(read):
            if name in self.scope.names and name not in self.scalars:
                kept = Name(self.scope.temporary())
                held.append(call("store", kept, Name(self.scope.names[name]), place=self.place(iterable)))
        return held

    def _FunctionDef(self, node: ast.FunctionDef) -> list[Node]:
        if node.decorator_list:
            self.source.unsupported(
                node.decorator_list[0], "decorators of nested functions are not supported: leave it out"
            )
        known = node.name in self.defined
        self.defined.add(node.name)
        params, body = type(self)(self.source, self.unit, node, self.scope, self.scalars).compile()
        name = Name(self.scope.names[node.name], self.place(node))
        function = self.function_value(node, node.args, params, body)
        if function.name == "lambda":
            return [definition(name, function.args[:-1], body, stored=known)]
        return [call("store" if known else "define", name, function, place=name.place)]


def _breaks(body: list[ast.stmt]) -> bool:
    """Whether a statement of a loop body may leave that loop: a break in an inner loop leaves the inner one."""
    for statement in body:
        inner = [] if isinstance(statement, ast.For | ast.While) else getattr(statement, "body", [])
        if isinstance(statement, ast.FunctionDef):
            continue
        if isinstance(statement, ast.Break) or _breaks(inner) or _breaks(getattr(statement, "orelse", [])):
            return True
    return False


def _statements(node: Node) -> tuple[Node, ...]:
    """The statements of a block, so that blocks do not nest without need."""
    if isinstance(node, Call) and node.name == "block":
        return node.args
    return () if node is NIL else (node,)
