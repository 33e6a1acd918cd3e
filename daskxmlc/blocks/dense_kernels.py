"""The compiled part of `daskxmlc.blocks.dense`.

A row is cut into *lanes*: lane b holds columns b, b + lanes, b + 2 lanes, … so that the maximum
of every lane is found with vector instructions and contiguous reads. Only lanes whose maximum
reaches a bound are looked at label by label: the threshold for predicted labels, a score that some
tens of labels exceed for the best ones. A cell that has fewer than K labels above that bound is
searched by itself. Small loops over slices stand in functions of their own because only there does
the compiler know enough to use vector instructions.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.keys import Key, narrow, order_key
from daskxmlc.blocks.rank import place, stands_before
from daskxmlc.blocks.state import NO_LABEL, State, Truth, note_fault
from daskxmlc.compiling import compiled, inlined

Keys = NDArray[np.signedinteger]

# Where more than one lane in so many reaches the bound, looking at single lanes does not pay.
_CROWDED = 8
# A counter of a column has the width of a key, so that counting runs at full vector width; it is
# emptied before it can overflow: an int16 holds 2**14 rows.
_ROWS_BEFORE_FLUSH = 2**14
# Likewise for counters of columns: so many columns are counted before they are added to a total.
_STRIPE = 2**14


class Columns(NamedTuple):
    """A tile of the matrix as the kernels want it.

    Attributes
    ----------
    first
        Position of the tile's first column in the matrix.
    lanes
        Number of lanes of a row.
    label_of_column, column_of_label
        As in `daskxmlc.blocks.layout.TileLayout`.
    cell_of_label, cell_start, cell_views, view_start, view_cells
        As in `daskxmlc.blocks.layout.Layout`.
    cell_place
        int32 (cells,): g for the g-th large cell, -1 - g for the g-th small one, and the number of
        cells for a cell without columns here.
    whole
        bool (V,): views that hold every column of the tile.
    large, small, small_start, small_columns
        As in `daskxmlc.blocks.layout.TileLayout`.
    thresholds
        Key dtype (C,): smallest predicted key of each column.
    lowest_threshold, lowest, highest
        Smallest of the thresholds; keys of -inf and +inf.
    caps
        Key dtype (large, C): the highest key in columns of a large cell, else the lowest.
    first_label
        int32 (large, lanes): first label of a large cell in each lane.
    """

    first: int
    lanes: int
    label_of_column: NDArray[np.int32]
    column_of_label: NDArray[np.int32]
    cell_of_label: NDArray[np.int32]
    cell_start: NDArray[np.int32]
    cell_views: NDArray[np.int32]
    view_start: NDArray[np.int32]
    view_cells: NDArray[np.int32]
    cell_place: NDArray[np.int32]
    whole: NDArray[np.bool_]
    large: NDArray[np.int32]
    small: NDArray[np.int32]
    small_start: NDArray[np.int32]
    small_columns: NDArray[np.int32]
    thresholds: Keys
    lowest_threshold: int
    lowest: int
    highest: int
    caps: Keys
    first_label: NDArray[np.int32]


class Scratch(NamedTuple):
    """Buffers of one row, made once for a block; their content is of no interest afterwards.

    Attributes
    ----------
    keys, counts
        Key dtype (C,): keys of the row; rows in which a column was predicted.
    maxima, cell_maxima
        Key dtype (lanes,): of all columns; of those of a large cell.
    bound
        int64 (K,).
    predicted, filled
        int64 (cells,): predicted labels of each cell; how many of its best labels are known.
    found
        int32: columns of a lane that reach a bound.
    top_key, top_label
        int64, int32 (cells * K,): best labels of each cell.
    memo_label, memo_count
        (cells,): what `_count_above` found last.
    """

    keys: Keys
    maxima: Keys
    cell_maxima: Keys
    counts: Keys
    bound: NDArray[np.int64]
    predicted: NDArray[np.int64]
    filled: NDArray[np.int64]
    found: NDArray[np.int32]
    top_key: NDArray[np.int64]
    top_label: NDArray[np.int32]
    memo_label: NDArray[np.int32]
    memo_count: NDArray[np.int64]


@compiled
def scan_rows(
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
            _predict(i, columns, state, scratch)
        if state.k > 0:
            _rank_best(i, columns, state, scratch)
        _meet_truth(i, truth, columns, state, scratch.keys)
        if first_hits:
            scratch.memo_label[:] = NO_LABEL
            for v in range(state.best_label.shape[1]):
                if below_top(i, v, state):
                    state.better[i, v] += _count_above(i, v, columns, state, scratch)
        if (i + 1) % _ROWS_BEFORE_FLUSH == 0:
            _flush(scratch.counts, columns.label_of_column, state.label_predicted)
    _flush(scratch.counts, columns.label_of_column, state.label_predicted)


@compiled
def count_better_rows(
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
        scratch.memo_label[:] = NO_LABEL
        for v in range(state.best_label.shape[1]):
            if below_top(i, v, state):
                state.better[i, v] += _count_above(i, v, columns, state, scratch)


@inlined
def below_top(document: int, view: int, state: State) -> bool:
    """Tell whether a true label was retrieved but none is among the best K."""
    label = state.best_label[document, view]
    if label < 0:
        return False
    if state.taken[document, view] < state.k:
        return False
    if state.k == 0:
        return True
    last = (document * state.taken.shape[1] + view + 1) * state.k - 1
    return stands_before(
        state.top_key[last], state.top_label[last], state.best_key[document, view], label
    )


@inlined
def _read_row(row: NDArray[np.integer], columns: Columns, scratch: Scratch) -> tuple[Key, Key]:
    """Make the row's keys; find the maxima of its lanes, its lowest and its highest key."""
    lanes = columns.lanes
    low: Key = columns.highest
    high: Key = columns.lowest
    scratch.maxima[:] = columns.lowest
    for start in range(0, len(row), lanes):
        stop = min(start + lanes, len(row))
        stripe_low, stripe_high = _read_stripe(
            row[start:stop], scratch.keys[start:stop], scratch.maxima[: stop - start]
        )
        low = min(low, np.int64(stripe_low))
        high = max(high, np.int64(stripe_high))
    return low, high


