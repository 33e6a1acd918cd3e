"""Loops over a row that the compiler turns into vector instructions.

Each stands in a function of its own and takes slices, because only there does the compiler know
enough. Counters have the width of a key; so many columns are counted at a time that an int16
cannot overflow.
"""

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.columns import Keys
from daskxmlc.blocks.keys import Key, narrow, order_key
from daskxmlc.compiling import compiled

#: Columns that are counted before they are added to a total.
STRIPE = 2**14


@compiled
def make_keys(row: NDArray[np.integer], keys: Keys) -> None:
    """Make the keys of a row."""
    for b in range(len(row)):
        keys[b] = order_key(row[b])


@compiled
def stripe_range(keys: Keys, maxima: Keys) -> tuple[Key, Key]:
    """Raise the maxima of lanes by the keys of a stripe; give its lowest and highest key."""
    low = keys[0]
    high = keys[0]
    for b in range(len(keys)):
        maxima[b] = max(maxima[b], keys[b])
        low = min(low, keys[b])
        high = max(high, keys[b])
    return low, high


@compiled
def stripe_maxima(keys: Keys, cap: Keys, maxima: Keys) -> None:
    """Raise the maxima of lanes by the keys of a stripe that are not capped."""
    for b in range(len(keys)):
        maxima[b] = max(maxima[b], min(keys[b], cap[b]))


@compiled
def highest(keys: Keys) -> Key:
    """Give the highest key."""
    found = keys[0]
    for b in range(len(keys)):
        found = max(found, keys[b])
    return found


@compiled
def gather(keys: Keys, columns: NDArray[np.int32], gathered: Keys) -> None:
    """Copy the keys of some columns together."""
    for at in range(len(columns)):
        gathered[at] = keys[columns[at]]


@compiled
def places_from(keys: Keys, bound: Key, found: NDArray[np.int32]) -> Key:
    """Collect the places of the keys that reach the bound, without a branch to mispredict."""
    count = 0
    for at in range(len(keys)):
        found[count] = at
        count += keys[at] >= bound
    return count


@compiled
def columns_from(lane: int, lanes: int, bound: Key, keys: Keys, found: NDArray[np.int32]) -> Key:
    """Collect the columns of a lane that reach the bound, without a branch to mispredict."""
    count = 0
    for column in range(lane, len(keys), lanes):
        found[count] = column
        count += keys[column] >= bound
    return count


@compiled
def add_predicted(keys: Keys, thresholds: Keys, counts: Keys) -> None:
    """Count up the columns whose key reaches their threshold."""
    for b in range(len(keys)):
        counts[b] += keys[b] >= thresholds[b]


@compiled
def count_from(keys: Keys, threshold: Key) -> Key:
    """Count the keys that reach a threshold."""
    count = 0
    for b in range(len(keys)):
        count += keys[b] >= threshold
    return count


@compiled
def count_members_from(keys: Keys, thresholds: Keys, cap: Keys) -> Key:
    """Count a large cell's keys that reach their thresholds."""
    total = 0
    for start in range(0, len(keys), STRIPE):
        stop = min(start + STRIPE, len(keys))
        total += _stripe_members_from(keys[start:stop], thresholds[start:stop], cap[start:stop])
    return total


@compiled
def _stripe_members_from(keys: Keys, thresholds: Keys, cap: Keys) -> Key:
    count = narrow(0, keys)
    for b in range(len(keys)):
        count = narrow(count + ((keys[b] >= thresholds[b]) & (cap[b] > 0)), keys)
    return count


@compiled
def stripe_above(keys: Keys, key: Key) -> tuple[Key, Key]:
    """Count the keys above a key, and those equal to it."""
    above = narrow(0, keys)
    equal = narrow(0, keys)
    for b in range(len(keys)):
        above = narrow(above + (keys[b] > key), keys)
        equal = narrow(equal + (keys[b] == key), keys)
    return above, equal


@compiled
def stripe_above_members(keys: Keys, cap: Keys, key: Key) -> tuple[Key, Key]:
    """Count a large cell's keys above a key, and those equal to it."""
    above = narrow(0, keys)
    equal = narrow(0, keys)
    for b in range(len(keys)):
        member = cap[b] > 0
        above = narrow(above + ((keys[b] > key) & member), keys)
        equal = narrow(equal + ((keys[b] == key) & member), keys)
    return above, equal
