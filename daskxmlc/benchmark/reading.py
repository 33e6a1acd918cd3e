"""Reading alone, on the scheduler that evaluates: what counting is compared with."""

import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
from dask.base import compute
from dask.delayed import Delayed
from numpy.typing import NDArray

from daskxmlc.evaluation.jobs import grouped
from daskxmlc.evaluation.running import MOST_TASKS
from daskxmlc.storage.matrix import Band, Matrix, SparseRows
from daskxmlc.storage.zarr_dense import ZarrDense

PAGE = 4096


def read_everything(matrix: Matrix) -> int:
    """Read and decode all scores as an evaluation does, and count nothing.

    Returns
    -------
    int
        Bytes that were decoded.
    """
    token = uuid.uuid4().hex
    source = f"daskxmlc-bench-scores-{token}"
    tasks: dict[Any, Any] = {source: matrix}
    keys = []
    for number, bands in enumerate(grouped(matrix.bands(), MOST_TASKS)):
        key = (f"daskxmlc-bench-read-{token}", number)
        tasks[key] = (read_bands, source, list(bands))
        keys.append(key)
    root = f"daskxmlc-bench-bytes-{token}"
    tasks[root] = (sum, keys)
    (total,) = compute(Delayed(root, tasks))
    return int(total)


def read_bands(matrix: Matrix, bands: Sequence[Band]) -> int:
    """Read some bands, tile by tile; runs on a worker."""
    total = 0
    for band in bands:
        for tile in matrix.tiles() if matrix.absent is None else (None,):
            rows = matrix.read(band, tile)
            if isinstance(rows, SparseRows):
                total += rows.data.nbytes + rows.indices.nbytes + rows.indptr.nbytes
            else:
                total += _touched(rows)
    return total


def read_by_zarr(matrix: ZarrDense) -> int:
    """Read all chunks by Zarr's own means, and count nothing."""
    read = _array_of(matrix).map_blocks(_size, dtype=np.int64, chunks=(1, 1))
    return int(read.sum().compute())


def scan_plainly(matrix: ZarrDense) -> float:
    """Sum each document's highest score, as anybody would write it with Dask."""
    return float(_array_of(matrix).max(axis=0 if matrix.axes.turned else 1).sum().compute())


def _array_of(matrix: ZarrDense) -> Any:  # noqa: ANN401  # a Dask array
    import dask.array as da

    return da.from_zarr(matrix.store, component=matrix.inner)


def _size(block: NDArray[np.generic]) -> NDArray[np.int64]:
    return np.full((1, 1), block.nbytes, dtype=np.int64)


def _touched(rows: NDArray[np.generic]) -> int:
    """Make sure that rows are in memory: those that are mapped are read when they are touched."""
    if not rows.flags.writeable:
        rows.reshape(-1).view(np.uint8)[::PAGE].max(initial=0)
    return rows.nbytes
