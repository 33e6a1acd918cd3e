"""Hits by rank: where, among the best K labels, the true ones stand."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.facts import Facts
from daskxmlc.tables.document_table import DocumentTable
from daskxmlc.tables.table import Counts, DenseTable

FEW = 32
"""Places up to which a document's hits are told apart by one whole number."""

LIMBS = 5
LIMB_BITS = 26
UNIT = 1 << LIMB_BITS * (LIMBS - 1)
"""Units of a sum of precisions: 2**-104."""


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
    prefix
        int64 (K, A + 1): ``prefix[r - 1, a]`` is the sum, over the documents of `hits`, of how
        many hits they have in the first r places.
    precisions
        int64 (K, A, 2, 5): ``precisions[k - 1, h - 1, c]`` speaks of the documents with h hits in
        the first k places and fewer than k true labels (c = 0) or not (c = 1): the sum of the
        precisions at their hits. Each document's is a whole number of 2**-104, in limbs of 26
        bits, the lowest first; the last holds the whole ones. 2**37 documents fit.
    """

    hits: Counts
    first_hits: Counts
    documents: Counts
    prefix: Counts
    precisions: Counts

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
        prefix = np.zeros((places, size), dtype=np.int64)
        found = np.zeros(len(facts), dtype=np.int64)
        for r in range(min(places, facts.hit.shape[1])):
            hit = facts.hit[:, r]
            found += hit
            hits[r] = np.bincount(facts.true[hit], minlength=size)
            first_hits[r] = np.bincount(facts.true[facts.first_hit == r + 1], minlength=size)
            np.add.at(prefix[r], facts.true[hit], found[hit])
        return cls(hits, first_hits, documents, prefix, _precisions(facts, places, size - 1))

    def __add__(self, other: Self) -> Self:
        """Add the counts; the larger A of the two is that of the sum."""
        size = max(len(self.documents), len(other.documents))
        return super(HitsByRank, self.widen(size)).__add__(other.widen(size))

    def widen(self, size: int) -> Self:
        """Give the same counts with that many columns, at least as many as there are."""
        more = size - len(self.documents)
        if more == 0:
            return self
        return type(self)(
            np.pad(self.hits, ((0, 0), (0, more))),
            np.pad(self.first_hits, ((0, 0), (0, more))),
            np.pad(self.documents, (0, more)),
            np.pad(self.prefix, ((0, 0), (0, more))),
            np.pad(self.precisions, ((0, 0), (0, more), (0, 0), (0, 0))),
        )


def _precisions(facts: Facts, places: int, most: int) -> Counts:
    """Add the documents' precisions at their hits, by their hits in the first k places."""
    sums = np.zeros((places, most, 2, LIMBS), dtype=np.int64)
    last = min(places, facts.hit.shape[1])
    kinds, counts = _kinds(facts, last)
    hit, true = facts.hit[kinds], facts.true[kinds]
    found = np.zeros(len(kinds), dtype=np.int64)
    limbs = np.zeros((len(kinds), LIMBS), dtype=np.int64)
    for k in range(1, last + 1):
        found += hit[:, k - 1]
        limbs += (hit[:, k - 1] * found)[:, None] * _limbs(k)
        for low in range(LIMBS - 1):
            limbs[:, low + 1] += limbs[:, low] >> LIMB_BITS
            limbs[:, low] &= (1 << LIMB_BITS) - 1
        at = found > 0
        where = (found[at] - 1, (true[at] >= k).astype(np.int64))
        np.add.at(sums[k - 1], where, limbs[at] * counts[at, None])
    if last:
        # More places than labels: nothing stands there, and no document has that many labels.
        sums[last:, :, 0] = sums[last - 1].sum(axis=1)
    return sums


def _kinds(facts: Facts, places: int) -> tuple[Counts, Counts]:
    """Give a document of each kind, and how many there are: most have few hits, alike."""
    if places > FEW:
        kinds = np.flatnonzero(facts.hit[:, :places].any(axis=1))
        return kinds, np.ones(len(kinds), dtype=np.int64)
    marks = facts.hit[:, :places] @ (1 << np.arange(places, dtype=np.int64))
    keys = marks * (places + 1) + np.minimum(facts.true, places)
    _, kinds, counts = np.unique(keys, return_index=True, return_counts=True)
    return kinds, counts


def _limbs(place: int) -> Counts:
    """Split 1 / place, rounded to whole units."""
    unit = (2 * UNIT + place) // (2 * place)
    limbs = [unit >> LIMB_BITS * limb & (1 << LIMB_BITS) - 1 for limb in range(LIMBS)]
    return np.array(limbs, dtype=np.int64)
