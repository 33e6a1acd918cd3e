"""Truth as text: the names of a document's labels on one line, with white space between.

An empty line is a document without labels. The names' columns come from the list of labels that
is given along; without one only numbers can be read, as columns counted from 0.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.files import FileMatrix, Stamp, first_bytes, stamp
from daskxmlc.storage.lines import NEWLINE, Lines, index_lines
from daskxmlc.storage.matrix import Band, Format, Kind, Reading, Rows, SparseRows, Tile
from daskxmlc.storage.names import read_names
from daskxmlc.storage.xmc_text import PAIR, XmcTextFormat

# What starts other texts, holds markup, or has fields of its own.
FOREIGN = re.compile(rb"[\x00-\x08\t\x0e-\x1f]|^\s*[\[{<@%#]|__label__", re.MULTILINE)


@dataclass(eq=False)
class LabelLines(FileMatrix):
    """A truth of label names, or of column numbers where no list of labels is given.

    Attributes
    ----------
    names
        Path of the list of labels, or None.
    """

    names: str | None = None

    def bands(self) -> Sequence[Band]:
        """Cut the text into blocks of whole lines."""
        return index_lines(self.path).bands()

    def read(self, band: Band, tile: Tile | None = None) -> Rows:
        """Read the labels of a band of lines; there is one tile only.

        Raises
        ------
        DataError
            A name is not in the list of labels; the message names file, line and label.
        """
        del tile
        lines = index_lines(self.path)
        text = lines.read(band)
        words = text.split()
        column: Callable[[bytes], int] = int
        if self.names is not None:
            column = _columns(self.names, stamp(self.names)).__getitem__
        indices = np.fromiter(map(column, words), np.int32, len(words))
        indptr = _words_before_lines(text, len(band))
        if len(indices) and indices.min() < 0:
            self._refuse(words, indices, indptr, lines, band)
        return SparseRows(indptr, indices, np.ones(len(indices), self.dtype))

    def _refuse(
        self,
        words: list[bytes],
        indices: NDArray[np.int32],
        indptr: NDArray[np.int64],
        lines: Lines,
        band: Band,
    ) -> None:
        first = int(np.argmax(indices < 0))
        line = lines.number(band.start + int(np.searchsorted(indptr, first, side="right")) - 1)
        raise DataError(
            f"{self.path}, line {line}: label {words[first].decode('utf-8', 'replace')!r} is not "
            f"among the {self.shape[1]} labels of {self.names}; every label of a truth "
            "must be in the list"
        )


class LabelLinesFormat(Format):
    """One label set a line."""

    name: ClassVar[str] = "label-lines"
    summary: ClassVar[str] = "one label set a line, names or numbers, empty line = no label"
    kinds: ClassVar[tuple[Kind, ...]] = ("truth",)

    def owns(self, path: str) -> bool:
        """Tell by the first lines: plain words that belong to no format with a header or pairs."""
        text = first_bytes(path, 1 << 16)
        if not text or FOREIGN.search(text) or XmcTextFormat().owns(path):
            return False
        try:
            text.rsplit(b"\n", 1)[0].decode()
        except UnicodeDecodeError:
            return False
        return not any(PAIR.fullmatch(word) for word in text.split()[:1000])

    def open(self, path: str, reading: Reading) -> LabelLines:
        """Open a text; its lines are counted, and without a list of labels all numbers read.

        Raises
        ------
        DataError
            Scores are wanted, or there are names and no list of labels.
        """
        if reading.kind == "scores":
            raise DataError(f"{path}: lines of labels hold no scores; they can be read as a truth")
        notes: tuple[str, ...] = ()
        if reading.labels is None:
            labels = 1 + _largest_number(path, stamp(path))
            notes = (_numbers_note(labels),)
        else:
            labels = len(_columns(reading.labels, stamp(reading.labels)))
        return LabelLines(
            source=path,
            shape=(len(index_lines(path)), labels),
            dtype=np.dtype(np.uint8),
            kind="truth",
            absent="0.0",
            notes=notes,
            path=path,
            names=reading.labels,
        )


def _numbers_note(labels: int) -> str:
    return (
        "no list of labels was given: numbers are columns counted from 0, and the largest one "
        f"makes {labels} labels"
    )


class _Columns(dict[bytes, int]):
    """The column of each name; -1 for others."""

    def __missing__(self, name: bytes) -> int:
        return -1


@lru_cache(maxsize=2)
def _columns(path: str, _: Stamp) -> _Columns:
    names = read_names(path)
    columns = _Columns((name.encode(), column) for column, name in enumerate(names.tolist()))
    if len(columns) < len(names):
        distinct, counts = np.unique(names, return_counts=True)
        twice = str(distinct[np.argmax(counts > 1)])
        raise DataError(f"{path}: label {twice!r} stands there twice; names must be distinct")
    return columns


@lru_cache(maxsize=8)
def _largest_number(path: str, _: Stamp) -> int:
    lines = index_lines(path)
    largest = -1
    for band in lines.bands():
        words = lines.read(band).split()
        if not all(map(bytes.isdigit, words)):
            word = next(word for word in words if not word.isdigit()).decode("utf-8", "replace")
            raise DataError(
                f"{path}: the order of the labels is not known, got names such as {word!r}; give "
                "the list of labels, one a line (--labels FILE)"
            )
        largest = max(largest, max(map(int, words), default=-1))
    if largest >= 2**31 - 1:
        raise DataError(f"{path}: a label number is too large, got {largest}; give --labels FILE")
    return largest


def _words_before_lines(text: bytes, lines: int) -> NDArray[np.int64]:
    """Count the words before each line, and behind the last one."""
    content = np.frombuffer(text, np.uint8)
    # What bytes.split takes for white space.
    blank = (content == ord(" ")) | ((content >= ord("\t")) & (content <= ord("\r")))
    starts = ~blank
    starts[1:] &= blank[:-1]
    at = np.flatnonzero(starts)
    ends = np.flatnonzero(content == NEWLINE)
    indptr = np.empty(lines + 1, np.int64)
    indptr[0] = 0
    indptr[1 : len(ends) + 1] = np.searchsorted(at, ends)
    indptr[len(ends) + 1 :] = len(at)
    return indptr
