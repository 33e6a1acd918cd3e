"""Matrices that NumPy and SciPy saved: what each file means, and what is refused."""

import io
import zipfile
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage import array_files, csr_npz, files
from daskxmlc.storage.array_files import open_array
from daskxmlc.storage.csr_npz import CsrNpzFormat
from daskxmlc.storage.label_lines import LabelLinesFormat
from daskxmlc.storage.matrix import Band, Format, Reading
from daskxmlc.storage.npy_dense import NpyDenseFormat
from daskxmlc.storage.score_mat import ScoreMat
from daskxmlc.storage.xmc_text import XmcTextFormat
from tests.entries import Entries, entries, whole

SCORES = Reading()


# Dense NumPy matrices


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "dtype", ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "i1", "<i4", ">i8", "u1", ">u2", "?"]
)
@pytest.mark.parametrize("container", ["npy", "stored", "deflated"])
def test_a_dense_matrix_keeps_values_and_dtype(
    tmp_path: Path, order: Literal["C", "F"], dtype: str, container: str
) -> None:
    values = np.asarray(np.arange(35).reshape(7, 5) % 11, dtype=dtype, order=order)
    path = str(tmp_path / "matrix")
    with Path(path).open("wb") as file:
        {"npy": np.save, "stored": np.savez, "deflated": np.savez_compressed}[container](
            file, values
        )
    assert NpyDenseFormat().owns(path)
    matrix = NpyDenseFormat().open(path, SCORES)
    native = np.dtype("u1") if dtype == "?" else np.dtype(dtype).newbyteorder("=")
    assert (matrix.shape, matrix.dtype, matrix.absent) == ((7, 5), native, None)
    for band in (Band(0, 7), Band(2, 5), Band(6, 7), Band(3, 3)):
        rows = matrix.read(band)
        assert isinstance(rows, np.ndarray)
        assert rows.dtype == native
        assert rows.tolist() == values[band.start : band.stop].astype(native).tolist()


def save(path: Path, values: NDArray[np.generic], *, allow_pickle: bool = False) -> str:
    np.save(path, values, allow_pickle=allow_pickle)
    return str(path)


def test_a_file_of_objects_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    path = save(tmp_path / "x.npy", np.array([["a", None]], dtype=object), allow_pickle=True)
    assert not NpyDenseFormat().owns(path)
    with pytest.raises(DataError, match="Python objects, which are a pickle"):
        NpyDenseFormat().open(path, SCORES)


@pytest.mark.parametrize("dtype", ["c16", "U3", "f4,i4", "M8[s]", "g"])
def test_what_is_no_number_of_ours_is_refused(tmp_path: Path, dtype: str) -> None:
    path = save(tmp_path / "x.npy", np.zeros((2, 2), dtype=dtype))
    assert not NpyDenseFormat().owns(path)
    with pytest.raises(DataError, match=r"dtype .* cannot be read"):
        NpyDenseFormat().open(path, SCORES)


def test_an_array_of_another_dimension_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no matrix, got 3 dimensions"):
        NpyDenseFormat().open(save(tmp_path / "x.npy", np.zeros((2, 2, 2))), SCORES)


def test_a_cut_dense_file_is_refused_with_both_sizes(tmp_path: Path) -> None:
    path = save(tmp_path / "x.npy", np.zeros((7, 6), np.float32))
    Path(path).write_bytes(Path(path).read_bytes()[:-50])
    assert NpyDenseFormat().owns(path)
    with pytest.raises(DataError, match="truncated, got 246 bytes where its header says 296"):
        NpyDenseFormat().open(path, SCORES)


@given(
    st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000)), max_size=8),
    st.sampled_from([50, 333, 1 << 18]),
)
def test_a_deflated_array_is_read_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, spans: list[tuple[int, int]], piece: int
) -> None:
    values = np.random.default_rng(1).integers(0, 50, 3000)
    path = str(tmp_path_factory.mktemp("deflated") / "x.npz")
    np.savez_compressed(path, values=values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(array_files, "PIECE", piece)
        patch.setattr(array_files, "FIRST_SPACING", 100)
        patch.setattr(array_files, "PLACES", 6)
        array = open_array(path, "values")
        for start, stop in [(min(span), max(span)) for span in spans]:
            assert array.items(start, stop).tolist() == values[start:stop].tolist()


def test_damage_in_a_deflated_array_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez_compressed(path, values=np.random.default_rng(0).random((50, 40)))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"damaged|truncated"):
        NpyDenseFormat().open(str(path), SCORES).read(Band(0, 50))


# Sparse SciPy matrices

SPARSE = scipy.sparse.csr_matrix(
    (
        np.array([0.5, 0.25, 0.0, -1.0, 2.0], np.float32),
        np.array([4, 4, 0, 3, 1]),
        np.array([0, 3, 3, 5]),
    ),
    shape=(3, 5),
)
STORED: Entries = [(0, 4, 0.5), (0, 4, 0.25), (0, 0, 0.0), (2, 3, -1.0), (2, 1, 2.0)]


@pytest.mark.parametrize("compressed", [True, False])
def test_sparse_entries_are_kept_as_they_are_stored(
    tmp_path: Path,
    compressed: bool,
) -> None:
    path = str(tmp_path / "x.npz")
    scipy.sparse.save_npz(path, SPARSE, compressed=compressed)
    assert CsrNpzFormat().owns(path)
    assert not NpyDenseFormat().owns(path)
    matrix = CsrNpzFormat().open(path, SCORES)
    assert matrix.dtype == np.float32
    assert (matrix.shape, matrix.absent) == ((3, 5), "not-retrieved")
    assert whole(matrix) == STORED
    assert entries(matrix.read(Band(2, 3))) == [(0, 3, -1.0), (0, 1, 2.0)]
    assert entries(matrix.read(Band(1, 1))) == []


