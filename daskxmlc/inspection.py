"""What a matrix holds and everything that is wrong with it, read once, band by band."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.matrix import (
    Absent,
    Band,
    Kind,
    Matrix,
    Reading,
    Rows,
    ScoreKind,
    Tile,
)
from daskxmlc.storage.opening import open_matrix
from daskxmlc.storage.places import Places, counted, repeated_id
from daskxmlc.storage.survey import Survey

NAMED = 20
MOST_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a matrix is, what it holds, and what is wrong with it.

    Attributes
    ----------
    path
        Where it lies.
    shape, dtype, layout, kind, score_kind, absent
        As the matrix says; these and what follows are None where it could not be opened at all.
    chunks
        Documents and labels of a stored chunk; where there are none, of what is read at once.
    bands
        Number of bands of documents.
    document_ids, label_ids
        Whether there are ids.
    entries
        Stored values; all cells of a dense matrix.
    bytes, bytes_on_disk
        Of the stored values in memory, and of the files.
    minimum, maximum, mean
        Of the finite values; None if there is none.
    zeros
        Share of the stored values that are 0.
    not_retrieved
        Stored values that are -inf.
    labels_per_document
        Fewest, mean and most labels that are true, or were retrieved, in a document.
    documents_without_labels
        Documents in which no label is true, or none was retrieved.
    labels_without_documents
        Labels that are true, or were retrieved, in no document.
    notes
        What the reader assumed, a sentence each.
    problems
        What is wrong, a sentence each; nothing if the matrix can be evaluated.
    """

    path: str
    shape: tuple[int, int] | None = None
    dtype: str | None = None
    layout: Literal["dense", "sparse"] | None = None
    kind: Kind | None = None
    score_kind: ScoreKind | None = None
    absent: Absent | None = None
    chunks: tuple[int, int] | None = None
    bands: int | None = None
    document_ids: bool | None = None
    label_ids: bool | None = None
    entries: int | None = None
    bytes: int | None = None
    bytes_on_disk: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    zeros: float | None = None
    not_retrieved: int | None = None
    labels_per_document: tuple[int, float, int] | None = None
    documents_without_labels: int | None = None
    labels_without_documents: int | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Give the fields as plain values, for JSON."""
        return asdict(self)


def inspect(
    path: str,
    *,
    kind: Kind = "scores",
    format: str = "auto",  # noqa: A002  # the option's name
    labels: str | None = None,
    documents: str | None = None,
    absent: Absent | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Inspection:
    """Read a matrix once and tell what it holds and everything that is wrong with it.

    What is wrong does not raise: a store that is not complete, missing and damaged chunks, NaN,
    ids and entries that occur twice, values of a truth other than 0 and 1 are sentences in
    ``problems``. The statistics are those of what could be read.

    Parameters
    ----------
    path
        A store, or a file in any readable format.
    kind
        Whether it holds scores or a truth, where it does not say so itself.
    format
        Name of the format, or ``"auto"``.
    labels, documents, absent
        As in `Reading`.
    progress
        Called with the documents that are done and all of them.

    Raises
    ------
    DataError
        There is nothing at `path`.
    UsageError
        No format is called `format`.
    """
    reading = Reading(kind, documents, labels, absent=absent)
    try:
        matrix = open_matrix(path, format=format, reading=reading)
    except DataError as error:
        if "://" not in path and not Path(path.split("::", 1)[0]).exists():
            raise
        return Inspection(path, bytes_on_disk=_size(path), problems=(str(error),))
    survey = Survey(matrix.kind, np.zeros(matrix.shape[1], np.int64))
    problems = _read_all(matrix, survey, progress)
    return _conclude(path, matrix, survey, problems)


def _read_all(
    matrix: Matrix, survey: Survey, progress: Callable[[int, int], None] | None
) -> list[str]:
    """Look at all bands and tiles; give what could not be read, each once."""
    faults: dict[str, None] = {}
    for band in _bands(matrix):
        in_document = np.zeros(len(band), np.int64)
        read = np.zeros(len(band), np.bool_)
        for tile in matrix.tiles():
            for part, columns, rows in _readable(matrix, band, tile, faults):
                documents = slice(part.start - band.start, part.stop - band.start)
                in_document[documents] += survey.add(part, columns, rows)
                read[documents] = True
        survey.add_documents(in_document[read])
        if progress is not None:
            progress(band.stop, matrix.shape[0])
    named = list(faults)[:NAMED]
    if len(faults) > NAMED:
        named.append(f"{len(faults)} parts cannot be read in all, the first {NAMED} are named")
    return named


def _readable(
    matrix: Matrix, band: Band, tile: Tile, faults: dict[str, None]
) -> Iterator[tuple[Band, Tile, Rows]]:
    """Read a band; where that fails, chunk by chunk, so that every fault is found."""
    try:
        rows = matrix.read(band, tile)
    except DataError as error:
        faults[str(error)] = None
    else:
        yield band, tile, rows
        return
    for part, columns in _chunks(matrix, band, tile):
        try:
            rows = matrix.read(part, columns)
        except DataError as error:
            faults[str(error)] = None
        else:
            yield part, columns, rows


def _chunks(matrix: Matrix, band: Band, tile: Tile) -> Iterator[tuple[Band, Tile]]:
    """Cut a band and a tile along the stored chunks, if there are any."""
    chunk = matrix.chunk()
    if chunk is None:
        return
    height, width = chunk
    for top in range(band.start // height * height, band.stop, height):
        part = Band(max(top, band.start), min(top + height, band.stop))
        for left in range(tile.start // width * width, tile.stop, width):
            yield part, Tile(max(left, tile.start), min(left + width, tile.stop))


def _bands(matrix: Matrix) -> Iterator[Band]:
    """Cut bands further where the dense rows of a tile would be too large."""
    widest = max((len(tile) for tile in matrix.tiles()), default=1)
    step = matrix.shape[0] + 1
    if matrix.absent is None:
        step = max(1, MOST_BYTES // max(1, widest * matrix.dtype.itemsize))
    for band in matrix.bands():
        for start in range(band.start, band.stop, step):
            yield Band(start, min(start + step, band.stop))


def _conclude(path: str, matrix: Matrix, survey: Survey, problems: list[str]) -> Inspection:
    places = Places(_ids(matrix.documents, problems), _ids(matrix.labels, problems))
    bands, tiles = matrix.bands(), matrix.tiles()
    seen = survey.documents
    per_document = None
    if survey.fewest is not None and survey.most is not None:
        per_document = (survey.fewest, int(survey.by_label.sum()) / seen, survey.most)
    return Inspection(
        path=path,
        shape=matrix.shape,
        dtype=matrix.dtype.name,
        layout="dense" if matrix.absent is None else "sparse",
        kind=matrix.kind,
        score_kind=matrix.score_kind if matrix.kind == "scores" else None,
        absent=matrix.absent,
        chunks=matrix.chunk() or (max(map(len, bands), default=0), len(tiles[0]) if tiles else 0),
        bands=len(bands),
        document_ids=places.documents is not None,
        label_ids=places.labels is not None,
        entries=survey.entries,
        bytes=survey.entries * (matrix.dtype.itemsize + (0 if matrix.absent is None else 4)),
        bytes_on_disk=_size(path),
        minimum=survey.minimum,
        maximum=survey.maximum,
        mean=survey.total.divided_by(survey.finite) if survey.finite else None,
        zeros=survey.zeros / survey.entries if survey.entries else None,
        not_retrieved=survey.not_retrieved,
        labels_per_document=per_document,
        documents_without_labels=survey.without_labels,
        labels_without_documents=int(np.count_nonzero(survey.by_label == 0)),
        notes=matrix.notes,
        problems=(*problems, *_problems(survey, places)),
    )


def _ids(
    read: Callable[[], NDArray[np.str_] | None], problems: list[str]
) -> NDArray[np.str_] | None:
    """Read ids; what is wrong with them is a problem among others."""
    try:
        return read()
    except DataError as error:
        problems.append(str(error))
        return None


def _problems(survey: Survey, places: Places) -> Iterator[str]:
    if survey.nan.count:
        yield (f"{survey.nan.count} values are NaN, the first at {places.where(*survey.nan.first)}")
    for what, ids in (("document", places.documents), ("label", places.labels)):
        if repeated := repeated_id(ids):
            number = counted(repeated[1], f"id of a {what} repeats", f"ids of {what}s repeat")
            yield f"{what} {repeated[0]!r} occurs twice; {number} an earlier one"
    if survey.repeats.count:
        number = counted(survey.repeats.count, "entry repeats", "entries repeat")
        yield (
            f"{number} a label of the same document, the first at "
            f"{places.where(*survey.repeats.first)}"
        )
    if survey.odd.count:
        number = counted(survey.odd.count, "value of the truth is", "values of the truth are")
        yield f"{number} neither 0 nor 1, the first at {places.where(*survey.odd.first)}"


def _size(path: str) -> int | None:
    """Give the bytes of a local file or of all files below a folder."""
    place = Path(path.split("::", 1)[0])
    if "://" in path or not place.exists():
        return None
    if place.is_file():
        return place.stat().st_size
    return sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
