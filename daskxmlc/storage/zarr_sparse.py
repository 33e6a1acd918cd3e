"""Sparse matrices in the layout of AnnData: daskxmlc's own stores, and AnnData's ``X``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.chunks.buffers import Buffers
from daskxmlc.storage.matrix import (
    Absent,
    Band,
    Format,
    Kind,
    Matrix,
    Reading,
    Rows,
    SparseRows,
    Tile,
)
from daskxmlc.storage.npy_dense import is_readable, native
from daskxmlc.storage.zarr_axes import Axes
from daskxmlc.storage.zarr_nodes import Node, look, open_reader, read_ids, split_address, state

if TYPE_CHECKING:
    from daskxmlc.storage.chunks.reader import ArrayReader

BAND_ENTRIES = 1 << 22
LIMITS_AT_ONCE = 1 << 20


@dataclass(eq=False)
class ZarrSparse(Matrix):
    """A group of ``data``, ``indices`` and ``indptr``; entries stay in their stored order.

    Attributes
    ----------
    store, inner
        The store's path, and the group in it.
    axes
        Where ids lie.
    fill
        Whether missing chunks are meant to be the fill value.
    """

    store: str = ""
    inner: str = ""
    axes: Axes = field(default=Axes())
    fill: bool = False
    buffers: Buffers = field(default_factory=Buffers, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the notes at home: they may be long, and no worker reads them."""
        return {**self.__dict__, "notes": ()}

    def bands(self) -> Sequence[Band]:
        """Cut the documents so that a band's entries are about a whole number of chunks."""
        return _plan(self.store, self.inner, self.fill, state(self.store, f"{self.inner}/indptr"))

    def read(self, band: Band, tile: Tile | None = None) -> Rows:
        """Read the entries of a band; there is one tile only.

        Raises
        ------
        DataError
            A chunk is missing or damaged, the rows' limits do not ascend, or a column is outside
            of the matrix; the message names the documents.
        """
        del tile
        documents = _documents(band.start, band.stop)
        limits = self._read("indptr", band.start, band.stop + 1, documents).astype(np.int64)
        first, last = (int(limits[0]), int(limits[-1])) if len(limits) else (0, 0)
        entries = self._reader("data").grid.shape[0]
        if (np.diff(limits) < 0).any() or first < 0 or last > entries:
            raise DataError(
                f"{self.source}: the limits (indptr) of {documents} do not ascend within the "
                f"{entries} entries; write the store again"
            )
        columns = self._read("indices", first, last, documents)
        self._expect_inside(columns, limits - first, band.start)
        data = self._read("data", first, last, documents)
        if data.dtype == np.bool_:
            data = data.view(np.uint8)
        return SparseRows(limits - first, columns.astype(np.int32, copy=False), data)

    def documents(self) -> NDArray[np.str_] | None:
        """Read the documents' ids, or give None where there are none."""
        return self._ids(self.axes.documents)

    def labels(self) -> NDArray[np.str_] | None:
        """Read the labels' ids, or give None where there are none."""
        return self._ids(self.axes.labels)

    def _ids(self, inner: str | None) -> NDArray[np.str_] | None:
        return None if inner is None else read_ids(self.store, inner, fill=self.fill)

    def _reader(self, name: str) -> "ArrayReader":
        return open_reader(self.store, f"{self.inner}/{name}".strip("/"), fill=self.fill)

    def _read(self, name: str, start: int, stop: int, documents: str) -> NDArray[Any]:
        from daskxmlc.storage.chunks.grid import Box
        from daskxmlc.storage.chunks.reader import Request

        box = Box((start,), (stop,), documents)
        return self._reader(name).read(Request(box, self.buffers, name))

    def _expect_inside(self, columns: NDArray[Any], limits: NDArray[np.int64], start: int) -> None:
        labels = self.shape[1]
        if len(columns) == 0 or (int(columns.min()) >= 0 and int(columns.max()) < labels):
            return
        entry = int(np.argmax((columns < 0) | (columns >= labels)))
        document = start + int(np.searchsorted(limits, entry, side="right")) - 1
        raise DataError(
            f"{self.source}: label {columns[entry]} of document {document} is outside of the "
            f"matrix; its labels are 0 to {labels - 1}"
        )


