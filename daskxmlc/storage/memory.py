"""Matrices that are in memory already: NumPy, SciPy and xarray."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.matrix import Band, Matrix, Reading, Rows, SparseRows, Tile
from daskxmlc.storage.named import with_names
from daskxmlc.storage.npy_dense import is_readable, native

BAND_BYTES = 32 << 20
BAND_DOCUMENTS = 1 << 20


@dataclass(eq=False)
class MemoryMatrix(Matrix):
    """A matrix in memory; its pickle holds all of it.

    Attributes
    ----------
    rows
        All documents.
    document_ids, label_ids
        Ids, or None.
    """

    rows: Rows = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    document_ids: NDArray[np.str_] | None = field(default=None, repr=False)
    label_ids: NDArray[np.str_] | None = field(default=None, repr=False)

    @property
    def held(self) -> bool:
        """It lies in memory."""
        return True

    def bands(self) -> Sequence[Band]:
        """Cut the documents into bands of about 32 MB."""
        documents, labels = self.shape
        if isinstance(self.rows, SparseRows):
            size = self.rows.data.nbytes + self.rows.indices.nbytes
            each = max(1, size // max(1, documents))
        else:
            each = max(1, labels * self.dtype.itemsize)
        step = min(max(1, BAND_BYTES // each), BAND_DOCUMENTS)
        return [Band(at, min(at + step, documents)) for at in range(0, documents, step)]

    def read(self, band: Band, tile: Tile | None = None) -> Rows:
        """Give a view of the documents, in C order; a copy where the array lies otherwise."""
        rows = self.rows
        if isinstance(rows, SparseRows):
            limits = rows.indptr[band.start : band.stop + 1]
            entries = slice(int(limits[0]), int(limits[-1]))
            return SparseRows(limits - limits[0], rows.indices[entries], rows.data[entries])
        columns = slice(None) if tile is None else slice(tile.start, tile.stop)
        return np.ascontiguousarray(rows[band.start : band.stop, columns])

    def documents(self) -> NDArray[np.str_] | None:
        """Give the documents' ids, or None where there are none."""
        return self.document_ids

    def labels(self) -> NDArray[np.str_] | None:
        """Give the labels' ids, or None where there are none."""
        return self.label_ids


def from_array(
    array: NDArray[np.generic],
    *,
    reading: Reading = Reading(),  # noqa: B008
    documents: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    source: str = "array",
) -> Matrix:
    """Take a NumPy array for a matrix; nothing is copied.

    Parameters
    ----------
    array
        (documents, labels), float16 to float64, an integer dtype or bool.
    reading
        What the user says of it.
    documents, labels
        Ids, or None.
    source
        What to call it in messages.

    Raises
    ------
    DataError
        It has not two dimensions, its dtype is no number's, or ids do not fit its shape.
    """
    if array.ndim != 2:
        raise DataError(
            f"{source}: the array is no matrix, got {array.ndim} dimensions; documents by labels "
            "are needed"
        )
    rows = _readable(array, source)
    return _finish(rows, rows.shape, reading, documents, labels, source)


def from_csr(
    matrix: Any,  # noqa: ANN401  # SciPy is not imported to name its types
    *,
    columns: int | None = None,
    reading: Reading = Reading(),  # noqa: B008
    documents: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    source: str = "sparse matrix",
) -> Matrix:
    """Take a sparse matrix for a matrix; entries that occur twice are kept.

    Parameters
    ----------
    matrix
        A SciPy sparse matrix or array of any layout, or `SparseRows`. CSR is not copied.
    columns
        Number of labels, for `SparseRows`.
    reading
        What the user says of it; absent entries were not retrieved unless it says otherwise.
    documents, labels
        Ids, or None.
    source
        What to call it in messages.

    Raises
    ------
    DataError
        It has not two dimensions, its dtype is no number's, a label is outside of the matrix, or
        ids do not fit its shape.
    """
    if isinstance(matrix, SparseRows):
        highest = int(matrix.indices.max()) + 1 if len(matrix.indices) else 0
        shape = (len(matrix), highest if columns is None else columns)
        rows = matrix
    else:
        if len(matrix.shape) != 2:
            raise DataError(
                f"{source}: it is no matrix, got {len(matrix.shape)} dimensions; documents by "
                "labels are needed"
            )
        shape = (int(matrix.shape[0]), int(matrix.shape[1]))
        rows = _by_rows(matrix, source)
    rows = SparseRows(
        rows.indptr.astype(np.int64, copy=False),
        rows.indices.astype(np.int32, copy=False),
        _readable(rows.data, source),
    )
    _expect_whole(rows, shape, source)
    return _finish(rows, shape, reading, documents, labels, source)


