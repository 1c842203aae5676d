"""The decorator: plain NumPy functions become execution trees at their first call, which loads the compiler."""

from __future__ import annotations

import functools
import inspect
import linecache
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast, overload

from . import _native, session
from .config import Config, current
from .errors import PhyslError
from .observed import locate, observe

if TYPE_CHECKING:
    from .future import Future
    from .transducer import Program as Transduced

P = ParamSpec("P")
R = TypeVar("R")

# Compiled programs by the digest of everything they are made of, shared by functions with equal source, for as long as
# one of these is there.
_programs: weakref.WeakValueDictionary[str, _native.Program] = weakref.WeakValueDictionary()
_lock = threading.Lock()
_functions: weakref.WeakSet[JitFunction[..., Any]] = weakref.WeakSet()  # that were compiled


def compiled_functions() -> list[JitFunction[..., Any]]:
    """Those that were called at least once, and are still there."""
    with _lock:
        return list(_functions)


def _compiled(t: Transduced, instance: str) -> _native.Program:
    import hashlib

    version = _native.build_info()["version"]
    identity = "\0".join([version, t.text, t.source_text, instance, *(f for f, _ in t.files)])
    key = hashlib.sha256(identity.encode()).hexdigest()
    with _lock:
        program = _programs.get(key)
        if program is None:
            program = _programs[key] = _native.Program(t.text, t.files[0][0], t.source_text, instance)
        return program


class Lowered:
    """A compiled function before it runs."""

    def __init__(self, transduced: Transduced, native: _native.Program) -> None:
        self._transduced, self._native = transduced, native

    def as_text(self, format: str = "physl") -> str:
        """As "physl" (names carry $line$column of the Python source), "dot" (Graphviz) or "newick"."""
        writers: dict[str, Callable[[], str]] = {
            "physl": lambda: self._transduced.text, "dot": self._native.dot, "newick": self._native.newick,
        }  # fmt: skip
        if format not in writers:
            raise ValueError(f"no format '{format}'; there are {', '.join(writers)}")
        return writers[format]()


class JitFunction(Generic[P, R]):
    """A function that runs as an execution tree. Made by td.jit; compiled by its first call."""

    def __init__(self, function: Callable[P, R], policy: str | None, name: str | None) -> None:
        if not isinstance(function, FunctionType):
            raise TypeError(f"td.jit decorates functions, not {type(function).__name__}")
        self.__treadle_function__ = function
        functools.update_wrapper(self, function)
        if name:
            self.__name__ = name
        self._policy = policy
        self._take_signature(inspect.signature(function))
        self._received_instance = ""
        self._kept: Transduced | None = None  # by another process: the parent, or who has sent it
        self._state: tuple[Transduced, _native.Program] | None = None
        self._prints = False
        self._compiling = threading.Lock()

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Methods would need objects as values, which trees do not have."""
        if instance is None:
            return self
        raise TypeError(
            f"{self.__name__}: td.jit does not compile methods: decorate a function of the module"
        )

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        config = current()
        if not config.enabled:
            return cast(R, self.__treadle_function__(*args, **kwargs))
        transduced, native = self._compile()
        values = self._bind(args, kwargs, transduced)
        try:
            with observe(native, transduced.files) as timeline:
                chosen = session.settings(self._chosen(), timeline)
                result = session.run(native, values, self._names(), chosen, self._prints)
        except PhyslError as error:
            raise located(error, transduced.files) from None
        return cast(R, result)

    def submit(self, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Start the function and return at once."""
        from .future import Future

        transduced, native = self._compile()
        values = self._bind(args, kwargs, transduced)
        future: Future[R] = Future()

        def done(result: Any, error: BaseException | None) -> None:
            if not future.set_running_or_notify_cancel():
                return
            if isinstance(error, PhyslError):
                error = located(error, transduced.files)
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)

        with observe(native, transduced.files) as timeline:
            chosen = session.settings(self._chosen(), timeline)
            future._submission, future._forget = session.submit(native, values, self._names(), chosen, done)
        return future

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Compile without running; arguments are only checked against the signature, and may be left out altogether."""
        if args or kwargs:
            self._signature.bind(*args, **kwargs)
        return Lowered(*self._compile())

    @property
    def files(self) -> tuple[tuple[str, int], ...]:
        return self._compile()[0].files

    @property
    def native(self) -> _native.Program:
        return self._compile()[1]

    def __repr__(self) -> str:
        return f"<td.jit {self.__name__}{self._signature}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        from .sent import contents, qualified

        by_value = contents(self)
        return qualified(self) if by_value is None else (received, by_value)

    def __copy__(self) -> JitFunction[P, R]:
        return self

    def __deepcopy__(self, memo: Any) -> JitFunction[P, R]:
        """As of Python's own functions."""
        return self

    # For sent.py
    @property
    def transduced(self) -> Transduced:
        return self._compile()[0]

    @property
    def signature(self) -> inspect.Signature:
        return self._signature

    @property
    def policy(self) -> str | None:
        return self._policy

    def instance(self) -> str:
        """What its decisions are known by, also in later runs: "/path/of/file.py:12 name"."""
        if self._received_instance:
            return self._received_instance
        code = self.__treadle_function__.__code__
        file = code.co_filename if code.co_filename.startswith("<") else os.path.abspath(code.co_filename)
        return f"{file}:{code.co_firstlineno} {self.__name__}"

    def receive(self, transduced: Transduced, signature: inspect.Signature, instance: str) -> None:
        """Becomes what was compiled in another process."""
        self._received_instance, self._kept = instance, transduced
        self._take_signature(signature)

    # ----------------------------------------------------------------------------------------------------------------
    def _compile(self) -> tuple[Transduced, _native.Program]:
        if self._state is None:
            with self._compiling:
                if self._state is None:
                    from .physl import prints
                    from .transducer import transduce

                    transduced = self._kept or transduce(self.__treadle_function__)
                    self._prints = prints(transduced.text)
                    self._state = transduced, _compiled(transduced, self.instance())
                    with _lock:
                        _functions.add(self)
        return self._state

    def begin_child(self) -> None:
        """In the child of a fork: threads of the parent may have been inside of the program, or about to make one."""
        self._compiling = threading.Lock()
        if self._state is not None:
            self._kept = self._state[0]
            self._state = None

    def _take_signature(self, signature: inspect.Signature) -> None:
        self._signature = self.__signature__ = signature
        self._parameters = list(signature.parameters)
        kinds = {p.kind for p in signature.parameters.values()}
        self._by_position = inspect.Parameter.KEYWORD_ONLY not in kinds

    def _chosen(self) -> Config:
        return replace(current(), policy=self._policy) if self._policy else current()

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any], transduced: Transduced) -> tuple[Any, ...]:
        if kwargs or not self._by_position or len(args) != len(self._parameters):
            try:
                bound = self._signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{self.__name__}: {error}") from None
            bound.apply_defaults()
            args = tuple(bound.arguments[name] for name in self._parameters)
        return (*args, *transduced.captured)

    def _names(self) -> list[str]:
        return [f"{self.__name__}: argument '{name}'" for name in self._parameters]


