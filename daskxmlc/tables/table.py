"""What a table is: whole numbers that add to the same sums in any order and grouping."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Table(ABC):
    """Counts of one view; every field is an int64 array (a single number is an array of shape ()).

    Subclasses say how two tables are added: field by field (`DenseTable`) or by key (`KeyedTable`).
    Two tables are equal if all their fields are.
    """

    @abstractmethod
    def __add__(self, other: Self) -> Self:
        """Add the counts of two disjoint sets of documents."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside


@dataclass(frozen=True, slots=True, eq=False)
class DenseTable(Table):
    """A table whose fields have the same shapes in every block."""

    def __add__(self, other: Self) -> Self:
        """Add field by field.

        Raises
        ------
        ValueError
            The two tables were counted with different parameters.
        """
        sums: list[Counts] = []
        for f in fields(self):
            mine, theirs = getattr(self, f.name), getattr(other, f.name)
            if mine.shape != theirs.shape:
                message = (
                    f"tables: {type(self).__name__}.{f.name} has shape {mine.shape} here and "
                    f"{theirs.shape} there; only tables of one run's parameters add"
                )
                raise ValueError(message)
            sums.append(np.asarray(mine + theirs, dtype=np.int64))
        return type(self)(*sums)


@dataclass(frozen=True, slots=True, eq=False)
class KeyedTable(Table):
    """A table of keys that occurred and how often, keys in lexicographic order, counts above 0.

    Attributes
    ----------
    keys
        int64 (m, d), each row once.
    counts
        int64 (m,).
    """

    keys: Counts
    counts: Counts

    @classmethod
    def count_rows(cls, keys: Counts) -> Self:
        """Count how often each row of `keys` (n, d) occurs."""
        found, counts = np.unique(keys, axis=0, return_counts=True)
        return cls(found.astype(np.int64), counts.astype(np.int64))

    def __add__(self, other: Self) -> Self:
        """Add the counts of equal keys."""
        keys, place = np.unique(
            np.concatenate([self.keys, other.keys]), axis=0, return_inverse=True
        )
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, place.reshape(-1), np.concatenate([self.counts, other.counts]))
        return type(self)(keys, counts)
