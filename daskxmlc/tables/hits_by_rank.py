"""Hits by rank: where, among the best K labels, the true ones stand."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.table import Counts, DenseTable


@dataclass(frozen=True, slots=True, eq=False)
class HitsByRank(DenseTable, DocumentTable):
    """Documents by the place of their hits and by their number of true labels.

    Attributes
    ----------
    hits
        int64 (K, A + 1): ``hits[r - 1, a]`` documents have `a` true labels in the view and a true
        label at place r. A is the largest number of true labels of any document counted.
    first_hits
        int64 (K, A + 1): ``first_hits[r - 1, a]`` documents have their first hit at place r.
    documents
        int64 (A + 1,): documents by their number of true labels in the view.
    """

    hits: Counts
    first_hits: Counts
    documents: Counts

    @classmethod
    def kinds(cls, facts: Facts) -> NDArray[np.int64]:
        """Give what counts of each document."""
        return np.column_stack(
            [facts.true, facts.hit, facts.first_hit <= facts.hit.shape[1]]
        ).astype(np.int64)

    @classmethod
    def count(cls, facts: Facts, places: int) -> Self:
        """Count the documents of a block.

        Parameters
        ----------
        facts
            What is known of them; where there are fewer labels than `places`, fewer places.
        places
            K.
        """
        documents = np.bincount(facts.true, minlength=1).astype(np.int64)
        size = len(documents)
        hits = np.zeros((places, size), dtype=np.int64)
        first_hits = np.zeros((places, size), dtype=np.int64)
        for r in range(min(places, facts.hit.shape[1])):
            hits[r] = np.bincount(facts.true[facts.hit[:, r]], minlength=size)
            first_hits[r] = np.bincount(facts.true[facts.first_hit == r + 1], minlength=size)
        return cls(hits, first_hits, documents)

    def __add__(self, other: Self) -> Self:
        """Add the counts; the larger A of the two is that of the sum."""
        size = max(len(self.documents), len(other.documents))
        return super(HitsByRank, self._widen(size)).__add__(other._widen(size))

    def _widen(self, size: int) -> Self:
        more = size - len(self.documents)
        if more == 0:
            return self
        return type(self)(
            np.pad(self.hits, ((0, 0), (0, more))),
            np.pad(self.first_hits, ((0, 0), (0, more))),
            np.pad(self.documents, (0, more)),
        )
