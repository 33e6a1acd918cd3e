"""What the kernels found out about each document: all that tables are counted from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.layout import Layout
from daskxmlc.blocks.ranks import RankFacts
from daskxmlc.blocks.state import NO_LABEL, State, Truth
from daskxmlc.compiling import compiled

_OWN = ("true", "predicted", "both", "hit", "first_hit")


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Findings about n documents in one view.

    Attributes
    ----------
    true, predicted, both
        int32 (n,): how many labels are true, predicted, both.
    hit
        bool (n, K): whether the label at place 1 … K is true.
    first_hit
        int64 (n,): place of the first true label; 0 if none was retrieved.
    ranks
        What full ranks say, if they were counted.
    """

    true: NDArray[np.int32]
    predicted: NDArray[np.int32]
    both: NDArray[np.int32]
    hit: NDArray[np.bool_]
    first_hit: NDArray[np.int64]
    ranks: RankFacts | None = None

    def __len__(self) -> int:
        return len(self.true)

    def take(self, rows: "slice | NDArray[np.int64]") -> "Facts":
        """Give the facts about some of the documents."""
        ranks = None
        if self.ranks is not None:
            ranks = RankFacts._make(one[rows] for one in self.ranks)
        own = {name: getattr(self, name)[rows] for name in _OWN}
        return Facts(**own, ranks=ranks)

    def join(self, other: "Facts") -> "Facts":
        """Put documents behind each other."""
        ranks = None
        if self.ranks is not None and other.ranks is not None:
            both = zip(self.ranks, other.ranks, strict=True)
            ranks = RankFacts._make(np.concatenate(pair) for pair in both)
        own = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in _OWN}
        return Facts(**own, ranks=ranks)

    @property
    def ranked(self) -> RankFacts:
        """What full ranks say.

        Raises
        ------
        TypeError
            They were not counted.
        """
        if self.ranks is None:
            raise TypeError("facts: full ranks were not counted")
        return self.ranks


def facts_of(
    state: State, truth: Truth, layout: Layout, ranks: tuple[RankFacts, ...] | None = None
) -> tuple[Facts, ...]:
    """Draw the facts of every view from a state that has seen all tiles.

    Parameters
    ----------
    state
        Complete, with `better` counted if first hits are wanted.
    truth
        True labels of the same documents.
    layout
        The views.
    ranks
        What full ranks say in each view, if they were counted.
    """
    documents, views = state.predicted.shape
    true = np.zeros((documents, views), dtype=np.int32)
    hit = np.zeros((documents, views, state.k), dtype=np.bool_)
    first_hit = np.zeros((documents, views), dtype=np.int64)
    mark = np.full(layout.labels, -1, dtype=np.int64)
    _draw(
        state, truth, layout.cell_of_label, layout.cell_start, layout.cell_views, mark, true, hit,
        first_hit,
    )  # fmt: skip
    return tuple(
        Facts(
            true[:, v],
            state.predicted[:, v],
            state.both[:, v],
            hit[:, v],
            first_hit[:, v],
            None if ranks is None else ranks[v],
        )
        for v in range(views)
    )


@compiled
def _draw(
    state: State,
    truth: Truth,
    cell_of_label: NDArray[np.int32],
    cell_start: NDArray[np.int32],
    cell_views: NDArray[np.int32],
    mark: NDArray[np.int64],
    true: NDArray[np.int32],
    hit: NDArray[np.bool_],
    first_hit: NDArray[np.int64],
) -> None:
    for i in range(true.shape[0]):
        for t in range(truth.indptr[i], truth.indptr[i + 1]):
            label = truth.labels[t]
            mark[label] = i
            cell = cell_of_label[label]
            for at in range(cell_start[cell], cell_start[cell + 1]):
                true[i, cell_views[at]] += 1
        for v in range(true.shape[1]):
            start = (i * true.shape[1] + v) * state.k
            for r in range(state.taken[i, v]):
                if mark[state.top_label[start + r]] == i:
                    hit[i, v, r] = True
                    if first_hit[i, v] == 0:
                        first_hit[i, v] = r + 1
            if first_hit[i, v] == 0 and state.best_label[i, v] != NO_LABEL:
                first_hit[i, v] = state.better[i, v] + 1