def from_dataarray(
    array: Any,  # noqa: ANN401  # xarray is not imported to name its type
    *,
    reading: Reading = Reading(),  # noqa: B008
    source: str | None = None,
) -> Matrix:
    """Take an xarray.DataArray over NumPy for a matrix.

    Dimensions called ``document`` and ``label`` may stand in either order; others are taken in
    theirs. The coordinates of the dimensions are the ids.

    Raises
    ------
    DataError
        It has not two dimensions, or its dtype is no number's.
    """
    name = source or str(array.name or "data array")
    dimensions = ("document", "label")
    if set(array.dims) == set(dimensions):
        array = array.transpose(*dimensions)
    elif set(array.dims) & set(dimensions):
        raise DataError(
            f"{name}: its dimensions cannot be told apart, got {', '.join(map(repr, array.dims))}; "
            "'document' and 'label' can"
        )
    ids = [
        np.asarray(array.coords[dimension].values).astype(np.str_)
        if dimension in array.coords
        else None
        for dimension in array.dims
    ]
    documents, labels = ids if len(ids) == 2 else (None, None)
    matrix = from_array(
        np.asarray(array.values), reading=reading, documents=documents, labels=labels, source=name
    )
    if tuple(array.dims) != dimensions:
        first, second = array.dims
        note = f"the dimensions {first!r} and {second!r} are taken for documents and labels"
        matrix.notes = (*matrix.notes, note)
    return matrix


def _finish(
    rows: Rows,
    shape: tuple[int, ...],
    reading: Reading,
    documents: ArrayLike | None,
    labels: ArrayLike | None,
    source: str,
) -> Matrix:
    sparse = isinstance(rows, SparseRows)
    absent = None
    if sparse:
        absent = "0.0" if reading.kind == "truth" else reading.absent or "not-retrieved"
    dtype = rows.data.dtype if isinstance(rows, SparseRows) else rows.dtype
    matrix = MemoryMatrix(
        source=source,
        shape=(shape[0], shape[1]),
        dtype=dtype,
        kind=reading.kind,
        score_kind=reading.score_kind or "unknown",
        absent=absent,
        rows=rows,
        document_ids=_ids(documents, shape[0], "documents", source),
        label_ids=_ids(labels, shape[1], "labels", source),
    )
    return with_names(matrix, reading)


def _ids(ids: ArrayLike | None, count: int, what: str, source: str) -> NDArray[np.str_] | None:
    if ids is None:
        return None
    names = np.asarray(ids).astype(np.str_)
    if names.shape != (count,):
        raise DataError(
            f"{source}: {names.size} ids do not fit {count} {what}; one each, in their order"
        )
    return names


def _readable(array: NDArray[Any], source: str) -> NDArray[Any]:
    array = np.asarray(array)
    if not is_readable(array.dtype):
        raise DataError(
            f"{source}: scores of dtype {str(array.dtype)!r} cannot be read; float16, float32, "
            "float64 and integers can"
        )
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    return array.astype(native(array.dtype), copy=False)


def _by_rows(matrix: Any, source: str) -> SparseRows:  # noqa: ANN401
    layout = getattr(matrix, "format", None)
    if layout not in {"csr", "csc"}:
        # SciPy would add what lies twice in one place.
        entries = matrix.tocoo()
        order = np.argsort(entries.row, kind="stable")
        counts = np.bincount(entries.row, minlength=matrix.shape[0])
        limits = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        return SparseRows(limits, entries.col[order], entries.data[order])
    if matrix.shape[1] >= 2**31:
        raise DataError(f"{source}: {matrix.shape[1]} labels are too many; 2147483647 can be read")
    rows = matrix.tocsr()
    return SparseRows(rows.indptr, rows.indices, rows.data)


def _expect_whole(rows: SparseRows, shape: tuple[int, ...], source: str) -> None:
    limits, columns = rows.indptr, rows.indices
    if limits[0] != 0 or limits[-1] != len(columns) or (np.diff(limits) < 0).any():
        raise DataError(
            f"{source}: the rows' limits (indptr) do not ascend from 0 to {len(columns)}"
        )
    if len(columns) and (int(columns.min()) < 0 or int(columns.max()) >= shape[1]):
        entry = int(np.argmax((columns < 0) | (columns >= shape[1])))
        document = int(np.searchsorted(limits, entry, side="right")) - 1
        raise DataError(
            f"{source}: label {columns[entry]} of document {document} is outside of the matrix; "
            f"its labels are 0 to {shape[1] - 1}"
        )
