"""Random programs of the Python that td.jit compiles: aliases, views, containers, closures, changes in place, loops.

A program is a text with a function f(x, m, k, l): a vector of floats, a matrix of floats, a vector of integers and a
list of vectors. The same seed gives the same text. The generator follows roughly which names share memory, so that most
changes in place concern what nobody else sees; `risk` is the share of changes for which it does not look.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

TURNS = 5  # of loops that count


def size_of(seed: int) -> int:
    """Of the vectors of a program; matrices are square. Large enough for diagonals to be kept as such, now and then."""
    return 20 if seed % 7 == 3 else 5


HELPERS = """
import numpy as np

import treadle as td


def same(v):
    return v


def tail(v):
    return v[1:]


def fresh(v):
    return v * 2 + 1


def changed(v, a):
    v = v.copy()
    v[0] = a
    v += 1
    return v


def maybe(v, a):
    if a > 2:
        return v
    return v + a


def deep(v, n):
    if n <= 0:
        return v
    return deep(v, n - 1)


def work(a):
    s = 0.0
    for i in range(200):
        s += (a * i) % 7.0
        if s > 1e6:
            break
    return s


def early(v, a):
    for i in range(v.size):
        if v[i] > a:
            return v[i] + i
    return -1.0


def pair(v, w):
    return v, w


def grown(v):
    v += 1
    return v


def holder(v):
    return [v, v * 2]
