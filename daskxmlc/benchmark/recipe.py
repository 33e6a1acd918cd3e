"""A made-up test set that behaves like a real one: a taxonomy, its truth, a good method's scores.

Any documents can be drawn alone, in any order and in any process: the same seed gives the same
numbers, whatever the chunks and the number of workers.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import UsageError
from daskxmlc.storage.matrix import SparseRows
from daskxmlc.storage.pending import Codec

#: Documents that are drawn together; a seed belongs to each such block.
BLOCK = 256
DTYPES = ("float32", "float16")

# Shares of the labels on the first two levels; the rest is on the third.
_FIRST, _SECOND = 0.004, 0.09
_SECOND_PARENT = 0.05  # of labels with another parent, so that the taxonomy is no tree
_MEAN_LEAVES = 3.4  # with their ancestors about ten labels of a document
_ROOT = "root"

# Logits: most labels far below zero, the frequent ones less far, true ones mostly above.
_FALSE_MEAN, _FALSE_SPREAD, _FALSE_FREQUENT = -7.0, 1.6, 0.45
_TRUE_MEAN, _TRUE_SPREAD = 0.3, 2.6


@dataclass(frozen=True)
class Recipe:
    """What to make.

    Attributes
    ----------
    documents, labels
        How many; at least 1 and 8.
    dtype
        Of the scores: ``"float32"`` or ``"float16"``.
    codec
        Compression of the stores.
    chunk_documents
        Documents of a chunk of scores; None takes about 48 MB.
    seed
        Equal seeds give equal numbers.

    Raises
    ------
    UsageError
        A number is too small, or the dtype is another one.
    """

    documents: int
    labels: int = 8_926
    dtype: str = "float32"
    codec: Codec = "lz4"
    chunk_documents: int | None = None
    seed: int = 0
    _levels: tuple[int, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name, number, least in (("documents", self.documents, 1), ("labels", self.labels, 8)):
            if number < least:
                raise UsageError(f"--{name}: too few to measure, got {number}; {least} would do")
        if self.dtype not in DTYPES:
            raise UsageError(f"--dtype: no such dtype, got {self.dtype!r}; {', '.join(DTYPES)} fit")
        first = max(2, round(self.labels * _FIRST))
        object.__setattr__(self, "_levels", (first, max(3, round(self.labels * _SECOND))))

    @property
    def decoded_bytes(self) -> int:
        """Bytes of the scores in memory."""
        return self.documents * self.labels * np.dtype(self.dtype).itemsize

    def label_ids(self) -> list[str]:
        """Give the labels' ids, in the order of the columns."""
        return [f"L{number:06d}" for number in range(self.labels)]

    def levels(self) -> NDArray[np.int64]:
        """Give the level of each label, 1 to 3; they stand mixed, as they do in real sets."""
        return self._level

    def document_ids(self, start: int, stop: int) -> list[str]:
        """Give the ids of some documents."""
        return [f"D{number:09d}" for number in range(start, stop)]

    def taxonomy(self) -> str:
        """Give the taxonomy as text, ``parent child child …``, its root first."""
        ids = self.label_ids()
        children: dict[str, list[str]] = {_ROOT: []}
        for label, parents in enumerate(self._parents.tolist()):
            above = [ids[parent] for parent in dict.fromkeys(parents) if parent >= 0] or [_ROOT]
            for parent in above:
                children.setdefault(parent, []).append(ids[label])
        return "".join(f"{parent} {' '.join(below)}\n" for parent, below in children.items())

    def truth(self, start: int, stop: int) -> SparseRows:
        """Draw the true labels of some documents: long-tailed, closed under ancestors.

        Returns
        -------
        SparseRows
            Indices distinct and increasing in each document, data int8 ones.
        """
        rows = [
            row
            for block in range(start // BLOCK, -(-stop // BLOCK))
            for row in self._truth_of(block)[max(0, start - block * BLOCK) : stop - block * BLOCK]
        ]
        indptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=indptr[1:])
        indices = np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32)
        return SparseRows(indptr, indices, np.ones(len(indices), np.int8))

    def scores(self, start: int, stop: int) -> NDArray[np.floating]:
        """Draw the scores of some documents, as a sigmoid gives them: all above zero.

        Returns
        -------
        numpy.ndarray
            (stop - start, labels), of the recipe's dtype.
        """
        out = np.empty((stop - start, self.labels), dtype=self.dtype)
        for block in range(start // BLOCK, -(-stop // BLOCK)):
            first = block * BLOCK
            low, high = max(start, first), min(stop, first + BLOCK)
            out[low - start : high - start] = self._scores_of(block)[low - first : high - first]
        return out

    @cached_property
    def _level(self) -> NDArray[np.int64]:
        """Level of each label."""
        first, second = self._levels
        level = np.full(self.labels, 3)
        level[: first + second] = 2
        level[:first] = 1
        return np.random.default_rng([self.seed, 1]).permutation(level)

    @cached_property
    def _parents(self) -> NDArray[np.int64]:
        """(labels, 2): both parents of each label, equal where there is one; -1 for the root."""
        rng = np.random.default_rng([self.seed, 2])
        parents = np.full((self.labels, 2), -1)
        for level in (2, 3):
            below = np.flatnonzero(self._level == level)
            above = np.flatnonzero(self._level == level - 1)
            chance = _long_tail(len(above))
            parents[below] = rng.choice(above, len(below), p=chance)[:, None]
            several = below[rng.random(len(below)) < _SECOND_PARENT]
            parents[several, 1] = rng.choice(above, len(several), p=chance)
            # No label of a middle level without children, so that every leaf is on level 3.
            head = below[: len(above)] if len(below) >= len(above) else below
            parents[head] = above[: len(head), None]
        return parents

    @cached_property
    def _closed(self) -> list[NDArray[np.int64]]:
        """Each label with its ancestors."""
        rows = []
        for label in range(self.labels):
            own = {label, *self._parents[label].tolist()}
            above = {parent for one in own - {-1} for parent in self._parents[one].tolist()}
            rows.append(np.array(sorted((own | above) - {-1})))
        return rows

    @cached_property
    def _leaves(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Labels of the third level, and the chance of each, summed up."""
        leaves = np.flatnonzero(self._level == 3)
        leaves = np.random.default_rng([self.seed, 3]).permutation(leaves)
        return leaves, np.cumsum(_long_tail(len(leaves)))

    @cached_property
    def _mean_logits(self) -> NDArray[np.float32]:
        """Logit of a label that is not true: higher where the label is frequent."""
        leaves, summed = self._leaves
        frequency = np.zeros(self.labels)
        for leaf, chance in zip(leaves.tolist(), np.diff(summed, prepend=0.0), strict=True):
            frequency[self._closed[leaf]] += chance
        relative = np.log(frequency + frequency[leaves].min() / 2)
        bias = _FALSE_FREQUENT * (relative - relative.min())
        return np.asarray(_FALSE_MEAN + bias, dtype=np.float32)

    def _truth_of(self, block: int) -> list[NDArray[np.int64]]:
        rng = np.random.default_rng([self.seed, 4, block])
        leaves, summed = self._leaves
        sizes = 1 + rng.poisson(_MEAN_LEAVES - 1, BLOCK)
        drawn = np.searchsorted(summed, rng.random(int(sizes.sum())) * summed[-1], side="right")
        picked = np.split(leaves[np.minimum(drawn, len(leaves) - 1)], np.cumsum(sizes)[:-1])
        return [
            np.unique(np.concatenate([self._closed[leaf] for leaf in row.tolist()]))
            for row in picked
        ]

    def _scores_of(self, block: int) -> NDArray[np.floating]:
        rng = np.random.default_rng([self.seed, 5, block])
        logits = rng.standard_normal((BLOCK, self.labels), dtype=np.float32)
        truth = self._truth_of(block)
        rows = np.repeat(np.arange(BLOCK), [len(row) for row in truth])
        columns = np.concatenate(truth)
        true = _TRUE_MEAN + _TRUE_SPREAD * logits[rows, columns]
        logits *= np.float32(_FALSE_SPREAD)
        logits += self._mean_logits
        logits[rows, columns] = true
        # The sigmoid, in place.
        np.negative(logits, out=logits)
        np.exp(logits, out=logits)
        logits += np.float32(1)
        np.reciprocal(logits, out=logits)
        return logits.astype(self.dtype, copy=False)


def _long_tail(count: int) -> NDArray[np.float64]:
    """Give falling chances that follow Zipf's law."""
    chance: NDArray[np.float64] = 1 / np.arange(1, count + 1)
    return np.asarray(chance / chance.sum())
