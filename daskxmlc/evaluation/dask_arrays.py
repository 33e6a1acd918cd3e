"""Scores or truths that are Dask arrays: their blocks are counted where Dask computes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daskxmlc.storage.matrix import Band, Matrix, Reading, Rows, Tile
from daskxmlc.storage.memory import from_array

if TYPE_CHECKING:
    import dask.array as da

#: A block of documents with all their labels has at most about so many bytes.
BLOCK_BYTES = 2**26


class DaskMatrix(Matrix):
    """A Dask array whose blocks each hold all labels of some documents.

    Parameters
    ----------
    array
        (documents, labels). Blocks that are cut along labels are put together, few documents at a
        time.
    reading
        What the user says of it.
    documents, labels
        Ids, or None.
    """

    def __init__(
        self,
        array: "da.Array",
        reading: Reading,
        *,
        documents: NDArray[np.str_] | None = None,
        labels: NDArray[np.str_] | None = None,
    ) -> None:
        super().__init__(
            source="Dask array",
            shape=(int(array.shape[0]), int(array.shape[1])),
            dtype=array.dtype,
            kind=reading.kind,
            score_kind=reading.score_kind or "unknown",
        )
        if array.numblocks[1] > 1:
            rows = max(1, BLOCK_BYTES // max(1, array.shape[1] * array.dtype.itemsize))
            array = array.rechunk((min(rows, max(array.chunks[0])), -1))
        self.array = array
        self._documents = documents
        self._labels = labels

    def bands(self) -> Sequence[Band]:
        """Cut the documents as the array is chunked."""
        stops = np.cumsum(self.array.chunks[0]).tolist()
        return tuple(Band(a, b) for a, b in zip([0, *stops], stops, strict=False))

    def read(self, band: Band, tile: Tile | None = None) -> Rows:
        """Compute some documents."""
        columns = slice(None) if tile is None else slice(tile.start, tile.stop)
        return np.asarray(self.array[band.start : band.stop, columns].compute())

    def documents(self) -> NDArray[np.str_] | None:
        """Give the documents' ids."""
        return self._documents

    def labels(self) -> NDArray[np.str_] | None:
        """Give the labels' ids."""
        return self._labels

    def blocks(self) -> tuple[dict[Any, Any], list[Any]]:
        """Give the graph of the array and the key of each block of documents."""
        keys: Any = self.array.__dask_keys__()
        return dict(self.array.__dask_graph__()), [row[0] for row in keys]


def block_matrix(block: NDArray[Any]) -> Matrix:
    """Take one computed block for a matrix."""
    return from_array(block)
