"""Document rows: what is known of each single document, for reports that list them."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts


@dataclass(frozen=True, slots=True, eq=False)
class DocumentRows:
    """Facts about documents in the first view; adds by putting documents behind each other.

    Attributes
    ----------
    position
        int64 (n,): the document's row in the truth.
    facts
        What was found about each.
    """

    position: NDArray[np.int64]
    facts: Facts

    def __add__(self, other: Self) -> "DocumentRows":
        return DocumentRows(
            np.concatenate([self.position, other.position]), self.facts.join(other.facts)
        )

    def in_order(self) -> "DocumentRows":
        """Sort the documents by their row in the truth."""
        order = np.argsort(self.position, kind="stable")
        return DocumentRows(self.position[order], self.facts.take(order))
