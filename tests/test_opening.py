"""Opening by content, names from files, and matrices that are in memory already."""

from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
import scipy.sparse
import xarray as xr
from numpy.typing import NDArray

from daskxmlc.errors import DataError, UsageError
from daskxmlc.storage import opening
from daskxmlc.storage.matrix import Band, Format, Kind, Matrix, Reading, SparseRows, Tile
from daskxmlc.storage.memory import from_array, from_csr, from_dataarray
from daskxmlc.storage.opening import open_matrix
from tests.stores import CELLS, DOCUMENTS, LABELS, write_dense
from tests.test_every_format import read_whole


class Other(Format):
    """A format that takes any path for its own."""

    name: ClassVar[str] = "other"
    summary: ClassVar[str] = "anything"
    kinds: ClassVar[tuple[Kind, ...]] = ("scores",)

    def owns(self, path: str) -> bool:
        return bool(path)

    def open(self, path: str, reading: Reading) -> Matrix:
        return from_array(np.zeros((1, 1)), reading=reading, source=path)


def ids(names: NDArray[np.str_] | None) -> list[str]:
    assert names is not None
    result: list[str] = names.tolist()
    return result


# Recognising


def test_two_formats_that_fit_are_both_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {**opening.formats(), "other": Other()}
    monkeypatch.setattr(opening, "formats", lambda: known)
    path = write_dense(tmp_path)
    with pytest.raises(DataError, match=r"it could be zarr or other; say which it is \(--format\)"):
        open_matrix(path)
    assert open_matrix(path, format="other").shape == (1, 1)
    assert open_matrix(path, format="zarr").shape == (7, 5)
    # The others do not come into question where a truth is wanted.
    assert open_matrix(path, reading=Reading(kind="truth")).shape == (7, 5)
    with pytest.raises(UsageError, match=r"format 'other' holds no truth; .*zarr do"):
        open_matrix(path, format="other", reading=Reading(kind="truth"))


def test_a_plain_container_is_taken_for_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {**opening.formats(), "other": Other()}
    monkeypatch.setattr(opening, "formats", lambda: known)
    scipy.sparse.save_npz(tmp_path / "scores.npz", scipy.sparse.csr_matrix(CELLS))
    assert open_matrix(str(tmp_path / "scores.npz")).shape == (7, 5)