"""


@dataclass
class Variable:
    name: str
    kind: str  # number, vector, matrix, ints, mask, list, dict, tuple, function
    memory: frozenset[int]  # what it may share with others
    size: int  # of a vector; items of a list


@dataclass
class Generator:
    seed: int
    risk: float = 0.01
    lines: list[str] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.counter = self.memory = 0
        self.size = size_of(self.seed)
        self.depth = 1
        self.loop = 0  # loops around
        self.walks = 0  # of them, those over lists
        self.fixed: set[str] = set()  # must keep their kind: bound before a branch or loop

    # --- pieces -----------------------------------------------------------------------------------------------------
    def program(self) -> str:
        for name, kind in (("x", "vector"), ("m", "matrix"), ("k", "ints"), ("l", "list")):
            self.variables[name] = self.variable(
                name, kind, self.new_memory() | {0}, 3 if kind == "list" else self.size
            )
        for _ in range(self.random.randint(4, 14)):
            self.statement()
        names = [v.name for v in self.variables.values() if v.kind != "function"]
        chosen = self.random.sample(names, min(len(names), self.random.randint(1, 5)))
        calls = [f"{v.name}()" for v in self.variables.values() if v.kind == "function"]
        self.emit("return " + ", ".join([*chosen, *calls, "0"]))
        return HELPERS + "\n\ndef f(x, m, k, l):\n" + "\n".join(self.lines) + "\n"

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def new_memory(self) -> frozenset[int]:
        self.memory += 1
        return frozenset({self.memory})

    def variable(self, name: str, kind: str, memory: frozenset[int], size: int | None = None) -> Variable:
        return Variable(name, kind, memory, size or self.size)

    def pick(self, *kinds: str) -> Variable | None:
        found = [v for v in self.variables.values() if v.kind in kinds]
        return self.random.choice(found) if found else None

    def target(self, kind: str) -> str:
        """A name to bind: a new one, or one of that kind."""
        old = [v.name for v in self.variables.values() if v.kind == kind and v.name.startswith("v")]
        if old and self.random.random() < 0.35:
            return self.random.choice(old)
        self.counter += 1
        return f"v{self.counter}"

    def bind(self, kind: str, text: str, memory: frozenset[int], size: int | None = None) -> None:
        size = size or self.size
        name = self.target(kind)
        old = self.variables.get(name)
        if old and old.size != size:
            self.counter += 1
            name, old = f"v{self.counter}", None
        if old and self.depth > 1:
            memory |= old.memory  # this may not be executed
        self.emit(f"{name} = {text}")
        self.variables[name] = self.variable(name, kind, memory, size)

    # --- expressions ------------------------------------------------------------------------------------------------
    def number(self, depth: int = 0) -> str:
        r, choices = self.random, []
        if v := self.pick("number"):
            choices += [v.name] * 3
        if v := self.pick("vector"):
            i = r.randrange(-v.size, v.size)
            choices += [f"{v.name}[{i}]", f"{v.name}.sum()", f"np.max({v.name})", f"early({v.name}, 2)"]
        if v := self.pick("matrix"):
            choices += [
                f"{v.name}[{r.randrange(self.size)}, {r.randrange(self.size)}]",
                f"{v.name}[1][2]",
                f"{v.name}.sum()",
            ]
        if v := self.pick("list"):
            choices += [f"{v.name}[0][1]", f"len({v.name})", f"{v.name}[-1].sum()"]
        if v := self.pick("dict"):
            choices += [f"{v.name}['n']", f"{v.name}['a'][0]"]
        if v := self.pick("function"):
            choices.append(f"{v.name}()")
        choices += [str(r.randint(-3, 5)), f"{r.randint(1, 9) / 2}"]
        text = r.choice(choices)
        if depth < 2 and r.random() < 0.4:
            text = f"({text} {r.choice('+-*')} {self.number(depth + 1)})"
        return text

    def kept_number(self, depth: int = 0) -> str:
        """Of a size that stays as it is when a loop computes it from itself: Python's integers have no end."""
        text = self.number(depth)
        return f"({text}) % 97" if self.loop else text

    def condition(self) -> str:
        r = self.random
        text = f"{self.number(1)} {r.choice(['<', '>', '<=', '!='])} {self.number(1)}"
        if r.random() < 0.2:
            text = f"{text} {r.choice(['and', 'or'])} {self.number(2)} > 0"
        return text

    def vector(self) -> tuple[str, frozenset[int], int]:
        """An expression of a vector, what it may share, and its length."""
        r = self.random
        v, m, items, d = self.pick("vector"), self.pick("matrix"), self.pick("list"), self.pick("dict")
        none: frozenset[int] = frozenset()
        options: list[tuple[str, frozenset[int], int]] = [(f"np.zeros({self.size})", none, self.size)]
        if v:
            n, s = v.name, v.size
            options += [
                (n, v.memory, s), (f"{n}.copy()", none, s), (f"np.copy(same({n}))", none, s), (f"{n} * 2.0", none, s),
                (f"{n} + {self.number(1)}", none, s), (f"{n}[::-1]", v.memory, s), (f"np.flip({n})", v.memory, s),
                (f"same({n})", v.memory, s), (f"fresh({n})", none, s), (f"changed({n}, {self.number(1)})", none, s),
                (f"maybe({n}, {self.number(1)})", v.memory, s), (f"deep({n}, 2)", v.memory, s),
                (f"same({n}).copy()", none, s), (f"{n}.reshape(-1)", v.memory, s), (f"+{n}", none, s),
                (f"np.sort({n})", none, s), (f"np.where({n} > 1, {n}, 0.0)", none, s), (f"np.real({n})", v.memory, s),
                (f"[{n}, {n}][1]", v.memory, s), (f"({n}, 1)[0]", v.memory, s), (f"np.asarray({n})", v.memory, s),
                (f"({n} if {self.condition()} else {n} + 1)", v.memory, s), (f"np.array({n})", none, s),
                (f"{n}.reshape(-1, 1)[:, 0]", v.memory, s), (f"pair({n}, 1)[0]", v.memory, s),
                (f"np.array([q * 2 for q in {n}])", none, s), (f"np.expand_dims({n}, 0)[0]", v.memory, s),
            ]  # fmt: skip
            if s > 2:
                options += [(f"{n}[1:]", v.memory, s - 1), (f"tail({n})", v.memory, s - 1)]
        if m:
            i = r.randrange(self.size)
            options += [
                (f"{m.name}[{i}]", m.memory, self.size), (f"{m.name}[:, {i}]", m.memory, self.size),
                (f"{m.name}.T[{i}]", m.memory, self.size), (f"{m.name} @ {m.name}[{i}]", frozenset(), self.size),
                (f"{m.name}.sum(axis=1)", none, self.size), (f"np.diag({m.name})", m.memory, self.size),
                (f"{m.name}[[{i}, 1]][0]", none, self.size), (f"{m.name}[{i}].copy()", none, self.size),
                (f"[row for row in {m.name}][{i}]", m.memory, self.size),
            ]  # fmt: skip
        if items:
            options += [(f"{items.name}[{r.randrange(items.size)}]", items.memory, self.size)] * 2
        if d:
            options += [(f"{d.name}['a']", d.memory, self.size)] * 2
        return r.choice(options)

    def sized(self, size: int) -> tuple[str, frozenset[int]]:
        for _ in range(20):
            text, memory, found = self.vector()
            if found == size:
                return text, memory
        return f"np.arange({float(size)})", frozenset()

    def apart(self, v: Variable, size: int) -> str:
        """Not a view of `v`: NumPy copies overlapping vectors in an order of its own, x[:, 4] = x[2]."""
        text, memory = self.sized(size)
        return f"({text}).copy()" if memory & v.memory else text

    # --- statements -------------------------------------------------------------------------------------------------
    def statement(self) -> None:
        r = self.random
        kinds = [
            (self.new_number, 3), (self.new_vector, 5), (self.new_matrix, 2), (self.new_container, 2), (self.change, 7),
            (self.branch, 2), (self.count_loop, 2), (self.item_loop, 1), (self.closure, 1), (self.unpack, 1),
            (self.leave, 1), (self.fill_loop, 1), (self.while_loop, 1), (self.keeper_loop, 1), (self.mistake, 0.2),
            (self.numbers_in_lists, 1), (self.prange_loop, 1), (self.without_axes, 1),
        ]  # fmt: skip
        choices, weights = zip(*kinds, strict=True)
        r.choices(choices, weights)[0]()

    def new_number(self) -> None:
        self.bind("number", self.kept_number(), frozenset())

    def new_vector(self) -> None:
        text, memory, size = self.vector()
        self.bind("vector", text, memory | self.new_memory(), size)

    def new_matrix(self) -> None:
        r, none = self.random, frozenset[int]()
        options = [(f"np.zeros(({self.size}, {self.size}))", none), (f"np.identity({self.size})", none)]
        if m := self.pick("matrix"):
            n = m.name
            options += [
                (n, m.memory), (f"{n}.copy()", none), (f"{n}.T", m.memory), (f"{n} + {n}.T", none),
                (f"{n}[::-1]", m.memory),
                (f"same({n})", m.memory), (f"np.transpose({n}) * 0.5", none),
                (f"{n}.reshape({self.size}, {self.size})", m.memory),
                (f"np.diag({n}[0]) @ {n}", none), (f"np.diag({n}[1])", none), (f"{n} + np.identity({self.size})", none),
                (f"np.stack([{n}[0]] * {self.size})", none), (f"{n}[:, ::-1]", m.memory),
                (f"np.ravel({n}).reshape({self.size}, -1)", m.memory),
            ]  # fmt: skip
        if v := self.pick("vector"):
            options.append(
                (f"np.outer({v.name}[:2], {v.name}[:2])[[0] * {self.size}][:, [1] * {self.size}]", none)
            )
        text, memory = r.choice(options)
        self.bind("matrix", text, memory | self.new_memory())

    def new_container(self) -> None:
        r = self.random
        (a, first), (b, second) = self.sized(self.size), self.sized(self.size)
        memory = first | second | self.new_memory()
        which = r.randrange(7)
        if which == 0:
            self.bind("list", f"[{a}] * 2", memory, 2)
        elif which == 1:
            self.bind("dict", f"{{'a': {a}, 'n': {self.kept_number(1)}}}", memory)
        elif which == 2:
            self.bind("tuple", f"({a}, {b})", memory)
        elif which == 3 and (v := self.pick("list")):
            text = r.choice([f"{v.name}", f"{v.name}[:]", f"list({v.name})", f"{v.name}.copy()"])
            self.bind("list", text, v.memory | memory, v.size)
        elif which == 4:
            self.bind("list", f"holder({a})", memory, 2)
        elif which == 5:
            condition = self.random.choice(["", " if row[0] > -9", " if row.size if row[0] > -9"])
            self.bind("list", f"[row.copy() for row in ({a}, {b}){condition}]", self.new_memory(), 2)
        else:
            self.bind("list", f"[{a}, {b}]", memory, 2)

    def unpack(self) -> None:
        if v := self.pick("tuple"):
            self.counter += 2
            names = f"v{self.counter - 1}", f"v{self.counter}"
            self.emit(f"{names[0]}, {names[1]} = {v.name}")
            for name in names:
                self.variables[name] = self.variable(name, "vector", v.memory)
        elif v := self.pick("vector"):
            i, j = self.random.sample(range(v.size), 2)
            if self.may_change(v):
                self.emit(f"{v.name}[{i}], {v.name}[{j}] = {v.name}[{j}], {v.name}[{i}]")

    def may_change(self, v: Variable) -> bool:
        """Whether nobody else sees a change, perhaps because those that would are forgotten, or after a copy."""
        if self.random.random() < self.risk:
            return True
        others = [o for o in self.variables.values() if o is not v and o.memory & v.memory]
        if 0 in v.memory or len(others) > 2 or self.random.random() < 0.5 or self.loop:
            if v.kind == "list":
                self.emit(f"{v.name} = [{v.name}[0].copy()]")
                v.size = 1
            elif v.kind == "dict":
                self.emit(f"{v.name} = {{'a': {v.name}['a'].copy(), 'n': 1}}")
            else:
                self.emit(f"{v.name} = {v.name}.copy()")
            fresh = self.new_memory()
            self.variables[v.name] = self.variable(
                v.name, v.kind, fresh | v.memory if self.depth > 1 else fresh, v.size
            )
            return True
        for other in others:
            del self.variables[other.name]
        return True

    def change(self) -> None:
        r = self.random
        v = self.pick("vector", "matrix", "list", "dict", "ints")
        if not v or (v.name == "l" and self.depth > 1) or not self.may_change(v):
            return
        v = self.variables[v.name]
        n, a = v.name, self.number(1)
        if v.kind == "vector":
            i = r.randrange(-v.size, v.size)
            other = self.apart(v, v.size)
            options = [
                f"{n}[{i}] = {a}", f"{n}[{i}] += {a}", f"{n} += {other}", f"{n} *= 0.5", f"{n}[:] = {other}",
                f"{n}[{n} > 1] = {a}", f"{n}[1:] = {n}[:-1]", f"{n}[::2] += 1", f"{n}[[0, 1]] = {a}", f"{n} -= {n}",
                f"{n}[np.array([0, 1])] *= 2",
            ]  # fmt: skip
        elif v.kind == "matrix":
            i, j = r.randrange(self.size), r.randrange(self.size)
            other = self.apart(v, self.size)
            options = [
                f"{n}[{i}, {j}] = {a}", f"{n}[{i}][{j}] = {a}", f"{n}[{i}] = {other}", f"{n}[:, {j}] = {other}",
                f"{n} += {other}", f"{n}[{i}] += {other}", f"{n}[{n} > 2] = {a}", f"{n}[{i}, 1:] *= 2",
                f"{n} *= {n}.T; {n}[:] = {n}.clip(-50, 50)",
                f"{n}[{i}] = {n}[{j}]", f"{n}[0], {n}[1] = {n}[1].copy(), {n}[0].copy()", f"{n}[1:][0] = {a}",
            ]  # fmt: skip
        elif v.kind == "ints":
            options = [f"{n}[1] += 2", f"{n} += 1", f"{n} *= {n}", f"{n}[{n} > 2] = 0", f"{n}[0] = 7"]
        elif v.kind == "dict":
            text, memory = self.sized(self.size)
            options = [
                f"{n}['n'] = {self.kept_number(1)}",
                f"{n}['n'] += 1",
                f"{n}['a'] = {text}",
                f"{n}['a'][1] = {a}",
                f"{n}['a'] += {a}",
            ]
            self.variables[n] = self.variable(n, v.kind, v.memory | memory)
        else:
            text, memory = self.sized(self.size)
            options = [f"{n}[0] = {text}", f"{n}[0][1] = {a}", f"{n}[-1] += {a}"]
            if not self.walks:  # a loop over a list that it makes longer has no end
                options += [f"{n}.append({text})", f"{n} += [{text}]"]
            self.variables[n] = self.variable(n, v.kind, v.memory | memory, v.size)
        self.emit(r.choice(options))

    def nested(self, limit: int = 4) -> None:
        """An indented body; what it binds first is not known afterwards."""
        before = dict(self.variables)
        self.depth += 1
        for _ in range(self.random.randint(1, limit)):
            self.statement()
        self.emit("pass")
        self.depth -= 1
        after = self.variables
        self.variables = {
            n: self.variable(n, v.kind, v.memory | after[n].memory, min(v.size, after[n].size))
            for n, v in before.items()
            if n in after
        }

    def branch(self) -> None:
        if self.depth > 3:
            return
        self.emit(f"if {self.condition()}:")
        self.nested()
        if self.random.random() < 0.5:
            self.emit("else:")
            self.nested()

    def body_of_loop(self, *bound: Variable) -> None:
        self.loop += 1
        before = dict(self.variables)
        for v in bound:
            self.variables[v.name] = v
        self.nested(3)
        self.variables = {n: v for n, v in self.variables.items() if n in before}
        self.loop -= 1
        if self.random.random() < 0.2:
            self.emit("else:")
            self.nested(2)

    def count_loop(self) -> None:
        if self.depth > 3:
            return
        self.counter += 1
        i = f"i{self.counter}"
        self.emit(f"for {i} in range({self.random.choice([2, 3, TURNS])}):")
        self.body_of_loop(self.variable(i, "number", frozenset()))

    def while_loop(self) -> None:
        if self.depth > 3:
            return
        self.counter += 1
        i = f"w{self.counter}"
        self.emit(f"{i} = 0")
        self.emit(f"while {i} < {self.random.randint(2, 4)} and {self.number(2)} < 50:")
        self.depth += 1
        self.emit(f"{i} += 1")
        self.depth -= 1
        self.body_of_loop(self.variable(i, "number", frozenset()))

    def item_loop(self) -> None:
        if self.depth > 3:
            return
        self.counter += 1
        name, r = f"e{self.counter}", self.random
        if v := self.pick("list", "matrix"):
            self.walks += v.kind == "list"
            if r.random() < 0.5:
                self.emit(f"for {name} in {v.name}:")
                self.body_of_loop(self.variable(name, "vector", v.memory))
            else:
                pairs = ("enumerate({})", "enumerate(reversed({}), 2)", "zip(range(9), {})")
                self.emit(f"for j{self.counter}, {name} in {r.choice(pairs).format(v.name)}:")
                number = self.variable(f"j{self.counter}", "number", frozenset())
                self.body_of_loop(number, self.variable(name, "vector", v.memory))
            self.walks -= v.kind == "list"

    def fill_loop(self) -> None:
        """A loop of independent iterations that is worth splitting."""
        if self.depth > 2:
            return
        self.counter += 1
        i, out, r = f"i{self.counter}", f"o{self.counter}", self.random
        size = r.choice([6, 40])
        shape = f"({size}, {self.size})" if (rows := r.random() < 0.4) else str(size)
        self.emit(f"{out} = np.zeros({shape})")
        self.emit(f"for {i} in range({size}):")
        self.depth += 1
        index = i
        v = self.pick("vector")
        if r.random() < 0.5:
            self.emit(f"t{self.counter} = work({i}) + {self.number(1)}")
            value = f"t{self.counter}"
        else:
            value = f"work({i} + 1)"
        if r.random() < 0.3:
            self.emit(f"g{self.counter} = lambda: {value} + {i}")
            value = f"g{self.counter}()"
        elif r.random() < 0.3:
            self.emit(f"def h{self.counter}(q):")
            self.emit(f"    return lambda: q + {value}")
            self.emit(f"g{self.counter} = h{self.counter}({i})")
            value = f"g{self.counter}()"
        if v and rows:
            value = f"{v.name}[0] + {value}"
        self.emit(f"{out}[{index}] = {value}")
        if r.random() < 0.4:
            self.emit(f"u{self.counter} = {out}[{i}]")
            change = (
                f"{out}[{i}] = u{self.counter} + 1" if r.random() < 0.7 else f"{out}[{i}] += u{self.counter}"
            )
            self.emit(change)
        if r.random() < 0.2:
            self.emit(f"if {value} > 1e5:")
            self.emit(f"    {r.choice(['break', 'continue'])}")
        self.depth -= 1
        if self.depth == 1:
            kept = self.variable(out, "number", frozenset())
            self.emit(f"{out} = {out}.sum()")
            self.variables[out] = kept

    def keeper_loop(self) -> None:
        """A loop of heavy turns that keeps a closure, which a function made, of variables that the loop binds."""
        if self.depth > 1:
            return
        self.counter += 1
        c, r = self.counter, self.random
        listed = r.random() < 0.4
        self.emit(f"t{c} = 0")
        self.emit(f"def h{c}():")
        self.emit(f"    return [lambda: t{c} + 1, 1]" if listed else f"    return lambda: t{c}")
        self.emit(f"for i{c} in range({r.choice([4, 30])}):")
        self.emit(f"    t{c} = work(i{c}) + i{c}")
        self.emit(f"    g{c} = h{c}()")
        if r.random() < 0.5:
            self.emit(f"    t{c} = t{c} + 1")
        if listed:
            self.emit(f"g{c} = g{c}[0]")
        self.emit(f"s{c} = g{c}()")
        self.variables[f"s{c}"] = self.variable(f"s{c}", "number", frozenset())

    def prange_loop(self) -> None:
        if self.depth > 2:
            return
        self.counter += 1
        c = self.counter
        self.emit(f"o{c} = np.zeros({self.size})")
        self.emit(f"for i{c} in td.prange({self.size}):")
        self.emit(f"    p{c} = np.zeros(3)")
        self.emit(f"    p{c}[1] = work(i{c}) + {self.number(1)}")
        self.emit(f"    o{c}[i{c}] {self.random.choice(['=', '+='])} p{c}.sum()")
        self.bind("vector", f"o{c}", self.new_memory())

    def numbers_in_lists(self) -> None:
        """Lists of lists and dictionaries of numbers, changed and looked at."""
        self.counter += 1
        n, r = f"n{self.counter}", self.random
        make = [
            "[[0] * 3 for _ in range(3)]",
            "[[1, 2], [3, 4]]",
            "[[i * j for i in range(3)] for j in range(2)]",
        ]
        self.emit(f"{n} = {r.choice(make)}")
        inside = "    " * (self.depth + 1)
        changes = [
            f"{n}[1][0] = {self.number(1)}",
            f"{n}[0][1] += 2",
            f"{n}[0].append({self.number(2)})",
            f"{n}[1] += [5]",
            f"{n}.append([7, 8])",
            f"{n} = [row[:] for row in {n}]",
            f"{n}[0] = [q * 2 for q in {n}[1] if q > 1] + [1, 1]",
            f"{n}[0], {n}[1] = {n}[1], {n}[0]",
            f"for q in range(2):\n{inside}{n}[q][1] -= 1",
        ]
        for _ in range(r.randint(1, 3)):
            self.emit(r.choice(changes))
        d = f"d{self.counter}"
        self.emit(f"{d} = {{k: len(k) for k in ['a', 'bb']}}")
        self.emit(f"for k{self.counter} in {d}:")
        self.emit(f"    {n}[0][0] += {d}[k{self.counter}]")
        total = f"sum(sum(row) for row in {n}) + max({n}[0]) + any(q > 3 for q in {n}[1])"
        self.bind("number", total, frozenset())

    def without_axes(self) -> None:
        """Arrays without axes, which have memory as others do, and numbers, which have none."""
        self.counter += 1
        z, r = f"z{self.counter}", self.random
        make = [
            "np.array({} * 1.0)",
            "np.asarray({} * 0.5)",
            "np.full((), {} * 1.0)",
            "np.zeros(()) + {}",
            "1.0 * {}",
        ]
        chosen = [
            f"np.where({self.condition()}, {self.number(1)} * 1.0, 0.5)",
            "np.zeros(())",
            "np.ones_like(0.5)",
        ]
        self.emit(f"{z} = {r.choice([m.format(self.number(1)) for m in make] + chosen)}")
        inside = "    " * (self.depth + 1)
        changes = [
            f"{z} += {self.number(1)}",
            f"{z} *= 2",
            f"{z} = np.array({z})",
            f"{z} = grown({z} + 1)",
            f"{z} = grown(np.copy({z}))",
            f"{z} = same({z})",
            f"{z} = [{z}, 1][0]",
            f"{z} = {z}.T if {z} is None else {z}",
            f"for q in range(2):\n{inside}{z} -= q",
        ]
        shared = [
            f"{z} = grown({z})",
            f"{z}b = {z}\n{'    ' * self.depth}{z}b += 1",
            f"{z}c = [{z}, {z}]\n{'    ' * self.depth}{z}c[0] += 1",
        ]
        for _ in range(r.randint(1, 4)):
            self.emit(r.choice(shared if r.random() < self.risk else changes))
        self.bind("number", r.choice([f"{z} + 0.0", f"float({z})", f"np.sqrt({z} * {z})"]), frozenset())

    def mistake(self) -> None:
        """What Python answers with an exception, if it is executed."""
        r = self.random
        v = self.pick("vector")
        options = [
            "[1, 2][2]",
            "{'a': 1}['b']",
            "(1, 2) + [3]",
            "7 // len([])",
            "[1] - 1",
            "np.zeros(3) + np.zeros(2)",
        ]
        if v:
            n, s = v.name, v.size
            options += [f"{n}[{s}]", f"{n}.reshape({s}, 2)", f"np.stack([{n}, {n}[:-1]])"]
        self.emit(f"if {self.condition()}:")
        self.emit(f"    z{self.counter} = {r.choice(options)}")

    def closure(self) -> None:
        if self.depth > 2:
            return
        self.counter += 1
        name, r = f"g{self.counter}", self.random
        v = self.pick("vector", "list")
        memory = frozenset[int]()
        body = self.number(1)
        if v and r.random() < 0.7:
            body = f"{v.name}[0]" if v.kind == "vector" else f"{v.name}[0][1]"
            memory = v.memory
        if r.random() < 0.5:
            self.emit(f"{name} = lambda: {body}")
        else:
            self.emit(f"def {name}():")
            self.emit(f"    return {body}")
        if self.depth == 1:
            # It reads the variables when it is called, so it may not outlive what it reads.
            used = [w.name for w in self.variables.values() if w.name in body]
            for w in used:
                self.variables[w].memory |= frozenset({0}) if r.random() < 0.5 else frozenset()
            self.variables[name] = self.variable(name, "function", memory)

    def leave(self) -> None:
        if self.depth == 1:
            return
        r = self.random
        if self.loop and r.random() < 0.6:
            self.emit(f"if {self.condition()}:")
            self.emit(f"    {r.choice(['break', 'continue'])}")
        elif r.random() < 0.5:
            v = self.pick("vector", "number", "matrix")
            self.emit(f"if {self.condition()}:")
            self.emit(f"    return {v.name if v else 0}, 1")


def generate(seed: int, risk: float = 0.01) -> str:
    return Generator(seed, risk).program()