@compiled
def _read_stripe(row: NDArray[np.integer], keys: Keys, maxima: Keys) -> tuple[Key, Key]:
    low = order_key(row[0])
    high = low
    for b in range(len(row)):
        key = order_key(row[b])
        keys[b] = key
        maxima[b] = max(maxima[b], key)
        low = min(low, key)
        high = max(high, key)
    return low, high


@inlined
def _predict(i: int, columns: Columns, state: State, scratch: Scratch) -> None:
    """Count the predicted labels of the row: by column, and by view."""
    scratch.predicted[:] = 0
    crowd = _count_from(scratch.maxima, columns.lowest_threshold)
    if crowd * _CROWDED > columns.lanes:
        _predict_crowd(columns, scratch)
    else:
        for b in range(columns.lanes):
            if scratch.maxima[b] < columns.lowest_threshold:
                continue
            for column in range(b, len(scratch.keys), columns.lanes):
                if scratch.keys[column] >= columns.thresholds[column]:
                    scratch.counts[column] += 1
                    label = columns.label_of_column[column]
                    if label >= 0:
                        scratch.predicted[columns.cell_of_label[label]] += 1
    for cell in range(len(scratch.predicted)):
        if scratch.predicted[cell] > 0:
            for at in range(columns.cell_start[cell], columns.cell_start[cell + 1]):
                state.predicted[i, columns.cell_views[at]] += scratch.predicted[cell]


@inlined
def _predict_crowd(columns: Columns, scratch: Scratch) -> None:
    """Count predicted labels where they are many: whole rows, cell by cell."""
    _add_predicted(scratch.keys, columns.thresholds, scratch.counts)
    for g in range(len(columns.large)):
        scratch.predicted[columns.large[g]] = _count_members_from(
            scratch.keys, columns.thresholds, columns.caps[g]
        )
    for g in range(len(columns.small)):
        for at in range(columns.small_start[g], columns.small_start[g + 1]):
            column = columns.small_columns[at]
            if scratch.keys[column] >= columns.thresholds[column]:
                scratch.predicted[columns.small[g]] += 1


@compiled
def _add_predicted(keys: Keys, thresholds: Keys, counts: Keys) -> None:
    for b in range(len(keys)):
        counts[b] += keys[b] >= thresholds[b]


@compiled
def _count_from(keys: Keys, threshold: Key) -> Key:
    count = 0
    for b in range(len(keys)):
        count += keys[b] >= threshold
    return count


@compiled
def _count_members_from(keys: Keys, thresholds: Keys, cap: Keys) -> Key:
    total = 0
    for start in range(0, len(keys), _STRIPE):
        stop = min(start + _STRIPE, len(keys))
        total += _stripe_members_from(keys[start:stop], thresholds[start:stop], cap[start:stop])
    return total


@compiled
def _stripe_members_from(keys: Keys, thresholds: Keys, cap: Keys) -> Key:
    count = narrow(0, keys)
    for b in range(len(keys)):
        count = narrow(count + ((keys[b] >= thresholds[b]) & (cap[b] > 0)), keys)
    return count


