"""Dense scores: one pass over a row, while it is in cache, finds all that its views need."""

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.columns import Columns, Keys, Scratch, scratch_for
from daskxmlc.blocks.dense_above import count_above_best
from daskxmlc.blocks.dense_best import rank_best
from daskxmlc.blocks.dense_predicted import predict
from daskxmlc.blocks.keys import Key, order_key
from daskxmlc.blocks.rank import stands_before
from daskxmlc.blocks.state import State, Truth, below_top, note_fault
from daskxmlc.blocks.vectors import read_stripe
from daskxmlc.compiling import compiled, inlined

# A counter of a column has the width of a key, so that counting runs at full vector width; it is
# emptied before it can overflow: an int16 holds 2**14 rows.
_ROWS_BEFORE_FLUSH = 2**14


def scan_dense(
    bits: NDArray[np.integer], truth: Truth, columns: Columns, state: State, *, first_hits: bool
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


def count_better(bits: NDArray[np.integer], columns: Columns, state: State) -> None:
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
    bits: NDArray[np.integer],
    truth: Truth,
    columns: Columns,
    state: State,
    scratch: Scratch,
    first_hits: bool,
) -> None:
    """Take the rows of one tile into the state; see `daskxmlc.blocks.dense.scan_dense`."""
    for i in range(bits.shape[0]):
        low, high = _read_row(bits[i], columns, scratch)
        if low < columns.lowest or high > columns.highest:
            _note_nan(i, scratch.keys, columns, state.nan)
        if high >= columns.lowest_threshold:
            predict(i, columns, state, scratch)
        if state.k > 0:
            rank_best(i, columns, state, scratch)
        _meet_truth(i, truth, columns, state, scratch.keys)
        if first_hits:
            count_above_best(i, columns, state, scratch)
        if (i + 1) % _ROWS_BEFORE_FLUSH == 0:
            _flush(scratch.counts, columns.label_of_column, state.label_predicted)
    _flush(scratch.counts, columns.label_of_column, state.label_predicted)


@compiled
def _count_better_rows(
    bits: NDArray[np.integer], columns: Columns, state: State, scratch: Scratch
) -> None:
    """Count the labels above each document's best true label in the rows of one tile."""
    for i in range(bits.shape[0]):
        wanted = False
        for v in range(state.best_label.shape[1]):
            wanted |= below_top(i, v, state)
        if not wanted:
            continue
        for column in range(bits.shape[1]):
            scratch.keys[column] = order_key(bits[i, column])
        count_above_best(i, columns, state, scratch)


@inlined
def _read_row(row: NDArray[np.integer], columns: Columns, scratch: Scratch) -> tuple[Key, Key]:
    """Make the row's keys; find the maxima of its lanes, its lowest and its highest key."""
    lanes = columns.lanes
    low: Key = columns.highest
    high: Key = columns.lowest
    scratch.maxima[:] = columns.lowest
    for start in range(0, len(row), lanes):
        stop = min(start + lanes, len(row))
        stripe_low, stripe_high = read_stripe(
            row[start:stop], scratch.keys[start:stop], scratch.maxima[: stop - start]
        )
        low = min(low, np.int64(stripe_low))
        high = max(high, np.int64(stripe_high))
    return low, high


@inlined
def _meet_truth(i: int, truth: Truth, columns: Columns, state: State, keys: Keys) -> None:
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
