"""The programs of the demonstration: plain NumPy functions, compiled by td.jit or run as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit

Array = Any  # numpy.ndarray; the functions are compiled from their source


@jit
def als(
    ratings: Array, X: Array, Y: Array, iterations: int, regularization: float, alpha: float
) -> tuple[Array, Array]:
    """Alternating least squares for implicit feedback (Hu, Koren, Volinsky 2008), as written in the paper's program.

    Confidences are diagonal matrices, and both Gram matrices come from the previous iterate.
    """
    users, items = ratings.shape
    factors = X.shape[1]
    confidence = alpha * ratings
    ridge = regularization * np.identity(factors)
    I_users = np.identity(users)
    I_items = np.identity(items)
    X = X.copy()
    Y = Y.copy()
    for _ in range(iterations):
        G_Y = Y.T @ Y + ridge
        G_X = X.T @ X + ridge
        for u in range(users):
            c = confidence[u, :]
            D = np.diag(c)
            p = (c != 0).astype(float)
            A = Y.T @ D @ Y + G_Y
            b = Y.T @ (D + I_items) @ p
            X[u, :] = np.linalg.inv(A) @ b
        for i in range(items):
            c = confidence[:, i]
            D = np.diag(c)
            p = (c != 0).astype(float)
            A = X.T @ D @ X + G_X
            b = X.T @ (D + I_users) @ p
            Y[i, :] = np.linalg.inv(A) @ b
    return X, Y


def als_by_hand(
    ratings: Array, X: Array, Y: Array, iterations: int, regularization: float, alpha: float
) -> tuple[Array, Array]:
    """als() as one writes it who knows that NumPy multiplies the zeros of a diagonal matrix: rows are scaled
    instead."""
    users, items = ratings.shape
    factors = X.shape[1]
    confidence = alpha * ratings
    ridge = regularization * np.identity(factors)
    X = X.copy()
    Y = Y.copy()
    for _ in range(iterations):
        G_Y = Y.T @ Y + ridge
        G_X = X.T @ X + ridge
        for u in range(users):
            c = confidence[u, :]
            p = (c != 0).astype(float)
            A = (Y.T * c) @ Y + G_Y
            b = (Y.T * (c + 1)) @ p
            X[u, :] = np.linalg.inv(A) @ b
        for i in range(items):
            c = confidence[:, i]
            p = (c != 0).astype(float)
            A = (X.T * c) @ X + G_X
            b = (X.T * (c + 1)) @ p
            Y[i, :] = np.linalg.inv(A) @ b
    return X, Y


@jit
def lra(x: Array, y: Array, step: float, iterations: int) -> Array:
    """Logistic regression by gradient descent."""
    weights = np.zeros(x.shape[1])
    transposed = x.T
    for _ in range(iterations):
        predicted = 1.0 / (1.0 + np.exp(-np.dot(x, weights)))
        gradient = np.dot(transposed, predicted - y)
        weights = weights - step * gradient
    return weights


@jit
def kmeans(points: Array, start: Array, iterations: int) -> tuple[Array, Array]:
    """Lloyd's algorithm: centroids, and the nearest one of every point."""
    centroids = start
    closest = np.zeros(points.shape[0], dtype=int)
    for _ in range(iterations):
        distances = np.sum((points[:, None, :] - centroids[None, :, :]) ** 2, axis=2)
        closest = np.argmin(distances, axis=1)
        centroids = np.stack([nearest(points, closest, k, centroids[k]) for k in range(start.shape[0])])
    return centroids, closest


def nearest(points: Array, closest: Array, k: int, old: Array) -> Array:
    """The mean of the points of one cluster; a cluster without points stays where it was."""
    inside = points[closest == k]
    return np.mean(inside, axis=0) if inside.shape[0] > 0 else old