@inlined
def _rank_best(i: int, columns: Columns, state: State, scratch: Scratch) -> None:
    """Find the best labels of every cell, and merge them into those of the views."""
    k = state.k
    scratch.filled[:] = 0
    bound = max(_common_bound(scratch.maxima, 2 * k + 2), columns.lowest + 1)
    crowd = _count_from(scratch.maxima, bound)
    if crowd * _CROWDED > columns.lanes:
        bound += 1  # many equal scores: leave them to the cells that need them
        crowd = _count_from(scratch.maxima, bound)
    if crowd * _CROWDED <= columns.lanes:
        _search_common(k, bound, columns, scratch)
    for g in range(len(columns.large)):
        if scratch.filled[columns.large[g]] < k:
            _search_large(k, g, columns, scratch)
    for g in range(len(columns.small)):
        size = columns.small_start[g + 1] - columns.small_start[g]
        if scratch.filled[columns.small[g]] < min(k, size):
            _search_small(k, g, columns, scratch)
    for cell in range(len(scratch.filled)):
        if scratch.filled[cell] > 0:
            _merge_top(i, cell, columns, state, scratch)


@compiled
def _common_bound(maxima: Keys, groups: int) -> Key:
    """Find a key that at least one lane in each group reaches; of random ones, about three do."""
    size = len(maxima) // groups
    if size == 0:
        return -(2**63)
    bound = np.int64(2**63 - 1)
    for group in range(groups):
        bound = min(bound, np.int64(_highest(maxima[group * size : (group + 1) * size])))
    return bound


@compiled
def _highest(keys: Keys) -> Key:
    highest = keys[0]
    for b in range(len(keys)):
        highest = max(highest, keys[b])
    return highest


@inlined
def _search_common(k: int, bound: Key, columns: Columns, scratch: Scratch) -> None:
    """Give every label that reaches the bound to its cell."""
    for b in range(columns.lanes):
        if scratch.maxima[b] < bound:
            continue
        for at in range(_columns_from(b, columns.lanes, bound, scratch.keys, scratch.found)):
            column = scratch.found[at]
            key, label = np.int64(scratch.keys[column]), columns.label_of_column[column]
            if label < 0:
                continue
            cell = columns.cell_of_label[label]
            taken, start = scratch.filled[cell], cell * k
            if taken < k or key >= scratch.top_key[start + k - 1]:
                scratch.filled[cell] = place(
                    key, label, taken, scratch.top_key, scratch.top_label, start, k
                )


@compiled
def _columns_from(lane: int, lanes: int, bound: Key, keys: Keys, found: NDArray[np.int32]) -> Key:
    """Collect the columns of a lane that reach the bound, without a branch to mispredict."""
    count = 0
    for column in range(lane, len(keys), lanes):
        found[count] = column
        count += keys[column] >= bound
    return count


@inlined
def _search_large(k: int, g: int, columns: Columns, scratch: Scratch) -> None:
    """Find the best labels of a large cell, from the maxima of its columns in each lane."""
    cell = columns.large[g]
    maxima, keys, labels = scratch.cell_maxima, scratch.top_key, scratch.top_label
    start, last = cell * k, cell * k + k - 1
    _lane_maxima(scratch.keys, columns.caps[g], maxima, columns.lowest)
    bound = max(_kth_largest(maxima, scratch.bound), columns.lowest + 1)
    taken = 0
    for b in range(columns.lanes):
        best = np.int64(maxima[b])
        if best < bound or (
            taken == k
            and not stands_before(best, columns.first_label[g, b], keys[last], labels[last])
        ):
            continue
        for at in range(_columns_from(b, columns.lanes, bound, scratch.keys, scratch.found)):
            column = scratch.found[at]
            if columns.caps[g, column] > 0:
                label = columns.label_of_column[column]
                taken = place(scratch.keys[column], label, taken, keys, labels, start, k)
    scratch.filled[cell] = taken


@compiled
def _lane_maxima(keys: Keys, cap: Keys, maxima: Keys, lowest: int) -> None:
    maxima[:] = lowest
    lanes = len(maxima)
    for start in range(0, len(keys), lanes):
        stop = min(start + lanes, len(keys))
        _stripe_maxima(keys[start:stop], cap[start:stop], maxima[: stop - start])


@compiled
def _stripe_maxima(keys: Keys, cap: Keys, maxima: Keys) -> None:
    for b in range(len(keys)):
        maxima[b] = max(maxima[b], min(keys[b], cap[b]))


@compiled
def _kth_largest(keys: Keys, largest: NDArray[np.int64]) -> Key:
    """Find the K-th largest key, K the length of `largest`; the least int64 if there are fewer."""
    k = len(largest)
    least = -(2**63)
    largest[:] = least
    for b in range(len(keys)):
        key = np.int64(keys[b])
        if key > largest[k - 1]:
            at = k - 1
            while at > 0 and largest[at - 1] < key:
                largest[at] = largest[at - 1]
                at -= 1
            largest[at] = key
    return largest[k - 1]


