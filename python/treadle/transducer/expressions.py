"""Python expressions to PhySL expressions."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .functions import ADVICE, ATTRIBUTES, FUNCTIONS, METHODS, TRUE_RESULTS, bind
from .nodes import FALSE, NIL, TRUE, Call, Literal, Name, Node, Place, block, call, number, string
from .scope import Scope, parameters, target_names
from .source import MISSING, Source

if TYPE_CHECKING:
    from .unit import Unit

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "__add", ast.Sub: "__sub", ast.Mult: "__mul", ast.Div: "__truediv", ast.FloorDiv: "__floordiv",
    ast.Mod: "__pymod", ast.Pow: "power", ast.MatMult: "__matmul", ast.BitAnd: "__bitand", ast.BitOr: "__bitor",
    ast.BitXor: "__bitxor",
}  # fmt: skip
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "__eq", ast.NotEq: "__ne", ast.Lt: "__lt", ast.LtE: "__le", ast.Gt: "__gt", ast.GtE: "__ge",
}  # fmt: skip
SPAN_LIMIT = (
    64  # elements of a captured sequence that are written into the program; longer ones are passed to it
)


class Temporaries:
    """Names for values that an expression uses more than once."""

    def __init__(self, compiler: ExpressionCompiler) -> None:
        self.compiler = compiler
        self.stores: list[Node] = []

    def simple(self, node: Node) -> Node:
        if not isinstance(node, Call):
            return node
        name = Name(self.compiler.scope.temporary())
        self.stores.append(call("store", name, node, place=node.place))
        return name

    def finish(self, result: Node) -> Node:
        return block([*self.stores, result])


class ExpressionCompiler:
    def __init__(self, source: Source, unit: Unit, scope: Scope) -> None:
        self.source, self.unit, self.scope = source, unit, scope
        self.numbers: set[str] = set()  # names that are surely no lists

    def place(self, node: ast.AST) -> Place:
        return self.unit.shifted(self.source.place(node), self.source.file)

    def resolve(self, node: ast.expr) -> Any:
        return self.source.resolve(node, self.scope.is_local)

    def inner(self, names: list[str]) -> ExpressionCompiler:
        """For the body of a lambda or comprehension that binds `names`."""
        compiler = ExpressionCompiler(self.source, self.unit, Scope(names, self.scope, self.unit.reserved))
        compiler.numbers = self.numbers - set(names)
        return compiler

    @contextmanager
    def temporaries(self) -> Iterator[Temporaries]:
        yield Temporaries(self)

    def lambda_parameter(self) -> str:
        return "_t_x"

    # --- entry --------------------------------------------------------------------------------------------------
    def expression(self, node: ast.expr) -> Node:
        handler = getattr(self, f"_{type(node).__name__}", None)
        if handler is None:
            self.source.unsupported(
                node, UNSUPPORTED.get(type(node), f"{type(node).__name__} is not supported")
            )
        result: Node = handler(node)
        return result

    def truth(self, node: ast.expr) -> Node:
        """An expression of which only the truth matters; `and`, `or` and `not` become conditions."""
        if isinstance(node, ast.BoolOp):
            name = "__and" if isinstance(node.op, ast.And) else "__or"
            return Call(name, tuple(self.truth(v) for v in node.values), self.place(node))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._UnaryOp(node)
        return self.expression(node)

    # --- leaves -------------------------------------------------------------------------------------------------
    def _Constant(self, node: ast.Constant) -> Node:
        return self.constant(node, node.value)

    def _Name(self, node: ast.Name) -> Node:
        name = self.scope.find(node.id)
        if name is not None:
            return Name(name, self.place(node))
        return self.constant(node, self.resolve(node), node.id)

    def constant(self, node: ast.expr, value: Any, name: str = "constant") -> Node:
        """A Python object from outside of the function, taken by value."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None:
            return NIL
        if isinstance(value, bool | int | float):
            try:
                return number(value)
            except OverflowError as error:
                self.source.unsupported(node, f"{error}: integers have 64 bits")
        if isinstance(value, str):
            return string(value)
        if isinstance(value, tuple | list) and len(value) <= SPAN_LIMIT:
            kind = "tuple" if isinstance(value, tuple) else "list"
            return call(kind, *(self.constant(node, v, name) for v in value), place=self.place(node))
        if isinstance(value, np.ndarray | tuple | list | dict):
            return Name(self.unit.capture(name, value), self.place(node))
        if self.unit.is_function(value):
            return Name(self.unit.function(value), self.place(node))
        kind = (
            f"module {value.__name__}"
            if isinstance(value, ModuleType)
            else f"{type(value).__module__}.{type(value).__qualname__}"
        )
        self.source.unsupported(
            node,
            f"'{ast.unparse(node)}' is a {kind}: only numbers, text, arrays, lists and functions can be used",
        )

    def _Attribute(self, node: ast.Attribute) -> Node:
        meaning = self.resolve(node)
        if meaning is not MISSING:
            return self.constant(node, meaning, node.attr)
        if node.attr in ATTRIBUTES:
            return ATTRIBUTES[node.attr](self.expression(node.value), self.place(node))
        hint = (
            f"; call it: .{node.attr}()" if node.attr in METHODS else f"; supported: {', '.join(ATTRIBUTES)}"
        )
        self.source.unsupported(node, f"attribute .{node.attr} is not supported{hint}")

    # --- operators ----------------------------------------------------------------------------------------------
    def _BinOp(self, node: ast.BinOp) -> Node:
        return self.binary(node, node.op, self.expression(node.left), self.expression(node.right))

    def binary(self, node: ast.AST, operator: ast.operator, left: Node, right: Node) -> Node:
        name = BINARY.get(type(operator))
        if name is None:
            self.source.unsupported(
                node, "bit shifts are not supported: multiply or divide by a power of two"
            )
        return call(self.unit.known(self.source, node, name), left, right, place=self.place(node))

    def _UnaryOp(self, node: ast.UnaryOp) -> Node:
        operand = node.operand
        if isinstance(node.op, ast.Not):
            inner = self.truth(operand)
            if self.is_boolean(inner):
                return call("__not", inner, place=self.place(node))
            return call("if", inner, FALSE, TRUE, place=self.place(node))
        inner = self.expression(operand)
        if isinstance(node.op, ast.USub):
            if (
                isinstance(inner, Literal)
                and isinstance(operand, ast.Constant)
                and not isinstance(operand.value, bool)
            ):
                return Literal("-" + inner.text)
            return call("__minus", inner, place=self.place(node))
        if isinstance(node.op, ast.Invert):
            return call(self.unit.known(self.source, node, "__invert"), inner, place=self.place(node))
        return inner

    def is_boolean(self, node: Node) -> bool:
        if isinstance(node, Literal):
            return node in (TRUE, FALSE)
        if isinstance(node, Call) and node.name == "if":
            return all(self.is_boolean(branch) for branch in node.args[1:])
        return isinstance(node, Call) and node.name in TRUE_RESULTS

    def _BoolOp(self, node: ast.BoolOp) -> Node:
        """`a and b` is if(a, b, a), evaluating a once: the right side only runs when it must."""
        values = [self.expression(v) for v in node.values]
        result = values[-1]
        for value in reversed(values[:-1]):
            with self.temporaries() as t:
                boolean = self.is_boolean(value)
                left = value if boolean else t.simple(value)
                if isinstance(node.op, ast.And):
                    result = t.finish(
                        call("if", left, result, FALSE if boolean else left, place=self.place(node))
                    )
                else:
                    result = t.finish(
                        call("if", left, TRUE if boolean else left, result, place=self.place(node))
                    )
        return result

    def _Compare(self, node: ast.Compare) -> Node:
        if len(node.ops) == 1:
            return self._comparison(node, node.ops[0], node.left, node.comparators[0])
        with self.temporaries() as t:  # a < b < c: b is evaluated once, c only when a < b
            values = [t.simple(self.expression(v)) for v in (node.left, *node.comparators[:-1])]
            last = self.expression(node.comparators[-1])
            result: Node | None = None
            for i in reversed(range(len(node.ops))):
                right = last if i == len(node.ops) - 1 else values[i + 1]
                name = COMPARE.get(type(node.ops[i]))
                if name is None:
                    self.source.unsupported(node, "only == != < <= > >= can be chained")
                here = call(name, values[i], right, place=self.place(node))
                result = here if result is None else call("if", here, result, FALSE, place=self.place(node))
            assert result is not None
            return t.finish(result)

    def _comparison(self, node: ast.Compare, operator: ast.cmpop, left: ast.expr, right: ast.expr) -> Node:
        if type(operator) in COMPARE:
            return call(
                COMPARE[type(operator)], self.expression(left), self.expression(right), place=self.place(node)
            )
        if isinstance(operator, ast.Is | ast.IsNot):
            if not (isinstance(right, ast.Constant) and right.value is None):
                self.source.unsupported(node, "`is` compares only with None: use == for values")
            found = call("__eq", self.expression(left), NIL, place=self.place(node))
        else:
            found = call("__contains", self.expression(right), self.expression(left), place=self.place(node))
        negated = isinstance(operator, ast.IsNot | ast.NotIn)
        return call("__not", found, place=self.place(node)) if negated else found

    def _IfExp(self, node: ast.IfExp) -> Node:
        return call(
            "if",
            self.truth(node.test),
            self.expression(node.body),
            self.expression(node.orelse),
            place=self.place(node),
        )

    # --- containers ---------------------------------------------------------------------------------------------
    def _Tuple(self, node: ast.Tuple | ast.List) -> Node:
        for element in node.elts:
            if isinstance(element, ast.Starred):
                self.source.unsupported(element, "unpacking with * is not supported: write the items out")
        kind = "tuple" if isinstance(node, ast.Tuple) else "list"
        return Call(kind, tuple(self.expression(e) for e in node.elts), self.place(node))

    _List = _Tuple

    def _Dict(self, node: ast.Dict) -> Node:
        pairs = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self.source.unsupported(value, "unpacking with ** is not supported: write the entries out")
            pairs.append(call("list", self.expression(key), self.expression(value)))
        return call("dict", Call("list", tuple(pairs)), place=self.place(node))

    def _ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> Node:
        return self._comprehension(node, lambda inner: inner.expression(node.elt))

    _GeneratorExp = _ListComp

    def _DictComp(self, node: ast.DictComp) -> Node:
        pairs = self._comprehension(
            node, lambda c: call("list", c.expression(node.key), c.expression(node.value))
        )
        return call("dict", pairs, place=self.place(node))

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp, element: Any) -> Node:
        if len(node.generators) != 1:
            self.source.unsupported(
                node, "a comprehension with several `for` is not supported: nest two comprehensions"
            )
        generator = node.generators[0]
        columns = self.columns(generator.iter)
        names = [n.id for n in target_names(generator.target)]
        if generator.ifs:
            condition = self._over(generator.target, names, len(columns), self._all_of(generator.ifs))
            if len(columns) > 1:  # filter takes one sequence: of rows
                columns = [call("fmap", self._row(len(columns)), *columns, place=self.place(node))]
                condition = self._over(generator.target, names, 1, self._all_of(generator.ifs))
            columns = [call("filter", condition, *columns, place=self.place(node))]
        return Call(
            "fmap", (self._over(generator.target, names, len(columns), element), *columns), self.place(node)
        )

    def _all_of(self, conditions: list[ast.expr]) -> Any:
        test = (
            conditions[0]
            if len(conditions) == 1
            else ast.copy_location(ast.BoolOp(ast.And(), conditions), conditions[0])
        )
        return lambda inner: call("if", inner.truth(test), TRUE, FALSE)

    def _row(self, width: int) -> Node:
        names = [Literal(f"_t_x{i}") for i in range(width)]
        return call("lambda", *names, Call("tuple", tuple(names)))

    def _over(self, target: ast.expr, names: list[str], columns: int, body: Any) -> Node:
        """lambda(targets, body) for one row of `columns` sequences."""
        inner = self.inner(names)
        targets = [target] if columns == 1 else target.elts if isinstance(target, ast.Tuple) else None
        if targets is None or len(targets) != columns:
            self.source.unsupported(target, f"this needs {columns} names to unpack into")
        params: list[Node] = []
        stores: list[Node] = []
        for i, part in enumerate(targets):
            if isinstance(part, ast.Name):
                params.append(Name(inner.scope.names[part.id], self.place(part)))
            else:
                params.append(Literal(f"_t_p{i}"))
                stores += inner.unpack(part, params[-1], define=True)
        result = body(inner)
        temporaries = [call("define", Name(t), NIL) for t in inner.scope.temporaries]
        return call("lambda", *params, block([*temporaries, *stores, result]), place=self.place(target))

    def unpack(self, target: ast.expr, value: Node, define: bool) -> list[Node]:
        """Statements that bind the names of a tuple target to the items of `value`, checking their number."""
        if not isinstance(target, ast.Tuple | ast.List):
            self.source.unsupported(target, "only names and tuples of names can be bound here")
        if any(isinstance(e, ast.Starred) for e in target.elts):
            self.source.unsupported(target, "unpacking with * is not supported: use slices")
        wanted = len(target.elts)
        count = call(
            "__eq",
            call("__len", value, place=self.place(target)),
            Literal(str(wanted)),
            place=self.place(target),
        )
        result: list[Node] = [
            call(
                "assert", count, string(f"cannot unpack: expected {wanted} values"), place=self.place(target)
            )
        ]
        for i, element in enumerate(target.elts):
            item = call("slice", value, Literal(str(i)), place=self.place(element))
            if isinstance(element, ast.Name):
                name = Name(
                    self.scope.names.get(element.id) or self.scope.find(element.id) or element.id,
                    self.place(element),
                )
                result.append(call("define" if define else "store", name, item, place=self.place(element)))
            elif define:
                self.source.unsupported(
                    element, "nested unpacking is not supported here: unpack in a second step"
                )
            else:
                inner = Name(self.scope.temporary())
                result.append(call("store", inner, item, place=self.place(element)))
                result += self.unpack(element, inner, define)
        return result

    def columns(self, node: ast.expr) -> list[Node]:
        """The sequences behind an iterable: several for zip."""
        if isinstance(node, ast.Call) and self.resolve(node.func) is zip and not node.keywords and node.args:
            return [self.expression(a) for a in node.args]
        return [self.sequence(node)]

    def sequence(self, node: ast.expr) -> Node:
        """What a loop steps through."""
        if isinstance(node, ast.Call) and not node.keywords:
            callee = self.resolve(node.func)
            if callee in (zip, enumerate) and node.args:
                return Call(callee.__name__, tuple(self._plain(a) for a in node.args), self.place(node))
            if callee is reversed and len(node.args) == 1:
                backwards = call("list", NIL, NIL, Literal("-1"))
                return call("slice", self.expression(node.args[0]), backwards, place=self.place(node))
        return self.expression(node)

    # --- subscripts ---------------------------------------------------------------------------------------------
    def _Subscript(self, node: ast.Subscript) -> Node:
        base = node.value
        if isinstance(base, ast.Attribute) and base.attr == "shape" and isinstance(node.slice, ast.Constant):
            axis = node.slice.value
            if isinstance(axis, int) and axis >= 0 and self.resolve(base) is MISSING:
                return call("shape", self.expression(base.value), Literal(str(axis)), place=self.place(node))
        return self.item(node, self.expression(base))

    def item(self, node: ast.Subscript, value: Node) -> Call:
        """value[index]"""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return Call("slice", (value, *(self.index(part) for part in parts)), self.place(node))

    def index(self, node: ast.expr) -> Node:
        """One position: list(start, stop, step) for a slice, an array for a gather, else a number."""
        if isinstance(node, ast.Slice):
            bounds = [self.expression(b) if b else NIL for b in (node.lower, node.upper, node.step)]
            if bounds[2] is NIL:
                bounds.pop()
            return call("list") if all(b is NIL for b in bounds) else Call("list", tuple(bounds))
        if isinstance(node, ast.Constant) and node.value is ...:
            return string("...")
        if isinstance(node, ast.List | ast.ListComp):
            return call("array", self.expression(node), place=self.place(node))
        if self.resolve(node) is None or (isinstance(node, ast.Constant) and node.value is None):
            return string("newaxis")
        if isinstance(node, ast.Tuple):
            self.source.unsupported(node, "a tuple inside of an index is not supported: use an array")
        compiled = self.expression(node)
        # A list that comes out of a variable would read as a slice: make it an array of positions.
        return compiled if self.is_position(node) else call("__index", compiled, place=self.place(node))

    def is_position(self, node: ast.expr) -> bool:
        """Whether an index is surely no list."""
        if isinstance(node, ast.Constant | ast.Compare | ast.UnaryOp):
            return True
        if isinstance(node, ast.BinOp):
            return self.is_position(node.left) or self.is_position(node.right)
        if isinstance(node, ast.Call):
            return self.resolve(node.func) in (
                len,
                int,
                abs,
                np.argmax,
                np.argmin,
                np.argsort,
                np.arange,
            )
        if isinstance(node, ast.Name):
            return node.id in self.numbers
        return False

    # --- calls --------------------------------------------------------------------------------------------------
    def _Call(self, node: ast.Call) -> Node:
        callee = self.resolve(node.func)
        if callee is not MISSING:
            return self._call_known(node, callee)
        if isinstance(node.func, ast.Attribute):
            return self._call_method(node, node.func)
        for keyword in node.keywords:
            self.source.unsupported(
                keyword.value, "a local function is called with positional arguments only"
            )
        arguments = tuple(self._plain(a) for a in node.args)
        if isinstance(node.func, ast.Name):
            return Call(self.scope.find(node.func.id) or node.func.id, arguments, self.place(node))
        with self.temporaries() as t:
            function = t.simple(self.expression(node.func))
            assert isinstance(function, Name)
            return t.finish(Call(function.name, arguments, self.place(node)))

    def _plain(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Starred):
            self.source.unsupported(
                node, "argument unpacking with * is not supported: write the arguments out"
            )
        return self.expression(node)

    def _call_known(self, node: ast.Call, callee: Any) -> Node:
        try:
            spec = FUNCTIONS.get(callee)
        except TypeError:
            spec = None
        if spec is not None:
            if spec.variadic:
                for keyword in node.keywords:
                    self.source.unsupported(
                        keyword.value, f"{spec.name}: argument '{keyword.arg}' is not supported"
                    )
                if not node.args:
                    self.source.unsupported(node, f"{spec.name} without arguments")
                from .functions import Arguments

                return self.unit.checked(self.source, node, spec.emit(Arguments(self, node, {})))
            return self.unit.checked(self.source, node, spec.emit(bind(spec, self, node)))
        if self.unit.is_function(callee):
            return self._call_user(node, callee)
        shown = ast.unparse(node.func)
        module = (getattr(callee, "__module__", None) or "").partition(".")[0]
        name = getattr(callee, "__name__", shown)
        if module == "math" and hasattr(np, name):
            self.source.unsupported(node, f"{shown} is not supported: use np.{name}")
        advice = ADVICE.get(name) if module == "numpy" else None
        self.source.unsupported(
            node, f"{shown} is not supported" + (f": {advice}" if advice else self._similar(shown))
        )

    def _similar(self, shown: str) -> str:
        import difflib

        known = [s.name for s in FUNCTIONS.values()]
        close = difflib.get_close_matches("np." + shown.rpartition(".")[2], known, 2, 0.6)
        return (
            f"; did you mean {' or '.join(close)}?"
            if close
            else ": compute it outside and pass the result in"
        )

    def _call_user(self, node: ast.Call, callee: Any) -> Node:
        name = self.unit.function(callee)
        function: FunctionType = self.unit.plain(callee)
        import inspect

        signature = inspect.signature(function)
        try:
            bound = signature.bind(*node.args, **{str(k.arg): k.value for k in node.keywords})
        except TypeError as error:
            self.source.unsupported(node, f"{function.__name__}: {error}")
        arguments = []
        for parameter in signature.parameters.values():
            if parameter.name in bound.arguments:
                arguments.append(self._plain(bound.arguments[parameter.name]))
            else:
                arguments.append(self.constant(node, parameter.default, parameter.name))
        return Call(name, tuple(arguments), self.place(node))

    def _call_method(self, node: ast.Call, function: ast.Attribute) -> Node:
        method = function.attr
        value = self.expression(function.value)
        if method in ("reshape", "transpose") and node.args:
            many = len(node.args) > 1 or isinstance(node.args[0], ast.Constant)
            shape = (
                Call("list", tuple(self._plain(a) for a in node.args))
                if many
                else self.expression(node.args[0])
            )
            return call(method, value, shape, place=self.place(node))
        if method == "transpose":
            return call("transpose", value, place=self.place(node))
        if method == "append":
            self.source.unsupported(node, "append is a statement of its own: it returns nothing")
        spec = METHODS.get(method)
        if spec is None:
            known = ", ".join(sorted([*METHODS, "reshape", "transpose", "append"]))
            self.source.unsupported(node, f"method .{method}() is not supported; supported: {known}")
        return self.unit.checked(self.source, node, spec.emit(bind(spec, self, node, first=value)))

    def _Lambda(self, node: ast.Lambda) -> Node:
        return self.closure(node, node.args, lambda inner: inner.expression(node.body))

    def closure(self, node: ast.AST, args: ast.arguments, body: Any) -> Node:
        self.refuse_packed(args)
        if args.defaults or any(args.kw_defaults):
            self.source.unsupported(
                node, "default values of nested functions are not supported: pass the argument"
            )
        names = [a.arg for a in parameters(args)]
        inner = self.inner(names)
        result = body(inner)
        temporaries = [call("define", Name(t), NIL) for t in inner.scope.temporaries]
        params = [Name(inner.scope.names[a.arg], self.place(a)) for a in parameters(args)]
        return call("lambda", *params, block([*temporaries, result]), place=self.place(node))

    def refuse_packed(self, args: ast.arguments) -> None:
        for packed in (args.vararg, args.kwarg):
            if packed:
                self.source.unsupported(
                    packed, "functions with *args or **kwargs are not supported: name the parameters"
                )


STDLIB = sys.stdlib_module_names
UNSUPPORTED: dict[type[ast.AST], str] = {
    ast.NamedExpr: "the walrus operator is not supported: assign in a statement before",
    ast.JoinedStr: "f-strings are not supported: print(a, b) prints several values",
    ast.Await: "await is not supported: a compiled function is a task already",
    ast.Yield: "generators are not supported: return a list",
    ast.YieldFrom: "generators are not supported: return a list",
    ast.Set: "sets are not supported: use a list or a boolean mask",
    ast.SetComp: "sets are not supported: use a list or a boolean mask",
    ast.Starred: "unpacking with * is not supported: write the items out",
}
