"""Tables that are counted document by document, from what is known of each."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class DocumentTable(Table):
    """A table of documents.

    Attributes
    ----------
    needs_ranks
        Whether the full ranks of true labels have to be counted for it.
    """

    needs_ranks: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def kinds(cls, facts: Facts) -> NDArray[np.int64]:
        """Give what counts of each document, int64 (n, d): equal rows count alike."""

    @classmethod
    @abstractmethod
    def count(cls, facts: Facts, places: int) -> Self:
        """Count the documents of a block.

        Parameters
        ----------
        facts
            What is known of them.
        places
            K: how many places of each ranking are wanted; there may be fewer labels.
        """
