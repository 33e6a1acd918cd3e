"""Stores that daskxmlc writes: they open everywhere, whole or not at all."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from numpy.typing import NDArray

from daskxmlc.errors import DataError, UsageError
from daskxmlc.storage.matrix import Band, Reading, SparseRows
from daskxmlc.storage.opening import open_matrix
from daskxmlc.storage.writing import DenseWriter, SparseWriter
from tests.stores import CELLS, DOCUMENTS, names_in, write_dense, write_sparse
from tests.test_every_format import read_whole

# What is written


def test_xarray_shows_a_dense_store_with_its_names(tmp_path: Path) -> None:
    import xarray as xr

    with xr.open_zarr(write_dense(tmp_path, chunk_documents=2), consolidated=False) as opened:
        assert opened["scores"].dims == ("document", "label")
        np.testing.assert_array_equal(opened["scores"].values, CELLS)
        assert opened["document"].values.tolist() == DOCUMENTS
        assert float(opened["scores"].sel(document="W3", label="T1")) == CELLS[3, 1]
        assert opened.attrs["daskxmlc"] == {
            "format": 1,
            "kind": "scores",
            "layout": "dense",
            "score_kind": "unknown",
            "source": "",
            "notes": [],
            "complete": True,
        }


def test_anndata_reads_a_sparse_store(tmp_path: Path) -> None:
    from anndata.io import read_elem, sparse_dataset

    group = zarr.open_group(write_sparse(tmp_path, chunk_entries=4), mode="r")["scores"]
    np.testing.assert_array_equal(sparse_dataset(group)[2:5].toarray(), CELLS[2:5])
    np.testing.assert_array_equal(read_elem(group).toarray(), CELLS)


def test_what_a_store_says_of_itself_comes_back(tmp_path: Path) -> None:
    path = str(tmp_path / "scores.zarr")
    with SparseWriter(
        path, (1, 2), "f8", score_kind="margin", source="a.npz", notes=["one"], absent="0.0"
    ) as writer:
        writer.append(SparseRows(np.array([0, 0]), np.zeros(0, np.int32), np.zeros(0)))
        writer.note("two")
    matrix = open_matrix(path)
    assert (matrix.score_kind, matrix.absent, str(matrix.dtype)) == ("margin", "0.0", "float64")
    assert matrix.notes == ("one", "two")
    assert matrix.documents() is None
    assert open_matrix(path, reading=Reading(score_kind="rank")).score_kind == "rank"
    assert open_matrix(path, reading=Reading(absent="not-retrieved")).absent == "not-retrieved"


def test_a_truth_keeps_true_labels_only(tmp_path: Path) -> None:
    path = str(tmp_path / "truth.zarr")
    with SparseWriter(path, (2, 4), kind="truth") as writer:
        writer.append(
            SparseRows(np.array([0, 2, 3]), np.array([3, 0, 1], np.int32), np.array([2.5, 0, 1]))
        )
    matrix = open_matrix(path, reading=Reading(kind="truth"))
    rows = matrix.read(Band(0, 2))
    assert isinstance(rows, SparseRows)
    assert (matrix.kind, str(rows.data.dtype)) == ("truth", "int8")
    assert rows.indptr.tolist() == [0, 1, 2]
    assert rows.indices.tolist() == [3, 1]
    assert rows.data.tolist() == [1, 1]


def test_every_chunk_is_written_even_if_all_zero(tmp_path: Path) -> None:
    path = tmp_path / "zeros.zarr"
    with DenseWriter(str(path), (6, 2), "i2", chunk_documents=2) as writer:
        writer.append(np.zeros((6, 2), np.int16))
    assert names_in(path / "scores" / "c") == ["0", "1", "2"]


@pytest.mark.parametrize("step", [1, 2, 3, 7])
@pytest.mark.parametrize("promised", [7, None])
def test_rows_come_in_any_pieces(tmp_path: Path, step: int, promised: int | None) -> None:
    path = str(tmp_path / "scores.zarr")
    with DenseWriter(path, (promised, 5), "f4", chunk_documents=2, shard_documents=4) as writer:
        for start in range(0, 7, step):
            writer.append(CELLS[start : start + step])
            writer.append_documents(DOCUMENTS[start : start + step])
    matrix = open_matrix(path)
    np.testing.assert_array_equal(read_whole(matrix), CELLS)
    documents = matrix.documents()
    assert documents is not None
    assert documents.tolist() == DOCUMENTS


def test_a_store_of_no_documents_is_a_store(tmp_path: Path) -> None:
    with DenseWriter(str(tmp_path / "dense.zarr"), (0, 3), "f4", labels="abc"):
        pass
    with SparseWriter(str(tmp_path / "sparse.zarr"), (None, 3), "f4", labels="abc"):
        pass
    for name in ("dense.zarr", "sparse.zarr"):
        matrix = open_matrix(str(tmp_path / name))
        assert matrix.shape == (0, 3)
        assert list(matrix.bands()) == []
        assert len(matrix.read(Band(0, 0))) == 0


def test_ids_may_be_a_stream(tmp_path: Path) -> None:
    path = str(tmp_path / "scores.zarr")
    count = 70_000  # more than are written at once
    with DenseWriter(path, (count, 1), "i1", documents=(f"d{i}" for i in range(count))) as writer:
        writer.append(np.zeros((count, 1), np.int8))
    documents = open_matrix(path).documents()
    assert documents is not None
    assert documents[[0, 65_535, 65_536, -1]].tolist() == ["d0", "d65535", "d65536", "d69999"]


# What is not written


def fill_and_stop(writer: DenseWriter) -> None:
    writer.append(np.zeros((2, 2), np.float32))
    raise RuntimeError("cut")


def test_a_failing_source_leaves_nothing_behind(tmp_path: Path) -> None:
    path = str(tmp_path / "scores.zarr")
    with (
        pytest.raises(RuntimeError, match="cut"),
        DenseWriter(path, (4, 2), "f4", chunk_documents=1) as writer,
    ):
        fill_and_stop(writer)
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    ("rows", "ids", "message"),
    [
        (2, 3, "2 documents were written, 3 were announced"),
        (3, 2, "2 document ids do not fit 3 documents"),
    ],
)
def test_a_store_of_another_size_than_promised_is_not_completed(
    tmp_path: Path, rows: int, ids: int, message: str
) -> None:
    path = str(tmp_path / "scores.zarr")
    with (
        pytest.raises(DataError, match=message),
        DenseWriter(path, (3, 2), "f4", documents=DOCUMENTS[:ids]) as writer,
    ):
        writer.append(np.zeros((rows, 2), np.float32))
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((1, 3), np.float32), r"rows of shape \(1, 3\) do not fit; 2 labels do"),
        (np.zeros((1, 2), np.float64), "float64 would be narrowed to float32"),
        (np.zeros((4, 2), np.float32), "more documents than the 3 announced"),
    ],
)
def test_rows_that_do_not_fit_are_refused(tmp_path: Path, rows: NDArray[Any], message: str) -> None:
    with (
        pytest.raises(DataError, match=message),
        DenseWriter(str(tmp_path / "scores.zarr"), (3, 2), "f4") as writer,
    ):
        writer.append(rows)


def test_a_label_outside_is_refused_by_the_writer(tmp_path: Path) -> None:
    with (
        pytest.raises(DataError, match="label 2 of document 1 is outside"),
        SparseWriter(str(tmp_path / "scores.zarr"), (2, 2), "f4") as writer,
    ):
        writer.append(
            SparseRows(np.array([0, 0, 1]), np.array([2], np.int32), np.ones(1, np.float32))
        )


def test_what_lies_there_stays_unless_it_may_go(tmp_path: Path) -> None:
    path = write_dense(tmp_path)
    with pytest.raises(DataError, match="something lies there already"):
        write_dense(tmp_path)
    with DenseWriter(path, (1, 1), "f4", overwrite=True) as writer:
        writer.append(np.ones((1, 1), np.float32))
    assert open_matrix(path).shape == (1, 1)
    assert names_in(tmp_path) == ["scores.zarr"]


def test_a_folder_that_is_no_store_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    with pytest.raises(DataError, match="no Zarr store, so it is not overwritten"):
        DenseWriter(str(tmp_path / "letters"), (1, 1), "f4", overwrite=True)
    with pytest.raises(DataError, match="there is no folder"):
        DenseWriter(str(tmp_path / "nowhere" / "a.zarr"), (1, 1), "f4")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chunk_documents": 0}, "0 documents do not make a chunk"),
        ({"chunk_labels": -1}, "-1 labels do not make a chunk"),
        ({"chunk_documents": 2, "shard_documents": 3}, "a shard of 3 does not hold whole chunks"),
        ({"codec": "rar"}, "'rar' is not known; zstd, lz4 and none are"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_written(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        write_dense(tmp_path, **options)
    assert names_in(tmp_path) == []
