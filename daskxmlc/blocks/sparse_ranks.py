"""Full ranks in sparse rows: every true label is counted against what was retrieved."""

import numpy as np

from daskxmlc.blocks.keys import Key
from daskxmlc.blocks.ranks import Ranks
from daskxmlc.blocks.sparse import Entries, Labels, Retrieved, retrieve, retrieved_for
from daskxmlc.blocks.state import State, Truth
from daskxmlc.compiling import compiled, inlined


def count_sparse_ranks(
    entries: Entries, truth: Truth, labels: Labels, state: State, ranks: Ranks
) -> None:
    """Count the retrieved labels above, beside and before every true label.

    Parameters
    ----------
    entries, truth, labels
        As in `daskxmlc.blocks.sparse.scan_sparse`.
    state
        Of the same documents; gives only its sizes.
    ranks
        Changed in place.
    """
    # Faults were noted when the entries were scanned.
    aside = state._replace(nan=state.nan.copy(), doubled=state.doubled.copy())
    _count(entries, truth, labels, aside, retrieved_for(labels), ranks)


@compiled
def _count(
    entries: Entries,
    truth: Truth,
    labels: Labels,
    aside: State,
    retrieved: Retrieved,
    ranks: Ranks,
) -> None:
    for i in range(len(entries.indptr) - 1):
        count = retrieve(i, entries, labels, aside, retrieved)
        _rank_retrieved(i, count, truth, labels, retrieved, ranks)


@inlined
def _rank_retrieved(
    i: int, count: Key, truth: Truth, labels: Labels, retrieved: Retrieved, ranks: Ranks
) -> None:
    for e in range(truth.indptr[i], truth.indptr[i + 1]):
        label = truth.labels[e]
        ranks.retrieved[e] = retrieved.document[label] == i
        ranks.key[e] = retrieved.key[label]
    for at in range(count):
        other = retrieved.labels[at]
        cell = labels.cell_of_label[other]
        for held in range(labels.cell_start[cell], labels.cell_start[cell + 1]):
            v = labels.cell_views[held]
            ranks.retrieved_labels[i, v] += 1
            for e in range(truth.indptr[i], truth.indptr[i + 1]):
                if ranks.retrieved[e]:
                    _compare(e, v, other, truth, retrieved, ranks)


@inlined
def _compare(e: Key, v: Key, other: Key, truth: Truth, retrieved: Retrieved, ranks: Ranks) -> None:
    for slot in range(ranks.slot_start[e], ranks.slot_start[e + 1]):
        if ranks.slot_view[slot] == v:
            key = np.int64(retrieved.key[other])
            ranks.above[slot] += key > ranks.key[e]
            ranks.tied[slot] += key == ranks.key[e]
            ranks.before[slot] += (key == ranks.key[e]) & (other < truth.labels[e])