# The latest, so that each of many tasks with one function does not compile it again.
_received: deque[_native.Program] = deque(maxlen=64)


def received(
    version: int, library: str, about: dict[str, Any], signature: inspect.Signature, policy: str | None,
    program: tuple[Any, ...], instance: str,
) -> JitFunction[..., Any]:  # fmt: skip
    """What another process has sent: see sent.contents()."""
    from .sent import stub
    from .transducer import Program

    result: JitFunction[..., Any] = JitFunction(stub(version, library, about), policy, None)
    result.receive(Program(*program), signature, instance)
    _received.append(result.native)
    return result


def located(error: PhyslError, files: tuple[tuple[str, int], ...]) -> PhyslError:
    """The same error with file and line of the Python source; lines count through all files while it runs."""
    if error.line == 0:  # of the result, which has no place
        return type(error)(f"{files[0][0]}: {error.message}", error.message, files[0][0])
    file, line = locate(files, error.line)
    if len(files) == 1 and error.file == file:
        return error
    source = linecache.getline(file, line).rstrip()
    report = f"{file}({line}, {error.column}): {error.message}"
    if source:
        report += f"\n    {source}\n    {' ' * (error.column - 1)}^"
    trace = []
    for function, at, column in error.back_trace:
        where, number = locate(files, at)
        trace.append((function, number, column))
        report += f"\n  called from {function} ({where}({number}, {column}))"
    return type(error)(report, error.message, file, line, error.column, trace)


OPTIONS = ("policy", "name")


@overload
def jit(function: Callable[P, R], /) -> JitFunction[P, R]: ...
@overload
def jit(
    *, policy: str | None = None, name: str | None = None
) -> Callable[[Callable[P, R]], JitFunction[P, R]]: ...
def jit(function: Any = None, /, **options: Any) -> Any:
    """Compile a plain NumPy function into an execution tree whose every operation is a potential task.

    Nothing is compiled before the first call. Values of the module that the function uses are taken then, by value.
    Arguments are never changed. Options: `policy`, an inlining policy for this function; `name`, for profiles.

    >>> @td.jit
    ... def norm(x):
    ...     return np.sqrt(np.sum(x * x))
    """
    if unknown := sorted(set(options) - set(OPTIONS)):
        raise TypeError(f"td.jit has no option '{unknown[0]}'; there are {', '.join(OPTIONS)}")
    policy = options.get("policy")
    if policy is not None:
        Config(policy=policy).checked()
    if function is None:
        return lambda f: JitFunction(f, policy, options.get("name"))
    return JitFunction(function, policy, options.get("name"))


_left_behind: list[
    _native.Program
] = []  # the parent's, whose locks may be held by threads that do not exist here


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    _left_behind.extend(_programs.values())
    _programs.clear()
    for function in list(_functions):
        function.begin_child()


os.register_at_fork(after_in_child=_after_fork)


def relative(path: str) -> str:
    """A path as it is best read: below the current folder without it."""
    short = os.path.relpath(path)
    return path if short.startswith("..") else short
