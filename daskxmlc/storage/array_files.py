"""NumPy arrays in files, read piece by piece: ``.npy``, and the members of ``.npz``.

What is stored as it is gets mapped, one piece at a time. What is deflated is decoded once from
front to back; the decoder's state is kept at regular places, so that reading can start again at
the nearest place before what is wanted, and memory does not grow with the array.
"""

import struct
import zipfile
import zlib
from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Protocol, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.files import Stamp, stamp

NPY_MAGIC = b"\x93NUMPY"
ZIP_MAGIC = b"PK\x03\x04"
LOCAL_HEADER = struct.Struct("<4s5H3L2H")
PIECE = 1 << 18
PLACES = 64
FIRST_SPACING = 8 << 20


@dataclass(eq=False)
class ArrayFile(ABC):
    """One array in a file.

    Attributes
    ----------
    path, name
        The file, and for messages what of it: the file or ``file::member``.
    shape, dtype, fortran
        What the array's header says; the dtype in the file's byte order.
    start
        Bytes before the first item.
    """

    path: str
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    fortran: bool
    start: int

    @property
    def size(self) -> int:
        """The number of items."""
        return int(np.prod(self.shape, dtype=np.int64))

    def items(self, start: int, stop: int) -> NDArray[np.generic]:
        """Read items by their place in the file, in native byte order; may be read-only."""
        size = self.dtype.itemsize
        found = self._bytes(self.start + start * size, (stop - start) * size).view(self.dtype)
        # Members of an archive start anywhere; compiled code wants items at whole multiples.
        found = np.require(found, requirements="A")
        return found.astype(self.dtype.newbyteorder("="), copy=False)

    @abstractmethod
    def _bytes(self, start: int, count: int) -> NDArray[np.uint8]:
        """Read bytes of the array's file or member."""


@dataclass(eq=False)
class MappedArray(ArrayFile):
    """An array that is stored as it is: each piece is mapped, and unmapped with its last use."""

    def _bytes(self, start: int, count: int) -> NDArray[np.uint8]:
        if count == 0:
            return np.zeros(0, np.uint8)
        mapped = np.memmap(self.path, np.uint8, mode="r", offset=start, shape=(count,))
        return mapped.view(np.ndarray)


class _Decoder(Protocol):
    """What zlib's decompression objects do."""

    unconsumed_tail: bytes
    eof: bool

    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...
    def copy(self) -> "_Decoder": ...


@dataclass(slots=True)
class _Place:
    """A decoder's state: bytes taken in and given out so far, what is yet to be decoded."""

    taken: int
    given: int
    decoder: _Decoder

    def copy(self) -> "_Place":
        return _Place(self.taken, self.given, self.decoder.copy())


@dataclass(eq=False)
class DeflatedArray(ArrayFile):
    """An array in a deflated member: decoded in order, with places to start again at.

    Attributes
    ----------
    data_start, packed
        Where the deflated bytes lie, and how many there are.
    checksum
        CRC-32 of the whole member, compared once all of it was decoded in order.
    """

    data_start: int
    packed: int
    checksum: int
    _places: list[_Place] = field(default_factory=list)
    _spacing: int = FIRST_SPACING
    _front: int = 0
    _crc: int = 0
    _at: _Place | None = None
    _lock: Lock = field(default_factory=Lock)

    def _bytes(self, start: int, count: int) -> NDArray[np.uint8]:
        found = np.empty(count, np.uint8)
        with self._lock, Path(self.path).open("rb") as file:
            place = self._nearest(start)
            while place.given < start + count:
                before = place.given
                # Pieces end where the wanted ones begin and end: nothing is decoded twice.
                limit = start if before < start else start + count
                piece = self._decode(file, place, min(PIECE, limit - before))
                if before >= start:
                    found[before - start : place.given - start] = np.frombuffer(piece, np.uint8)
            self._at = place
        return found

    def _nearest(self, start: int) -> _Place:
        if not self._places:
            self._places.append(_Place(0, 0, cast("_Decoder", zlib.decompressobj(-15))))
        place = self._places[bisect_right(self._places, start, key=lambda kept: kept.given) - 1]
        at, self._at = self._at, None
        if at is not None and place.given <= at.given <= start:
            return at
        return place.copy()

    def _decode(self, file: BinaryIO, place: _Place, most: int) -> bytes:
        """Decode up to `most` bytes and move the place on."""
        try:
            piece = b""
            while not piece:
                packed = place.decoder.unconsumed_tail
                if not packed:
                    file.seek(self.data_start + place.taken)
                    packed = file.read(min(PIECE, self.packed - place.taken))
                    place.taken += len(packed)
                piece = place.decoder.decompress(packed, most)
                if not piece and (place.decoder.eof or not packed):
                    raise DataError(f"{self.name}: the data are truncated; save the file again")
        except zlib.error as error:
            raise DataError(f"{self.name}: the data are damaged, got {error}") from error
        self._check(piece, place)
        place.given += len(piece)
        if place.given - self._places[-1].given >= self._spacing:
            self._keep(place)
        return piece

    def _check(self, piece: bytes, place: _Place) -> None:
        if place.given > self._front or place.given + len(piece) <= self._front:
            return
        self._crc = zlib.crc32(piece[self._front - place.given :], self._crc)
        self._front = place.given + len(piece)
        total = self.start + self.size * self.dtype.itemsize
        if self._front == total and self._crc != self.checksum:
            raise DataError(f"{self.name}: the data are damaged, their checksum differs")

    def _keep(self, place: _Place) -> None:
        self._places.append(place.copy())
        if len(self._places) > PLACES:
            self._places = self._places[::2]
            self._spacing *= 2


