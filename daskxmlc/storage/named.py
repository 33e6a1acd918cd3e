"""Matrices whose documents or labels are named by a file of the user's."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.matrix import Band, Matrix, Reading, Rows, Tile
from daskxmlc.storage.names import expect_names, read_names


@dataclass(eq=False)
class Named(Matrix):
    """A matrix with names from files in place of its own.

    Attributes
    ----------
    matrix
        Where the rows come from.
    document_names, label_names
        Paths of the name files; None leaves the matrix's own ids.
    """

    matrix: Matrix | None = None
    document_names: str | None = None
    label_names: str | None = None

    @property
    def named(self) -> Matrix:
        """The matrix that is named."""
        if self.matrix is None:
            raise TypeError("a Named needs a matrix")
        return self.matrix

    @property
    def held(self) -> bool:
        """Whether the matrix lies in memory."""
        return self.named.held

    def bands(self) -> Sequence[Band]:
        """Cut as the matrix does."""
        return self.named.bands()

    def tiles(self) -> Sequence[Tile]:
        """Cut as the matrix does."""
        return self.named.tiles()

    def chunk(self) -> tuple[int, int] | None:
        """Give the matrix's chunk."""
        return self.named.chunk()

    def read(self, band: Band, tile: Tile | None = None) -> Rows:
        """Read from the matrix."""
        return self.named.read(band, tile)

    def documents(self) -> NDArray[np.str_] | None:
        """Read the names from the file."""
        return (
            self.named.documents()
            if self.document_names is None
            else read_names(self.document_names)
        )

    def labels(self) -> NDArray[np.str_] | None:
        """Read the names from the file."""
        return self.named.labels() if self.label_names is None else read_names(self.label_names)


def with_names(matrix: Matrix, reading: Reading) -> Matrix:
    """Name documents and labels of a matrix by the files that the user gave, if any.

    Raises
    ------
    DataError
        A file has more or fewer names than the matrix needs, or a name twice.
    """
    if reading.documents is None and reading.labels is None:
        return matrix
    for path, count, what in (
        (reading.documents, matrix.shape[0], "documents"),
        (reading.labels, matrix.shape[1], "labels"),
    ):
        expect_names(path, count, what=what, source=matrix.source)
        if path is not None:
            _expect_distinct(path)
    return Named(
        source=matrix.source,
        shape=matrix.shape,
        dtype=matrix.dtype,
        kind=matrix.kind,
        score_kind=matrix.score_kind,
        absent=matrix.absent,
        notes=matrix.notes,
        matrix=matrix,
        document_names=reading.documents,
        label_names=reading.labels,
    )


def _expect_distinct(path: str) -> None:
    names = read_names(path)
    order = np.argsort(names, kind="stable")
    equal = np.flatnonzero(names[order[1:]] == names[order[:-1]])
    if len(equal):
        at = equal[np.argmin(order[equal + 1])]
        first, second = int(order[at]) + 1, int(order[at + 1]) + 1
        raise DataError(
            f"{path}, line {second}: the name {str(names[second - 1])!r} occurs twice, first in "
            f"line {first}; names must differ"
        )