class AnndataFormat(Format):
    """What AnnData writes to Zarr."""

    name: ClassVar[str] = "anndata"
    summary: ClassVar[str] = "AnnData in Zarr: X with the names of obs and var, or a CSR group"
    kinds: ClassVar[tuple[Kind, ...]] = ("scores", "truth")

    def owns(self, path: str) -> bool:
        """Tell by the metadata: AnnData's mark, or a CSR group that is not daskxmlc's."""
        from daskxmlc.storage.zarr_dense import ZarrFormat

        store, inner = split_address(path)
        try:
            node = look(store, inner)
        except DataError:
            return False
        if node is None:
            return False
        if node.attributes.get("encoding-type") == "anndata":
            return True
        return is_csr(node) and not ZarrFormat().owns(path)

    def open(self, path: str, reading: Reading) -> Matrix:
        """Open a store by its metadata.

        Raises
        ------
        DataError
            There is no ``X``, it is neither dense nor CSR, or its parts do not fit each other.
        """
        from daskxmlc.storage.zarr_dense import open_dense

        store, inner = split_address(path)
        node = look(store, inner)
        whole = node is not None and node.attributes.get("encoding-type") == "anndata"
        found = node.child("X") if node is not None and whole else node
        if node is None or found is None:
            raise DataError(f"{path}: there is no 'X' in it; AnnData keeps its matrix there")
        names = {frame: _index_of(node, frame) for frame in ("obs", "var")}
        unknown = [frame for frame, inner in names.items() if whole and inner is None]
        notes = tuple(
            f"the names of {frame} cannot be read, so there are none" for frame in unknown
        )
        axes = Axes(documents=names["obs"], labels=names["var"], notes=notes)
        if found.kind == "array":
            return open_dense(path, found, reading, None, axes if whole else None)
        return open_sparse(path, found, reading, None, axes)


def is_csr(node: Node) -> bool:
    """Tell whether a node is a sparse matrix as AnnData writes it, by rows or by columns."""
    return node.attributes.get("encoding-type") in ("csr_matrix", "csc_matrix")


def open_sparse(
    path: str,
    node: Node,
    reading: Reading,
    own: dict[str, Any] | None,
    axes: Axes | None = None,
) -> ZarrSparse:
    """Open a CSR group.

    Parameters
    ----------
    path
        For messages.
    node
        The group.
    reading
        What the user says of it.
    own
        What daskxmlc wrote of the store, or None.
    axes
        Where ids lie; None looks for them beside the group.

    Raises
    ------
    DataError
        It is stored by columns, its shape is no matrix's, or its parts do not fit each other.
    """
    if node.attributes.get("encoding-type") != "csr_matrix":
        raise DataError(
            f"{path}: the sparse matrix is not stored by rows, got "
            f"{node.attributes.get('encoding-type')!r}; write it as csr_matrix"
        )
    shape = node.attributes.get("shape")
    if not isinstance(shape, list) or len(shape) != 2:
        raise DataError(f"{path}: the shape is no matrix's, got {shape!r}; two sides fit")
    described = own or {}
    kind: Kind = described.get("kind", reading.kind)
    if axes is None:
        axes = Axes(documents=_beside(node, "document"), labels=_beside(node, "label"))
    matrix = ZarrSparse(
        source=path,
        shape=(int(shape[0]), int(shape[1])),
        dtype=np.dtype(np.uint8),
        kind=kind,
        score_kind=reading.score_kind or described.get("score_kind", "unknown"),
        absent=_absent(kind, reading, described),
        notes=(*described.get("notes", ()), *axes.notes),
        store=node.store,
        inner=node.inner,
        axes=axes,
        fill=reading.missing_chunks == "fill" and own is None,
    )
    _expect_parts(matrix)
    stored = matrix._reader("data").dtype  # noqa: SLF001  # built just above
    if not is_readable(stored):
        raise DataError(
            f"{path}: scores of dtype {str(stored)!r} cannot be read; float16, float32, float64 "
            "and integers can"
        )
    matrix.dtype = native(stored)
    return matrix


