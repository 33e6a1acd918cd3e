"""The way of the evaluator that comes with OAXMLC-Bench, in words of our own.

Batch by batch, every ranking measure of every k sorts all labels of every document anew, looks at
the truth in that order, and adds float32 means to a running sum. The original does so in PyTorch.
"""

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daskxmlc.benchmark.peers.peer import K, Peer

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float32]

BATCH = 64
KS = (1, 2, 3, K)


class FullArgsort(Peer):
    """A stable sort of whole rows for each measure and each k."""

    name = "full argsort"
    summary = "a full sort for each measure and k = 1, 2, 3, 5, as OAXMLC-Bench does"
    measure = f"precision@{K} of documents with {K} labels"
    everything = True

    def prepare(self, truth: "csr_matrix") -> Any:  # noqa: ANN401
        """Write the truth out in full."""
        return truth.toarray().astype(np.float32)

    def value(self, scores: NDArray[np.floating], truth: Any) -> float:  # noqa: ANN401
        """Compute the measure, and the others that come with it."""
        sums: dict[str, float] = defaultdict(float)
        documents: dict[int, int] = defaultdict(int)
        for start in range(0, len(scores), BATCH):
            batch = scores[start : start + BATCH], truth[start : start + BATCH]
            for k in KS:
                enough = batch[1].sum(axis=1) >= k
                if enough.any():
                    _add_ranking(sums, batch[0][enough], batch[1][enough], k)
                    documents[k] += int(enough.sum())
            _add_classification(sums, *batch)
            _add_ranks(sums, *batch)
        return sums[f"precision@{K}"] / max(1, documents[K])


def _ranked(scores: NDArray[np.floating], truth: Floats) -> Floats:
    """Give the truth of each document in the order of its scores."""
    return np.take_along_axis(truth, np.argsort(-scores, axis=1, kind="stable"), axis=1)


def _add_ranking(
    sums: dict[str, float], scores: NDArray[np.floating], truth: Floats, k: int
) -> None:
    count = len(scores)
    hits = _ranked(scores, truth)[:, :k].sum(axis=1)
    sums[f"precision@{k}"] += float((hits / np.float32(k)).mean()) * count
    sums[f"recall@{k}"] += float((hits / truth.sum(axis=1)).mean()) * count
    reached = np.cumsum(_ranked(scores, truth), axis=1) >= k
    sums[f"ranked_sum@{k}"] += float((reached.argmax(axis=1) + 1).mean()) * count
    discount = (1 / np.log2(np.arange(2, k + 2))).astype(np.float32)
    gain = _ranked(scores, truth)[:, :k] @ discount
    sums[f"ndcg@{k}"] += float((gain / discount.sum()).mean()) * count
    best = _ranked(scores, truth)[:, :k]
    shares = best * np.cumsum(best, axis=1) / np.arange(1, k + 1, dtype=np.float32)
    sums[f"map@{k}"] += float((shares.sum(axis=1) / np.maximum(best.sum(axis=1), 1)).mean()) * count


def _add_classification(
    sums: dict[str, float], scores: NDArray[np.floating], truth: Floats
) -> None:
    both = (scores > 0.5).astype(np.float32) + truth
    only = (scores > 0.5).astype(np.float32) - truth
    for name, cells in (("tp", both == 2), ("fp", only == 1), ("fn", only == -1)):
        sums[name] += float(cells.sum())
        sums[f"{name} of labels"] += float(cells.sum(axis=0).mean())


def _add_ranks(sums: dict[str, float], scores: NDArray[np.floating], truth: Floats) -> None:
    first = (np.cumsum(_ranked(scores, truth), axis=1) >= 1).argmax(axis=1) + 1
    sums["reciprocal_rank"] += float((1 / first).sum())
    places = _ranked(scores, truth) * np.arange(1, scores.shape[1] + 1, dtype=np.float32)
    sums["min_rank"] += float(places.max(axis=1).sum())
