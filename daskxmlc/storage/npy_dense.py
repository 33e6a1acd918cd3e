"""Dense matrices as NumPy saves them: ``.npy``, or the one matrix of an ``.npz``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.array_files import NPY_MAGIC, ZIP_MAGIC, ArrayFile, members, open_array
from daskxmlc.storage.files import FileMatrix, even_bands, first_bytes, stamp
from daskxmlc.storage.matrix import Band, Format, Kind, Reading, Rows, Tile

# Kinds of NumPy dtypes, with the sizes that are read: long doubles differ between machines.
READABLE = {"f": (2, 4, 8), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "b": (1,)}


@dataclass(eq=False)
class NpyDense(FileMatrix):
    """A dense matrix of any float or integer dtype, in C or Fortran order.

    Attributes
    ----------
    member
        The array's name in an ``.npz``, or None.
    """

    member: str | None = None

    def bands(self) -> Sequence[Band]:
        """Cut the documents into bands of some ten megabytes."""
        documents, labels = self.shape
        return even_bands(documents, labels * self.dtype.itemsize)

    def read(self, band: Band, tile: Tile | None = None) -> Rows:
        """Read a band; what is stored as it is in C order is mapped, not copied."""
        array = open_array(self.path, self.member)
        read = _columns if array.fortran else _rows
        rows = read(array, band)
        if rows.dtype == np.bool_:
            rows = rows.view(np.uint8)
        if tile is None or len(tile) == self.shape[1]:
            return rows
        return np.ascontiguousarray(rows[:, tile.start : tile.stop])


class NpyDenseFormat(Format):
    """A dense matrix saved by NumPy."""

    name: ClassVar[str] = "npy-dense"
    summary: ClassVar[str] = "dense matrix of numpy.save, or the only one of an .npz"
    kinds: ClassVar[tuple[Kind, ...]] = ("scores", "truth")

    def owns(self, path: str) -> bool:
        """Tell by the header: a matrix of numbers, alone in its file."""
        magic = first_bytes(path, 6)
        if not magic.startswith((NPY_MAGIC, ZIP_MAGIC)):
            return False
        try:
            if magic.startswith(ZIP_MAGIC) and len(members(path)) != 1:
                return False
            array = open_array(path, _member(path))
        except DataError as error:
            # A cut file is ours too: opening it says what is wrong.
            return magic.startswith(NPY_MAGIC) and "truncated" in str(error)
        return len(array.shape) == 2 and is_readable(array.dtype)

    def open(self, path: str, reading: Reading) -> NpyDense:
        """Open a matrix by its header.

        Raises
        ------
        DataError
            The file is no array file, is truncated, holds objects, or the array is no matrix of
            numbers.
        """
        stamp(path)
        member = _member(path)
        array = open_array(path, member)
        if len(array.shape) != 2:
            raise DataError(
                f"{array.name}: the array is no matrix, got {len(array.shape)} dimensions; "
                "documents by labels are needed"
            )
        expect_readable(array)
        notes = ("the matrix is in Fortran order: reading it by documents is slow",)
        return NpyDense(
            source=path,
            shape=(array.shape[0], array.shape[1]),
            dtype=native(array.dtype),
            kind=reading.kind,
            score_kind=reading.score_kind or "unknown",
            notes=notes if array.fortran else (),
            path=path,
            member=member,
        )


def is_readable(dtype: np.dtype[np.generic]) -> bool:
    """Tell whether a dtype is one of numbers that scores can have."""
    return dtype.itemsize in READABLE.get(dtype.kind, ())


def expect_readable(array: ArrayFile) -> None:
    """Refuse what is not float16 to float64, an integer or bool.

    Raises
    ------
    DataError
        The dtype is another one.
    """
    if not is_readable(array.dtype):
        raise DataError(
            f"{array.name}: scores of dtype {str(array.dtype)!r} cannot be read; float16, float32, "
            "float64 and integers can"
        )


def native(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """Give the dtype in which an array is handed on: native byte order, uint8 for bool."""
    return np.dtype(np.uint8) if dtype.kind == "b" else dtype.newbyteorder("=")


def _member(path: str) -> str | None:
    if first_bytes(path, 4) != ZIP_MAGIC:
        return None
    names = list(members(path))
    if len(names) != 1:
        raise DataError(
            f"{path}: the archive does not hold one matrix alone, got {len(names)} arrays; save "
            "the matrix by itself"
        )
    return names[0]


def _rows(array: ArrayFile, band: Band) -> NDArray[np.generic]:
    labels = array.shape[1]
    return array.items(band.start * labels, band.stop * labels).reshape(len(band), labels)


def _columns(array: ArrayFile, band: Band) -> NDArray[np.generic]:
    documents, labels = array.shape
    rows = np.empty((len(band), labels), native(array.dtype))
    for label in range(labels):
        first = label * documents
        rows[:, label] = array.items(first + band.start, first + band.stop)
    return rows
