"""Chunks in local files, mapped: nothing is copied before it is decoded."""

import mmap
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from daskxmlc.storage.chunks.decoding import NOT_STORED, ShardIndex
from daskxmlc.storage.chunks.grid import Grid, Place
from daskxmlc.storage.chunks.strict import try_again

Mapped = NDArray[np.uint8]


class LocalChunks:
    """The chunks of one array, looked up for one read; the shard in use stays mapped.

    Parameters
    ----------
    folder
        The array's.
    grid
        How it is cut.
    index
        Where shards keep their index, if there are shards.
    """

    def __init__(self, folder: Path, grid: Grid, index: ShardIndex | None) -> None:
        self._folder = folder
        self._grid = grid
        self._index = index
        self._key: str | None = None
        self._file: Mapped | None = None
        self._places: NDArray[np.uint64] | None = None

    def find(self, chunk: Place) -> Mapped | None:
        """Map what is stored of a chunk, or give None if nothing is.

        Raises
        ------
        OSError
            The file cannot be read, after three tries.
        ValueError
            The shard is cut, or its index damaged.
        """
        key = self._grid.key(chunk)
        if key != self._key:
            self._key = None
            self._file = try_again(_map, self._folder / key)
            if self._file is not None and self._index is not None:
                self._places = self._index.parse(self._file, self._grid.per_shard)
            self._key = key
        file = self._file
        if file is None or self._index is None or self._places is None:
            return file
        offset, length = map(int, self._places[self._grid.locate(chunk)[1]])
        if offset == length == NOT_STORED:
            return None
        if offset + length > len(file):
            raise ValueError(f"its shard is cut, got {len(file)} bytes of {offset + length}")
        return file[offset : offset + length]


def _map(path: Path) -> Mapped | None:
    """Map a file's bytes, or give None if there is no file."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return np.zeros(0, np.uint8)
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except (FileNotFoundError, NotADirectoryError):
        return None
