"""Depth: how far down the ranking all true labels are found."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.table import KeyedTable


@dataclass(frozen=True, slots=True, eq=False)
class Depth(KeyedTable, DocumentTable):
    """Documents by (number of true labels, pessimistic rank of the worst true label).

    The pessimistic rank of a label is the number of labels of the view with a score at least as
    high, and the number of labels of the view if it was not retrieved. Documents without true
    labels have the key (0, 0).
    """

    needs_ranks: ClassVar[bool] = True

    @classmethod
    def kinds(cls, facts: Facts) -> NDArray[np.int64]:
        """Give what counts of each document."""
        return np.column_stack([facts.true, facts.ranked.depth]).astype(np.int64)

    @classmethod
    def count(cls, facts: Facts, places: int) -> Self:  # noqa: ARG003  # the contract's
        """Count the documents of a block."""
        return cls.count_rows(cls.kinds(facts))
