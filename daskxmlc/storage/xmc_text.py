"""The text format of the extreme classification repository, as scores or as truth.

A split file starts with ``documents labels`` and has a line ``label:value label:value`` for each
document. A data file starts with ``documents features labels``; its lines hold the true labels,
with commas between, before the features. A blank line is a document without labels.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from daskxmlc.errors import DataError
from daskxmlc.storage.files import FileMatrix, first_bytes, stamp
from daskxmlc.storage.lines import BYTE_ORDER_MARK, index_lines
from daskxmlc.storage.matrix import Band, Format, Kind, Reading, Rows, ScoreKind, SparseRows, Tile
from daskxmlc.storage.parsing import Fault, parse_label_lists, parse_pairs

HEADER = re.compile(rb"[ \t]*\d+(?:[ \t]+\d+){1,2}[ \t\r]*")
PAIR = re.compile(rb"\d+:[^\s:]+")
LABEL_LIST = re.compile(rb"\d+(?:,\d+)*")
LONGEST_HEADER = 4096

FAULTS = {
    Fault.LABEL: "a label must be a whole number followed by ':' and a number",
    Fault.NUMBER: "a score must be a number such as 0.25, 1e-05 or -inf",
    Fault.LIST: "labels must be whole numbers with ',' between, then a space and the features",
}


@dataclass(eq=False)
class XmcText(FileMatrix):
    """Lines of ``label:value``, or of label lists before features, read band by band.

    Attributes
    ----------
    features
        Whether this is a data file, with label lists before the features.
    """

    features: bool = False

    def bands(self) -> Sequence[Band]:
        """Cut the text into blocks of whole lines."""
        return index_lines(self.path, skipped=1).bands()

    def read(self, band: Band, tile: Tile | None = None) -> Rows:
        """Parse the lines of a band and nothing else; there is one tile only.

        Raises
        ------
        DataError
            A line is not of the format; the message names file, line and label.
        """
        del tile
        lines = index_lines(self.path, skipped=1)
        text = lines.read(band)
        if self.features:
            parsed = parse_label_lists(text, len(band), self.shape[1])
        else:
            parsed = parse_pairs(text, len(band), self.shape[1])
        if parsed.fault is not Fault.NONE:
            line = lines.number(band.start + parsed.line)
            raise DataError(f"{self.path}, line {line}: {self._fault(parsed.fault, parsed.token)}")
        data = parsed.data.astype(self.dtype, copy=False)
        if self.kind == "truth" and not self.features:
            data = np.where(data < 0, 0, data)  # relevance: true where it is above 0
        return SparseRows(parsed.indptr, parsed.indices, data)

    def _fault(self, fault: Fault, token: str) -> str:
        labels = self.shape[1]
        if fault is Fault.RANGE:
            label = token.split(":", 1)[0]
            return (
                f"label {label} is outside the {labels} labels of the header, got {token!r}; "
                f"labels go from 0 to {labels - 1}"
            )
        return f"this is not of the format, got {token!r}; {FAULTS[fault]}"


class XmcTextFormat(Format):
    """The extreme classification repository's text."""

    name: ClassVar[str] = "xmc-text"
    summary: ClassVar[str] = "text of the extreme classification repository: N L, or N D L data"
    kinds: ClassVar[tuple[Kind, ...]] = ("scores", "truth")
    score_kind: ClassVar[ScoreKind] = "unknown"

    def owns(self, path: str) -> bool:
        """Tell by the header and the first lines."""
        lines = first_bytes(path, 1 << 16).removeprefix(BYTE_ORDER_MARK).split(b"\n")
        if not HEADER.fullmatch(lines[0]):
            return False
        whole = lines[1:-1] if len(lines) > 2 else lines[1:]
        features = len(lines[0].split()) == 3
        return all(_fits(line, features=features) for line in whole)

    def open(self, path: str, reading: Reading) -> XmcText:
        """Open a text; its lines are counted and compared with the header.

        Raises
        ------
        DataError
            The header is not two or three whole numbers, the number of lines is another one than
            it says, or a data file is asked for scores.
        """
        stamp(path)
        header = _header(path)
        features = len(header) == 3
        if features and reading.kind == "scores":
            raise DataError(
                f"{path}, line 1: a header of three numbers is that of a data file, which holds "
                "true labels and no scores, got "
                f"{' '.join(map(str, header))!r}; read it as a truth"
            )
        _expect_lines(path, header[0])
        return XmcText(
            source=path,
            shape=(header[0], header[-1]),
            dtype=np.dtype(np.uint8 if features else np.float64),
            kind=reading.kind,
            score_kind=reading.score_kind or self.score_kind,
            absent=(reading.absent or "not-retrieved") if reading.kind == "scores" else "0.0",
            notes=("labels are columns counted from 0",),
            path=path,
            features=features,
        )


def _header(path: str) -> tuple[int, ...]:
    with Path(path).open("rb") as file:
        line = file.readline(LONGEST_HEADER).removeprefix(BYTE_ORDER_MARK).rstrip(b"\n")
    if not HEADER.fullmatch(line):
        got = line[:40].decode("utf-8", "replace").strip()
        raise DataError(
            f"{path}, line 1: the header is not of the format, got {got!r}; it must be "
            "'documents labels', or 'documents features labels'"
        )
    numbers = tuple(int(number) for number in line.split())
    if numbers[-1] >= 2**31:
        raise DataError(f"{path}, line 1: {numbers[-1]} labels are too many; 2^31 - 1 can be read")
    return numbers


def _expect_lines(path: str, documents: int) -> None:
    lines = index_lines(path, skipped=1)
    if len(lines) == documents:
        return
    last = lines.read(Band(len(lines) - 1, len(lines))) if len(lines) else b""
    cure = "a blank line is a document too; " if len(lines) > documents and not last.strip() else ""
    raise DataError(
        f"{path}: {len(lines)} lines follow the header, which says {documents} documents; "
        f"{cure}one line a document is needed"
    )


def _fits(line: bytes, *, features: bool) -> bool:
    tokens = line.split()
    if features and tokens and not line[:1].isspace() and LABEL_LIST.fullmatch(tokens[0]):
        tokens = tokens[1:]
    return all(PAIR.fullmatch(token) for token in tokens)