def _absent(kind: Kind, reading: Reading, described: dict[str, Any]) -> Absent:
    if kind == "truth":
        return "0.0"
    if reading.absent is not None:
        return reading.absent
    return "not-retrieved" if described.get("absent", "not-retrieved") == "not-retrieved" else "0.0"


def _expect_parts(matrix: ZarrSparse) -> None:
    """Refuse parts whose lengths do not fit each other, the ends of the limits included."""
    for name in ("data", "indices", "indptr"):
        part = look(matrix.store, f"{matrix.inner}/{name}".strip("/"))
        if part is None or len(part.shape) != 1:
            raise DataError(f"{matrix.source}: array {name!r} of the CSR group is missing")
    limits, indices, data = (
        matrix._reader(name).grid.shape[0]  # noqa: SLF001
        for name in ("indptr", "indices", "data")
    )
    documents = matrix.shape[0]
    if limits != documents + 1 or indices != data:
        raise DataError(
            f"{matrix.source}: the arrays do not fit each other, got {limits} limits (indptr), "
            f"{indices} columns (indices) and {data} values (data) for {documents} documents"
        )
    last = int(matrix._read("indptr", documents, documents + 1, "the end")[0])  # noqa: SLF001
    if last != data:
        raise DataError(
            f"{matrix.source}: indptr ends at {last}, there are {data} entries; write the store "
            "again"
        )


def _index_of(node: Node, frame: str) -> str | None:
    """Give the path of the names of a data frame, as its attribute ``_index`` says."""
    found = node.child(frame)
    if found is None or node.attributes.get("encoding-type") != "anndata":
        return None
    index = found.child(str(found.attributes.get("_index", "_index")))
    if index is not None and index.attributes.get("encoding-type") == "nullable-string-array":
        index = index.child("values")
    return None if index is None or index.kind != "array" else index.inner


def _beside(node: Node, name: str) -> str | None:
    if not node.inner:
        return None
    found = look(node.store, f"{node.inner.rpartition('/')[0]}/{name}".strip("/"))
    return None if found is None or found.kind != "array" else found.inner


def _documents(start: int, stop: int) -> str:
    return f"documents {start} to {stop - 1}"


@lru_cache(maxsize=16)
def _plan(store: str, inner: str, fill: bool, _: object) -> tuple[Band, ...]:
    """Cut bands while the limits pass by; only the cuts are kept."""
    chunk = open_reader(store, f"{inner}/data".strip("/"), fill=fill).grid.chunk[0]
    step = chunk * max(1, BAND_ENTRIES // chunk)
    cuts = [0, *_cuts(store, f"{inner}/indptr".strip("/"), fill, step)]
    return tuple(Band(start, stop) for start, stop in pairwise(cuts) if start < stop)


def _cuts(store: str, inner: str, fill: bool, step: int) -> Iterator[int]:
    """Give the documents at which the entries pass each multiple of `step`."""
    from daskxmlc.storage.chunks.grid import Box
    from daskxmlc.storage.chunks.reader import Request

    limits = open_reader(store, inner, fill=fill)
    documents, buffers = limits.grid.shape[0] - 1, Buffers()
    for start in range(0, documents, LIMITS_AT_ONCE):
        stop = min(start + LIMITS_AT_ONCE, documents)
        box = Box((start,), (stop + 1,), _documents(start, stop))
        part = limits.read(Request(box, buffers)) // step
        yield from (start + 1 + np.flatnonzero(np.diff(part))).tolist()
        yield stop
