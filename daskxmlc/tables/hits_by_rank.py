"""Hits by rank: where, among the best K labels, the true ones stand."""

from dataclasses import dataclass

from daskxmlc.tables.table import Counts, DenseTable


@dataclass(frozen=True, slots=True, eq=False)
class HitsByRank(DenseTable):
    """Documents by the place of their hits and by their number of true labels.

    Attributes
    ----------
    hits
        int64 (K, A + 1): ``hits[r - 1, a]`` documents have `a` true labels in the view and a true
        label at place r. A is the largest number of true labels of any document of the truth.
    first_hits
        int64 (K, A + 1): ``first_hits[r - 1, a]`` documents have their first hit at place r.
    documents
        int64 (A + 1,): documents by their number of true labels in the view.
    """

    hits: Counts
    first_hits: Counts
    documents: Counts