def test_what_no_format_recognises_names_the_formats(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(bytes(range(128, 256)))
    with pytest.raises(DataError, match=r"no format recognises it; .*: anndata, csr-npz"):
        open_matrix(str(tmp_path / "noise"))


def test_an_unknown_format_gets_the_nearest_names(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none is called 'zar'; did you mean zarr"):
        open_matrix(write_dense(tmp_path), format="zar")


# Names


@pytest.mark.parametrize(
    "content", ["\ufeffa\tx\nb\ty\n", "a\nb", "a\r\nb\r\n"], ids=["mark", "no end", "Windows"]
)
def test_the_first_field_of_each_line_is_a_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "labels.txt").write_bytes(content.encode())
    np.save(tmp_path / "scores.npy", CELLS[:, :2])
    reading = Reading(labels=str(tmp_path / "labels.txt"))
    matrix = open_matrix(str(tmp_path / "scores.npy"), reading=reading)
    assert ids(matrix.labels()) == ["a", "b"]
    assert matrix.documents() is None


def test_names_of_a_file_replace_the_ids_of_a_store(tmp_path: Path) -> None:
    names = tmp_path / "documents.txt"
    names.write_text("".join(f"new{i}\n" for i in range(7)))
    matrix = open_matrix(write_dense(tmp_path), reading=Reading(documents=str(names)))
    assert ids(matrix.documents())[:2] == ["new0", "new1"]
    assert ids(matrix.labels()) == LABELS


def test_a_name_that_occurs_twice_is_refused_with_its_lines(tmp_path: Path) -> None:
    names = tmp_path / "documents.txt"
    names.write_text("a\nb\nc\nb\nd\nc\nb\n")
    with pytest.raises(
        DataError, match=r"documents.txt, line 4: the name 'b' occurs twice, first in line 2"
    ):
        open_matrix(write_dense(tmp_path), reading=Reading(documents=str(names)))


# In memory


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", "i2", "u1", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_is_a_matrix(dtype: str, order: Literal["C", "F"]) -> None:
    cells = (CELLS * 16).astype(dtype, order=order)
    matrix = from_array(cells, documents=DOCUMENTS, labels=LABELS)
    np.testing.assert_array_equal(read_whole(matrix), cells)
    part = matrix.read(Band(2, 4), Tile(1, 3))
    assert isinstance(part, np.ndarray)
    np.testing.assert_array_equal(part, cells[2:4, 1:3])
    assert part.flags.c_contiguous
    assert part.dtype == matrix.dtype
    assert matrix.dtype.isnative
    assert ids(matrix.documents()) == DOCUMENTS
    assert ids(matrix.labels()) == LABELS


def test_an_array_is_not_copied() -> None:
    assert np.shares_memory(np.asarray(from_array(CELLS).read(Band(1, 3))), CELLS)


def test_bands_of_an_array_are_about_32_megabytes() -> None:
    bands = from_array(np.broadcast_to(np.float32(0), (100_000, 1000))).bands()
    assert bands[0] == Band(0, 8388)
    assert len(bands) == 12


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(3), "is no matrix, got 1 dimensions"),
        (np.zeros((2, 2), complex), "dtype 'complex128' cannot be read"),
        (np.array([["a"]]), "cannot be read"),
        (np.array([[None]]), "dtype 'object' cannot be read"),
    ],
)
def test_an_array_that_is_no_matrix_of_numbers_is_refused(
    array: NDArray[Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        from_array(array)


def test_ids_that_do_not_fit_an_array_are_refused() -> None:
    with pytest.raises(DataError, match="6 ids do not fit 7 documents"):
        from_array(CELLS, documents=DOCUMENTS[:6])


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil", "dok", "bsr"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_any_sparse_layout_is_a_matrix(layout: str, kind: str) -> None:
    made = getattr(scipy.sparse, f"{layout}_{kind}")(CELLS)
    matrix = from_csr(made)
    np.testing.assert_array_equal(read_whole(matrix), CELLS)
    assert (matrix.absent, matrix.shape) == ("not-retrieved", (7, 5))
    assert from_csr(made, reading=Reading(absent="0.0")).absent == "0.0"


@pytest.mark.parametrize("layout", ["csr", "coo", "csc"])
def test_a_label_that_a_row_holds_twice_stays_twice(layout: str) -> None:
    twice = scipy.sparse.coo_array(([0.5, 0.25], ([0, 0], [1, 1])), shape=(1, 2))
    if layout == "csr":
        twice = scipy.sparse.csr_array(([0.5, 0.25], [1, 1], [0, 2]), shape=(1, 2))
    if layout == "csc":
        twice = scipy.sparse.csc_array(([0.5, 0.25], [0, 0], [0, 0, 2]), shape=(1, 2))
    rows = from_csr(twice).read(Band(0, 1))
    assert isinstance(rows, SparseRows)
    assert sorted(rows.data.tolist()) == [0.25, 0.5]


def test_sparse_rows_are_a_matrix() -> None:
    rows = SparseRows(np.array([0, 1, 1]), np.array([2], np.int32), np.ones(1))
    assert from_csr(rows).shape == (2, 3)
    assert from_csr(rows, columns=9).shape == (2, 9)
    with pytest.raises(DataError, match="label 2 of document 0 is outside"):
        from_csr(rows, columns=2)
    broken = SparseRows(np.array([0, 2]), np.array([2], np.int32), np.ones(1))
    with pytest.raises(DataError, match="do not ascend from 0 to 1"):
        from_csr(broken)


@pytest.mark.parametrize("turned", [False, True])
def test_a_data_array_is_read_by_its_names(turned: bool) -> None:
    array = xr.DataArray(
        CELLS, dims=("document", "label"), coords={"document": DOCUMENTS, "label": LABELS}
    )
    matrix = from_dataarray(array.T if turned else array)
    np.testing.assert_array_equal(read_whole(matrix), CELLS)
    assert ids(matrix.documents()) == DOCUMENTS
    assert ids(matrix.labels()) == LABELS


def test_a_data_array_with_other_names_is_read_in_its_order() -> None:
    matrix = from_dataarray(xr.DataArray(CELLS, dims=("row", "column"), coords={"column": LABELS}))
    np.testing.assert_array_equal(read_whole(matrix), CELLS)
    assert matrix.documents() is None
    assert ids(matrix.labels()) == LABELS
    assert any("'row' and 'column' are taken" in note for note in matrix.notes)


@pytest.mark.parametrize("dims", [("label", "row"), ("column", "document")])
def test_one_known_name_in_the_wrong_place_is_refused(dims: tuple[str, str]) -> None:
    with pytest.raises(DataError, match="dimensions cannot be told apart"):
        from_dataarray(xr.DataArray(CELLS, dims=dims))
