"""Zarr arrays of one dimension that are appended to: entries, limits and ids of a store."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError

if TYPE_CHECKING:
    import zarr

IDS_AT_ONCE = 1 << 16


class GrowingArray:
    """A Zarr array of one dimension that is appended to; only whole chunks are written.

    Parameters
    ----------
    create
        Makes the empty array for a length of its chunks; called with the first chunk, so that a
        short array gets one short chunk.
    chunk
        Items of a chunk at most.
    """

    def __init__(self, create: Callable[[int], "zarr.Array[Any]"], chunk: int) -> None:
        self._create = create
        self._chunk = chunk
        self._array: zarr.Array[Any] | None = None
        self._pieces: list[NDArray[Any]] = []
        self._waiting = 0
        self.written = 0

    def __len__(self) -> int:
        return self.written + self._waiting

    def append(self, piece: NDArray[Any]) -> None:
        """Append items; the array is kept until they fill a chunk, so it must not change."""
        self._pieces.append(piece)
        self._waiting += len(piece)
        if self._waiting >= self._chunk:
            self._flush(self._waiting // self._chunk * self._chunk)

    def close(self) -> None:
        """Write what is left."""
        if self._array is None:
            self._chunk = max(1, min(self._chunk, self._waiting))
            self._array = self._create(self._chunk)
        self._flush(self._waiting)

    def _flush(self, count: int) -> None:
        if count == 0:
            return
        if self._array is None:
            self._array = self._create(self._chunk)
        items = np.concatenate(self._pieces) if len(self._pieces) > 1 else self._pieces[0]
        start, self.written = self.written, self.written + count
        self._array.resize((self.written,))
        self._array[start : self.written] = items[:count]
        self._pieces = [items[count:].copy()] if count < len(items) else []
        self._waiting -= count


class IdWriter:
    """The ids of one side of a matrix, written as they come."""

    def __init__(self, create: Callable[[int], "zarr.Array[Any]"], name: str) -> None:
        self.name = name
        self._ids = GrowingArray(create, IDS_AT_ONCE)

    def __len__(self) -> int:
        return len(self._ids)

    def append(self, ids: Iterable[str]) -> None:
        """Append ids; any number, in pieces or at once."""
        rest = iter(ids)
        while piece := [str(name) for name in islice(rest, IDS_AT_ONCE)]:
            self._ids.append(np.array(piece, dtype=object))

    def close(self, count: int, path: str) -> None:
        """Write what is left, if there are ids at all.

        Raises
        ------
        DataError
            There are more or fewer ids than the matrix has documents or labels.
        """
        if len(self) == 0:
            return
        if len(self) != count:
            raise DataError(
                f"{path}: {len(self)} {self.name} ids do not fit {count} {self.name}s; one each"
            )
        self._ids.close()
