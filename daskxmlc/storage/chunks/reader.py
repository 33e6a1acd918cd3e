"""Boxes of one Zarr array, read into memory that is used again, each chunk checked."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.chunks.buffers import Buffers
from daskxmlc.storage.chunks.decoding import find_decoding, find_shard_index
from daskxmlc.storage.chunks.grid import Box, Grid, Place
from daskxmlc.storage.chunks.local import LocalChunks
from daskxmlc.storage.chunks.strict import MissingChunkError

if TYPE_CHECKING:
    import zarr


@dataclass(frozen=True, slots=True)
class Request:
    """A box that is wanted.

    Attributes
    ----------
    box
        What to read.
    buffers, place
        Where it may go to; the next read to the same place overwrites it.
    document_axis
        The axis along which documents lie, for messages.
    """

    box: Box
    buffers: Buffers
    place: str = "rows"
    document_axis: int = 0


class ArrayReader:
    """An array of a store, opened once in each process.

    Parameters
    ----------
    array
        As Zarr opened it; its store refuses what is missing if `cure` is given.
    store, inner
        Where it lies.
    cure
        What to do where a chunk is missing, for the message; None reads its fill value.

    Attributes
    ----------
    grid
        Its shape and chunks.
    dtype
        In native byte order.
    fill
        The value that stands for chunks that are not stored, or None: they are refused.
    maps
        Whether a part of a chunk can be read without reading all of it.
    """

    def __init__(
        self, array: "zarr.Array[Any]", *, store: str, inner: str, cure: str | None
    ) -> None:
        self._array = array
        self._store = store
        self._name = inner or "/"
        self._folder = Path(store, inner)
        self.grid = Grid(array)
        numeric = array.dtype.kind in "fiu"
        self.dtype: np.dtype[Any] = array.dtype.newbyteorder("=") if numeric else array.dtype
        self.fill: Any = None
        self._cure = cure
        if cure is None:
            self.fill = 0 if array.fill_value is None else array.fill_value
        try:
            self._index = find_shard_index(array)
        except ValueError as error:
            raise DataError(f"{store}: array {self._name!r}: {error}") from error
        self._decoding = find_decoding(array)
        self.maps = self._decoding is not None and self._decoding.copies_nothing

    def read_all(self) -> NDArray[Any]:
        """Read the whole array, of any dtype, into memory of its own.

        Raises
        ------
        DataError
            A chunk is missing or damaged.
        """
        if 0 in self.grid.shape:
            return np.empty(self.grid.shape, self.dtype)
        return self._translated(Request(self.grid.whole, Buffers()), None)

    def read(self, request: Request) -> NDArray[Any]:
        """Read a box.

        Returns
        -------
        numpy.ndarray
            Of the box's shape, in C order; perhaps read-only.

        Raises
        ------
        DataError
            A chunk is missing or damaged; the message names it and its documents.
        """
        box = request.box
        if 0 in box.shape:
            return np.empty(box.shape, self.dtype)
        if self._decoding is None:
            return self._translated(request, self._out(request, box.shape))
        chunks = list(self.grid.touched_by(box))
        first, last = self.grid.extent(chunks[0]), self.grid.extent(chunks[-1])
        # Whole chunks of one column of chunks, or a single chunk.
        column = first.start[1:], first.stop[1:]
        whole = column == (last.start[1:], last.stop[1:]) == (box.start[1:], box.stop[1:])
        if whole or len(chunks) == 1:
            return self._stacked(request, chunks)
        return self._side_by_side(request, chunks)

    def _stacked(self, request: Request, chunks: list[Place]) -> NDArray[Any]:
        """Read one chunk, or several that lie below one another: each where it belongs."""
        found = self._chunks()
        if len(chunks) == 1:
            whole = self._chunk(request, found, chunks[0], None)
        else:
            height, *wide = self.grid.chunk
            whole = self._out(request, (len(chunks) * height, *wide))
            for number, chunk in enumerate(chunks):
                self._chunk(request, found, chunk, whole[number * height : (number + 1) * height])
        origin = self.grid.extent(chunks[0]).start
        part = whole[request.box.relative_to(origin).slices]
        if part.flags.c_contiguous:
            return part
        # A chunk at the edge is stored with the columns that it would have elsewhere.
        out = self._out(request, part.shape)
        np.copyto(out, part)
        return out

    def _side_by_side(self, request: Request, chunks: list[Place]) -> NDArray[Any]:
        """Read chunks that are cut, or lie beside each other: decode each, copy its part."""
        out = self._out(request, request.box.shape)
        found = self._chunks()
        for chunk in chunks:
            extent = self.grid.extent(chunk)
            common = request.box.common(extent)
            whole = self._chunk(request, found, chunk, None)
            target = common.relative_to(request.box.start).slices
            out[target] = whole[common.relative_to(extent.start).slices]
        return out

    def _chunk(
        self, request: Request, found: LocalChunks, chunk: Place, out: NDArray[Any] | None
    ) -> NDArray[Any]:
        """Read a chunk to `out`, or to wherever it is read fastest."""
        try:
            stored = found.find(chunk)
            if stored is None and self.fill is None:
                raise MissingChunkError  # noqa: TRY301  # both ways of reading end alike
            return self._decoded(request, stored, out)
        except MemoryError:
            raise
        except Exception as error:
            raise self._fault(request, chunk, error) from error

    def _decoded(
        self, request: Request, stored: NDArray[np.uint8] | None, out: NDArray[Any] | None
    ) -> NDArray[Any]:
        decoding = self._decoding
        if stored is not None and decoding is not None and decoding.is_plain and out is None:
            content = decoding.decode(stored, None).view(self.dtype)
            if content.flags.aligned:
                return content.reshape(self.grid.chunk)
            # Inside a shard a chunk may start at any byte; compiled code wants whole words.
        if out is None:
            place = f"{request.place}, one chunk"
            out = request.buffers.take(place, self.grid.chunk, self.dtype)
        if stored is None or decoding is None:
            out.fill(self.fill)
        else:
            decoding.decode(stored, out.reshape(-1).view(np.uint8))
        return out

    def _out(self, request: Request, shape: Place) -> NDArray[Any]:
        return request.buffers.take(request.place, shape, self.dtype)

    def _translated(self, request: Request, out: NDArray[Any] | None) -> NDArray[Any]:
        """Read through Zarr, with our messages."""
        if self._index is not None and self.fill is None:
            # Zarr fills in without a word what a shard lacks.
            self._expect_stored(request)
        try:
            return self._by_zarr(request.box, out)
        except MemoryError:
            raise
        except Exception as error:
            raise self._culprit(request, error) from error

    def _by_zarr(self, box: Box, out: NDArray[Any] | None) -> NDArray[Any]:
        if out is None:
            return np.asarray(self._array[box.slices])
        from zarr.core.buffer import default_buffer_prototype

        whole = default_buffer_prototype().nd_buffer.from_numpy_array(out)
        self._array.get_basic_selection(box.slices, out=whole)
        return out

    def _expect_stored(self, request: Request) -> None:
        chunks = self._chunks()
        for chunk in self.grid.touched_by(request.box):
            try:
                if chunks.find(chunk) is None:
                    raise MissingChunkError  # noqa: TRY301
            except Exception as error:
                raise self._fault(request, chunk, error) from error

    def _culprit(self, request: Request, error: Exception) -> DataError:
        """Find the chunk that makes a read fail."""
        for chunk in self.grid.touched_by(request.box):
            try:
                self._by_zarr(self.grid.extent(chunk).common(self.grid.whole), None)
            except Exception as found:  # noqa: BLE001  # codecs raise what they like
                return self._fault(request, chunk, found)
        return self._fault(request, next(self.grid.touched_by(request.box)), error)

    def _fault(self, request: Request, chunk: Place, error: Exception) -> DataError:
        """Make the message about a chunk that cannot be read."""
        documents = request.box.documents
        if documents is None:
            axis = request.document_axis
            extent = self.grid.extent(chunk).common(self.grid.whole)
            documents = f"documents {extent.start[axis]} to {extent.stop[axis] - 1}"
        if isinstance(error, MissingChunkError):
            what = f"is missing; {self._cure}"
        elif isinstance(error, OSError) and error.strerror:
            what = f"cannot be read, {error.strerror}"
        else:
            what = f"cannot be read, {(str(error) or type(error).__name__).splitlines()[0]}"
        name = self.grid.describe(chunk)
        return DataError(f"{self._store}: {name} of array {self._name!r} ({documents}) {what}")

    def _chunks(self) -> LocalChunks:
        return LocalChunks(self._folder, self.grid, self._index)
