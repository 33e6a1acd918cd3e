"""Full ranks in dense rows: every true label is counted against all labels of its views."""

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.columns import Columns, Keys, Scratch, scratch_for
from daskxmlc.blocks.keys import Key, narrow, order_key
from daskxmlc.blocks.ranks import Ranks
from daskxmlc.blocks.state import NO_LABEL, State, Truth
from daskxmlc.blocks.vectors import STRIPE, gather, make_keys, stripe_above, stripe_above_members
from daskxmlc.compiling import compiled, inlined


def meet_true_scores(bits: Keys, truth: Truth, columns: Columns, ranks: Ranks) -> None:
    """Note the scores of the true labels of one tile.

    Parameters
    ----------
    bits, columns
        As in `daskxmlc.blocks.dense.scan_dense`.
    truth
        True labels of the documents.
    ranks
        Changed in place.
    """
    _meet(bits, truth, columns, ranks)


def count_ranks(bits: Keys, truth: Truth, columns: Columns, state: State, ranks: Ranks) -> None:
    """Count the labels of one tile above, beside and before every true label.

    Parameters
    ----------
    bits, truth, columns
        As in `meet_true_scores`, which must have seen all tiles.
    state
        Of the same documents; gives only its sizes.
    ranks
        Changed in place.
    """
    cells = len(columns.cell_start) - 1
    counts = np.zeros((4, cells), dtype=np.int64)
    _count(bits, truth, columns, ranks, scratch_for(bits, columns, state), counts)


@compiled
def _meet(bits: Keys, truth: Truth, columns: Columns, ranks: Ranks) -> None:
    for i in range(bits.shape[0]):
        for e in range(truth.indptr[i], truth.indptr[i + 1]):
            column = columns.column_of_label[truth.labels[e]]
            if column >= 0:
                key = np.int64(order_key(bits[i, column]))
                ranks.key[e] = key
                ranks.retrieved[e] = key > columns.lowest


@compiled
def _count(
    bits: Keys,
    truth: Truth,
    columns: Columns,
    ranks: Ranks,
    scratch: Scratch,
    counts: NDArray[np.int64],
) -> None:
    for i in range(bits.shape[0]):
        make_keys(bits[i], scratch.keys)
        gather(scratch.keys, columns.small_columns, scratch.gathered)
        scratch.memo_label[:] = NO_LABEL
        for v in range(ranks.retrieved_labels.shape[1]):
            retrieved = _against(v, columns.lowest, NO_LABEL - 1, columns, scratch, counts)
            ranks.retrieved_labels[i, v] += retrieved[0]
        for e in range(truth.indptr[i], truth.indptr[i + 1]):
            if not ranks.retrieved[e]:
                continue
            for slot in range(ranks.slot_start[e], ranks.slot_start[e + 1]):
                above, tied, before = _against(
                    ranks.slot_view[slot],
                    ranks.key[e],
                    truth.labels[e],
                    columns,
                    scratch,
                    counts,
                )
                ranks.above[slot] += above
                ranks.tied[slot] += tied
                ranks.before[slot] += before


@inlined
def _against(
    v: Key,
    key: Key,
    label: Key,
    columns: Columns,
    scratch: Scratch,
    counts: NDArray[np.int64],
) -> tuple[Key, Key, Key]:
    """Count the labels of a view above a key, equal to it, and equal and before its label."""
    above, tied, before = 0, 0, 0
    for at in range(columns.view_start[v], columns.view_start[v + 1]):
        cell = columns.view_cells[at]
        if scratch.memo_label[cell] != label:
            scratch.memo_label[cell] = label
            _against_cell(cell, key, label, columns, scratch, counts)
        above += counts[0, cell]
        tied += counts[1, cell]
        before += counts[2, cell]
    return above, tied, before


@compiled
def _against_cell(
    cell: Key, key: Key, label: Key, columns: Columns, scratch: Scratch, counts: NDArray[np.int64]
) -> None:
    g = columns.cell_place[cell]
    counts[:3, cell] = 0
    if g == len(columns.cell_place):
        return
    if g >= 0:
        _against_large(g, cell, key, label, columns, scratch.keys, counts)
        return
    first, stop = columns.small_start[-1 - g], columns.small_start[-g]
    gathered = scratch.gathered
    for start in range(first, stop, STRIPE):
        above, tied = stripe_above(
            gathered[start : min(start + STRIPE, stop)], narrow(key, gathered)
        )
        counts[0, cell] += above
        counts[1, cell] += tied
    if counts[1, cell] > 0:
        for at in range(first, stop):
            before = columns.label_of_column[columns.small_columns[at]] < label
            counts[2, cell] += (gathered[at] == key) & before


@inlined
def _against_large(
    g: Key,
    cell: Key,
    key: Key,
    label: Key,
    columns: Columns,
    keys: Keys,
    counts: NDArray[np.int64],
) -> None:
    cap = columns.caps[g]
    for start in range(0, len(keys), STRIPE):
        above, tied = stripe_above_members(
            keys[start : start + STRIPE], cap[start : start + STRIPE], narrow(key, keys)
        )
        counts[0, cell] += above
        counts[1, cell] += tied
    # The label ties with itself where its column is in this tile.
    here = (columns.column_of_label[label] >= 0) & (columns.cell_of_label[label] == cell)
    if counts[1, cell] > here:
        for column in range(len(keys)):
            before = (keys[column] == key) & (columns.label_of_column[column] < label)
            counts[2, cell] += before & (cap[column] > 0)
