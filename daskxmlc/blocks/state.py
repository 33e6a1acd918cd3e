"""What is known about each document of a block while its scores are scanned, tile by tile."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.keys import Key
from daskxmlc.blocks.layout import Layout
from daskxmlc.blocks.rank import stands_before
from daskxmlc.compiling import compiled, inlined

#: Label number where there is none.
NO_LABEL = -1


class Truth(NamedTuple):
    """True labels of the documents of a block.

    Attributes
    ----------
    indptr
        int64 (documents + 1,).
    labels
        int32: positions in the truth's label order, distinct and increasing in each document.
    """

    indptr: NDArray[np.int64]
    labels: NDArray[np.int32]


class State(NamedTuple):
    """Findings about n documents in V views; kernels write into it.

    Attributes
    ----------
    k
        Length K of the rankings.
    top_key, top_label
        int64, int32 (n * V * K,): for each document and view the best retrieved labels so far,
        best first; -1 marks a free place.
    taken
        int32 (n, V): how many of those places are taken.
    predicted, both
        int32 (n, V): labels predicted, and predicted and true.
    best_key, best_label
        int64, int32 (n, V): the best true label that was retrieved, -1 if none.
    better
        int64 (n, V): labels that rank above it, where `top_label` does not tell.
    label_predicted, label_both
        int64 (Q,): documents in which a label is predicted, and predicted and true.
    nan, doubled
        int64 (3,): how many scores were NaN, and labels stored twice in a document; document (in
        the block) and column (in the matrix) of the first, -1 if there was none.
    """

    k: int
    top_key: NDArray[np.int64]
    top_label: NDArray[np.int32]
    taken: NDArray[np.int32]
    predicted: NDArray[np.int32]
    both: NDArray[np.int32]
    best_key: NDArray[np.int64]
    best_label: NDArray[np.int32]
    better: NDArray[np.int64]
    label_predicted: NDArray[np.int64]
    label_both: NDArray[np.int64]
    nan: NDArray[np.int64]
    doubled: NDArray[np.int64]


def new_state(documents: int, layout: Layout, k: int) -> State:
    """Make the state of documents of which nothing is known yet."""
    cells = (documents, layout.views)
    return State(
        k=k,
        top_key=np.zeros(documents * layout.views * k, dtype=np.int64),
        top_label=np.full(documents * layout.views * k, NO_LABEL, dtype=np.int32),
        taken=np.zeros(cells, dtype=np.int32),
        predicted=np.zeros(cells, dtype=np.int32),
        both=np.zeros(cells, dtype=np.int32),
        best_key=np.zeros(cells, dtype=np.int64),
        best_label=np.full(cells, NO_LABEL, dtype=np.int32),
        better=np.zeros(cells, dtype=np.int64),
        label_predicted=np.zeros(layout.labels, dtype=np.int64),
        label_both=np.zeros(layout.labels, dtype=np.int64),
        nan=np.array([0, -1, -1], dtype=np.int64),
        doubled=np.array([0, -1, -1], dtype=np.int64),
    )


@compiled
def note_fault(fault: NDArray[np.int64], document: Key, column: Key) -> None:
    """Count a fault and keep the place of the first one."""
    fault[0] += 1
    before = document < fault[1] or (document == fault[1] and column < fault[2])
    if fault[1] < 0 or before:
        fault[1] = document
        fault[2] = column


@inlined
def below_top(document: Key, view: Key, state: State) -> Key:
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
