"""Zarr stores that others wrote: which axis is which, which zero is a score."""

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import scipy.sparse
import zarr

from daskxmlc.errors import DataError
from daskxmlc.storage.matrix import Matrix, Reading, SparseRows
from daskxmlc.storage.opening import open_matrix
from tests.stores import CELLS, DOCUMENTS, LABELS
from tests.test_every_format import read_whole

# What others wrote


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_stored_zero_is_a_score_where_the_fill_value_is_zero(
    tmp_path: Path, zarr_format: Literal[2, 3]
) -> None:
    # Case D-12: xarray reads the first as [NaN, 0.4, NaN].
    scores = np.array([[0, 0.4, 0], [0.2, 0, 0.1]])
    group = zarr.create_group(tmp_path / "a.zarr", zarr_format=zarr_format)
    group.create_array("scores", data=scores, fill_value=0, attributes={"_FillValue": 0})
    assert read_whole(open_matrix(str(tmp_path / "a.zarr"))).mean() == pytest.approx(0.7 / 6)


SQUARE = np.array([[0.9, 0.1, 0.8], [0.2, 0.7, 0.3], [0.4, 0.5, 0.6]])


def write_names(group: zarr.Group, name: str, names: list[str]) -> None:
    array = group.create_array(name, shape=(len(names),), dtype="string")
    array[:] = np.array(names, dtype=object)


def write_square(path: Path, names: bool, ids: bool) -> str:
    group = zarr.create_group(path)
    dimensions = ("label", "document") if names else None
    group.create_array("scores", data=SQUARE.T, dimension_names=dimensions)
    for name in ("document", "label") if ids else ():
        write_names(group, name, [f"{name}{i}" for i in range(3)])
    return str(path)


def test_a_turned_matrix_with_names_is_turned_back(tmp_path: Path) -> None:
    matrix = open_matrix(write_square(tmp_path / "a.zarr", names=True, ids=True))
    np.testing.assert_array_equal(read_whole(matrix), SQUARE)
    documents = matrix.documents()
    assert documents is not None
    assert documents.tolist() == ["document0", "document1", "document2"]
    assert any("labels by documents" in note for note in matrix.notes)


def test_ids_that_fit_either_axis_are_refused(tmp_path: Path) -> None:
    path = write_square(tmp_path / "a.zarr", names=False, ids=True)
    with pytest.raises(DataError, match="ids cannot be tied to the axes of a square matrix"):
        open_matrix(path)


def test_a_square_matrix_without_names_says_what_it_is_taken_for(tmp_path: Path) -> None:
    matrix = open_matrix(write_square(tmp_path / "a.zarr", names=False, ids=False))
    assert any("rows are taken for documents" in note for note in matrix.notes)


def test_ids_decide_by_their_number_where_names_are_missing(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "a.zarr")
    group.create_array("scores", data=CELLS.T)
    write_names(group, "document", DOCUMENTS)
    np.testing.assert_array_equal(read_whole(open_matrix(str(tmp_path / "a.zarr"))), CELLS)
    write_names(group, "label", LABELS[:4])
    with pytest.raises(DataError, match="ids of 7 documents and 4 labels"):
        open_matrix(str(tmp_path / "a.zarr"))


def test_a_group_without_scores_names_its_matrices(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "a.zarr")
    group.create_array("runs/logits", data=CELLS)
    write_names(group, "words", ["a"])
    path = str(tmp_path / "a.zarr")
    with pytest.raises(DataError, match=r"no array 'scores'; .*"):
        open_matrix(path)
    with pytest.raises(DataError, match=r"no array 'scores'; name one of runs/logits"):
        open_matrix(f"{path}::runs")
    np.testing.assert_array_equal(read_whole(open_matrix(f"{path}::runs/logits")), CELLS)
    with pytest.raises(DataError, match="there is no Zarr group or array 'nix'"):
        open_matrix(f"{path}::nix")
    with pytest.raises(DataError, match="is no matrix, got 1 dimensions"):
        open_matrix(f"{path}::words")


def test_complex_scores_are_refused(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=CELLS.astype(complex))
    with pytest.raises(DataError, match="dtype 'complex128' cannot be read"):
        open_matrix(str(tmp_path / "a.zarr"))


