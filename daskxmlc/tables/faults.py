"""Faults: what the scores hold that they must not, or should not."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from daskxmlc.tables.table import Counts, Table


@dataclass(frozen=True, slots=True, eq=False)
class Faults(Table):
    """How often a fault occurred, and where first.

    Attributes
    ----------
    nan, doubled
        int64 (3,): scores that are NaN, and labels stored twice in a document: their number, row
        and column of the first in the score matrix (-1, -1 if there is none).
    doubled_truth
        int64 (3,): likewise labels that stand twice in a document of the truth.
    graded_truth
        int64 (3,): likewise values of the truth that are neither 0 nor 1.
    wrong_truth
        int64 (3,): likewise values of the truth that are NaN or negative.
    """

    nan: Counts
    doubled: Counts
    doubled_truth: Counts
    graded_truth: Counts
    wrong_truth: Counts

    @classmethod
    def none(cls) -> Self:
        """Make the table of data without faults."""
        free = np.array([0, -1, -1], dtype=np.int64)
        return cls(free, free, free, free, free)

    def __add__(self, other: Self) -> Self:
        """Add the numbers; the first place of both is the first of all."""
        return type(self)(
            *(_join(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        )


def _join(mine: Counts, theirs: Counts) -> Counts:
    places = [tuple(fault[1:]) for fault in (mine, theirs) if fault[0] > 0]
    first = min(places, default=(-1, -1))
    return np.array([mine[0] + theirs[0], *first], dtype=np.int64)
