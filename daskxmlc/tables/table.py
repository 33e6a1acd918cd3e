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
        """Count how often each row of `keys` (n, d), none of them negative, occurs."""
        return cls._sum(keys, np.ones(len(keys), dtype=np.int64))

    def __add__(self, other: Self) -> Self:
        """Add the counts of equal keys."""
        return self._sum(
            np.concatenate([self.keys, other.keys]), np.concatenate([self.counts, other.counts])
        )

    @classmethod
    def _sum(cls, keys: Counts, counts: Counts) -> Self:
        order = np.lexsort(keys.T[::-1])
        ordered = keys[order]
        changes = (ordered[1:] != ordered[:-1]).any(axis=1)
        starts = np.flatnonzero(np.concatenate([[len(keys) > 0], changes]))[: len(keys)]
        # Python would add the counts of no key at all to one row of nothing.
        sums = np.add.reduceat(counts[order], starts) if len(keys) else counts
        return cls(ordered[starts], sums)
