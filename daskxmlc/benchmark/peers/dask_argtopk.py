"""Dask: the best labels by its own reduction."""

from typing import Any

import dask.config
import numpy as np
from numpy.typing import NDArray

from daskxmlc.benchmark.peers.peer import K, Peer, precision_of

DOCUMENTS = 1_000  # of a block


class DaskArgtopk(Peer):
    """A reduction over blocks of documents."""

    name = "dask"
    summary = "dask.array.argtopk"

    def value(self, scores: NDArray[np.floating], truth: Any) -> float:  # noqa: ANN401
        """Compute the measure."""
        import dask.array as da

        blocks = da.from_array(scores, chunks=(DOCUMENTS, -1), name=False)
        with dask.config.set(scheduler="synchronous"):
            found = da.argtopk(blocks, K, axis=1).compute()
        return precision_of(found, truth)
