"""Changes in place show under every name in Python. Where a compiled program cannot say so, it refuses."""

import numpy as np
import pytest
from test_semantics import same

import treadle as td

SHARED, FINE = [], []
TABLE = [[1.0, 2.0], [3.0]]


def shared(function):
    SHARED.append(function)
    return function


def fine(function):
    FINE.append(function)
    return function


def itself(x):
    return x


def deep(x, n):
    return x if n == 0 else deep(x, n - 1)


def fresh(x):
    return x + 1


def rebound(b):
    b = b.copy()
    b[0] = 100.0
    return b


# Another name shows the change.
@shared
def appended_after_change(x):
    acc = x * 0
    out = []
    for v in x:
        acc += v
        out.append(acc)
    return out


@shared
def in_a_tuple(x):
    a = x * 1
    pair = (a, 1)
    a[0] = 5
    return pair


@shared
def in_a_dict(x):
    a = x * 1
    d = {"a": a}
    a[0] = 5
    return d


@shared
def flipped(x):
    a = x * 1
    b = np.flip(a)
    a[0] = 5
    return b


@shared
def local_function_gives_it(x):
    a = x * 1

    def give(v):
        return v

    b = give(a)
    a[0] = 5
    return b


@shared
def local_function_keeps_it(x):
    a = x * 1

    def keep(v):
        return lambda: v

    g = keep(a)
    a[0] = 5
    return g()


@shared
def repeated(x):
    items = [x * 1] * 2
    items[0][0] = 5
    return items


@shared
def rows_repeated(x):
    rows = [[0] * 2] * 2
    rows[0][1] = 5
    return rows


@shared
def recursion_gives_it(x):
    a = x * 1
    b = deep(a, 3)
    b[0] = 5
    return a


@shared
def function_gives_it(x):
    a = x * 1
    b = itself(a)
    b[0] = 5
    return a


@shared
def reshaped(x):
    a = x * 1
    b = a[::2].reshape(-1, 1)
    a[0] = 5
    return b


@shared
def raveled_transpose_of_a_result(x):
    a = (np.outer(x, x).T + 1).T
    b = a.ravel()
    a[0, 1] = 5
    return b


@shared
def real_part(x):
    a = x * 1
    b = np.real(a)
    a[0] = 5
    return b


@shared
def item_of_a_list(x):
    items = [x * 1, x * 2]
    row = items[1]
    row += 1
    return items


@shared
def shallow_copy(x):
    items = [x * 1]
    other = items.copy()
    other[0][0] = 5
    return items


@shared
def list_under_two_names(x):
    a = [1, 2]
    b = a
    a += [3]
    return b


@shared
def loop_variable(x):
    rows = np.outer(x, x)
    for row in rows:
        row[0] = 5
    return rows


@shared
def changed_under_enumerate(x):
    a = x * 1
    for i, v in enumerate(a):
        a[a.size - 1 - i] = v
    return a


@shared
def row_kept_in_a_loop(x):
    a = np.outer(x, x)
    b = x * 0
    for i in range(a.shape[0]):
        row = a[i]
        a[i] = row * 2
        b[i] = row[0]
    return b


@shared
def part_of_an_argument(x):
    pair = (x, 1)
    y = pair[0]
    y[0] = 5
    return y


@shared
def module_list(x):
    t = TABLE[0]
    t.append(3.0)
    return t


@shared
def argument_in_place(x):
    x += 1
    return x


@shared
def chosen(x):
    a, b = x * 1, x * 2
    c = a if x[0] > -100 else b
    c[0] = 5
    return a


# Nobody else sees the change, or it is none.
@fine
def copied_result(x):
    a = np.copy(itself(x))
    b = itself(x).copy()
    a[0] = b[1] = 7
    return a, b


@fine
def copied_into(x):
    a = x * 0
    a[:] = x
    a[0] = 3
    return a, x


@fine
def helper_that_copies(x):
    return rebound(x), x


@fine
def other_name_is_dead(x):
    a = x * 1
    b = a[1:]
    s = b.sum()
    a[0] = 5
    return a, s


@fine
def other_name_is_dead_in_a_loop(x):
    a = np.outer(x, x)
    total = 0.0
    for i in range(a.shape[0]):
        row = a[i]
        total += row.sum()
        a[i] = 0
    return a, total


@fine
def rebound_name(x):
    a = x * 1
    b = a
    b = b + 1
    a[0] = 5
    return a, b


@fine
def overlapping_parts(x):
    a = x * 1
    a[1:] = a[:-1]
    a[::-1] = a
    return a


@fine
def fresh_items(x):
    out = []
    for i in range(3):
        acc = x * i
        acc += 1
        out.append(acc)
    return out


@fine
def flattened_is_a_copy(x):
    a = np.outer(x, x)
    b = a.flatten()
    b[0] = 5
    c = a.astype(float)
    c[0, 0] = 6
    return a, b, c


