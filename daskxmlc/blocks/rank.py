"""The one tie rule: of equal scores, the label that stands first in the truth's order wins."""

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.keys import Key
from daskxmlc.compiling import inlined


@inlined
def stands_before(key: Key, label: Key, other_key: Key, other_label: Key) -> Key:
    """Tell whether a label ranks above another: higher score first, then label order."""
    return key > other_key or (key == other_key and label < other_label)


@inlined
def place(
    key: Key,
    label: Key,
    taken: Key,
    keys: NDArray[np.int64],
    labels: NDArray[np.int32],
    start: Key,
    size: int,
) -> Key:
    """Put a label into a ranking of bounded length, if it belongs there.

    Parameters
    ----------
    key, label
        The label and the key of its score.
    taken
        How many places of the ranking are taken.
    keys, labels
        Many rankings in a row; places `start` to `start` + `size` - 1 are this one, best first.
        Changed in place. (Slices would cost more than the work.)

    Returns
    -------
    int
        How many places are taken now.
    """
    last = start + size - 1
    if taken == size:
        if not stands_before(key, label, keys[last], labels[last]):
            return taken
        at = last
    else:
        at = start + taken
        taken += 1
    while at > start and stands_before(key, label, keys[at - 1], labels[at - 1]):
        keys[at] = keys[at - 1]
        labels[at] = labels[at - 1]
        at -= 1
    keys[at] = key
    labels[at] = label
    return taken
