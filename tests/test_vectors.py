"""Known values of small score matrices, from stores and arrays through to the result."""

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from daskxmlc.errors import UsageError
from daskxmlc.measures.asking import parse
from daskxmlc.storage.matrix import SparseRows
from daskxmlc.storage.writing import SparseWriter
from tests.variants import (
    Cells,
    evaluate_every_way,
    stored_rows,
    write_dense,
    write_sparse,
    write_truth,
)

VECTORS = json.loads((Path(__file__).parent / "data/measures.json").read_text(encoding="utf-8"))
each_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])


def cells_of(vector: dict[str, Any]) -> Cells:
    """Give the scores; what was not retrieved is -inf."""
    rows = [[-math.inf if x is None else float(x) for x in row] for row in vector["scores"]]
    return np.array(rows, np.float64)


def ways_of(folder: Path, cells: Cells) -> Iterator[Any]:
    """Give the scores dense and sparse, on disk and in memory."""
    yield write_dense(folder / "whole.zarr", cells)
    yield write_dense(folder / "cut.zarr", cells, chunk_documents=1, chunk_labels=1)
    yield write_dense(
        folder / "shards.zarr", cells, chunk_documents=1, chunk_labels=2, shard_documents=2
    )
    yield write_sparse(folder / "sparse.zarr", cells, chunk_entries=2)
    yield cells
    rows = stored_rows(cells)
    yield scipy.sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=cells.shape)
    # -inf may be stored in a sparse matrix, too.
    limits = np.arange(len(cells) + 1, dtype=np.int64) * cells.shape[1]
    columns = np.tile(np.arange(cells.shape[1], dtype=np.int32), len(cells))
    full = str(folder / "full.zarr")
    with SparseWriter(full, cells.shape, cells.dtype) as writer:
        writer.append(SparseRows(limits, columns, cells.reshape(-1)))
    yield full


@each_vector
def test_a_vector_has_its_values_to_the_last_bit(vector: dict[str, Any], tmp_path: Path) -> None:
    """Text is a fraction, of which the value is the nearest float64; None is undefined."""
    truth = np.array(vector["truth"], np.int8)
    result = evaluate_every_way(
        ways_of(tmp_path, cells_of(vector)),
        write_truth(tmp_path / "truth.zarr", truth),
        threshold=vector["threshold"],
        measures=list(vector["expected"]),
    )
    found = {row.measure: row for row in result}
    assert list(found) == list(vector["expected"])
    for name, (expected, documents) in vector["expected"].items():
        exact = Fraction(expected) if isinstance(expected, str) else expected
        row = found[name]
        assert row.documents == documents, name
        assert math.isnan(row.value) if exact is None else row.value == float(exact), name
        assert row.dead_labels in {None, vector["dead_labels"]}, name


SHARED = Path(__file__).parents[2] / "shared/vectors/measures.json"


def exists(measure: str) -> bool:
    try:
        return bool(parse([measure], []))
    except UsageError:
        return False


@pytest.mark.skipif(not SHARED.exists(), reason="the full vectors do not lie beside the repository")
def test_no_value_of_the_full_vectors_is_left_out() -> None:
    full = {each["name"]: each for each in json.loads(SHARED.read_text(encoding="utf-8"))}
    assert [each["name"] for each in VECTORS] == list(full)
    for each in VECTORS:
        expected = {
            name: entry
            for name, entry in full[each["name"]]["expected"]["default"].items()
            if exists(name)
        }
        assert set(each["expected"]) == set(expected), each["name"]
        for name, entry in expected.items():
            mine, documents = each["expected"][name]
            value = Fraction(mine) if isinstance(mine, str) else mine
            assert entry["documents"] == documents
            assert entry["value"] == (None if value is None else float(value)), (each, name)
