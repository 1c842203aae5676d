"""Input of the demonstration: what scikit-learn ships, the ratings of the paper, and CSV files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import _native
from ..errors import Error

MAX_CSV_ELEMENTS = 1 << 24  # NumPy multiplies the zeros of the diagonals of ALS: more is a matter of hours


@dataclass(frozen=True)
class Workload:
    """One program on one input. `marker` is evaluated `steps` times in all, which is what the progress bar counts.

    `by_hand` computes the same in NumPy, written by somebody who knows what NumPy is slow at.
    """

    name: str
    title: str
    program: Any
    arguments: tuple[Any, ...]
    detail: str
    marker: str
    steps: int
    by_hand: Callable[..., Any] | None = None


def paper_ratings() -> np.ndarray:
    ratings = np.zeros((10, 5))
    for user, item, value in (
        (0, 1, 4), (1, 0, 1), (1, 2, 4), (1, 4, 5), (2, 3, 2), (3, 1, 8), (4, 2, 4), (6, 4, 2), (7, 0, 1), (8, 3, 5),
        (9, 0, 1), (9, 3, 2),
    ):  # fmt: skip
        ratings[user, item] = value
    return ratings


def read_csv(path: str | Path) -> np.ndarray:
    """A table of numbers. Error naming file, line and column when it is anything else."""
    try:
        table: np.ndarray = _native.read_csv(str(path))
    except ValueError as error:
        raise Error(str(error)) from None
    if table.size > MAX_CSV_ELEMENTS:
        raise Error(
            f"{path}: {table.shape[0]} x {table.shape[1]} numbers are too many; at most {MAX_CSV_ELEMENTS}"
        )
    return table


def _scikit_learn() -> Any:
    try:
        import sklearn.datasets
    except ImportError:
        raise Error(
            "this demonstration needs scikit-learn for its data: pip install 'treadle[demo]'"
        ) from None
    return sklearn.datasets


def als_workload(name: str, title: str, ratings: np.ndarray, factors: int, iterations: int) -> Workload:
    from .programs import als, als_by_hand

    if (ratings < 0).any():
        where = np.argwhere(ratings < 0)[0]
        raise Error(
            f"{title}: ratings are counts, but row {where[0] + 1}, column {where[1] + 1} is {ratings[tuple(where)]:g}"
        )
    random = np.random.default_rng(0)
    users, items = ratings.shape
    X, Y = random.standard_normal((users, factors)), random.standard_normal((items, factors))
    return Workload(
        name, title, als, (ratings, X, Y, iterations, 0.1, 40.0),
        f"{users} x {items} ratings, {factors} factors, {iterations} iteration{'s' * (iterations > 1)}, "
        "products with diagonal matrices as in the paper",
        "inverse", iterations * (users + items), als_by_hand,
    )  # fmt: skip


def als_paper() -> Workload:
    return als_workload("als-paper", "ALS, the paper's 10 x 5 ratings", paper_ratings(), 3, 10)


def als_digits() -> Workload:
    digits = _scikit_learn().load_digits().data
    return als_workload("als-digits", "ALS, handwritten digits", digits, 10, 5)


def als_csv(path: str | Path) -> Workload:
    ratings = np.atleast_2d(read_csv(path))
    return als_workload("als-csv", f"ALS, {Path(path).name}", ratings, min(8, *ratings.shape), 1)


def lra_cancer() -> Workload:
    from .programs import lra

    found = _scikit_learn().load_breast_cancer()
    x = (found.data - found.data.mean(axis=0)) / found.data.std(axis=0)
    return _lra("lra-cancer", "Logistic regression, breast cancer", x, found.target.astype(float), lra)


def lra_csv(path: str | Path) -> Workload:
    from .programs import lra

    table = np.atleast_2d(read_csv(path))
    if table.shape[1] < 2:
        raise Error(f"{path}: logistic regression needs features and, in the last column, the class 0 or 1")
    x, y = table[:, :-1], table[:, -1]
    if not np.isin(y, (0.0, 1.0)).all():
        row = int(np.flatnonzero(~np.isin(y, (0.0, 1.0)))[0])
        raise Error(f"{path}: row {row + 1}: the class in the last column is 0 or 1, not {y[row]:g}")
    spread = x.std(axis=0)
    x = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return _lra("lra-csv", f"Logistic regression, {Path(path).name}", x, y, lra)


def _lra(
    name: str, title: str, x: np.ndarray, y: np.ndarray, program: Any, iterations: int = 10_000
) -> Workload:
    detail = f"{x.shape[0]} samples, {x.shape[1]} features, {iterations} steps"
    return Workload(
        name, title, program, (np.ascontiguousarray(x), y, 1e-3, iterations), detail, "exp", iterations
    )


def _kmeans(name: str, title: str, points: np.ndarray) -> Workload:
    from .programs import kmeans

    clusters, iterations = min(10, points.shape[0]), 10
    start = points[np.random.default_rng(0).permutation(points.shape[0])[:clusters]]
    detail = f"{points.shape[0]} points, {points.shape[1]} dimensions, {clusters} clusters, {iterations} iterations"
    return Workload(name, title, kmeans, (points, start, iterations), detail, "argmin", iterations)


def kmeans_digits() -> Workload:
    return _kmeans("kmeans-digits", "k-means, handwritten digits", _scikit_learn().load_digits().data)


def kmeans_csv(path: str | Path) -> Workload:
    return _kmeans("kmeans-csv", f"k-means, {Path(path).name}", np.atleast_2d(read_csv(path)))


def workloads(name: str, csv: Path | None) -> list[Workload]:
    """What `treadle demo NAME [--csv FILE]` runs."""
    if name == "als":
        return [als_paper(), als_csv(csv) if csv else als_digits()]
    if name == "lra":
        return [lra_csv(csv) if csv else lra_cancer()]
    if name == "kmeans":
        return [kmeans_csv(csv) if csv else kmeans_digits()]
    return [als_paper(), als_csv(csv) if csv else als_digits(), lra_cancer()]
