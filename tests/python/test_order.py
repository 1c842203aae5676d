"""What is evaluated, how often and in which order: as in Python, seen by what is printed and by which error comes
first."""

import numpy as np
import pytest
from against_python import Table, check

X = np.array([3.0, 1.0, 9.0])
TABLE = Table()
case = TABLE.case
D = {1: 10, 2: 20}


def note(k):
    print("note", k)
    return k


def subtract(a, b):
    return a - b


def third(a, b=2, *, c=3):
    return a, b, c


# --- items that are used as they are made -------------------------------------------------------------------------
@case
def all_stops():
    return all(X[i] <= X[i + 1] for i in range(3)), all(note(i) < 2 for i in range(9))


@case
def any_stops():
    return any(note(i) == 2 for i in range(9)), any(X[i] == 9 for i in range(99))


@case
def any_and_all_without_items():
    return any(note(i) for i in range(0)), all(note(i) for i in range(0))


@case
def any_stops_among_pairs():
    return any(note(a) > b for i, (a, b) in enumerate(zip([1, 2, 5, 7], [2, 3, 4, 5])) if note(i) != 1)


@case
def quantifiers_give_truth_values():
    return any(i for i in [0, 3]), all(i for i in [1, 3]), any([0, 3]), all([1, 0])


@case
def all_of_a_list_is_evaluated():
    return all([note(i) < 2 for i in range(5)])


@case
def sum_stops_at_an_error():
    return sum([1, 2] if note(i) == 2 else i for i in range(5))


@case
def sum_with_a_start():
    return sum((note(i) for i in note([1, 2])), note(5))


@case
def sum_of_rows():
    return sum(row * 2 for row in np.arange(6.0).reshape(2, 3))


@case
def least_stops_at_an_error():
    return min(X if note(i) == 2 else i for i in range(5))


@case
def extremes_of_generators():
    return min(note(-i) for i in range(3)), max(note(i) for i in [2, 5.0, 5])


@case
def extreme_of_nothing():
    return max(note(i) for i in range(0))


@case
def conditions_between_items():
    return [note(i) * 10 for i in range(6) if note(-i) % 2 == 0]


@case
def several_conditions():
    return [note(i) for i in range(6) if note(i + 10) % 2 == 0 if note(i + 20) > 22]


@case
def several_conditions_on_pairs():
    return {note(a): note(b) for a, b in zip(range(6), X) if note(a) != 1 if b > note(2)}


@case
def an_item_fails_before_the_next_condition():
    return [X[i] for i in range(6) if note(i) > 1]


@case
def nested_comprehensions_with_conditions():
    return [[note(j) for j in range(i) if note(j) != 1] for i in range(4) if note(i) > 1]


@case
def comprehensions_in_conditions():
    return [i for i in range(4) if any(note(j) == i for j in range(3))]


@case
def tuples_and_lists_of_generators():
    return tuple(note(i) for i in range(4) if note(i) > 1), list(note(i) for i in range(3) if i)


# --- comparisons --------------------------------------------------------------------------------------------------
@case
def chains_stop():
    return note(1) < note(0) < note(2) < note(3), note(1) < note(2) < note(0) < note(3)


@case
def chains_of_five():
    return note(1) < note(2) <= note(2) != note(3) > note(1) == note(1)


@case
def chains_that_would_fail():
    i = 7
    return 0 <= i < 3 < X[i] < 9, -1 < i < 9 < 8 < X[i]


@case
def chains_give_what_decides():
    return X[:1] < 0 < 5, X[:1] > 0 < 5, X[:1] > 0 > X[:1]


@case
def membership():
    return note(1) in [note(2), note(1)], note(1) not in [note(0)], X[note(9)] in [note(1)]


@case
def other_comparisons():
    return note(1) == note(2), note(2) > note(1), note(None) is None


