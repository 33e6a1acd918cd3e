"""Pairs of a true and another label, in the wrong order or tied."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.table import Counts, DenseTable


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(DenseTable, DocumentTable):
    """Pairs by the number of true labels of their document.

    Attributes
    ----------
    inverted, tied
        int64 (A + 1,): pairs in which the other label has a higher score, an equal one, of all
        documents with a true labels in the view. A is the largest a that occurs.
    documents
        int64 (A + 1,): documents by their number of true labels in the view.
    """

    needs_ranks: ClassVar[bool] = True

    inverted: Counts
    tied: Counts
    documents: Counts

    @classmethod
    def kinds(cls, facts: Facts) -> NDArray[np.int64]:
        """Give what counts of each document."""
        return np.column_stack([facts.true, facts.ranked.inverted, facts.ranked.tied]).astype(
            np.int64
        )

    @classmethod
    def count(cls, facts: Facts, places: int) -> Self:  # noqa: ARG003  # the contract's
        """Count the documents of a block."""
        documents = np.bincount(facts.true, minlength=1).astype(np.int64)
        ranked = facts.ranked
        return cls(
            _totals(facts.true, ranked.inverted, len(documents)),
            _totals(facts.true, ranked.tied, len(documents)),
            documents,
        )

    def __add__(self, other: Self) -> Self:
        """Add the counts; the larger A of the two is that of the sum."""
        size = max(len(self.documents), len(other.documents))
        return super(Pairs, self._widen(size)).__add__(other._widen(size))

    def _widen(self, size: int) -> Self:
        more = (0, size - len(self.documents))
        if more[1] == 0:
            return self
        return type(self)(
            np.pad(self.inverted, more), np.pad(self.tied, more), np.pad(self.documents, more)
        )


def _totals(true: NDArray[np.int32], numbers: Counts, size: int) -> Counts:
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, true, numbers)
    return totals