@fine
def nested_containers(x):
    d = {"rows": [x * 1, x * 2], "n": 0}
    d["rows"][1][0] = 5
    d["rows"].append(x * 3)
    d["n"] += 1
    d["rows"][0] += 1
    return d


@fine
def no_longer_in_the_list(x):
    a = x * 1
    items = [a]
    items[0] = items[0] + 1
    a[0] = 5
    return a, items


@fine
def lists_grow(x):
    a = []
    a += (1, 2)
    a += range(2)
    a.append([])
    a[4].append(3)
    a *= 2
    return a


@pytest.mark.parametrize("policy", ["adaptive", "always-inline", "always-async", "paper-baseline"])
@pytest.mark.parametrize("function", SHARED, ids=lambda f: f.__name__)
def test_refused(function, policy):
    with td.config(policy=policy), pytest.raises((td.PhyslError, td.UnsupportedError)) as caught:
        td.jit(function)(np.array([3.0, 1.0, 2.0, 5.0]))
    assert any(
        words in str(caught.value) for words in ("shares memory", "share memory", "would hold", "argument")
    )
    first = function.__code__.co_firstlineno
    assert caught.value.file == __file__ and first <= caught.value.line <= first + 12


@pytest.mark.parametrize("policy", ["adaptive", "always-inline", "always-async", "paper-baseline"])
@pytest.mark.parametrize("function", FINE, ids=lambda f: f.__name__)
def test_runs(function, policy):
    x = np.array([3.0, 1.0, 2.0, 5.0])
    with td.config(policy=policy):
        same(td.jit(function)(x), function(x.copy()), function.__name__)


def test_a_change_of_a_copy_has_no_effect():
    @td.jit
    def masked(x, mask):
        a = x * 1
        a[mask][0] = 5
        return a

    with pytest.raises(td.PhyslError, match="is a copy"):
        masked(np.arange(3.0), np.array([True, False, True]))
    with pytest.raises(td.PhyslError, match="is a copy"):
        masked(np.arange(3.0), np.array([1, 2]))
    np.testing.assert_array_equal(masked(np.zeros((2, 2)), 1), [[0, 0], [5, 0]])


def test_views_without_axes_and_generators_are_refused():
    @td.jit
    def squeezed(x):
        a = x * 1
        b = np.squeeze(a[:1])
        a[0] = 9
        return b

    @td.jit
    def ellipsis(x):
        a = x * 1
        b = a[..., 0]
        c = b + 1
        a[0] = 9
        return c

    @td.jit
    def lazy(x):
        a = x * 1
        g = (v * 2 for v in a)
        a[0] = 9
        return sum(g)

    for function in (squeezed, ellipsis):
        with pytest.raises(td.PhyslError, match="a view of one element"):
            function(np.arange(3.0))
    with pytest.raises(td.UnsupportedError, match="generator"):
        lazy(np.arange(3.0))


def test_sharing_may_depend_on_the_type():
    @td.jit
    def keep_row(x, i):
        y = x * 1
        kept = y[i]
        y[0] = 5
        return kept, y

    kept, _ = keep_row(np.arange(3.0), 0)  # one number: no memory is shared
    assert kept == 0
    with pytest.raises(td.PhyslError, match="'y' would be changed in place"):
        keep_row(np.ones((3, 3)), 0)

    @td.jit
    def add_to(x):
        x += 1
        return x

    assert add_to(2) == 3
    with pytest.raises(td.PhyslError, match="'x' would be changed in place"):
        add_to(np.ones(2))


def test_changes_in_place_keep_type_and_shape():
    @td.jit
    def add(n, x, i):
        y = np.zeros(n, dtype=int)
        y[i] += x
        y += x
        return y

    assert add(3, 2, 1).tolist() == [2, 4, 2]
    with pytest.raises(td.PhyslError, match="cannot give float64"):
        add(3, 0.5, slice_all())
    with pytest.raises(td.PhyslError, match="cannot give shape"):
        add(1, np.array([1, 2]), slice_all())


def slice_all():
    return np.array([0])


def test_closures_that_functions_make_in_a_loop():
    """They keep the variables of the loop's function, which iterations that ran at the same time would each have."""

    def work(k):
        s = 0.0
        for i in range(2000):
            s += (k * i) % 7.0
        return s

    def last(n):
        def h():
            return lambda: t

        for i in range(n):
            t = work(i) + i
            g = h()
        return g()

    def several(n):
        for i in range(n):
            t = work(i) + i
            g = [lambda: t for _ in (1, 2)]  # noqa: B023 - it is about that
        before = g[0]()
        t = -1.0
        return before, g[1]()

    for policy in ("adaptive", "always-async"):
        for workers in (2, 4):
            with td.config(policy=policy, workers=workers):
                assert {td.jit(last)(60) for _ in range(5)} == {work(59) + 59}
                assert td.jit(several)(60) == (work(59) + 59, -1.0)
