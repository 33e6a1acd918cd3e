"""From stored scores to findings: which kernel takes which rows, tile by tile."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from daskxmlc.blocks.columns import Columns, columns_of
from daskxmlc.blocks.dense import count_better, scan_dense
from daskxmlc.blocks.dense_ranks import count_ranks, meet_true_scores
from daskxmlc.blocks.keys import bits_of, key_space, threshold_key
from daskxmlc.blocks.layout import tile_layout
from daskxmlc.blocks.ranks import Ranks
from daskxmlc.blocks.sparse import Entries, densify, labels_of, scan_sparse
from daskxmlc.blocks.sparse_ranks import count_sparse_ranks
from daskxmlc.blocks.state import State, Truth
from daskxmlc.evaluation.plan import Plan
from daskxmlc.storage.matrix import Band, Matrix, SparseRows, Tile
from daskxmlc.tables.first_hits import FirstHits

#: Bytes of findings, or of scores written out in full, that a worker makes at a time.
WORKING_BYTES = 2**25


# What the kernels need to know of the columns is prepared once in a process and kept for all tasks
# of a run, as long as its plan lives.
_PREPARED: "WeakKeyDictionary[Plan, dict[np.dtype[np.generic], dict[Tile, Columns]]]" = (
    WeakKeyDictionary()
)


class Scanner:
    """Scans the documents of one score matrix by one plan.

    Parameters
    ----------
    plan
        What to count.
    scores
        Where to read.
    """

    def __init__(self, plan: Plan, scores: Matrix) -> None:
        self._plan = plan
        self._scores = scores
        self._space = key_space(scores.dtype)
        self._threshold = self._space.highest + 1
        if plan.threshold is not None:
            self._threshold = threshold_key(plan.threshold, scores.dtype, strict=plan.strict)
        self._first_hits = FirstHits in plan.tables
        self._tiles = tuple(scores.tiles())
        prepared = _PREPARED.setdefault(plan, {})
        self._prepared = prepared.setdefault(scores.dtype, {})

    @property
    def documents_at_a_time(self) -> int:
        """How many documents to take together, so that what is found fits in memory."""
        size = self._plan.layout.views * (12 * self._plan.kept_places + 32) + 64
        if self._scores.absent == "0.0":
            size = max(size, self._scores.shape[1] * self._scores.dtype.itemsize)
        return max(1, WORKING_BYTES // size)

    def scan(
        self,
        band: Band,
        kept: NDArray[np.int64],
        truth: Truth,
        state: State,
        ranks: Ranks | None = None,
    ) -> None:
        """Take some documents into the state, and their true labels into the ranks.

        Parameters
        ----------
        band
            Rows of the scores.
        kept
            int64 (n,): which of them count, increasing.
        truth
            True labels of those that count.
        state
            Findings about them; changed in place.
        ranks
            Findings about their true labels, if full ranks are wanted; changed in place.
        """
        if len(kept) == 0:
            return
        if self._scores.absent is None:
            self._scan_tiles(band, kept, truth, state, ranks)
            return
        entries = self._entries(band, kept)
        if self._scores.absent == "not-retrieved":
            labels = labels_of(
                self._plan.layout,
                self._plan.label_of_column,
                self._space,
                threshold=self._threshold,
            )
            scan_sparse(entries, truth, labels, state)
            if ranks is not None:
                count_sparse_ranks(entries, truth, labels, state, ranks)
        else:
            absent = int(bits_of(np.zeros(1, dtype=self._scores.dtype))[0])
            bits = densify(entries, self._scores.shape[1], absent, state.doubled)
            whole = self._columns(Tile(0, self._scores.shape[1]))
            scan_dense(bits, truth, whole, state, first_hits=self._first_hits)
            if ranks is not None:
                meet_true_scores(bits, truth, whole, ranks)
                count_ranks(bits, truth, whole, state, ranks)

    def _scan_tiles(
        self,
        band: Band,
        kept: NDArray[np.int64],
        truth: Truth,
        state: State,
        ranks: Ranks | None,
    ) -> None:
        at_once = len(self._tiles) == 1

        def scan(bits: NDArray[np.signedinteger], columns: Columns) -> None:
            scan_dense(bits, truth, columns, state, first_hits=at_once and self._first_hits)
            if ranks is not None:
                meet_true_scores(bits, truth, columns, ranks)
            if ranks is not None and at_once:
                count_ranks(bits, truth, columns, state, ranks)

        def count(bits: NDArray[np.signedinteger], columns: Columns) -> None:
            if self._first_hits:
                count_better(bits, columns, state)
            if ranks is not None:
                count_ranks(bits, truth, columns, state, ranks)

        self._for_each_tile(band, kept, scan)
        if not at_once and (self._first_hits or ranks is not None):
            self._for_each_tile(band, kept, count)

    def _for_each_tile(
        self,
        band: Band,
        kept: NDArray[np.int64],
        action: Callable[[NDArray[np.signedinteger], Columns], None],
    ) -> None:
        # The rows that count may be a part of the band: read no more than they span.
        inside = Band(band.start + int(kept[0]), band.start + int(kept[-1]) + 1)
        for tile in self._tiles:
            rows = self._scores.read(inside, tile)
            if isinstance(rows, SparseRows):
                raise TypeError(f"{self._scores.source}: a dense matrix gave sparse rows")
            if len(kept) < len(inside):
                rows = rows[kept - kept[0]]
            action(bits_of(rows), self._columns(tile))

    def _columns(self, tile: Tile) -> Columns:
        if tile not in self._prepared:
            layout = tile_layout(
                self._plan.layout, self._plan.label_of_column[tile.start : tile.stop]
            )
            self._prepared[tile] = columns_of(
                self._plan.layout,
                layout,
                self._space,
                threshold=self._threshold,
                first=tile.start,
            )
        return self._prepared[tile]

    def _entries(self, band: Band, kept: NDArray[np.int64]) -> Entries:
        inside = Band(band.start + int(kept[0]), band.start + int(kept[-1]) + 1)
        rows = self._scores.read(inside)
        if not isinstance(rows, SparseRows):
            raise TypeError(f"{self._scores.source}: a sparse matrix gave dense rows")
        indptr, indices, data = rows.indptr, rows.indices, rows.data
        if len(kept) < len(inside):
            sizes = np.diff(indptr)
            wanted = np.zeros(len(inside), dtype=np.bool_)
            wanted[kept - kept[0]] = True
            entries = np.repeat(wanted, sizes)
            indices, data = indices[entries], data[entries]
            indptr = np.concatenate([[0], np.cumsum(sizes[wanted])])
        return Entries(indptr, indices, bits_of(data))
