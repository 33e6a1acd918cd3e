"""Sparse matrices as SciPy saves them: CSR read in bands, CSC and COO turned in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.array_files import ZIP_MAGIC, members, open_array
from daskxmlc.storage.files import FileMatrix, Stamp, first_bytes, stamp
from daskxmlc.storage.matrix import Band, Format, Kind, Reading, Rows, SparseRows, Tile
from daskxmlc.storage.npy_dense import expect_readable, native

PARTS = {
    "csr": ("indptr", "indices", "data"),
    "csc": ("indptr", "indices", "data"),
    "coo": ("row", "col", "data"),
}
BAND_ENTRIES = 1 << 21
BAND_DOCUMENTS = 1 << 20


@dataclass(eq=False)
class CsrNpz(FileMatrix):
    """A sparse matrix in an ``.npz``; entries stay in their stored order, repeats included.

    Attributes
    ----------
    layout
        ``"csr"``, ``"csc"`` or ``"coo"``.
    """

    layout: str = "csr"

    def bands(self) -> Sequence[Band]:
        """Cut the documents into bands of about equal numbers of entries."""
        if self.layout == "csr":
            return _plan(self.path, stamp(self.path))
        return _cut(_turned(self.path, self.layout, stamp(self.path)).indptr)

    def read(self, band: Band, tile: Tile | None = None) -> Rows:
        """Read the entries of a band; there is one tile only.

        Raises
        ------
        DataError
            The rows' limits do not ascend, a column is outside of the matrix, or the data are
            damaged; the message names file and document.
        """
        del tile
        if self.layout == "csr":
            rows = self._read_rows(band)
        else:
            rows = _band_of(_turned(self.path, self.layout, stamp(self.path)), band)
        if rows.data.dtype == np.bool_:
            return SparseRows(rows.indptr, rows.indices, rows.data.view(np.uint8))
        return rows

    def _read_rows(self, band: Band) -> SparseRows:
        limits = open_array(self.path, "indptr").items(band.start, band.stop + 1).astype(np.int64)
        indices = open_array(self.path, "indices")
        first, last = int(limits[0]), int(limits[-1])
        if (np.diff(limits) < 0).any() or first < 0 or last > indices.size:
            raise DataError(
                f"{self.path}: the limits of documents {band.start} to {band.stop - 1} (indptr) "
                f"do not ascend within the {indices.size} entries; save the matrix again"
            )
        columns = indices.items(first, last)
        _expect_inside(columns, limits - first, self.shape[1], band.start, self.path)
        data = open_array(self.path, "data").items(first, last)
        return SparseRows(limits - first, columns.astype(np.int32, copy=False), data)


class CsrNpzFormat(Format):
    """A sparse matrix saved by SciPy."""

    name: ClassVar[str] = "csr-npz"
    summary: ClassVar[str] = "sparse matrix of scipy.sparse.save_npz (CSR, CSC, COO)"
    kinds: ClassVar[tuple[Kind, ...]] = ("scores", "truth")

    def owns(self, path: str) -> bool:
        """Tell by the members of the archive."""
        if first_bytes(path, 4) != ZIP_MAGIC:
            return False
        try:
            return {"format", "shape", "data"} <= members(path).keys()
        except DataError:
            return False

    def open(self, path: str, reading: Reading) -> CsrNpz:
        """Open a matrix by the headers of its members.

        Raises
        ------
        DataError
            The archive is cut, a member is missing, the layout is another one, or members do not
            fit each other.
        """
        stamp(path)
        layout, shape = _layout_and_shape(path)
        data = open_array(path, "data")
        expect_readable(data)
        _expect_sizes(path, layout, shape)
        return CsrNpz(
            source=path,
            shape=shape,
            dtype=native(data.dtype),
            kind=reading.kind,
            score_kind=reading.score_kind or "unknown",
            absent=(reading.absent or "not-retrieved") if reading.kind == "scores" else "0.0",
            notes=() if layout == "csr" else (f"{layout.upper()} was turned to CSR in memory",),
            path=path,
            layout=layout,
        )


def _layout_and_shape(path: str) -> tuple[str, tuple[int, int]]:
    names = members(path).keys()
    missing = [name for name in ("format", "shape", "data") if name not in names]
    if missing:
        raise DataError(
            f"{path}: member {missing[0]!r} is missing, got {', '.join(names) or 'no arrays'}; "
            "scipy.sparse.save_npz writes it"
        )
    stored = open_array(path, "format").items(0, 1).tolist()[0]
    layout = stored.decode("ascii", "replace") if isinstance(stored, bytes) else str(stored)
    if layout not in PARTS:
        raise DataError(
            f"{path}: the sparse layout cannot be read, got {layout!r}; CSR, CSC and COO can"
        )
    lacking = [name for name in PARTS[layout] if name not in names]
    if lacking:
        raise DataError(f"{path}: member {lacking[0]!r} of {layout} is missing; save it again")
    sides = open_array(path, "shape")
    shape = [int(side) for side in sides.items(0, sides.size).tolist()]
    if len(shape) != 2 or min(shape) < 0 or shape[1] >= 2**31:
        raise DataError(f"{path}: the shape is no matrix's, got {tuple(shape)}; two sides fit")
    return layout, (shape[0], shape[1])


def _expect_sizes(path: str, layout: str, shape: tuple[int, int]) -> None:
    first, second, data = (open_array(path, name) for name in PARTS[layout])
    for array in (first, second):
        if array.dtype.kind not in "iu" or len(array.shape) != 1:
            raise DataError(f"{array.name}: whole numbers in one row are needed; save it again")
    expected = data.size if layout == "coo" else shape[layout == "csc"] + 1
    if first.size != expected or second.size != data.size:
        raise DataError(
            f"{path}: the members do not fit each other, got {first.size} limits or rows, "
            f"{second.size} columns and {data.size} values for {shape[0]} documents by {shape[1]} "
            "labels; save the matrix again"
        )


def _expect_inside(
    columns: NDArray[np.generic], limits: NDArray[np.int64], labels: int, start: int, path: str
) -> None:
    if len(columns) == 0:
        return
    outside = (columns < 0) | (columns >= labels)  # type: ignore[operator]
    if not outside.any():
        return
    first = int(np.argmax(outside))
    document = start + int(np.searchsorted(limits, first, side="right")) - 1
    raise DataError(
        f"{path}: label {columns[first]} of document {document} is outside the {labels} labels of "
        f"the matrix; labels go from 0 to {labels - 1}"
    )


@lru_cache(maxsize=16)
def _plan(path: str, _: Stamp) -> tuple[Band, ...]:
    """Cut bands while the limits pass by; only the cuts are kept."""
    limits = open_array(path, "indptr")
    documents = limits.size - 1
    bands = []
    start = 0
    while start < documents:
        stop = min(start + BAND_DOCUMENTS, documents)
        part = limits.items(start, stop + 1).astype(np.int64)
        bands += [Band(start + band.start, start + band.stop) for band in _cut(part)]
        start = stop
    return tuple(bands)


def _cut(limits: NDArray[np.int64]) -> list[Band]:
    documents = len(limits) - 1
    bands = []
    start = 0
    while start < documents:
        stop = int(np.searchsorted(limits, limits[start] + BAND_ENTRIES, side="right")) - 1
        stop = min(max(stop, start + 1), documents)
        bands.append(Band(start, stop))
        start = stop
    return bands


@lru_cache(maxsize=2)
def _turned(path: str, layout: str, _: Stamp) -> SparseRows:
    """Read a matrix that does not lie by documents as a whole and order it by documents."""
    documents, labels = _layout_and_shape(path)[1]
    first, second, data = (
        array.items(0, array.size) for array in (open_array(path, name) for name in PARTS[layout])
    )
    if layout == "coo":
        rows, columns = first.astype(np.int64), second.astype(np.int64)
    else:
        spans = np.diff(first.astype(np.int64)).astype(np.int64)
        if (spans < 0).any() or int(spans.sum()) != len(data):
            raise DataError(f"{path}: the limits of the labels (indptr) do not ascend; save again")
        rows, columns = second.astype(np.int64), np.repeat(np.arange(labels), spans)
    if len(rows) and not (rows.min() >= 0 and rows.max() < documents):
        wrong = int(rows[np.argmax((rows < 0) | (rows >= documents))])
        raise DataError(f"{path}: row {wrong} is outside the {documents} documents of the matrix")
    order = np.argsort(rows, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=documents))))
    _expect_inside(columns[order], indptr, labels, 0, path)
    return SparseRows(indptr, columns[order].astype(np.int32), data[order])


def _band_of(rows: SparseRows, band: Band) -> SparseRows:
    limits = rows.indptr[band.start : band.stop + 1]
    entries = slice(int(limits[0]), int(limits[-1]))
    return SparseRows(limits - limits[0], rows.indices[entries], rows.data[entries])