@pytest.mark.parametrize("layout", ["csc", "coo"])
@pytest.mark.parametrize("array", [True, False])
def test_a_matrix_that_lies_by_labels_is_turned(
    tmp_path: Path,
    layout: str,
    array: bool,
) -> None:
    path = str(tmp_path / "x.npz")
    dense = np.array([[0, 0.5, 0], [0, 0, 0], [1, 0, 2]], np.float64)
    kind = getattr(scipy.sparse, f"{layout}_{'array' if array else 'matrix'}")
    scipy.sparse.save_npz(path, kind(dense))
    matrix = CsrNpzFormat().open(path, SCORES)
    assert sorted(whole(matrix)) == [(0, 1, 0.5), (2, 0, 1.0), (2, 2, 2.0)]
    assert entries(matrix.read(Band(1, 3))) == [(1, 0, 1.0), (1, 2, 2.0)]
    assert layout.upper() in matrix.notes[0]


def members_of(**changed: object) -> dict[str, object]:
    return {
        "data": np.ones(3, np.float32),
        "indices": np.array([0, 1, 2], np.int32),
        "indptr": np.array([0, 2, 3], np.int32),
        "shape": np.array([2, 3]),
        "format": b"csr",
        **changed,
    }


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"indices": np.array([0, 9, 2])}, "label 9 of document 0 is outside the 3 labels"),
        ({"indices": np.array([0, 1, -1])}, "label -1 of document 1 is outside"),
        ({"indptr": np.array([0, 4, 3])}, "do not ascend"),
        ({"indptr": np.array([0, 3])}, "do not fit each other, got 2 limits"),
        ({"data": np.ones(4)}, "do not fit each other"),
        ({"data": np.ones(3, complex)}, "cannot be read"),
        ({"format": b"bsr"}, "layout cannot be read, got 'bsr'"),
        ({"shape": np.array([2, 3, 4])}, "no matrix's"),
        ({"data": np.array([1, "a", None], dtype=object)}, "Python objects"),
    ],
)
def test_members_that_do_not_fit_are_refused(
    tmp_path: Path, changed: dict[str, object], message: str
) -> None:
    path = str(tmp_path / "x.npz")
    np.savez(path, allow_pickle=True, **members_of(**changed))  # type: ignore[arg-type]
    with pytest.raises(DataError, match=message):
        CsrNpzFormat().open(path, SCORES).read(Band(0, 2))


def test_a_missing_member_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "x.npz")
    parts = members_of()
    del parts["indices"]
    np.savez(path, **parts)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="'indices' of csr is missing"):
        CsrNpzFormat().open(path, SCORES)


def test_a_cut_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    scipy.sparse.save_npz(path, SPARSE)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match=r"no whole \.npz archive"):
        CsrNpzFormat().open(str(path), SCORES)


def test_a_compression_that_numpy_never_writes_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "x.npz")
    content = io.BytesIO()
    np.save(content, np.zeros((2, 2)))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("x.npy", content.getvalue())
    with pytest.raises(DataError, match="method 12"):
        NpyDenseFormat().open(path, SCORES)


@given(st.integers(0, 30), st.sampled_from([1, 3, 10, 1000]), st.sampled_from([1, 4, 100]))
def test_bands_of_any_size_cover_each_document_once(
    tmp_path_factory: pytest.TempPathFactory, documents: int, most: int, step: int
) -> None:
    path = str(tmp_path_factory.mktemp("bands") / "x.npz")
    values = scipy.sparse.random_array((documents, 6), density=0.4, format="csr", rng=documents)
    scipy.sparse.save_npz(path, values)
    csr_npz._plan.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csr_npz, "BAND_ENTRIES", most)
        patch.setattr(csr_npz, "BAND_DOCUMENTS", step)
        matrix = CsrNpzFormat().open(path, SCORES)
        bands = matrix.bands()
        found = [
            (band.start + document, label, score)
            for band in bands
            for document, label, score in entries(matrix.read(band))
        ]
    assert [n for band in bands for n in range(band.start, band.stop)] == list(range(documents))
    assert found == whole(matrix)
    csr_npz._plan.cache_clear()


# Every file format


@pytest.mark.parametrize(
    "form", [XmcTextFormat(), ScoreMat(), LabelLinesFormat(), CsrNpzFormat(), NpyDenseFormat()]
)
def test_a_file_that_is_not_there_is_owned_by_none_and_refused_by_name(form: Format) -> None:
    assert not form.owns("nowhere.xyz")
    with pytest.raises(DataError, match=r"nowhere\.xyz: the file cannot be read"):
        form.open("nowhere.xyz", Reading(kind=form.kinds[-1]))


def test_even_bands_are_bounded_by_bytes_and_hold_a_document_at_least() -> None:
    assert files.even_bands(3, files.BAND_BYTES * 2) == [Band(0, 1), Band(1, 2), Band(2, 3)]
    assert files.even_bands(5, files.BAND_BYTES // 2) == [Band(0, 2), Band(2, 4), Band(4, 5)]
    assert files.even_bands(0, 8) == []
