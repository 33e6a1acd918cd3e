"""What storage promises: a matrix of documents by labels that is read in bands of documents."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

Absent = Literal["not-retrieved", "0.0"]
Kind = Literal["scores", "truth"]
ScoreKind = Literal["probability", "margin", "log-probability", "similarity", "rank", "unknown"]
SCORE_KINDS: tuple[ScoreKind, ...] = (
    "probability",
    "margin",
    "log-probability",
    "similarity",
    "rank",
    "unknown",
)


@dataclass(frozen=True, slots=True)
class Band:
    """Documents `start` to `stop` - 1 of a matrix, by position."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class Tile:
    """Columns `start` to `stop` - 1 of a matrix, by position: one chunk along labels."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """The stored entries of some documents, document by document.

    Attributes
    ----------
    indptr
        int64 (documents + 1,): entries ``indptr[i]`` to ``indptr[i + 1]`` are document i's.
    indices
        int32 (entries,): columns, in any order within a document; a column may occur twice.
    data
        (entries,): scores in their stored dtype. In a truth, entries whose value is not 0 are
        true labels.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.generic]

    def __len__(self) -> int:
        return len(self.indptr) - 1


Rows = NDArray[np.generic] | SparseRows


@dataclass(frozen=True, slots=True)
class Reading:
    """How a source is to be read; what is None is left to the source itself.

    Attributes
    ----------
    kind
        Whether scores or a truth are wanted.
    documents, labels
        Paths of name files, or None.
    score_kind
        What the scores mean, where the source does not say or says wrongly.
    absent
        What an entry that is not stored means, for sparse scores.
    missing_chunks
        ``"error"`` refuses a store that lacks a chunk, ``"fill"`` reads its fill value.
    """

    kind: Kind = "scores"
    documents: str | None = None
    labels: str | None = None
    score_kind: ScoreKind | None = None
    absent: Absent | None = None
    missing_chunks: Literal["error", "fill"] = "error"


@dataclass(eq=False)
class Matrix(ABC):
    """Scores or a truth, documents by labels, of which any band of documents can be read.

    A matrix pickles to under 2 kB where it lies in a file: workers open it again. Reading never
    changes a value: scores come in the dtype in which they are stored.

    Attributes
    ----------
    source
        Path or description, for messages.
    shape
        Documents, labels.
    dtype
        The stored scores' dtype, in native byte order.
    kind, score_kind
        What the values are, as far as the source or the user says.
    absent
        What an entry that is not stored means; None where every entry is stored (dense).
    notes
        What the reader assumed or noticed, a sentence each.
    """

    source: str
    shape: tuple[int, int]
    dtype: np.dtype[np.generic]
    kind: Kind = "scores"
    score_kind: ScoreKind = "unknown"
    absent: Absent | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def held(self) -> bool:
        """Whether the values lie in this process's memory: others must be sent them."""
        return False

    @abstractmethod
    def bands(self) -> Sequence[Band]:
        """Cut the documents where reading is cheap: each document once, in order."""

    def tiles(self) -> Sequence[Tile]:
        """Cut the labels where reading is cheap: each label once, in order; one tile if sparse."""
        return (Tile(0, self.shape[1]),)

    def chunk(self) -> tuple[int, int] | None:
        """Give the documents and labels of a stored chunk; None where there are no such chunks."""
        return None

    @abstractmethod
    def read(self, band: Band, tile: Tile | None = None) -> Rows:
        """Read a band, all its labels or those of one tile.

        Returns
        -------
        numpy.ndarray or SparseRows
            (documents, labels) in `dtype` if `absent` is None, else the stored entries. The array
            may be a buffer that the next call in the same thread overwrites, and may be read-only.

        Raises
        ------
        DataError
            A chunk is missing or damaged; the message names it and its documents.
        """

    def documents(self) -> NDArray[np.str_] | None:
        """Give the documents' ids in the order of the rows, or None where there are none."""
        return None

    def labels(self) -> NDArray[np.str_] | None:
        """Give the labels' ids in the order of the columns, or None where there are none."""
        return None


class Format(ABC):
    """A way in which matrices lie on disk. One file a format; found by its folder."""

    name: ClassVar[str]
    summary: ClassVar[str]
    kinds: ClassVar[tuple[Kind, ...]]

    @abstractmethod
    def owns(self, path: str) -> bool:
        """Tell by its content whether the file or folder at `path` is of this format."""

    @abstractmethod
    def open(self, path: str, reading: Reading) -> Matrix:
        """Open the file or folder at `path`; nothing but headers and ids is read.

        Raises
        ------
        DataError
            It is not what the format promises; the message names path and place.
        """
