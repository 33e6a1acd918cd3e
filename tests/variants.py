"""One matrix of scores in every way of storing and of running that must not change a result."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import dask
import numpy as np
import scipy.sparse
import zarr
from distributed import Client, LocalCluster
from numpy.typing import NDArray
from zarr.codecs import TransposeCodec

import daskxmlc
from daskxmlc.storage.matrix import SparseRows
from daskxmlc.storage.writing import DenseWriter, SparseWriter

Cells = NDArray[Any]
SCHEDULERS = ("synchronous", "threads")


def results_of(result: daskxmlc.Result) -> str:
    """Give the text of the results in a result's JSON, every digit of it."""
    before, mark, results = result.to_json().partition('"results": ')
    assert before
    assert mark
    return results


def marks(truth: Sequence[set[int]], labels: int) -> NDArray[np.int8]:
    """Give sets of true labels as a matrix."""
    cells = np.zeros((len(truth), labels), np.int8)
    for document, true in enumerate(truth):
        cells[document, sorted(true)] = 1
    return cells


def stored_rows(cells: Cells) -> SparseRows:
    """Give the scores that are not -inf."""
    documents, labels = np.nonzero(cells != -np.inf)
    limits = np.searchsorted(documents, np.arange(len(cells) + 1)).astype(np.int64)
    return SparseRows(limits, labels.astype(np.int32), cells[documents, labels])


def write_truth(path: Path, cells: Cells, **names: Any) -> str:  # noqa: ANN401  # the writer's
    """Write a truth store."""
    stored = scipy.sparse.csr_array(cells)
    rows = SparseRows(stored.indptr.astype(np.int64), stored.indices, stored.data)
    with SparseWriter(str(path), cells.shape, kind="truth", **names) as writer:
        writer.append(rows)
    return str(path)


def write_dense(path: Path, cells: Cells, **options: Any) -> str:  # noqa: ANN401  # the writer's
    """Write a dense store."""
    with DenseWriter(str(path), cells.shape, cells.dtype, **options) as writer:
        writer.append(cells)
    return str(path)


def write_sparse(path: Path, cells: Cells, **options: Any) -> str:  # noqa: ANN401  # the writer's
    """Write a sparse store, without the scores that are -inf."""
    with SparseWriter(str(path), cells.shape, cells.dtype, **options) as writer:
        writer.append(stored_rows(cells))
    return str(path)


def chunkings(cells: Cells) -> Iterator[dict[str, int]]:
    """Give document chunks 1, 2, all by label chunks 1, 2, all, in shards and not."""
    documents, labels = cells.shape
    for height, width in product(
        sorted({1, min(2, documents), documents}), sorted({1, min(2, labels), labels})
    ):
        chunks = {"chunk_documents": height, "chunk_labels": width}
        yield chunks
        yield {**chunks, "shard_documents": 2 * height}


def own_stores(folder: Path, cells: Cells) -> Iterator[str]:
    """Write stores of daskxmlc's own, dense and sparse, in every chunking."""
    for number, chunks in enumerate(chunkings(cells)):
        yield write_dense(folder / f"dense-{number}.zarr", cells, **chunks)
    for entries in sorted({1, min(2, cells.size), cells.size}):
        yield write_sparse(folder / f"sparse-{entries}.zarr", cells, chunk_entries=entries)


def foreign_stores(folder: Path, cells: Cells) -> Iterator[str]:
    """Write arrays of formats 2 and 3 as others write them, in C and in Fortran order."""
    width, height = (min(2, side) for side in cells.shape)
    everything: dict[str, Any] = {"config": {"write_empty_chunks": True}}
    turned = [TransposeCodec(order=(1, 0))]
    ways: list[dict[str, Any]] = [
        {"zarr_format": 2},
        {"zarr_format": 2, "order": "F"},
        {"zarr_format": 3},
        {"zarr_format": 3, "filters": turned},
        {"zarr_format": 3, "shards": (2 * width, 2 * height)},
    ]
    for number, options in enumerate(ways):
        path = folder / f"foreign-{number}.zarr"
        array = zarr.create_array(
            path,
            shape=cells.shape,
            chunks=(width, height),
            dtype=cells.dtype,
            **everything,
            **options,
        )
        array.set_basic_selection(..., cells)
        yield str(path)


def scores_every_way(folder: Path, cells: Cells) -> Iterator[Any]:
    """Give scores as stores of every kind and as arrays in memory."""
    yield from own_stores(folder, cells)
    yield from foreign_stores(folder, cells)
    yield cells
    yield np.asfortranarray(cells)
    rows = stored_rows(cells)
    yield scipy.sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=cells.shape)


def evaluate_every_way(
    ways: Iterator[Any],
    truth: Any,  # noqa: ANN401  # what evaluate takes
    **question: Any,  # noqa: ANN401  # what evaluate takes
) -> daskxmlc.Result:
    """Evaluate all of them on every scheduler of one process; all results must be one text."""
    texts: dict[str, str] = {}
    result = None
    for number, scores in enumerate(ways):
        for scheduler in SCHEDULERS:
            with dask.config.set(scheduler=scheduler):
                result = daskxmlc.evaluate(scores, truth, **question)
            name = scores if isinstance(scores, str) else f"{number} {type(scores).__name__}"
            texts.setdefault(results_of(result), f"{name}, {scheduler}")
            assert len(texts) == 1, texts
    assert result is not None
    return result


@contextmanager
def processes(
    workers: int = 2,
    *,
    threads: int = 1,
    memory: str | int = "2GiB",
    in_processes: bool = True,
) -> Iterator[Client]:
    """Start workers on this machine, which are no default for anybody."""
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            processes=in_processes,
            # A worker within this process would pause for what earlier tests have left here.
            memory_limit=memory if in_processes else 0,
            protocol="tcp://",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def evaluate_on(client: Client, scores: Any, truth: Any, **question: Any) -> daskxmlc.Result:  # noqa: ANN401  # what evaluate takes
    """Evaluate on the workers of a client."""
    with dask.config.set(scheduler=client):
        return daskxmlc.evaluate(scores, truth, **question)
