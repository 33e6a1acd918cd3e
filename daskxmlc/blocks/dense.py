"""Dense scores: one pass over a row, while it is in cache, finds all that its views need."""

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.columns import Columns, Keys, Scratch, scratch_for
from daskxmlc.blocks.dense_above import count_above_best
from daskxmlc.blocks.dense_best import find_labels
from daskxmlc.blocks.keys import Key
from daskxmlc.blocks.rank import stands_before
from daskxmlc.blocks.state import State, Truth, below_top, note_fault
from daskxmlc.blocks.vectors import make_keys, stripe_range
from daskxmlc.compiling import compiled, inlined

# A counter of a column has the width of a key, so that counting runs at full vector width; it is
# emptied before it can overflow: an int16 holds 2**14 rows.
_ROWS_BEFORE_FLUSH = 2**14


def scan_dense(
    bits: Keys,
    truth: Truth,
    columns: Columns,
    state: State,
    *,
    first_hits: bool,
) -> None:
    """Take one tile of a block of documents into the state.

    Parameters
    ----------
    bits
        (n, C): scores of the tile as integers, see `daskxmlc.blocks.keys.bits_of`.
    truth
        True labels of the n documents.
    columns
        The tile.
    state
        Findings so far; changed in place.
    first_hits
        Whether to count, in this same pass, the labels above each document's best true label.
        Only where the tile holds all columns; else `count_better` does so in a second pass.
    """
    _scan_rows(bits, truth, columns, state, scratch_for(bits, columns, state), first_hits)


def count_better(bits: Keys, columns: Columns, state: State) -> None:
    """Count the labels of one tile above each document's best true label: the second pass.

    Parameters
    ----------
    bits, columns
        As in `scan_dense`.
    state
        Complete but for `better`, which is added to where no true label is among the best K.
    """
    _count_better_rows(bits, columns, state, scratch_for(bits, columns, state))


@compiled
def _scan_rows(
    bits: Keys,
    truth: Truth,
    columns: Columns,
    state: State,
    scratch: Scratch,
    first_hits: bool,
) -> None:
    """Take the rows of one tile into the state; see `daskxmlc.blocks.dense.scan_dense`."""
    for i in range(bits.shape[0]):
        keys = bits[i]
        low, high = _row_range(keys, columns, scratch)
        if low < 0:
            # Bits of scores that are not negative are keys as they are; others have to be made.
            make_keys(bits[i], scratch.keys)
            keys = scratch.keys
            low, high = _row_range(keys, columns, scratch)
        if low < columns.lowest or high > columns.highest:
            _note_nan(i, keys, columns, state.nan)
        find_labels(i, keys, columns, state, scratch)
        _meet_truth(i, keys, truth, columns, state)
        if first_hits:
            count_above_best(i, keys, columns, state, scratch)
        if (i + 1) % _ROWS_BEFORE_FLUSH == 0:
            _flush(scratch.counts, columns.label_of_column, state.label_predicted)
    _flush(scratch.counts, columns.label_of_column, state.label_predicted)


@compiled
def _count_better_rows(bits: Keys, columns: Columns, state: State, scratch: Scratch) -> None:
    """Count the labels above each document's best true label in the rows of one tile."""
    for i in range(bits.shape[0]):
        wanted = False
        for v in range(state.best_label.shape[1]):
            wanted |= below_top(i, v, state)
        if wanted:
            make_keys(bits[i], scratch.keys)
            count_above_best(i, scratch.keys, columns, state, scratch)


@inlined
def _row_range(keys: Keys, columns: Columns, scratch: Scratch) -> tuple[Key, Key]:
    """Find the maxima of the row's lanes, its lowest and its highest key."""
    lanes = columns.lanes
    low: Key = columns.highest
    high: Key = columns.lowest
    scratch.maxima[:] = columns.lowest
    for start in range(0, len(keys), lanes):
        stop = min(start + lanes, len(keys))
        stripe_low, stripe_high = stripe_range(keys[start:stop], scratch.maxima[: stop - start])
        low = min(low, np.int64(stripe_low))
        high = max(high, np.int64(stripe_high))
    return low, high


@inlined
def _meet_truth(i: int, keys: Keys, truth: Truth, columns: Columns, state: State) -> None:
    """Count true positives and find the best true label of each view."""
    for t in range(truth.indptr[i], truth.indptr[i + 1]):
        label = truth.labels[t]
        column = columns.column_of_label[label]
        if column < 0 or keys[column] <= columns.lowest:
            continue
        key = np.int64(keys[column])
        predicted = key >= columns.thresholds[column]
        state.label_both[label] += predicted
        cell = columns.cell_of_label[label]
        for at in range(columns.cell_start[cell], columns.cell_start[cell + 1]):
            v = columns.cell_views[at]
            state.both[i, v] += predicted
            if state.best_label[i, v] < 0 or stands_before(
                key, label, state.best_key[i, v], state.best_label[i, v]
            ):
                state.best_key[i, v] = key
                state.best_label[i, v] = label


@compiled
def _flush(
    counts: Keys, label_of_column: NDArray[np.int32], label_predicted: NDArray[np.int64]
) -> None:
    for column in range(len(counts)):
        if label_of_column[column] >= 0:
            label_predicted[label_of_column[column]] += counts[column]
        counts[column] = 0


@compiled
def _note_nan(i: int, keys: Keys, columns: Columns, nan: NDArray[np.int64]) -> None:
    for column in range(len(keys)):
        if keys[column] < columns.lowest or keys[column] > columns.highest:
            note_fault(nan, i, columns.first + column)
