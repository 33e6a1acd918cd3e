"""True places: how far down the second, the third, … true label stands."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.table import KeyedTable


@dataclass(frozen=True, slots=True, eq=False)
class TruePlaces(KeyedTable, DocumentTable):
    """Documents with at least j true labels by (j, place of the j-th one from the top).

    A place is counted from 1 in the ranking of the retrieved labels of the view; 0 means that
    fewer than j true labels were retrieved. j runs from 1 to the largest that was asked for.
    """

    needs_ranks: ClassVar[bool] = True

    @classmethod
    def kinds(cls, facts: Facts) -> NDArray[np.int64]:
        """Give what counts of each document."""
        return np.column_stack([facts.true, facts.ranked.places]).astype(np.int64)

    @classmethod
    def count(cls, facts: Facts, places: int) -> Self:  # noqa: ARG003  # the contract's
        """Count the documents of a block."""
        found = facts.ranked.places
        nth = np.arange(1, found.shape[1] + 1)
        document, column = np.nonzero(facts.true[:, None] >= nth)
        return cls.count_rows(np.column_stack([column + 1, found[document, column]]))
