"""Files as sources: what tells one state of a file from another, and matrices that lie in one."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from daskxmlc.errors import DataError
from daskxmlc.storage.matrix import Band, Matrix

BAND_BYTES = 32 << 20


class Stamp(NamedTuple):
    """Size in bytes and time of the last change of a file: what is cached holds only for both."""

    size: int
    changed: int


def stamp(path: str) -> Stamp:
    """Look at a file's size and time.

    Raises
    ------
    DataError
        There is no such file.
    """
    try:
        status = Path(path).stat()
    except OSError as error:
        raise DataError(f"{path}: the file cannot be read, {error.strerror}") from error
    if not Path(path).is_file():
        raise DataError(f"{path}: this is not a file")
    return Stamp(status.st_size, status.st_mtime_ns)


def first_bytes(path: str, count: int) -> bytes:
    """Read the beginning of a file; nothing where there is no file or it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return file.read(count)
    except OSError:
        return b""


def even_bands(documents: int, bytes_each: int) -> list[Band]:
    """Cut documents of one size into bands of about `BAND_BYTES`."""
    step = max(1, BAND_BYTES // max(bytes_each, 1))
    return [Band(start, min(start + step, documents)) for start in range(0, documents, step)]


@dataclass(eq=False)
class FileMatrix(Matrix):
    """A matrix in a file that has no ids of its own.

    Attributes
    ----------
    path
        The file.
    """

    path: str = ""
