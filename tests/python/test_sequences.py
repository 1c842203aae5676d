"""What loops step through, how items are unpacked, and what follows a loop: as in Python, or refused."""

import collections

import numpy as np
import pytest

import treadle as td

X = np.array([3.0, 1.0, 9.0])
P, Q = [1, 2, 3], ["a", "b", "c"]
Point = collections.namedtuple("Point", "a b")
CASES, REFUSED = [], []


def case(function):
    CASES.append(function)
    return function


def refused(*parts):
    def register(function):
        REFUSED.append((function, parts))
        return function

    return register


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


# --- else of loops ------------------------------------------------------------------------------------------------
@case
def primes():
    found = []
    for n in range(2, 30):
        for d in range(2, n):
            if n % d == 0:
                break
        else:
            found.append(n)
    return found


@case
def loops_with_else():
    out = []
    for i in range(3):
        out.append(i)
    else:
        out.append("all")
    while len(out) < 8:
        out.append("x")
        if len(out) == 6:
            break
    else:
        out.append("no")
    while len(out) < 8:
        out.append("y")
    else:
        out.append("yes")
    for i in range(0):
        break
    else:
        out.append("none")
    return out


@case
def else_that_leaves_the_loop_around():
    out = []
    for i in range(5):
        for j in range(3):
            if j == 2 and i == 1:
                break
            if i == 2:
                continue
        else:
            out.append(i)
            if i == 2:
                break
            continue
        out.append(-i)
    else:
        out.append("not this")
    return out


@case
def else_that_returns():
    for i in range(3):
        if i > 5:
            break
    else:
        return "through"
    return "broken"


@case
def break_in_the_else_of_an_inner_loop():
    for i in range(3):
        while False:
            pass
        else:
            break
    else:
        return "no"
    return i


@case
def changes_around_an_else():
    x = np.zeros(4)
    for i in range(4):
        row = x[1:]
        for j in range(3):
            if row[j] > 0:
                break
        else:
            row = x[i]
        x[i] += i
    return x


@case
def prange_with_else():
    x = np.zeros(4)
    for i in td.prange(4):
        x[i] = i
    else:
        x[0] = 9
    return x


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


def plain(value):
    if isinstance(value, list | tuple):
        return type(value), [plain(v) for v in value]
    if isinstance(value, dict):
        return [(k, plain(v)) for k, v in value.items()]
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tolist()
    return value if value is None or isinstance(value, str) else (np.asarray(value).dtype, value)


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_as_in_python(function):
    def outcome(f):
        try:
            return plain(f())
        except td.UnsupportedError:
            raise
        except Exception as error:
            return error

    expected, compiled = outcome(function), td.jit(function)
    for workers in (1, 2):
        for policy in ("adaptive", "always-inline", "always-async", "paper-baseline"):
            with td.config(policy=policy, workers=workers):
                found = outcome(compiled)
            if isinstance(expected, Exception):
                assert isinstance(found, type(expected)), repr(found)
            else:
                assert found == expected


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


@pytest.mark.parametrize(("function", "parts"), REFUSED, ids=lambda v: getattr(v, "__name__", ""))
def test_refused(function, parts):
    with pytest.raises(td.UnsupportedError) as caught:
        td.jit(function).lower()
    assert all(part in str(caught.value) for part in parts)


def adds_entries():
    d = {1: 1}
    for k in d:
        d[k + 1] = 2
        if k > 5:
            break
    return d


def adds_entries_by_another_name():
    d = {1: 1}
    for k in d:
        k = k + 1
        d[k] = 1
    return d


def changes_values_to_come():
    d = {1: 1, 2: 2}
    return [v for v in d.values()], [d for k, v in d.items()]


def unpacks_a_dictionary():
    a, b = {0: 5, 1: 6}
    return a, b


def unpacks_dictionaries():
    return [a for (a, b), _ in zip([{0: 5, 1: 6}], [1])]


def changes_a_later_value():
    d, out = {1: 1, 2: 2}, []
    for k, v in d.items():
        d[2] = 7
        out.append(v)
    return out


def changes_a_later_value_among_pairs():
    d, out = {1: 1, 2: 2}, []
    for i, v in enumerate(d.values()):
        d[2] = 7
        out.append(v)
    return out


def changes_an_array_to_come():
    x, out = np.array([2, 0, 1]), []
    for k in x:
        x[k] += 1
        out.append(k)
    return out


def changes_a_list_to_come():
    x, out = [2, 0, 1], []
    for i, k in enumerate(x):
        x[k] = 5 * i
        out.append(k)
    return out


def adds_entries_by_an_alias():
    d = {1: 1}
    e = d
    for k in d:
        e[k + 1] = 2
        if k > 5:
            break
    return e


def adds_entries_beside_values():
    d = {1: 1}
    for k, k in d.items():
        d[k + 1] = 2
    return d


@pytest.mark.parametrize(
    "function",
    [
        unpacks_a_dictionary,
        unpacks_dictionaries,
        adds_entries_by_an_alias,
        adds_entries_beside_values,
        adds_entries,
        adds_entries_by_another_name,
        changes_a_later_value,
        changes_a_later_value_among_pairs,
        changes_an_array_to_come,
        changes_a_list_to_come,
    ],
)
def test_refused_rather_than_wrong(function):
    for policy in ("adaptive", "always-inline", "always-async"):
        with td.config(policy=policy), pytest.raises(td.Error):
            td.jit(function)()


