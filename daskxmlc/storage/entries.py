"""Stored entries of some documents: labels that occur twice, and the way to and from dense rows."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from daskxmlc.storage.matrix import SparseRows


@dataclass(frozen=True, slots=True)
class Repeats:
    """Labels that occur again in a document.

    Attributes
    ----------
    count
        Entries whose label stands in the document already.
    document, label
        Where the first of them is: the document counted from the rows' first; -1 if there is none.
    """

    count: int = 0
    document: int = -1
    label: int = -1


def find_repeats(rows: SparseRows) -> Repeats:
    """Count the entries that repeat a label of their document."""
    return Repeats(*_scan(rows, np.zeros(len(rows), np.bool_)))


def keep_better(rows: SparseRows) -> SparseRows:
    """Keep one entry for each label of a document: that with the best score, in its place."""
    marked = np.zeros(len(rows), np.bool_)
    _scan(rows, marked)
    documents = np.repeat(np.arange(len(rows)), np.diff(rows.indptr))
    kept = ~marked[documents]
    places = np.flatnonzero(~kept)  # only these need sorting
    documents, labels = documents[places], rows.indices[places]
    order = np.lexsort((rows.data[places], labels, documents))
    same = (np.diff(documents[order]) == 0) & (np.diff(labels[order]) == 0)
    last = np.append(~same, True)[: len(order)]  # of equal labels the best stands last
    kept[places[order[last]]] = True
    return choose_entries(rows, np.flatnonzero(kept))


def choose_entries(rows: SparseRows, kept: NDArray[np.intp]) -> SparseRows:
    """Keep the entries at ascending places."""
    return SparseRows(np.searchsorted(kept, rows.indptr), rows.indices[kept], rows.data[kept])


def entries_of(rows: NDArray[np.generic], present: NDArray[np.bool_]) -> SparseRows:
    """Take the cells of dense rows where `present` is true, in the order of the labels."""
    documents, labels = np.nonzero(present)
    indptr = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(np.bincount(documents, minlength=len(rows)), out=indptr[1:])
    return SparseRows(indptr, labels.astype(np.int32), rows[present])


def dense_of(rows: SparseRows, labels: int, absent: float) -> NDArray[np.generic]:
    """Lay distinct entries out as dense rows; cells without an entry hold `absent`."""
    dense = np.full((len(rows), labels), absent, rows.data.dtype)
    dense[np.repeat(np.arange(len(rows)), np.diff(rows.indptr)), rows.indices] = rows.data
    return dense


def _scan(rows: SparseRows, marked: NDArray[np.bool_]) -> tuple[int, int, int]:
    if len(rows.indices) == 0:
        return 0, -1, -1
    seen = np.full(int(rows.indices.max()) + 1, -1, np.int64)
    return _mark_repeats(rows.indptr, rows.indices, seen, marked)


@njit(cache=True, nogil=True)
def _mark_repeats(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    seen: NDArray[np.int64],
    marked: NDArray[np.bool_],
) -> tuple[int, int, int]:
    count = 0
    document = -1
    label = -1
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            column = indices[entry]
            if seen[column] == row:
                if count == 0:
                    document = row
                    label = column
                count += 1
                marked[row] = True
            seen[column] = row
    return count, document, label