@inlined
def _search_small(k: int, g: int, columns: Columns, scratch: Scratch) -> None:
    """Find the best labels of a small cell, label by label."""
    cell = columns.small[g]
    start, last = cell * k, cell * k + k - 1
    taken = 0
    for at in range(columns.small_start[g], columns.small_start[g + 1]):
        column = columns.small_columns[at]
        key = np.int64(scratch.keys[column])
        # Labels come in their order, so one that only equals the last place stays out.
        if key > columns.lowest and (taken < k or key > scratch.top_key[last]):
            label = columns.label_of_column[column]
            taken = place(key, label, taken, scratch.top_key, scratch.top_label, start, k)
    scratch.filled[cell] = taken


@inlined
def _merge_top(i: int, cell: Key, columns: Columns, state: State, scratch: Scratch) -> None:
    """Merge the best labels of a cell into those of the views that hold it."""
    k = state.k
    for at in range(columns.cell_start[cell], columns.cell_start[cell + 1]):
        v = columns.cell_views[at]
        start = (i * state.taken.shape[1] + v) * k
        last = start + k - 1
        taken = state.taken[i, v]
        for r in range(cell * k, cell * k + scratch.filled[cell]):
            key, label = scratch.top_key[r], scratch.top_label[r]
            if taken == k and not stands_before(
                key, label, state.top_key[last], state.top_label[last]
            ):
                break
            taken = place(key, label, taken, state.top_key, state.top_label, start, k)
        state.taken[i, v] = taken


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
def _count_above(i: int, v: int, columns: Columns, state: State, scratch: Scratch) -> Key:
    """Count the labels of a view, in this tile, that rank above the best true one."""
    key, label = state.best_key[i, v], state.best_label[i, v]
    if columns.whole[v]:
        return _count_above_in_row(key, label, scratch.keys, columns.label_of_column)
    above = 0
    for at in range(columns.view_start[v], columns.view_start[v + 1]):
        cell = columns.view_cells[at]
        if scratch.memo_label[cell] != label:
            scratch.memo_label[cell] = label
            scratch.memo_count[cell] = _count_above_in_cell(cell, key, label, columns, scratch.keys)
        above += scratch.memo_count[cell]
    return above


@compiled
def _count_above_in_cell(cell: Key, key: Key, label: Key, columns: Columns, keys: Keys) -> Key:
    g = columns.cell_place[cell]
    if g == len(columns.cell_place):
        return 0
    if g >= 0:
        return _count_above_members(key, label, keys, columns.caps[g], columns.label_of_column)
    above = 0
    for at in range(columns.small_start[-1 - g], columns.small_start[-g]):
        column = columns.small_columns[at]
        other = np.int64(keys[column])
        above += stands_before(other, columns.label_of_column[column], key, label)
    return above


@compiled
def _count_above_in_row(
    key: Key, label: Key, keys: Keys, label_of_column: NDArray[np.int32]
) -> Key:
    above = 0
    equal = 0
    for start in range(0, len(keys), _STRIPE):
        stripe_above, stripe_equal = _stripe_above(keys[start : start + _STRIPE], narrow(key, keys))
        above += stripe_above
        equal += stripe_equal
    if equal > 0:
        for column in range(len(keys)):
            above += (keys[column] == key) & (label_of_column[column] < label)
    return above


@compiled
def _stripe_above(keys: Keys, key: Key) -> tuple[Key, Key]:
    above = narrow(0, keys)
    equal = narrow(0, keys)
    for b in range(len(keys)):
        above = narrow(above + (keys[b] > key), keys)
        equal = narrow(equal + (keys[b] == key), keys)
    return above, equal


@compiled
def _count_above_members(
    key: Key, label: Key, keys: Keys, cap: Keys, label_of_column: NDArray[np.int32]
) -> Key:
    above = 0
    equal = 0
    for start in range(0, len(keys), _STRIPE):
        stripe_above, stripe_equal = _stripe_above_members(
            keys[start : start + _STRIPE], cap[start : start + _STRIPE], narrow(key, keys)
        )
        above += stripe_above
        equal += stripe_equal
    if equal > 0:
        for column in range(len(keys)):
            before = (keys[column] == key) & (label_of_column[column] < label)
            above += before & (cap[column] > 0)
    return above


@compiled
def _stripe_above_members(keys: Keys, cap: Keys, key: Key) -> tuple[Key, Key]:
    above = narrow(0, keys)
    equal = narrow(0, keys)
    for b in range(len(keys)):
        member = cap[b] > 0
        above = narrow(above + ((keys[b] > key) & member), keys)
        equal = narrow(equal + ((keys[b] == key) & member), keys)
    return above, equal


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