def open_array(path: str, member: str | None = None) -> ArrayFile:
    """Open an array file, or a member of an ``.npz``; a process keeps it for later reads.

    Raises
    ------
    DataError
        It is no array file, holds pickled objects, is compressed otherwise than NumPy does, or
        is shorter than its header says.
    """
    return _open(path, member, stamp(path))


def members(path: str) -> dict[str, zipfile.ZipInfo]:
    """List the arrays of an ``.npz`` by their names, without ``.npy``.

    Raises
    ------
    DataError
        The file is no zip archive, or a cut one.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return {
                entry.filename.removesuffix(".npy"): entry
                for entry in archive.infolist()
                if entry.filename.endswith(".npy")
            }
    except (zipfile.BadZipFile, OSError) as error:
        raise DataError(f"{path}: this is no whole .npz archive, got {error}") from error


@lru_cache(maxsize=64)
def _open(path: str, member: str | None, seen: Stamp) -> ArrayFile:
    if member is None:
        with Path(path).open("rb") as file:
            head = _header(file, path)
        return _whole(MappedArray(path, path, *head), seen.size)
    name = f"{path}::{member}"
    entry = members(path)[member]
    with zipfile.ZipFile(path) as archive:
        try:
            with archive.open(entry) as content:
                head = _header(cast("BinaryIO", content), name)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
            raise DataError(f"{name}: the member cannot be read, got {error}") from error
    data_start = _data_start(path, entry, name)
    if entry.compress_type == zipfile.ZIP_STORED:
        shape, dtype, fortran, start = head
        stored = MappedArray(path, name, shape, dtype, fortran, data_start + start)
        return _whole(stored, data_start + entry.file_size)
    if entry.compress_type != zipfile.ZIP_DEFLATED:
        raise DataError(
            f"{name}: the compression is not one that NumPy writes, got method "
            f"{entry.compress_type}; stored and deflated can be read"
        )
    deflated = DeflatedArray(path, name, *head, data_start, entry.compress_size, entry.CRC)
    return _whole(deflated, entry.file_size)


def _header(file: BinaryIO, name: str) -> tuple[tuple[int, ...], np.dtype[Any], bool, int]:
    try:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran, dtype = read(file)
    except (ValueError, EOFError, OSError) as error:
        reason = str(error).split("\n", 1)[0]
        raise DataError(f"{name}: this is no whole NumPy array, got {reason}") from error
    if dtype.hasobject:
        raise DataError(
            f"{name}: the array holds Python objects, which are a pickle and could run code; "
            "save plain numbers"
        )
    return shape, dtype, fortran, file.tell()


def _whole(array: ArrayFile, available: int) -> ArrayFile:
    needed = array.start + array.size * array.dtype.itemsize
    if available < needed:
        raise DataError(
            f"{array.name}: the file is truncated, got {available} bytes where its header says "
            f"{needed}; copy or save it again"
        )
    return array


def _data_start(path: str, entry: zipfile.ZipInfo, name: str) -> int:
    with Path(path).open("rb") as file:
        file.seek(entry.header_offset)
        head = file.read(LOCAL_HEADER.size)
    if len(head) != LOCAL_HEADER.size or not head.startswith(ZIP_MAGIC):
        raise DataError(f"{name}: the archive is damaged, the member has no header")
    *_, name_length, extra_length = LOCAL_HEADER.unpack(head)
    return entry.header_offset + LOCAL_HEADER.size + int(name_length) + int(extra_length)
