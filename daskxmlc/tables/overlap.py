"""Documents by overlap: how many labels are true, predicted, and both."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.table import KeyedTable


@dataclass(frozen=True, slots=True, eq=False)
class Overlap(KeyedTable):
    """Documents by (true labels, predicted labels, labels both true and predicted)."""

    @classmethod
    def count(cls, facts: Facts) -> Self:
        """Count the documents of a block."""
        keys = np.stack([facts.true, facts.predicted, facts.both], axis=1)
        return cls.count_rows(keys.astype(np.int64))
