"""Predicted and best labels of a dense row: of every cell, and from them of every view.

One look at the lanes that reach a bound finds both: labels that reach the threshold are predicted,
and a score that a dozen labels or so exceed gives each cell its first candidates. A cell that has
fewer than K of them is searched by itself.
"""

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.columns import Columns, Keys, Scratch
from daskxmlc.blocks.keys import Key
from daskxmlc.blocks.rank import place, stands_before
from daskxmlc.blocks.state import State
from daskxmlc.blocks.vectors import (
    add_predicted,
    columns_from,
    count_members_from,
    gather,
    highest,
    places_from,
    stripe_maxima,
)
from daskxmlc.compiling import compiled, inlined

# Where more than one lane in so many reaches a bound, looking at single lanes does not pay.
_CROWDED = 8
# From so many labels on, a bound pays before the best of a small cell are sought.
_FEW = 64


@inlined
def find_labels(i: int, keys: Keys, columns: Columns, state: State, scratch: Scratch) -> None:
    """Take a row's predicted labels and, if K > 0, its best ones into the state."""
    scratch.predicted[:] = 0
    scratch.filled[:] = 0
    nothing = columns.highest + 1
    bound = nothing
    if state.k > 0:
        bound = _starting_bound(state.k, nothing, columns, scratch)
    threshold = columns.lowest_threshold
    if _are_crowded(scratch.maxima, threshold):
        _predict_crowd(keys, columns, scratch)
        threshold = nothing
    low = min(bound, threshold)
    if low < nothing:
        _visit(state.k, keys, low, bound, threshold, columns, scratch)
    if state.k > 0:
        _complete(state.k, keys, columns, scratch)
    for cell in range(len(scratch.filled)):
        if scratch.predicted[cell] > 0:
            for at in range(columns.cell_start[cell], columns.cell_start[cell + 1]):
                state.predicted[i, columns.cell_views[at]] += scratch.predicted[cell]
        if scratch.filled[cell] > 0:
            _merge_top(i, cell, columns, state, scratch)


@inlined
def _visit(
    k: int,
    keys: Keys,
    low: Key,
    bound: Key,
    threshold: Key,
    columns: Columns,
    scratch: Scratch,
) -> None:
    """Look at the labels from `low` on: count the predicted ones, give the best to their cells."""
    for lane in range(places_from(scratch.maxima, low, scratch.found_lanes)):
        first = scratch.found_lanes[lane]
        for at in range(columns_from(first, columns.lanes, low, keys, scratch.found)):
            column = scratch.found[at]
            key, label = np.int64(keys[column]), columns.label_of_column[column]
            if label < 0:
                continue
            cell = columns.cell_of_label[label]
            if key >= threshold and key >= columns.thresholds[column]:
                scratch.counts[column] += 1
                scratch.predicted[cell] += 1
            if key >= bound:
                taken, start = scratch.filled[cell], cell * k
                if taken < k or key >= scratch.top_key[start + k - 1]:
                    scratch.filled[cell] = place(
                        key, label, taken, scratch.top_key, scratch.top_label, start, k
                    )


@inlined
def _predict_crowd(keys: Keys, columns: Columns, scratch: Scratch) -> None:
    """Count predicted labels where they are many: whole rows, cell by cell."""
    add_predicted(keys, columns.thresholds, scratch.counts)
    for g in range(len(columns.large)):
        scratch.predicted[columns.large[g]] = count_members_from(
            keys, columns.thresholds, columns.caps[g]
        )
    for g in range(len(columns.small)):
        for at in range(columns.small_start[g], columns.small_start[g + 1]):
            column = columns.small_columns[at]
            if keys[column] >= columns.thresholds[column]:
                scratch.predicted[columns.small[g]] += 1


@inlined
def _starting_bound(k: int, nothing: Key, columns: Columns, scratch: Scratch) -> Key:
    """Find a key that some lanes reach, about 2 K + 2 of them; `nothing` if ties forbid it."""
    wanted = 2 * k + 2
    bound = max(_common_bound(scratch.maxima, wanted), columns.lowest + 1)
    lanes = places_from(scratch.maxima, bound, scratch.found_lanes)
    if lanes * _CROWDED > columns.lanes and columns.lanes > wanted:
        # Many equal scores: leave them to the cells that need them.
        bound += 1
        lanes = places_from(scratch.maxima, bound, scratch.found_lanes)
        if lanes * _CROWDED > columns.lanes:
            return nothing
    for lane in range(lanes):
        scratch.cell_maxima[lane] = scratch.maxima[scratch.found_lanes[lane]]
    return max(bound, _kth_largest(scratch.cell_maxima[:lanes], wanted, scratch.largest))