@case
def arrays_of_one_element_decide():
    small, large = X[:1] > 5, X[:1] < 5
    out = [1 if small and note(1) else 2, 1 if large or note(2) else 2, not (small and note(3))]
    if small and X > 2:
        out.append(note(4))
    while (large or X > 2) and not note(5):
        pass
    assert large or X
    return out, [i for i in range(3) if small and note(i)], all(large or X for _ in range(2))


@case
def a_truth_value_that_is_none():
    return 1 if note(1) and X else 2


# --- arguments ----------------------------------------------------------------------------------------------------
@case
def keywords_out_of_order():
    return subtract(b=note(1), a=note(2)), subtract(note(5), b=note(2))


@case
def keywords_that_fail():
    return subtract(b=X[note(5)], a=note(2))


@case
def keywords_after_defaults():
    return third(c=note(1), a=note(2)), third(note(1), c=note(2), b=note(3))


@case
def arguments_of_known_functions():
    return np.full(fill_value=note(7), shape=note(2)), np.clip(X, a_max=note(5), a_min=note(2))


@case
def arguments_that_a_primitive_takes_in_another_order():
    return np.std(X, ddof=note(1), keepdims=note(0) > 1), X.std(ddof=note(1), keepdims=note(0) == 0)


@case
def arguments_that_the_statement_changes():
    x, n = np.zeros(3), [0, 0]
    x[0] = subtract(b=x[1], a=note(1))
    x[1:] = subtract(b=x[:2], a=note(x)[1:])
    x += subtract(b=x, a=note(1))
    x[note(0)] = x[0] in [note(1), x[0]]
    n[note(0)] += third(c=n, a=note(1))[0]
    return x, n


@case
def a_variable_without_a_value():
    if X.size > 5:
        a = 1
    return subtract(b=a, a=note(1))


@case
def alternatives():
    return np.where(X > 2, y=note(1), x=note(2)) if False else np.round(decimals=note(1), a=note(X))


@case
def sum_with_named_start():
    return sum([note(1), note(2)], start=note(3))


@case
def calls_of_calls():
    def outer(a):
        def inner(b):
            return a - b

        return inner

    return outer(note(1))(note(2))


@case
def methods():
    return note(X).clip(note(2), note(5)), note(X).reshape(note(3), note(1)), note(X).sum(axis=note(0))


# --- stores and containers ----------------------------------------------------------------------------------------
@case
def items_after_values():
    x = np.zeros(3)
    x[note(1)] = note(2)
    x[note(5)] = X[note(6)]
    return x


@case
def items_of_items_after_values():
    x = [[1, 2], [3, 4]]
    x[note(1)][note(0)] = note(2)
    return x


@case
def updates_in_order():
    x = np.zeros(3)
    x[note(1)] += note(2)
    x[note(5)] += note(6)
    return x


@case
def updates_of_items_in_order():
    d = {1: 2}
    d[note(1)] -= note(2)
    d[note(3)] -= note(4)
    return d


@case
def slices_in_order():
    x = np.zeros(6)
    x[note(1) : note(5) : note(2)] = note(2)
    x[note(1) : note(5)] += note(2)
    return x, X[note(0) : note(2)]


@case
def several_targets():
    x = [0, 0, 0]
    y = x[note(1)] = x[note(2)] = note(3)
    x[note(0)], y = note(4), note(5)
    return x, y


@case
def displays():
    return {note(1): note(2), note(3): note(4)}, (note(1), note(2)), [note(3), note(4)]


@case
def table_of_items():
    return {note(i): note(i + 10) for i in range(3)}


@case
def choices():
    return note(1) if note(0) else note(2), note(1) and note(0) or note(3)


@case
def appended():
    x = []
    x.append(note(1))
    x.append(X[note(5)])
    return x


@case
def first_of_two_errors():
    return X[note(5)] + D[note(5)]


@case
def arithmetic():
    return note(1) + note(2) * note(3) - note(4) ** note(2)


@case
def printed():
    print(note(1), note(2))
    return X[note(0)]


@pytest.mark.parametrize("function", TABLE.cases, ids=lambda f: f.__name__)
def test_as_in_python(function, capsys):
    check(function, capsys)
