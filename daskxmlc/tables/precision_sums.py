"""Precision sums: the average precision of documents, added as whole numbers."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.table import Counts, DenseTable

#: A document's value is cut in two limbs, the lower of so many bits, so that sums cannot overflow.
LOW_BITS = 26


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionSums(DenseTable, DocumentTable):
    """Sums of the average precision of documents, in units of 2**-52.

    Attributes
    ----------
    low, high
        int64 (): sums of the lower 26 bits, and of the rest, of each document's value.
    documents, without
        int64 (): documents with a true label in the view, and without one.
    """

    needs_ranks: ClassVar[bool] = True

    low: Counts
    high: Counts
    documents: Counts
    without: Counts

    @classmethod
    def kinds(cls, facts: Facts) -> NDArray[np.int64]:
        """Give what counts of each document."""
        return np.column_stack([facts.true, facts.ranked.precision]).astype(np.int64)

    @classmethod
    def count(cls, facts: Facts, places: int) -> Self:  # noqa: ARG003  # the contract's
        """Count the documents of a block."""
        values = facts.ranked.precision
        with_labels = np.count_nonzero(facts.true)
        return cls(
            np.array(np.sum(values & (2**LOW_BITS - 1)), dtype=np.int64),
            np.array(np.sum(values >> LOW_BITS), dtype=np.int64),
            np.array(with_labels, dtype=np.int64),
            np.array(len(facts) - with_labels, dtype=np.int64),
        )
