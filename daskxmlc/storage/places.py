"""Places in a matrix as messages name them: documents and labels by position, and id if known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daskxmlc.storage.matrix import Band, Rows, SparseRows


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The ids of a matrix's documents and labels, as far as there are any.

    Attributes
    ----------
    documents, labels
        str (documents or labels,), or None.
    """

    documents: NDArray[np.str_] | None = None
    labels: NDArray[np.str_] | None = None

    def where(self, document: int, label: int) -> str:
        """Name a cell: ``document 2 ('W23'), label 3 ('T21')``."""
        return f"{_named('document', self.documents, document)}, " + _named(
            "label", self.labels, label
        )

    def names(self, document: int, label: int) -> tuple[str, str]:
        """Give the ids of a cell's document and label, or else their positions."""
        return _name(self.documents, document), _name(self.labels, label)


def cell(band: Band, rows: Rows, place: int) -> tuple[int, int]:
    """Give the document and the label of a flat place in the values of a band."""
    if isinstance(rows, SparseRows):
        document = int(np.searchsorted(rows.indptr, place, side="right")) - 1
        return band.start + document, int(rows.indices[place])
    document, label = divmod(place, rows.shape[1])
    return band.start + document, label


def counted(number: int, one: str, many: str) -> str:
    """Give a number and what it counts: ``1 score is``, ``7 scores are``."""
    return f"{number} {one if number == 1 else many}"


def repeated_id(ids: NDArray[np.str_] | None) -> tuple[str, int] | None:
    """Give an id that occurs more than once and how many repeat, or None."""
    if ids is None:
        return None
    ranked = np.sort(ids)
    twice = ranked[1:][ranked[1:] == ranked[:-1]]
    return (str(twice[0]), len(twice)) if len(twice) else None


def _name(ids: NDArray[np.str_] | None, position: int) -> str:
    return str(position) if ids is None else str(ids[position])


def _named(what: str, ids: NDArray[np.str_] | None, position: int) -> str:
    return f"{what} {position}" if ids is None else f"{what} {position} ({str(ids[position])!r})"
