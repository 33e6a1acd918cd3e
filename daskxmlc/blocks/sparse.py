"""Sparse scores: only stored labels are looked at; the others were not retrieved."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.keys import Key, KeySpace, order_key
from daskxmlc.blocks.layout import Layout
from daskxmlc.blocks.rank import place, stands_before
from daskxmlc.blocks.state import NO_LABEL, State, Truth, below_top, note_fault
from daskxmlc.compiling import compiled, inlined


class Entries(NamedTuple):
    """Stored entries of the documents of a block, scores as integers of `bits_of`."""

    indptr: NDArray[np.int64]
    columns: NDArray[np.int32]
    bits: NDArray[np.signedinteger]


class Labels(NamedTuple):
    """The labels of a sparse matrix as the kernels want them.

    Attributes
    ----------
    label_of_column
        int32 (C,): label of the truth in each column, -1 for none.
    cell_of_label, cell_start, cell_views
        As in `daskxmlc.blocks.layout.Layout`.
    thresholds
        int64 (Q,): smallest predicted key of each label.
    lowest, highest
        Keys of -inf and +inf.
    """

    label_of_column: NDArray[np.int32]
    cell_of_label: NDArray[np.int32]
    cell_start: NDArray[np.int32]
    cell_views: NDArray[np.int32]
    thresholds: NDArray[np.int64]
    lowest: int
    highest: int


class Retrieved(NamedTuple):
    """What one document retrieved; made once for a block.

    Attributes
    ----------
    document, key
        int64 (Q,): last document in which a label was retrieved, and its best key there.
    column_document
        int64 (C,): last document in which a column was stored.
    labels
        int32 (Q,): retrieved labels, in the order in which they are stored.
    """

    document: NDArray[np.int64]
    key: NDArray[np.int64]
    column_document: NDArray[np.int64]
    labels: NDArray[np.int32]


def labels_of(
    layout: Layout, label_of_column: NDArray[np.int32], space: KeySpace, *, threshold: int
) -> Labels:
    """Prepare the labels of a sparse matrix for the kernels."""
    return Labels(
        label_of_column=label_of_column,
        cell_of_label=layout.cell_of_label,
        cell_start=layout.cell_start,
        cell_views=layout.cell_views,
        thresholds=np.full(layout.labels, min(threshold, 2**63 - 1), dtype=np.int64),
        lowest=space.lowest,
        highest=space.highest,
    )


def scan_sparse(entries: Entries, truth: Truth, labels: Labels, state: State) -> None:
    """Take a block of documents into the state, with the places of the first true labels.

    Parameters
    ----------
    entries
        Stored entries; a column may occur twice in a document: the better score counts, and the
        state's `doubled` tells.
    truth
        True labels of the same documents.
    labels
        Labels of the matrix.
    state
        Changed in place.
    """
    _scan(entries, truth, labels, state, retrieved_for(labels))


def retrieved_for(labels: Labels) -> Retrieved:
    """Make the room for what one document after the other retrieved."""
    size = len(labels.cell_of_label)
    return Retrieved(
        document=np.full(size, -1, dtype=np.int64),
        key=np.zeros(size, dtype=np.int64),
        column_document=np.full(len(labels.label_of_column), -1, dtype=np.int64),
        labels=np.empty(size, dtype=np.int32),
    )


def densify(
    entries: Entries, columns: int, absent: int, doubled: NDArray[np.int64]
) -> NDArray[np.signedinteger]:
    """Write a block out in full where what is not stored is the number zero.

    Parameters
    ----------
    entries
        Stored entries.
    columns
        Columns of the matrix.
    absent
        Bits of what is not stored.
    doubled
        int64 (3,): takes note of columns stored twice in a document.

    Returns
    -------
    numpy.ndarray
        (documents, columns) of bits.
    """
    dense = np.full((len(entries.indptr) - 1, columns), absent, dtype=entries.bits.dtype)
    stored_in = np.full(columns, -1, dtype=np.int64)
    _fill(entries, dense, stored_in, doubled)
    return dense


@compiled
def _fill(
    entries: Entries,
    dense: NDArray[np.signedinteger],
    stored_in: NDArray[np.int64],
    doubled: NDArray[np.int64],
) -> None:
    for i in range(len(entries.indptr) - 1):
        for e in range(entries.indptr[i], entries.indptr[i + 1]):
            column = entries.columns[e]
            if stored_in[column] == i:
                note_fault(doubled, i, column)
                if order_key(entries.bits[e]) <= order_key(dense[i, column]):
                    continue
            stored_in[column] = i
            dense[i, column] = entries.bits[e]


@compiled
def _scan(
    entries: Entries, truth: Truth, labels: Labels, state: State, retrieved: Retrieved
) -> None:
    for i in range(len(entries.indptr) - 1):
        count = retrieve(i, entries, labels, state, retrieved)
        for at in range(count):
            _rank(i, retrieved.labels[at], labels, state, retrieved)
        _meet_truth(i, truth, labels, state, retrieved)
        for at in range(count):
            _compare(i, retrieved.labels[at], labels, state, retrieved)


@inlined
def retrieve(i: int, entries: Entries, labels: Labels, state: State, retrieved: Retrieved) -> int:
    """Collect the distinct labels that a document retrieved, each with its better score."""
    count = 0
    for e in range(entries.indptr[i], entries.indptr[i + 1]):
        column = entries.columns[e]
        key = np.int64(order_key(entries.bits[e]))
        if key < labels.lowest or key > labels.highest:
            note_fault(state.nan, i, column)
        if retrieved.column_document[column] == i:
            note_fault(state.doubled, i, column)
        retrieved.column_document[column] = i
        label = labels.label_of_column[column]
        if label < 0 or key <= labels.lowest:
            continue
        if retrieved.document[label] != i:
            retrieved.document[label] = i
            retrieved.key[label] = key
            retrieved.labels[count] = label
            count += 1
        elif key > retrieved.key[label]:
            retrieved.key[label] = key
    return count


@inlined
def _rank(i: int, label: Key, labels: Labels, state: State, retrieved: Retrieved) -> None:
    """Take a retrieved label into the rankings and predictions of its views."""
    key = retrieved.key[label]
    predicted = key >= labels.thresholds[label]
    state.label_predicted[label] += predicted
    cell = labels.cell_of_label[label]
    k, views = state.k, state.taken.shape[1]
    for at in range(labels.cell_start[cell], labels.cell_start[cell + 1]):
        v = labels.cell_views[at]
        state.predicted[i, v] += predicted
        if k > 0:
            start = (i * views + v) * k
            state.taken[i, v] = place(
                key, label, state.taken[i, v], state.top_key, state.top_label, start, k
            )


@inlined
def _meet_truth(i: int, truth: Truth, labels: Labels, state: State, retrieved: Retrieved) -> None:
    """Count true positives and find the best true label of each view."""
    for t in range(truth.indptr[i], truth.indptr[i + 1]):
        label = truth.labels[t]
        if retrieved.document[label] != i:
            continue
        key = retrieved.key[label]
        predicted = key >= labels.thresholds[label]
        state.label_both[label] += predicted
        cell = labels.cell_of_label[label]
        for at in range(labels.cell_start[cell], labels.cell_start[cell + 1]):
            v = labels.cell_views[at]
            state.both[i, v] += predicted
            if state.best_label[i, v] == NO_LABEL or stands_before(
                key, label, state.best_key[i, v], state.best_label[i, v]
            ):
                state.best_key[i, v] = key
                state.best_label[i, v] = label


@inlined
def _compare(i: int, label: Key, labels: Labels, state: State, retrieved: Retrieved) -> None:
    """Count a retrieved label where it stands above a best true label that no ranking shows."""
    key = retrieved.key[label]
    cell = labels.cell_of_label[label]
    for at in range(labels.cell_start[cell], labels.cell_start[cell + 1]):
        v = labels.cell_views[at]
        if below_top(i, v, state) and stands_before(
            key, label, state.best_key[i, v], state.best_label[i, v]
        ):
            state.better[i, v] += 1
