"""The truth of a block: from stored rows to distinct, sorted true labels."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.state import Truth, note_fault
from daskxmlc.compiling import compiled
from daskxmlc.storage.matrix import Rows, SparseRows


class Oddities(NamedTuple):
    """What is odd in a truth, though it can be read.

    Attributes
    ----------
    doubled
        int64 (3,): how many true labels stood twice in a document; document and label of the
        first, -1 if there was none.
    graded
        int64 (3,): likewise values that are neither 0 nor 1.
    wrong
        int64 (3,): likewise values that are NaN or negative.
    """

    doubled: NDArray[np.int64]
    graded: NDArray[np.int64]
    wrong: NDArray[np.int64]


def truth_of(rows: Rows) -> tuple[Truth, Oddities]:
    """Take the true labels out of stored rows.

    Parameters
    ----------
    rows
        Of a truth: what is not 0 is true.

    Returns
    -------
    Truth
        Labels distinct and increasing in each document.
    Oddities
        Places are those among the rows.
    """
    doubled = np.array([0, -1, -1], dtype=np.int64)
    if not isinstance(rows, SparseRows):
        documents, columns = np.nonzero(rows)
        sizes = np.bincount(documents, minlength=len(rows))
        odd = Oddities(doubled, *_graded(rows[documents, columns], documents, columns))
        return Truth(_starts(sizes), columns.astype(np.int32)), odd
    true = np.asarray(rows.data != 0)
    documents = np.repeat(np.arange(len(rows)), np.diff(rows.indptr))
    sizes = np.zeros(len(rows), dtype=np.int64)
    labels = np.empty(len(rows.indices), dtype=np.int32)
    count = _sort_rows(rows.indptr, rows.indices, true, labels, sizes, doubled)
    return (
        Truth(_starts(sizes), labels[:count]),
        Oddities(doubled, *_graded(rows.data[true], documents[true], rows.indices[true])),
    )


def select(rows: Rows, documents: NDArray[np.int64]) -> Rows:
    """Give the stored rows of some documents, in that order."""
    if not isinstance(rows, SparseRows):
        return np.asarray(rows[documents])
    starts = rows.indptr[documents]
    sizes = rows.indptr[documents + 1] - starts
    indptr = _starts(sizes)
    places = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], sizes)
    return SparseRows(indptr, rows.indices[places], rows.data[places])


def _graded(
    values: NDArray[Any], documents: NDArray[np.int64], columns: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count values that are not 1, and those that are NaN or negative."""
    # NaN is not equal to itself.
    wrong = np.asarray((values < 0) | (values != values))  # noqa: PLR0124
    return _first(np.asarray(values != 1), documents, columns), _first(wrong, documents, columns)


def _first(
    odd: NDArray[np.bool_], documents: NDArray[np.int64], columns: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Count what is odd, and give the place of the first of it."""
    number = int(np.count_nonzero(odd))
    at = int(np.argmax(odd)) if number else 0
    place = (int(documents[at]), int(columns[at])) if number else (-1, -1)
    return np.array([number, *place], dtype=np.int64)


def take(truth: Truth, documents: NDArray[np.int64]) -> Truth:
    """Give the true labels of some documents, in that order."""
    starts = truth.indptr[documents]
    sizes = truth.indptr[documents + 1] - starts
    indptr = _starts(sizes)
    places = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], sizes)
    return Truth(indptr, truth.labels[places])


def join(truths: list[Truth]) -> Truth:
    """Put the documents of several truths behind each other."""
    sizes = np.concatenate([np.diff(truth.indptr) for truth in truths])
    return Truth(_starts(sizes), np.concatenate([truth.labels for truth in truths]))


def renumber(truth: Truth, number: NDArray[np.int32]) -> Truth:
    """Give every label another number; they increase in each document again.

    Parameters
    ----------
    truth
        Distinct labels.
    number
        int32 (L,): the number of each label, all different.
    """
    labels = number[truth.labels]
    document = np.repeat(np.arange(len(truth.indptr) - 1), np.diff(truth.indptr))
    return Truth(truth.indptr, labels[np.lexsort((labels, document))])


def _starts(sizes: NDArray[np.integer]) -> NDArray[np.int64]:
    indptr = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=indptr[1:])
    return indptr


@compiled
def _sort_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    true: NDArray[np.bool_],
    labels: NDArray[np.int32],
    sizes: NDArray[np.int64],
    doubled: NDArray[np.int64],
) -> int:
    count = 0
    for i in range(len(indptr) - 1):
        start = count
        for e in range(indptr[i], indptr[i + 1]):
            if true[e]:
                labels[count] = indices[e]
                count += 1
        labels[start:count].sort()
        kept = start
        for at in range(start, count):
            if at > start and labels[at] == labels[kept - 1]:
                note_fault(doubled, i, labels[at])
            else:
                labels[kept] = labels[at]
                kept += 1
        count = kept
        sizes[i] = kept - start
    return count
