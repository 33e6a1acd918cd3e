"""Hits within: true labels among the first places, as many places as there are true labels."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.table import KeyedTable


@dataclass(frozen=True, slots=True, eq=False)
class HitsWithin(KeyedTable, DocumentTable):
    """Documents by (number of true labels a, true labels among the first a places)."""

    needs_ranks: ClassVar[bool] = True

    @classmethod
    def kinds(cls, facts: Facts) -> NDArray[np.int64]:
        """Give what counts of each document."""
        return np.column_stack([facts.true, facts.ranked.within]).astype(np.int64)

    @classmethod
    def count(cls, facts: Facts, places: int) -> Self:  # noqa: ARG003  # the contract's
        """Count the documents of a block."""
        return cls.count_rows(cls.kinds(facts))
