"""Loops that change what they step through, which Python reads turn by turn: refused rather than wrong."""

import numpy as np
import pytest
from against_python import check_error


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


def changes_a_named_argument_to_come():
    x, out = np.array([0, 1, 2]), []
    for i, k in enumerate(iterable=x):
        x[2] = 5 * i
        out.append(k)
    return out


def changes_what_iterators_share():
    x, out = np.array([0, 1, 2]), []
    for (i, k), j in zip(enumerate(reversed(x), 1), range(3)):
        x[0] = 5 * i
        out.append(k + j)
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
        changes_a_named_argument_to_come,
        changes_what_iterators_share,
    ],
)
def test_refused_rather_than_wrong(function):
    check_error(function)
