"""Texts in bands: one pass finds where blocks of whole lines start, later only they are read."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from daskxmlc.errors import DataError
from daskxmlc.storage.files import Stamp, stamp
from daskxmlc.storage.matrix import Band

BLOCK_BYTES = 8 << 20
NEWLINE = 10
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Lines:
    """Where the lines of a text lie: blocks of whole lines of about `BLOCK_BYTES` each.

    Attributes
    ----------
    path
        The text.
    skipped
        Lines at the top that are not counted: a header.
    first
        Number of the first line of each block, counted from 0 behind the skipped ones, and
        behind the last block the number of lines.
    offsets
        The byte at which each block starts, and at which the last one ends.
    """

    path: str
    skipped: int
    first: tuple[int, ...]
    offsets: tuple[int, ...]

    def __len__(self) -> int:
        return self.first[-1]

    def bands(self) -> Sequence[Band]:
        """Give the blocks as bands."""
        return [Band(start, stop) for start, stop in pairwise(self.first)]

    def read(self, band: Band) -> bytes:
        """Read the bytes of the lines of a band; the last one may lack its line end.

        Raises
        ------
        DataError
            The file became shorter since it was indexed.
        """
        if len(band) == 0:
            return b""
        block = bisect_right(self.first, band.start) - 1
        last = bisect_right(self.first, band.stop - 1)
        size = self.offsets[last] - self.offsets[block]
        with Path(self.path).open("rb") as file:
            file.seek(self.offsets[block])
            text = file.read(size)
        if len(text) != size:
            raise DataError(f"{self.path}: the file became shorter while it was read")
        start = _start_of_line(text, band.start - self.first[block])
        behind = self.first[last] - band.stop
        return text[start:] if not behind else text[start : _start_of_tail(text, behind)]

    def number(self, line: int) -> int:
        """Give the line's number as an editor counts it, from 1, header included."""
        return line + self.skipped + 1


def index_lines(path: str, *, skipped: int = 0) -> Lines:
    """Find the lines of a text in one pass; a process does it once for each state of the file.

    A text whose last line lacks its line end has that line all the same.

    Raises
    ------
    DataError
        The file cannot be read.
    """
    return _index(path, skipped, stamp(path))


@lru_cache(maxsize=64)
def _index(path: str, skipped: int, _: Stamp) -> Lines:
    with Path(path).open("rb") as file:
        mark = len(BYTE_ORDER_MARK) if file.read(3) == BYTE_ORDER_MARK else 0
        file.seek(mark)
        for _line in range(skipped):
            file.readline()
        position = file.tell()
        first, offsets, lines, ended = [0], [position], 0, True
        while block := file.read(BLOCK_BYTES):
            end = block.rfind(b"\n")
            if end >= 0:
                lines += int(np.count_nonzero(np.frombuffer(block, np.uint8) == NEWLINE))
                first.append(lines)
                offsets.append(position + end + 1)
            ended = end == len(block) - 1
            position += len(block)
    if not ended:
        first.append(lines + 1)
        offsets.append(position)
    return Lines(path, skipped, tuple(first), tuple(offsets))


def _start_of_line(text: bytes, line: int) -> int:
    if line == 0:
        return 0
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == NEWLINE)
    return int(ends[line - 1]) + 1


def _start_of_tail(text: bytes, lines: int) -> int:
    # The last line may lack its line end; then it starts behind one line end fewer.
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == NEWLINE)
    back = lines + 1 if text.endswith(b"\n") else lines
    return int(ends[len(ends) - back]) + 1
