"""The first law on real schedulers: workers, threads and processes change no digit."""

from collections.abc import Iterator
from typing import Any

import dask.array as da
import numpy as np
import pytest
import scipy.sparse
import xarray as xr
from distributed import Client

import daskxmlc
from tests.variants import (
    Cells,
    evaluate_on,
    processes,
    results_of,
    stored_rows,
    write_dense,
    write_sparse,
    write_truth,
)

SHAPE = (2000, 500)
QUESTION: dict[str, Any] = {"threshold": 0.75, "ks": (1, 3, 5, 10)}


@pytest.fixture(scope="module")
def cells() -> Cells:
    """Give scores on a grid so coarse that most are tied."""
    random = np.random.default_rng(7)
    return (random.integers(0, 64, SHAPE) / 64).astype(np.float32)


@pytest.fixture(scope="module")
def truth() -> Cells:
    random = np.random.default_rng(8)
    true = random.random(SHAPE) < 0.01
    true[::10] = False
    return true.astype(np.int8)


@pytest.fixture(scope="module")
def stores(
    tmp_path_factory: pytest.TempPathFactory, cells: Cells, truth: Cells
) -> tuple[str, list[str]]:
    """Give the truth and the scores, cut in several ways."""
    folder = tmp_path_factory.mktemp("stores")
    names = {
        "documents": [f"W{i}" for i in range(SHAPE[0])],
        "labels": [f"T{j}" for j in range(SHAPE[1])],
    }
    ways = ((70, 500, None), (2000, 64, None), (300, 99, 600), (100, 500, 1000))
    scores = [
        write_dense(
            folder / f"{number}.zarr",
            cells,
            **names,
            chunk_documents=height,
            chunk_labels=width,
            shard_documents=shard,
        )
        for number, (height, width, shard) in enumerate(ways)
    ]
    scores.append(write_sparse(folder / "sparse.zarr", cells, **names, chunk_entries=5000))
    return write_truth(folder / "truth.zarr", truth, **names), scores


@pytest.fixture(scope="module")
def text(cells: Cells, truth: Cells) -> str:
    return results_of(daskxmlc.evaluate(cells, truth, **QUESTION))


WAYS = [(1, 1, True), (4, 1, True), (1, 4, False), (4, 1, False)]


@pytest.fixture(
    scope="module",
    params=WAYS,
    ids=lambda way: f"{way[0]} x {way[1]} {'processes' if way[2] else 'threads'}",
)
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    workers, threads, apart = request.param
    with processes(workers, threads=threads, in_processes=apart, memory="1GiB") as client:
        yield client


def test_workers_change_no_digit(client: Client, stores: tuple[str, list[str]], text: str) -> None:
    truth, ways = stores
    for scores in ways:
        assert results_of(evaluate_on(client, scores, truth, **QUESTION)) == text, scores


def arrays(cells: Cells) -> Iterator[tuple[str, Any]]:
    """Give the scores as arrays of every kind."""
    yield "NumPy", cells
    yield "Fortran", np.asfortranarray(cells)
    rows = stored_rows(cells)
    yield "SciPy", scipy.sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=SHAPE)
    lazy = da.from_array(cells, chunks=(300, 500))
    yield "Dask", lazy
    yield "Dask by labels", da.from_array(cells, chunks=(2000, 64))
    yield "Dask both ways", da.from_array(cells, chunks=(333, 77))
    for name, array in (("NumPy", cells), ("Dask", lazy)):
        named = xr.DataArray(array, dims=("document", "label"))
        yield f"DataArray of {name}", named
        yield f"DataArray of {name}, turned", named.transpose()


def test_every_kind_of_array_is_taken_to_the_workers(
    client: Client, cells: Cells, truth: Cells, text: str
) -> None:
    for name, scores in arrays(cells):
        for known in (truth, scipy.sparse.csr_array(truth)):
            assert results_of(evaluate_on(client, scores, known, **QUESTION)) == text, name
