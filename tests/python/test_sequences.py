"""What loops and comprehensions step through, and how items are unpacked: as in Python, or refused."""

import collections

import numpy as np
import pytest
from against_python import Table, check, check_refusal

import treadle as td

X = np.array([3.0, 1.0, 9.0])
P, Q = [1, 2, 3], ["a", "b", "c"]
Point = collections.namedtuple("Point", "a b")
TABLE = Table()
case, refused = TABLE.case, TABLE.refused


# --- zip, enumerate, reversed, dictionaries -----------------------------------------------------------------------
@case
def nested_targets():
    out = []
    for i, (a, b) in enumerate(zip(P, X)):
        out.append((i, a, b))
    for (a, b), (c, [d, e]) in zip(zip(P, Q), enumerate(zip(Q, P))):
        out.append((a, b, c, d, e))
    return out, [(e, d, c) for c, (d, e) in enumerate(zip(P, Q))]


@case
def enumerations_from_somewhere():
    out = []
    for i, x in enumerate(P, start=1):
        out.append((i, x))
    for i, x in enumerate(X, -2):
        out.append((i, x))
    return out, [i * x for i, x in enumerate(P, 5)], list(enumerate(iterable=Q, start=7))


@case
def whole_rows():
    return [t for t in zip(P, Q)], [t for t in enumerate(P)], [t[0] for t in zip(P)], [a for (a,) in zip(P)]


@case
def used_at_once():
    return (
        list(zip(P, Q)),
        tuple(enumerate(Q, 2)),
        list(reversed(P)),
        tuple(reversed(Q)),
        list(zip(P, P, strict=False)),
    )


@case
def unpacked_at_once():
    a, b, c = reversed(P)
    (d, e), f, g = zip(P, Q)
    h, (i, j) = enumerate(["x", "y"])
    return a, b, c, d, e, f, g, h, i, j


@case
def nested_iterators():
    out = []
    for i, x in enumerate(reversed(P)):
        out.append((i, x))
    for x, (i, y) in zip(reversed(P), enumerate(Q, 3)):
        out.append((x, i, y))
    return out, [x for _, x in enumerate(reversed(Q))]


@case
def entries_of_dictionaries():
    d = {"x": 1, 2: [5], "": "t", 2.5: 2.5, True: X}
    out = []
    for k, v in d.items():
        out.append((k, v))
    for v in d.values():
        out.append(v)
    for i, (k, v) in enumerate(d.items()):
        out.append((i, k, v))
    return out, [k for k in d], {k: v for k, v in d.items()}, list(d.items()), list(d.values())


@case
def dictionaries_without_entries():
    d = {}
    return [k for k, v in d.items()], list(d.values()), sum(v for v in d.values())


@case
def numbers_of_a_dictionary():
    d = {i: i * i for i in range(5)}
    a, b, c, e, f = d.values()
    return (
        sum(d.values()),
        max(d.values()),
        min(k + v for k, v in d.items()),
        any(d.values()),
        (a, b, c, e, f),
    )


@case
def wrong_width():
    return [a for a, b in zip(P, P, P)]


@case
def wrong_width_of_nothing():
    return [a for a, b in zip(P, P, [])]


@case
def wrong_width_below():
    return [a for i, (a, b) in enumerate([[1, 2], [3]])]


@case
def updates_of_what_a_loop_steps_through():
    d = {"a": 1, "b": 2}
    for k in d:
        d[k] += 10
    for k in d:
        d[k] = d[k] * 2
    for k, v in d.items():
        d[k] = v + 1
    rows, seen = {"a": [1], "b": []}, []
    for name in rows:
        seen.append(name)
        rows[name].append(d[name])
        for i in range(len(rows[name])):
            rows[name][i] += 1
    return d, rows, seen


# --- comprehensions with several loops ----------------------------------------------------------------------------
@case
def pairs():
    return [(i, j) for i in P for j in Q], [i * j for i in range(4) if i % 2 for j in range(i) if j != 1]


@case
def later_loops_read_earlier_variables():
    rows = [[1, 2], [], [3]]
    return [x for row in rows for x in row], {i: j for i in range(3) for j in range(i)}


@case
def reuses_names():
    i = 10
    x = [i for i in range(i) for i in range(i) if i > 6]
    return x, i, [[i for i in range(i)] for i in range(i - 7)]


@case
def generators_with_several_loops():
    rows = [[1, 2], [3, -4]]
    return (
        sum(x for row in rows for x in row),
        any(x < 0 for row in rows for x in row),
        max(x * y for x, y in zip(P, P) for _ in Q),
    )


# --- targets, constants -------------------------------------------------------------------------------------------
def two():
    return 5, [6, 7]


@case
def items_among_targets():
    x, d = [0, 0], {}
    x[0], y = two()
    d["a"], (x[1], z) = two()
    (d["b"], _), d["c"] = y, 1
    return x, y, z, d


@case
def least_integer():
    return -9223372036854775808, -9223372036854775808 + 1, [-9223372036854775808]


@case
def element_types_of_others():
    i, b = np.array([1, 2]), X > 2
    return np.zeros(2, dtype=X.dtype), np.ones(2, i.dtype), np.arange(2, dtype=b.dtype), X.astype(i.dtype)


@pytest.mark.parametrize("function", TABLE.cases, ids=lambda f: f.__name__)
def test_as_in_python(function, capsys):
    check(function, capsys)


@case
def parts_of_ranges():
    r = range(0, 10, 3)
    return (
        r[::3],
        range(10)[5:2],
        range(10)[::-2],
        range(5)[10:],
        range(5)[::2],
        r[1:3][::-1],
        range(5, 0, -2)[1:],
    )


@case
def sum_of_texts():
    return sum(["a", "b"], "")


@case
def sum_of_texts_one_after_the_other():
    return sum((t for t in ["a"]), "b")


@case
def sums_of_lists():
    return sum([[1], [2]], []), sum(((i,) for i in range(3)), ())


@case
def walks_what_an_outer_loop_gives():
    v = 5
    pairs = [v - a for a in (1, v) for b in [a, 1] if b > 0] + [v]
    rows = {b: [c for c in (a, b)] for a in (1, 2) for b in [a, [a, 3][1]]}
    return pairs, rows


@refused("reverse= is evaluated before the items")
def sorts_a_generator(flag=True):
    return sorted((p for p in P), reverse=flag)


@refused("zip makes items one after the other", "list(zip(...))")
def keeps_a_zip():
    z = zip(P, Q)
    return [a for a in z]


@refused("reversed makes items one after the other")
def returns_an_iterator():
    return reversed(P)


@refused("d.items() shows later changes", "list(d.items())")
def keeps_a_view():
    d = {1: 2}
    return d.items()


@refused("takes sequences")
def equally_long():
    return list(zip(P, Q, strict=True))


@refused("whole number")
def starts_with_a_fraction():
    return list(enumerate(P, 1.0))


@pytest.mark.parametrize(("function", "parts"), TABLE.refusals)
def test_refused(function, parts):
    check_refusal(function, parts)


@pytest.mark.parametrize(
    "value",
    [Point(1, 2), collections.defaultdict(int), collections.OrderedDict(a=1)],
    ids=lambda v: type(v).__name__,
)
def test_subclasses_may_do_other_things(value):
    with pytest.raises(TypeError, match="pass a plain one"):
        td.jit(returned)(value)

    def from_around():
        return value

    with pytest.raises(td.UnsupportedError, match="only numbers, text, arrays, lists and functions"):
        td.jit(from_around)()


def returned(x):
    return x
