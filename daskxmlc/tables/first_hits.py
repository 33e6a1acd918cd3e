"""First hits: how far down the first true label stands."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.table import KeyedTable


@dataclass(frozen=True, slots=True, eq=False)
class FirstHits(KeyedTable, DocumentTable):
    """Documents by (number of true labels, place of the first true label).

    A place is counted from 1 in the ranking of the retrieved labels of the view; 0 means that no
    true label was retrieved. Documents without true labels have the key (0, 0).
    """

    @classmethod
    def kinds(cls, facts: Facts) -> NDArray[np.int64]:
        """Give what counts of each document."""
        return np.column_stack([facts.true, facts.first_hit]).astype(np.int64)

    @classmethod
    def count(cls, facts: Facts, places: int) -> Self:  # noqa: ARG003  # the contract's
        """Count the documents of a block."""
        return cls.count_rows(cls.kinds(facts))