@compiled
def _are_crowded(maxima: Keys, threshold: Key) -> Key:
    count = 0
    for b in range(len(maxima)):
        count += maxima[b] >= threshold
    return count * _CROWDED > len(maxima)


@compiled
def _common_bound(maxima: Keys, groups: int) -> Key:
    """Find a key that at least one lane in each group reaches; of random ones, about three do."""
    size = len(maxima) // groups
    if size == 0:
        return -(2**63)
    bound = np.int64(2**63 - 1)
    for group in range(groups):
        bound = min(bound, np.int64(highest(maxima[group * size : (group + 1) * size])))
    return bound


@inlined
def _complete(k: int, keys: Keys, columns: Columns, scratch: Scratch) -> None:
    """Search the cells that have fewer than K labels yet."""
    for g in range(len(columns.large)):
        if scratch.filled[columns.large[g]] < k:
            _search_large(k, g, keys, columns, scratch)
    gather(keys, columns.small_columns, scratch.gathered)
    for g in range(len(columns.small)):
        size = columns.small_start[g + 1] - columns.small_start[g]
        if scratch.filled[columns.small[g]] < min(k, size):
            _search_small(k, g, columns, scratch)


@inlined
def _search_large(k: int, g: int, keys: Keys, columns: Columns, scratch: Scratch) -> None:
    """Find the best labels of a large cell, from the maxima of its columns in each lane."""
    cell = columns.large[g]
    maxima, top_key, top_label = scratch.cell_maxima, scratch.top_key, scratch.top_label
    start, last = cell * k, cell * k + k - 1
    _lane_maxima(keys, columns.caps[g], maxima, columns.lowest)
    bound = max(_kth_largest(maxima, k, scratch.largest), columns.lowest + 1)
    taken = 0
    for b in range(columns.lanes):
        best = np.int64(maxima[b])
        if best < bound or (
            taken == k
            and not stands_before(best, columns.first_label[g, b], top_key[last], top_label[last])
        ):
            continue
        for at in range(columns_from(b, columns.lanes, bound, keys, scratch.found)):
            column = scratch.found[at]
            if columns.caps[g, column] > 0:
                label = columns.label_of_column[column]
                taken = place(np.int64(keys[column]), label, taken, top_key, top_label, start, k)
    scratch.filled[cell] = taken


@compiled
def _lane_maxima(keys: Keys, cap: Keys, maxima: Keys, lowest: int) -> None:
    maxima[:] = lowest
    lanes = len(maxima)
    for start in range(0, len(keys), lanes):
        stop = min(start + lanes, len(keys))
        stripe_maxima(keys[start:stop], cap[start:stop], maxima[: stop - start])


@compiled
def _kth_largest(keys: Keys, k: int, largest: NDArray[np.int64]) -> Key:
    """Find the k-th largest key, with room for k; the least int64 if there are fewer."""
    least = -(2**63)
    largest[:k] = least
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
    """Find the best labels of a small cell among the gathered keys."""
    cell = columns.small[g]
    start, last = cell * k, cell * k + k - 1
    first, stop = columns.small_start[g], columns.small_start[g + 1]
    bound = columns.lowest + 1
    if stop - first >= _FEW:
        bound = max(_common_bound(scratch.gathered[first:stop], k), bound)
    taken = 0
    for found in range(places_from(scratch.gathered[first:stop], bound, scratch.found)):
        at = first + scratch.found[found]
        key = np.int64(scratch.gathered[at])
        # Labels come in their order, so one that only equals the last place stays out.
        if taken < k or key > scratch.top_key[last]:
            label = columns.label_of_column[columns.small_columns[at]]
            taken = place(key, label, taken, scratch.top_key, scratch.top_label, start, k)
    scratch.filled[cell] = taken


@inlined
def _merge_top(i: int, cell: int, columns: Columns, state: State, scratch: Scratch) -> None:
    """Merge the best labels of a cell into those of the views that hold it."""
    k = state.k
    for at in range(columns.cell_start[cell], columns.cell_start[cell + 1]):
        v = columns.cell_views[at]
        start = (i * state.taken.shape[1] + v) * k
        last = start + k - 1
        taken = np.int64(state.taken[i, v])
        for r in range(cell * k, cell * k + scratch.filled[cell]):
            key, label = scratch.top_key[r], scratch.top_label[r]
            if taken == k and not stands_before(
                key, label, state.top_key[last], state.top_label[last]
            ):
                break
            taken = place(key, label, taken, state.top_key, state.top_label, start, k)
        state.taken[i, v] = taken
