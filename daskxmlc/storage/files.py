"""Files as sources: what tells one state of a file from another, and matrices that lie in one."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.matrix import Band, Matrix, Reading

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
    """A matrix in a file that has no ids of its own; name files give them.

    Attributes
    ----------
    path
        The file.
    reading
        How it was opened, with the paths of the name files.
    """

    path: str = ""
    reading: Reading = field(default=Reading())

    def documents(self) -> NDArray[np.str_] | None:
        """Give the names of ``reading.documents``, or None."""
        return _names(self.reading.documents)

    def labels(self) -> NDArray[np.str_] | None:
        """Give the names of ``reading.labels``, or None."""
        return _names(self.reading.labels)

    def expect_names(self) -> None:
        """Refuse name files whose length is not that of the matrix."""
        from daskxmlc.storage.names import expect_names

        documents, labels = self.shape
        expect_names(self.reading.documents, documents, what="documents", source=self.source)
        expect_names(self.reading.labels, labels, what="labels", source=self.source)


def _names(path: str | None) -> NDArray[np.str_] | None:
    from daskxmlc.storage.names import read_names

    return None if path is None else read_names(path)