# --- parallel loops -----------------------------------------------------------------------------------------------
def reads_by_a_function(n):
    x = np.zeros(n)

    def get(k):
        return x[k]

    for i in td.prange(1, n):
        x[i] = get(i - 1) + 1
    return x


def reads_by_a_lambda(n):
    x = np.zeros(n)
    get = lambda k: x[k]  # noqa: E731
    for i in td.prange(1, n):
        x[i] += get(i - 1) + 1
    return x


def reads_by_a_function_in_a_list(n):
    x, held = np.zeros(n), []
    held.append(lambda k: x[k])
    for i in td.prange(1, n):
        f = held[0]
        x[i] = f(i - 1) + 1
    return x


def reads_by_a_function_of_a_function(n):
    x = np.zeros(n)

    def get(k):
        return x[k]

    def outer(k):
        return get(k) + 1

    for i in td.prange(1, n):
        x[i] = outer(i - 1)
    return x


def reads_by_an_argument(n):
    x = np.zeros(n)

    def call(f, k):
        return f(k) + 1

    def get(k):
        return x[k]

    for i in td.prange(1, n):
        x[i] = call(get, i - 1)
    return x


def reads_by_what_a_function_makes(n):
    x = np.zeros(n)

    def make():
        return lambda k: x[k]

    get = make()
    for i in td.prange(1, n):
        x[i] = get(i - 1) + 1
    return x


def reads_in_a_comprehension(n):
    x = np.ones(n)
    for i in td.prange(1, n):
        x[i] = sum(x[k] for k in range(i))
    return x


def reads_in_a_function_of_the_loop(n):
    x = np.ones(n)
    for i in td.prange(1, n):

        def get(k):
            return x[k]

        x[i] = get(i - 1) + 1
    return x


def reads_by_a_default_value(n):
    x = np.ones(n)

    def get(k, y=x):
        return y[k]

    for i in td.prange(1, n):
        x[i] = get(i - 1) + 1
    return x


def reads_by_what_a_called_function_gives(n):
    x = np.zeros(n)

    def get(k):
        return x[k]

    def choose(k):
        return get

    f = choose(0)
    for i in td.prange(1, n):
        x[i] = f(i - 1) + 1
    return x


def reads_by_what_a_list_holds(n):
    x, fs = np.zeros(n), [0, 0]
    fs[1] = lambda k: x[k]
    for f in fs:
        g = f
    for i in td.prange(1, n):
        x[i] = g(i - 1) + 1
    return x


def reads_by_what_a_recursion_gives(n):
    x = np.zeros(n)

    def get(k):
        return x[k]

    def find(k):
        return find(k - 1) if k else get

    f = find(2)
    for i in td.prange(1, n):
        x[i] = f(i - 1) + 1
    return x


def reads_by_a_function_as_default_value(n):
    x = np.zeros(n)

    def get(k):
        return x[k]

    def outer(k, get=get):
        return get(k) + 1

    for i in td.prange(1, n):
        x[i] = outer(i - 1)
    return x


READERS = [
    reads_by_a_function_as_default_value,
    reads_by_what_a_called_function_gives,
    reads_by_what_a_list_holds,
    reads_by_what_a_recursion_gives,
    reads_by_a_function,
    reads_by_a_lambda,
    reads_by_a_function_in_a_list,
    reads_by_a_function_of_a_function,
    reads_by_an_argument,
    reads_by_what_a_function_makes,
    reads_in_a_comprehension,
    reads_in_a_function_of_the_loop,
    reads_by_a_default_value,
]


@pytest.mark.parametrize("function", READERS, ids=lambda f: f.__name__)
def test_iterations_do_not_read_what_others_write(function):
    with pytest.raises(td.Error, match="other iterations|share"):
        td.jit(function)(5)


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


def test_variables_of_an_iteration_begin_without_a_value():
    @td.jit
    def program(n):
        found = [0] * n
        for i in td.prange(n):
            if i == 0:
                t = 5
            found[i] = t
        return found

    assert program(1) == [5]
    with pytest.raises(UnboundLocalError, match="'t'"):
        program(2)


def test_what_functions_gave_before_can_be_read():
    @td.jit
    def program(n):
        x, y = np.zeros(n), np.ones(n)

        def get(k):
            return x[k] + y[k]

        def twice(k):
            return get(k) + get(k)

        first, row = get(0), [twice(k) for k in range(n)]
        for i in td.prange(n):
            x[i] = first + row[i]
        for i in td.prange(n):
            y[i] = x[i]
        return x, y

    assert [v.tolist() for v in program(2)] == [[3.0, 3.0], [3.0, 3.0]]


def test_functions_beside_a_parallel_loop():
    @td.jit
    def program(n):
        x, y = np.zeros(n), np.arange(float(n))

        def last(x):
            return x[-1]

        def after():
            return x[0]

        for i in td.prange(n):
            x[i] = last(y) + i
        return x, after()

    values, first = program(4)
    assert values.tolist() == [3.0, 4.0, 5.0, 6.0] and first == 3.0
