"""Zarr stores: daskxmlc's own, dense and sparse, and dense arrays that others wrote."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.chunks.buffers import Buffers
from daskxmlc.storage.matrix import Band, Format, Kind, Matrix, Reading, Rows, Tile
from daskxmlc.storage.npy_dense import is_readable, native
from daskxmlc.storage.zarr_axes import Axes, find_axes
from daskxmlc.storage.zarr_nodes import (
    Node,
    look,
    open_reader,
    own_attributes,
    read_ids,
    split_address,
)
from daskxmlc.storage.zarr_sparse import is_csr, open_sparse

if TYPE_CHECKING:
    from daskxmlc.storage.chunks.reader import ArrayReader

BAND_BYTES = 32 << 20
TILE_BYTES = 64 << 20


@dataclass(eq=False)
class ZarrDense(Matrix):
    """A dense array in a Zarr store.

    Attributes
    ----------
    store, inner
        The store's path, and the array in it.
    axes
        Which axis is which, and where ids lie.
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
        """Cut the documents into whole chunks, several if they are small."""
        documents = self.shape[0]
        height, _ = self.chunk()
        widest = max((len(tile) for tile in self.tiles()), default=1)
        row = max(1, widest * self.dtype.itemsize)
        if self._reader().maps and height * row > 4 * BAND_BYTES:
            # Rows of an uncompressed chunk are read without the others.
            step = max(1, BAND_BYTES // row)
        else:
            step = height * max(1, BAND_BYTES // (height * row))
        return [Band(at, min(at + step, documents)) for at in range(0, documents, step)]

    def tiles(self) -> Sequence[Tile]:
        """Cut the labels into whole chunks, unless all labels of a row of chunks are small."""
        labels = self.shape[1]
        height, width = self.chunk()
        height = min(height, self.shape[0])
        if height * labels * self.dtype.itemsize <= TILE_BYTES or width >= labels:
            return (Tile(0, labels),)
        step = width * max(1, BAND_BYTES // (height * width * self.dtype.itemsize))
        return [Tile(at, min(at + step, labels)) for at in range(0, labels, step)]

    def chunk(self) -> tuple[int, int]:
        """Give the documents and labels of a chunk; of those inside shards, if there are shards."""
        height, width = self._reader().grid.chunk
        return (width, height) if self.axes.turned else (height, width)

    def read(self, band: Band, tile: Tile | None = None) -> Rows:
        """Read a band into this thread's buffer, or map it where nothing is compressed.

        Raises
        ------
        DataError
            A chunk is missing or damaged; the message names it and its documents.
        """
        from daskxmlc.storage.chunks.grid import Box
        from daskxmlc.storage.chunks.reader import Request

        columns = Tile(0, self.shape[1]) if tile is None else tile
        start, stop = (band.start, columns.start), (band.stop, columns.stop)
        if self.axes.turned:
            turned = Request(Box(start[::-1], stop[::-1]), self.buffers, "turned", document_axis=1)
            found = self._reader().read(turned)
            rows = self.buffers.take("rows", found.shape[::-1], found.dtype)
            np.copyto(rows, found.T)
        else:
            rows = self._reader().read(Request(Box(start, stop), self.buffers))
        return rows.view(np.uint8) if rows.dtype == np.bool_ else rows

    def documents(self) -> NDArray[np.str_] | None:
        """Read the documents' ids, or give None where there are none."""
        return self._ids(self.axes.documents)

    def labels(self) -> NDArray[np.str_] | None:
        """Read the labels' ids, or give None where there are none."""
        return self._ids(self.axes.labels)

    def _ids(self, inner: str | None) -> NDArray[np.str_] | None:
        return None if inner is None else read_ids(self.store, inner, fill=self.fill)

    def _reader(self) -> "ArrayReader":
        return open_reader(self.store, self.inner, fill=self.fill)


class ZarrFormat(Format):
    """A Zarr store."""

    name: ClassVar[str] = "zarr"
    summary: ClassVar[str] = "Zarr store: a dense array (store.zarr::path), or what convert writes"
    kinds: ClassVar[tuple[Kind, ...]] = ("scores", "truth")

    def owns(self, path: str) -> bool:
        """Tell by the metadata: an array, or a group that is not AnnData's."""
        store, inner = split_address(path)
        try:
            node = look(store, inner)
        except DataError:
            # Damaged metadata are ours too: opening says what is wrong.
            return True
        if node is None:
            # A path that leads nowhere in a store is for us to complain about.
            return bool(inner) and look(store) is not None
        if node.attributes.get("encoding-type") == "anndata":
            return False
        return not is_csr(node) or _is_own(store, inner)

    def open(self, path: str, reading: Reading) -> Matrix:
        """Open a store by its metadata.

        Raises
        ------
        DataError
            There is no such array, it is no matrix of numbers, the store was not completed, or
            its ids cannot be tied to its axes.
        """
        store, inner = split_address(path)
        own = own_attributes(store, inner)
        node = _scores(path, look(store, inner))
        if is_csr(node):
            return open_sparse(path, node, reading, own)
        return open_dense(path, node, reading, own)


def open_dense(
    path: str,
    node: Node,
    reading: Reading,
    own: dict[str, Any] | None,
    axes: Axes | None = None,
) -> ZarrDense:
    """Open a dense array.

    Parameters
    ----------
    path
        For messages.
    node
        The array.
    reading
        What the user says of it.
    own
        What daskxmlc wrote of the store, or None.
    axes
        Which axis is which, if that is known.

    Raises
    ------
    DataError
        It is no matrix of numbers, or its ids cannot be tied to its axes.
    """
    if len(node.shape) != 2:
        raise DataError(
            f"{path}: array {node.inner or '/'!r} is no matrix, got {len(node.shape)} dimensions; "
            "documents by labels are needed"
        )
    axes = find_axes(path, node) if axes is None else axes
    fill = reading.missing_chunks == "fill" and own is None
    stored = open_reader(node.store, node.inner, fill=fill).dtype
    if not is_readable(stored):
        raise DataError(
            f"{path}: scores of dtype {str(stored)!r} cannot be read; float16, float32, float64 "
            "and integers can"
        )
    documents, labels = node.shape[::-1] if axes.turned else node.shape
    described = own or {}
    return ZarrDense(
        source=path,
        shape=(documents, labels),
        dtype=native(stored),
        kind=described.get("kind", reading.kind),
        score_kind=reading.score_kind or described.get("score_kind", "unknown"),
        notes=(*described.get("notes", ()), *axes.notes),
        store=node.store,
        inner=node.inner,
        axes=axes,
        fill=fill,
    )


def _is_own(store: str, inner: str) -> bool:
    """Tell whether daskxmlc wrote a store, completely or not."""
    try:
        return own_attributes(store, inner) is not None
    except DataError:
        return True


def _scores(path: str, node: Node | None) -> Node:
    """Find the scores: the array itself, or the group's array of that name."""
    if node is None:
        store, inner = split_address(path)
        if not Path(store).exists():
            raise DataError(f"{store}: no such file or folder")
        raise DataError(f"{path}: there is no Zarr group or array {inner or '/'!r} in the store")
    if node.kind == "array" or is_csr(node):
        return node
    scores = node.child("scores")
    if scores is not None:
        return _scores(path, scores)
    matrices = [child.inner for child in node.children() if len(child.shape) == 2]
    cure = f"name one of {', '.join(matrices)}" if matrices else "it holds no matrix either"
    raise DataError(f"{path}: the group has no array 'scores'; {cure} (store.zarr::path)")