def write_csr(path: Path, **parts: Any) -> str:  # noqa: ANN401  # of any dtype
    stored = scipy.sparse.csr_array(CELLS)
    group = zarr.create_group(
        path,
        attributes={
            "encoding-type": parts.pop("encoding", "csr_matrix"),
            "encoding-version": "0.1.0",
            "shape": list(CELLS.shape),
        },
    )
    for name in ("data", "indices", "indptr"):
        group.create_array(name, data=parts.get(name, getattr(stored, name)))
    return str(path)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"encoding": "csc_matrix"}, "not stored by rows, got 'csc_matrix'"),
        ({"indptr": np.array([0, 1])}, r"got 2 limits \(indptr\)"),
        ({"indptr": np.array([0, 9, 5, 12, 20, 24, 28, 31])}, "do not ascend|indptr ends"),
        ({"indices": np.full(31, 5)}, "label 5 of document 0 is outside"),
        ({"indices": np.full(31, -1)}, "label -1 of document 0 is outside"),
    ],
)
def test_a_broken_sparse_matrix_is_refused(
    tmp_path: Path, parts: dict[str, Any], message: str
) -> None:
    assert np.count_nonzero(CELLS) == 31
    with pytest.raises(DataError, match=message):
        read_whole(open_matrix(write_csr(tmp_path / "a.zarr", **parts)))


def write_anndata(path: Path, encoding: str) -> str:
    """Write AnnData whose names of obs are not a plain array."""
    group = zarr.create_group(path, attributes={"encoding-type": "anndata"})
    write_csr(path / "X")
    frame = group.create_group("obs", attributes={"_index": "name"})
    index = frame.create_group("name", attributes={"encoding-type": encoding})
    write_names(index, "values", DOCUMENTS)
    write_names(group.create_group("var", attributes={"_index": "_index"}), "_index", LABELS)
    return str(path)


def test_nullable_names_of_anndata_are_names(tmp_path: Path) -> None:
    matrix = open_matrix(write_anndata(tmp_path / "a.zarr", "nullable-string-array"))
    documents, labels = matrix.documents(), matrix.labels()
    assert documents is not None
    assert labels is not None
    assert documents.tolist() == DOCUMENTS
    assert labels.tolist() == LABELS
    assert matrix.notes == ()


def test_names_that_cannot_be_read_are_noted(tmp_path: Path) -> None:
    matrix = open_matrix(write_anndata(tmp_path / "a.zarr", "unheard-of"))
    assert matrix.documents() is None
    assert matrix.notes == ("the names of obs cannot be read, so there are none",)
    np.testing.assert_array_equal(read_whole(matrix), CELLS)


# The fixtures' folder, where it lies beside the project


FIXTURES = Path(__file__).parents[2] / "shared" / "fixtures"


def cells_by_name(matrix: Matrix) -> dict[tuple[str, str], float]:
    documents, labels = matrix.documents(), matrix.labels()
    assert documents is not None
    assert labels is not None
    found = {}
    for band in matrix.bands():
        rows = matrix.read(band)
        if isinstance(rows, SparseRows):
            lines = np.repeat(np.arange(len(rows)), np.diff(rows.indptr)).tolist()
            stored = list(zip(lines, rows.indices.tolist(), rows.data.tolist(), strict=True))
        else:
            stored = [(*at, float(value)) for at, value in np.ndenumerate(rows)]
        for line, column, value in stored:
            found[str(documents[band.start + line]), str(labels[column])] = value
    return found


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the samples of other programs are not here")
def test_the_samples_of_other_programs_load() -> None:
    import json

    known = json.loads((FIXTURES / "expected.json").read_text())
    checked = 0
    for path, expected in known["good"].items():
        if expected["format"] not in {"zarr", "anndata"}:
            continue
        reading = Reading()
        if "--labels" in expected["arguments"]:
            documents, labels = FIXTURES / "documents.txt", FIXTURES / "labels.txt"
            reading = Reading(documents=str(documents), labels=str(labels))
        matrix = open_matrix(str(FIXTURES / path), reading=reading)
        assert cells_by_name(matrix) == {(a, b): score for a, b, score in expected["entries"]}
        assert (matrix.absent, matrix.dtype) == (expected["absent"], expected["dtype"])
        checked += 1
    assert checked == 4
    with pytest.raises(DataError, match="documents 3 to 5"):
        read_whole(open_matrix(str(FIXTURES / "broken/zarr/missing_chunk.zarr")))
    with pytest.raises(DataError, match="indptr ends at 40"):
        open_matrix(str(FIXTURES / "broken/anndata/indptr.zarr"))
