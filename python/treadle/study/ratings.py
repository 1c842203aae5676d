"""The ratings that alternating least squares is given: random ones, or a corner of a table."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..demo.data import read_csv


@dataclass(frozen=True, eq=False)
class Ratings:
    """By default random: 20 % of them are there, from 1 to 5."""

    title: str = ""
    table: np.ndarray | None = None

    @classmethod
    def read(cls, file: Path) -> Ratings:
        """Raises treadle.Error that names file, line and column, and ValueError."""
        table = np.atleast_2d(read_csv(file))
        if table.size == 0:
            raise ValueError(f"{file}: no ratings")
        if (table < 0).any():
            row, column = np.argwhere(table < 0)[0]
            raise ValueError(
                f"{file}: ratings are counts, but row {row + 1}, column {column + 1} is {table[row, column]:g}"
            )
        return cls(f"{file.name} ({table.shape[0]} x {table.shape[1]})", table)

    @property
    def name(self) -> str:
        """As runs remember it: it changes with the numbers."""
        if self.table is None:
            return ""
        digest = hashlib.sha256(np.ascontiguousarray(self.table).tobytes()).hexdigest()
        return f"{self.title} {digest[:12]}"

    def have(self, users: int, items: int) -> bool:
        """Whether there are this many; the paper's 10 x 5 are always there."""
        return (
            self.table is None
            or (users, items) == (10, 5)
            or (users <= self.table.shape[0] and items <= self.table.shape[1])
        )

    def of(self, users: int, items: int) -> np.ndarray:
        if self.table is not None:
            return np.ascontiguousarray(self.table[:users, :items])
        random = np.random.default_rng(7)
        chosen: np.ndarray = (random.random((users, items)) < 0.2) * random.integers(
            1, 6, (users, items)
        ).astype(float)
        return chosen

    def said(self) -> str:
        if self.table is not None:
            return f"The ratings are the first rows and columns of {self.title}."
        return (
            "The paper reads the ratings of the large sets from a file that it does not name: random ones (20 % of them, 1"
            " to 5) stand for them; `--ratings FILE.csv` takes others."
        )


RANDOM = Ratings()
