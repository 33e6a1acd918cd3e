"""Precision sums: the average precision of documents, added as whole numbers."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.blocks.ranks import DIGIT_BITS
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.table import Counts, DenseTable


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionSums(DenseTable, DocumentTable):
    """Sums of the average precision of documents, in units of 1 / `daskxmlc.blocks.ranks.UNIT`.

    Attributes
    ----------
    low, high
        int64 (): sums of the lower digit, and of the rest, of each document's value, so that no
        sum can overflow.
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
            np.array(np.sum(values & (2**DIGIT_BITS - 1)), dtype=np.int64),
            np.array(np.sum(values >> DIGIT_BITS), dtype=np.int64),
            np.array(with_labels, dtype=np.int64),
            np.array(len(facts) - with_labels, dtype=np.int64),
        )
