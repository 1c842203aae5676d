"""The programs of the demonstration, and the page it writes."""

import json
import re

import numpy as np
import pytest

import treadle as td
from treadle.config import POLICIES
from treadle.demo import data, runner
from treadle.report import demo_page


def quiet(rival, fraction):
    assert 0 <= fraction <= 1


@pytest.fixture(scope="module")
def compared():
    x, y = np.random.default_rng(1).standard_normal((40, 3)), np.arange(40.0) % 2
    small = [
        data.als_paper(),
        data.Workload("lra", "Regression", data.lra_cancer().program, (x, y, 0.01, 50), "", "exp", 50),
        data.Workload("kmeans", "Means", data.kmeans_digits().program, (x, x[:4], 5), "", "argmin", 5),
    ]
    return [runner.compare(w, quiet) for w in small]


def test_every_policy_agrees_with_numpy(compared):
    for c in compared:
        by_hand = ["numpy-by-hand"] if c.workload.by_hand else []
        assert [o.rival for o in c.outcomes] == ["numpy", *by_hand, *POLICIES]
        for o in c.outcomes[1:]:
            assert o.difference is not None and o.difference < 1e-9, (c.workload.name, o.rival, o.difference)
            assert o.seconds > 0
        mine = [o for o in c.outcomes if o.profile]
        assert all(o.evaluations > 0 for o in mine)
        assert len({o.difference for o in mine}) == 1  # bit for bit the same among policies


def test_policies_decide(compared):
    for c in compared:
        by_name = {o.rival: o for o in c.outcomes}
        assert by_name["always-inline"].tasks == 0 and by_name["always-inline"].inlined_share == 1.0
        assert by_name["always-async"].tasks > by_name["paper-baseline"].tasks


def test_als_is_the_mathematics_of_the_paper():
    """Against sums over single ratings: A = Y^T D Y + Y^T Y + lambda I, b = Y^T (D + I) p, both Gram matrices stale."""
    w = data.als_paper()
    ratings, X, Y, iterations, ridge, alpha = w.arguments
    f = X.shape[1]
    X, Y = X.copy(), Y.copy()
    for _ in range(iterations):
        gram_y, gram_x = Y.T @ Y + ridge * np.eye(f), X.T @ X + ridge * np.eye(f)
        for rows, fixed, gram, table in ((X, Y, gram_y, ratings), (Y, X, gram_x, ratings.T)):
            for k in range(rows.shape[0]):
                A, b = gram.copy(), np.zeros(f)
                for j in np.flatnonzero(table[k]):
                    c = alpha * table[k, j]
                    A += c * np.outer(fixed[j], fixed[j])
                    b += (c + 1) * fixed[j]
                rows[k] = np.linalg.solve(A, b)
    with td.config(policy="always-inline"):
        X_tree, Y_tree = w.program(*w.arguments)
    np.testing.assert_allclose(X_tree, X, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(Y_tree, Y, rtol=1e-6, atol=1e-8)
    assert (X_tree[5] == 0).all()  # a user without ratings


def test_logistic_regression_learns():
    w = data.lra_cancer()
    x, y, *_ = w.arguments
    weights = w.program(*w.arguments)
    assert np.mean((x @ weights > 0) == (y > 0.5)) > 0.95


def test_difference_sees_everything():
    a = (np.ones(3), [1.0, np.zeros(2)])
    assert runner.largest_difference(a, a) == 0
    assert runner.largest_difference(a, (np.ones(3), [1.0, np.array([0, 0.5])])) == 0.5
    assert runner.largest_difference(np.ones(2), np.ones(3)) == float("inf")
    assert runner.largest_difference(np.array([np.nan]), np.ones(1)) == float("inf")


def test_page_holds_everything_itself(compared):
    page = demo_page(compared, td.info())
    assert not re.search(r'(?:src|href)="(?!data:)', page) and "import(" not in page and "fetch(" not in page
    found = json.loads(
        re.search(r'<script id="data"[^>]*>(.*?)</script>', page, re.DOTALL).group(1).replace("<\\/", "</")
    )
    assert [c["title"] for c in found["comparisons"]] == [c.workload.title for c in compared]
    for shown, c in zip(found["comparisons"], compared, strict=True):
        for run, outcome in zip(shown["runs"], c.outcomes, strict=True):
            if outcome.profile is None:
                continue
            assert (sum(n[8] for n in run["nodes"]) > 0) == (outcome.tasks > 0)
            assert all(n[3] < i for i, n in enumerate(run["nodes"]))  # parents come first
            assert run["slices"] and all(0 <= s[0] < len(run["nodes"]) for s in run["slices"])
        assert any("def " in line["text"] for line in shown["source"]["lines"])


def test_text_cannot_end_the_data(tmp_path):
    page = demo_page([], td.info())
    assert page.count("</script>") == 2
    from treadle.report import page as render

    assert render([], ["</script><b>"]).count("</script>") == 2
