"""Documents by overlap: how many labels are true, predicted, and both."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.table import KeyedTable


@dataclass(frozen=True, slots=True, eq=False)
class Overlap(KeyedTable, DocumentTable):
    """Documents by (true labels, predicted labels, labels both true and predicted)."""

    @classmethod
    def kinds(cls, facts: Facts) -> NDArray[np.int64]:
        """Give what counts of each document."""
        return np.column_stack([facts.true, facts.predicted, facts.both]).astype(np.int64)

    @classmethod
    def count(cls, facts: Facts, places: int) -> Self:  # noqa: ARG003  # the contract's
        """Count the documents of a block."""
        return cls.count_rows(cls.kinds(facts))
