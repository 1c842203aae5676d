"""Calls: of functions and methods that have a meaning here, and of the user's own functions."""

from __future__ import annotations

import ast
import difflib
import inspect
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from .comprehensions import ComprehensionCompiler
from .emitters import of_object
from .functions import ADVICE, FUNCTIONS, METHODS, find
from .nodes import NIL, Call, Literal, Name, Node, call, keeps_order, string
from .scope import default_values
from .sequences import DICT_VIEWS, is_iterator
from .signatures import Arguments, Specification, element_type, signature_of
from .source import MISSING, Source, is_user_function, plain
from .temporaries import Temporaries

USED_AT_ONCE = ", so it is supported where they are used up at once: in a for loop, a comprehension, or as in"
CONSUMERS = (min, max, sum, any, all, list, tuple, sorted)  # use up a generator at once


class CallCompiler(ComprehensionCompiler):
    def _Call(self, node: ast.Call) -> Node:
        callee = self.resolve(node.func)
        if callee is not MISSING:
            return self._call_known(node, callee)
        if isinstance(node.func, ast.Attribute):
            return self._call_method(node, node.func)
        if isinstance(node.func, ast.Name) and (signature := self.scope.signature(node.func.id)):
            name = self.scope.find(node.func.id) or node.func.id
            return self._call_local(node, Name(name, self.place(node.func)), signature)
        for keyword in node.keywords:
            self.source.unsupported(
                keyword.value, "a function that is not known here is called with positional arguments only"
            )
        arguments = tuple(self._plain(a) for a in node.args)
        if isinstance(node.func, ast.Name):
            return Call(self.scope.find(node.func.id) or node.func.id, arguments, self.place(node))
        t = self.temporaries()
        function = t.simple(self.expression(node.func))
        if not isinstance(function, Name):
            self.source.unsupported(node.func, "only functions can be called")
        return t.finish(Call(function.name, arguments, self.place(node)))

    def _plain(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Starred):
            self.source.unsupported(
                node, "argument unpacking with * is not supported: write the arguments out"
            )
        return self.expression(node)

    def _call_known(self, node: ast.Call, callee: Any) -> Node:
        spec = find(callee)
        if spec is not None:
            if spec.variadic and not node.args and callee is not print:
                self.source.unsupported(node, f"{spec.name} without arguments")
            consumes = callee in CONSUMERS and not (spec.variadic and len(node.args) > 1)
            generator = bool(node.args) and isinstance(node.args[0], ast.GeneratorExp)
            if callee is sorted and generator:
                if not all(isinstance(k.value, ast.Constant) for k in node.keywords):
                    self.source.unsupported(
                        node, "reverse= is evaluated before the items: sort a list of them"
                    )
            elif consumes and generator:
                start = spec.bind(self.source, node, method=False).get("start")
                return self.used_up(node.args[0], callee, start)  # type: ignore[arg-type]
            return self._emitted(node, spec, consumes)
        if is_user_function(callee):
            return self._call_user(node, callee)
        shown = ast.unparse(node.func)
        if is_iterator(callee):
            self.source.unsupported(
                node, f"{shown} makes items one after the other{USED_AT_ONCE}: list({shown}(...))"
            )
        module = (getattr(callee, "__module__", None) or "").partition(".")[0]
        name = getattr(callee, "__name__", shown)
        if module == "math" and hasattr(np, name):
            self.source.unsupported(node, f"{shown} is not supported: use np.{name}")
        advice = ADVICE.get(name) if module == "numpy" else None
        self.source.unsupported(
            node, f"{shown} is not supported" + (f": {advice}" if advice else self._similar(shown))
        )

    def _similar(self, shown: str) -> str:
        known = [s.name for s in FUNCTIONS.values()]
        close = difflib.get_close_matches("np." + shown.rpartition(".")[2], known, 2, 0.6)
        return (
            f"; did you mean {' or '.join(close)}?"
            if close
            else ": compute it outside and pass the result in"
        )

    def _call_user(self, node: ast.Call, callee: Any) -> Node:
        name = self.function(callee)
        function: FunctionType = plain(callee)
        signature = inspect.signature(function)
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
            Source(function).refuse_packed()

        def default(parameter: inspect.Parameter) -> Node:
            return self.constant(node, parameter.default, parameter.name)

        t = self.temporaries()
        return t.finish(Call(name, self._arguments(node, signature, default, t), self.place(node)))

    def _call_local(self, node: ast.Call, name: Name, args: ast.arguments) -> Node:
        """A function of this one, whose parameters are known."""
        values = default_values(args)

        def default(parameter: inspect.Parameter) -> Node | None:
            match value := values[parameter.name]:
                case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
                    return self.expression(value)
            return None

        t = self.temporaries()
        arguments = self._arguments(node, signature_of(args), default, t)
        if t.stores:
            t.stores.insert(0, name)  # found first
        return t.finish(Call(name.name, arguments, self.place(node)))

    def _arguments(
        self,
        node: ast.Call,
        signature: inspect.Signature,
        default: Callable[[inspect.Parameter], Node | None],
        t: Temporaries,
    ) -> tuple[Node, ...]:
        """Arguments by position, evaluated in the order in which they are written. What has no `default` is left
        out."""
        try:
            bound = signature.bind(*node.args, **{str(k.arg): k.value for k in node.keywords}).arguments
        except TypeError as error:
            self.source.unsupported(node, f"{ast.unparse(node.func)}: {error}")
        arguments: dict[str, Node] = {}
        for name, parameter in signature.parameters.items():
            value = self._plain(bound[name]) if name in bound else default(parameter)
            if value is not None:
                arguments[name] = value
            elif bound.keys() & set(list(signature.parameters)[len(arguments) :]):
                self.source.unsupported(node, f"pass '{name}', too: its default value is not a constant")
            else:
                break
        keywords = [str(k.arg) for k in node.keywords]
        if [name for name in arguments if name in keywords] != keywords:
            order = [*(name for name in arguments if name not in keywords), *keywords]
            kept = t.in_order(*(arguments[name] for name in order))
            arguments |= dict(zip(order, kept, strict=True))
        return tuple(arguments.values())

    def _call_method(self, node: ast.Call, function: ast.Attribute) -> Node:
        method = function.attr
        value = self.expression(function.value)
        if method in ("reshape", "transpose") and node.args:
            for keyword in node.keywords:
                self.source.unsupported(
                    keyword.value, f".{method}: argument '{keyword.arg}' is not supported"
                )
            many = len(node.args) > 1 or isinstance(node.args[0], ast.Constant)
            shape = (
                Call("list", tuple(self._plain(a) for a in node.args))
                if many
                else self.expression(node.args[0])
            )
            primitive = "__reshape" if method == "reshape" else method
            return Call(primitive, (value, shape), self.place(node), "method")
        if method == "transpose":
            return Call("transpose", (value,), self.place(node), "method")
        if method == "append":
            self.source.unsupported(node, "append is a statement of its own: it returns nothing")
        if method in DICT_VIEWS:
            shown = f"{ast.unparse(function.value)}.{method}()"
            self.source.unsupported(
                node, f"{shown} shows later changes of the dict{USED_AT_ONCE}: list({shown})"
            )
        spec = METHODS.get(method)
        if spec is None:
            known = ", ".join(sorted([*METHODS, "reshape", "transpose", "append"]))
            self.source.unsupported(node, f"method .{method}() is not supported; supported: {known}")
        return self._emitted(node, spec, False, value)

    def _element_type(self, node: ast.expr) -> Node | None:
        """What a dtype argument names, or dtype=x.dtype of an array."""
        match node:
            case ast.Attribute(ast.Name() as variable, "dtype") if self.resolve(node) is MISSING:
                return call("dtype", self.expression(variable), place=self.place(node))
        return element_type(self.source, node, self.resolve)

    def _emitted(
        self, node: ast.Call, spec: Specification, consumes: bool, value: Node | None = None
    ) -> Node:
        """What a call becomes; `value` is the object of a method, `consumes` says that it uses up its first
        argument."""
        written = spec.bind(self.source, node, method=value is not None)
        nodes = {} if value is None else {spec.parameters[0][0]: value}
        dtype = None
        for name, argument in written.items():
            if name == "dtype":
                dtype = self._element_type(argument)
            else:
                first = consumes and name == spec.parameters[0][0]
                nodes[name] = self._items(argument) if first else self.expression(argument)
                if name in spec.never_none and (nodes[name] == NIL or not isinstance(nodes[name], Literal)):
                    what = string(f"{spec.name}: argument '{name}'")  # other literals are surely given
                    nodes[name] = Call("__given", (nodes[name], what), self.place(node))
        rest = [self.sequence(a) if consumes else self.expression(a) for a in node.args if spec.variadic]
        arguments = Arguments(
            self.source, node, self.place(node), self.temporaries, nodes, tuple(rest), written, dtype
        )
        result = self._made(spec, arguments, value is not None)
        if isinstance(result, Call):
            self.known(node, result.name)
        if keeps_order(result, list(nodes.values())):
            return result
        t = self.temporaries()  # the primitive takes them in another order than they are written
        kept = dict(zip(nodes, t.in_order(*nodes.values()), strict=True))
        return t.finish(self._made(spec, replace(arguments, nodes=kept), value is not None))

    def _items(self, node: ast.expr) -> Node:
        """For a function that needs all items before it begins, also those of a generator."""
        return self._ListComp(node) if isinstance(node, ast.GeneratorExp) else self.sequence(node)

    def _made(self, spec: Specification, arguments: Arguments, method: bool) -> Node:
        result = spec.emit(arguments)
        return of_object(result, arguments[spec.parameters[0][0]]) if method else result
