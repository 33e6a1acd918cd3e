"""Full ranks of true labels: how many labels of each view stand above, beside and before them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.keys import Key
from daskxmlc.blocks.layout import Layout
from daskxmlc.blocks.state import Truth
from daskxmlc.compiling import compiled

#: A document's average precision is kept as a multiple of 1 / UNIT, two digits of so many bits.
DIGIT_BITS = 31
UNIT = 2 ** (2 * DIGIT_BITS)


class Ranks(NamedTuple):
    """Findings about the true labels of n documents in V views; kernels write into it.

    Every true label has a *slot* for each view that holds it.

    Attributes
    ----------
    slot_start, slot_view
        int64 (true labels + 1,), int32 (slots,): the slots of each true label, and their views.
    key, retrieved
        int64, bool (true labels,): key of its score, and whether it was retrieved at all.
    above, tied, before
        int64 (slots,): labels of the view with a higher score; with an equal score, the label
        itself among them; with an equal score and before it in label order.
    retrieved_labels
        int64 (n, V): labels of the view that were retrieved.
    """

    slot_start: NDArray[np.int64]
    slot_view: NDArray[np.int32]
    key: NDArray[np.int64]
    retrieved: NDArray[np.bool_]
    above: NDArray[np.int64]
    tied: NDArray[np.int64]
    before: NDArray[np.int64]
    retrieved_labels: NDArray[np.int64]


def new_ranks(truth: Truth, layout: Layout) -> Ranks:
    """Make the ranks of documents of which nothing is known yet."""
    cells = layout.cell_of_label[truth.labels]
    first = layout.cell_start[cells].astype(np.int64)
    sizes = layout.cell_start[cells + 1] - first
    slot_start = np.zeros(len(cells) + 1, dtype=np.int64)
    np.cumsum(sizes, out=slot_start[1:])
    slots = int(slot_start[-1])
    places = np.arange(slots) + np.repeat(first - slot_start[:-1], sizes)
    return Ranks(
        slot_start=slot_start,
        slot_view=layout.cell_views[places],
        key=np.zeros(len(cells), dtype=np.int64),
        retrieved=np.zeros(len(cells), dtype=np.bool_),
        above=np.zeros(slots, dtype=np.int64),
        tied=np.zeros(slots, dtype=np.int64),
        before=np.zeros(slots, dtype=np.int64),
        retrieved_labels=np.zeros((len(truth.indptr) - 1, layout.views), dtype=np.int64),
    )


class RankFacts(NamedTuple):
    """What full ranks say of n documents in one view; 0 for a document without true labels.

    Attributes
    ----------
    depth
        int64 (n,): pessimistic rank of the worst true label.
    inverted, tied
        int64 (n,): pairs of a true and another label in which the other has a higher score, an
        equal one. Two labels that were not retrieved are tied.
    precision
        int64 (n,): average precision, in units of 1 / `UNIT`, cut off.
    within
        int64 (n,): true labels among the first places, as many places as there are true labels.
    places
        int64 (n, J): places of the first J true labels, 0 where fewer were retrieved.
    """

    depth: NDArray[np.int64]
    inverted: NDArray[np.int64]
    tied: NDArray[np.int64]
    precision: NDArray[np.int64]
    within: NDArray[np.int64]
    places: NDArray[np.int64]


def rank_facts_of(
    ranks: Ranks, truth: Truth, view_sizes: NDArray[np.int64], nth: int, *, placed: bool = False
) -> tuple[RankFacts, ...]:
    """Draw the facts of every view from ranks that have seen all labels.

    Parameters
    ----------
    ranks, truth
        Of the same documents.
    view_sizes
        int64 (V,): labels of each view.
    nth
        J: how many true labels' places are wanted.
    placed
        Whether the rank of a retrieved label is its place, ties being broken, and not the number
        of labels with a score at least as high.
    """
    shape = ranks.retrieved_labels.shape
    numbers = np.zeros((5, *shape), dtype=np.int64)
    places = np.zeros((*shape, nth), dtype=np.int64)
    most = int(np.diff(truth.indptr).max(initial=0))
    room = np.zeros((5, most), dtype=np.int64)
    _draw(ranks, truth.indptr, view_sizes, room, numbers, places, placed)
    return tuple(
        RankFacts._make([*(number[:, v] for number in numbers), places[:, v]])
        for v in range(shape[1])
    )


@compiled
def _draw(
    ranks: Ranks,
    indptr: NDArray[np.int64],
    view_sizes: NDArray[np.int64],
    room: NDArray[np.int64],
    numbers: NDArray[np.int64],
    places: NDArray[np.int64],
    placed: Key,
) -> None:
    key, rank, place, above, tied = room
    for i in range(len(indptr) - 1):
        for v in range(len(view_sizes)):
            size = view_sizes[v]
            count = 0
            for e in range(indptr[i], indptr[i + 1]):
                for slot in range(ranks.slot_start[e], ranks.slot_start[e + 1]):
                    if ranks.slot_view[slot] != v:
                        continue
                    if ranks.retrieved[e]:
                        above[count] = ranks.above[slot]
                        tied[count] = ranks.tied[slot]
                        rank[count] = above[count] + tied[count]
                        place[count] = above[count] + ranks.before[slot] + 1
                        key[count] = ranks.key[e]
                        if placed:
                            above[count] = place[count] - 1
                            tied[count] = 1
                            rank[count] = place[count]
                            key[count] = -place[count]
                    else:
                        above[count] = ranks.retrieved_labels[i, v]
                        tied[count] = size - above[count]
                        rank[count] = size
                        place[count] = 0
                    count += 1
            if count > 0:
                _summarise(i, v, count, room, numbers, places)


@compiled
def _summarise(
    i: int,
    v: int,
    count: int,
    room: NDArray[np.int64],
    numbers: NDArray[np.int64],
    places: NDArray[np.int64],
) -> None:
    """Work out the facts of one document in one view from its true labels, in label order."""
    key, rank, place, above, tied = room
    inverted, level, within, worst = 0, 0, 0, 0
    high, low = 0, 0
    for a in range(count):
        higher, equal, reached = 0, 0, 0
        for b in range(count):
            reached += rank[b] <= rank[a]
            if place[a] == 0:
                higher += place[b] > 0
                equal += place[b] == 0
            elif place[b] > 0:
                higher += key[b] > key[a]
                equal += key[b] == key[a]
        inverted += above[a] - higher
        level += tied[a] - equal
        # reached / rank in two digits: whole numbers, so that no order of addition matters.
        high += (reached << DIGIT_BITS) // rank[a]
        low += ((reached << DIGIT_BITS) % rank[a] << DIGIT_BITS) // rank[a]
        worst = max(worst, rank[a])
        within += 0 < place[a] <= count
        if place[a] > 0:
            _insert(place[a], places[i, v])
    numbers[0, i, v] = worst
    numbers[1, i, v] = inverted
    numbers[2, i, v] = level
    rest = ((high % count) << DIGIT_BITS) + low
    numbers[3, i, v] = ((high // count) << DIGIT_BITS) + rest // count
    numbers[4, i, v] = within


@compiled
def _insert(place: Key, places: NDArray[np.int64]) -> None:
    """Put a place among the lowest ones; 0 marks a free one at the end."""
    for at in range(len(places)):
        if places[at] == 0 or place < places[at]:
            kept = places[at]
            places[at] = place
            if kept == 0:
                return
            place = kept
