"""What the counts say beside the values: faults that end a run, and notes for the reader."""

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError
from daskxmlc.storage.matrix import Matrix
from daskxmlc.tables.faults import Faults
from daskxmlc.tables.first_hits import FirstHits
from daskxmlc.tables.hits_by_rank import HitsByRank
from daskxmlc.tables.overlap import Overlap
from daskxmlc.tables.partial import Partial
from daskxmlc.tables.tally import Tally, ViewTables
from daskxmlc.taxonomy.closing import LabelClosure

_SHOWN = 3


def refuse_faults(faults: Faults, scores: Matrix, truth: Matrix) -> None:
    """End the run if a score is NaN, or a value of the truth is NaN or negative.

    Raises
    ------
    DataError
        It gives how many there are, and document and label of the first.
    """
    number, row, column = faults.nan.tolist()
    if number:
        raise DataError(
            f"{scores.source}: {number:,} scores are NaN, the first of them "
            f"{_place(scores, row, column)}; write -inf for what was not retrieved"
        )
    number, row, column = faults.wrong_truth.tolist()
    if number:
        raise DataError(
            f"{truth.source}: {number:,} values of the truth are NaN or negative, the first of "
            f"them {_place(truth, row, column)}; 1 is true and 0 is not"
        )


def notes_of(
    partial: Partial, tally: Tally, scores: Matrix, truth: Matrix, closure: LabelClosure | None
) -> tuple[str, ...]:
    """Give a sentence for everything in the data that a reader of the values has to know."""
    notes = [f"scores: {note}" for note in scores.notes]
    notes += [f"truth: {note}" for note in truth.notes]
    number, row, column = partial.faults.doubled.tolist()
    if number:
        notes.append(
            f"{number:,} labels are stored twice in a document's scores, the first "
            f"{_place(scores, row, column)}; the better score counts"
        )
    number, row, column = partial.faults.doubled_truth.tolist()
    if number:
        notes.append(
            f"{number:,} true labels stand twice in a document, the first "
            f"{_place(truth, row, column)}; each counts once"
        )
    number, row, column = partial.faults.graded_truth.tolist()
    if number:
        notes.append(
            f"{number:,} values of the truth are neither 0 nor 1, the first "
            f"{_place(truth, row, column)}; what is not 0 is true"
        )
    if closure is not None:
        notes.append("each document's truth was closed under the ancestors of its labels")
        if closure.outside:
            notes.append(
                _named(closure.outside, "ancestors are no labels of the truth and were not added")
            )
        if closure.unknown:
            notes.append(_named(closure.unknown, "labels of the truth are not in the taxonomy"))
    notes += _empty_documents(tally, partial)
    return tuple(notes)


def _empty_documents(tally: Tally, partial: Partial) -> list[str]:
    """Count the documents that ranking measures leave out, in the view of all labels if any."""
    if not tally.views:
        return []
    view = next((view for view in tally.views if view.view == "all"), tally.views[0])
    empty = _without_labels(view)
    if not empty:
        return []
    have, them = ("has", "it") if empty == 1 else ("have", "them")
    where = "" if view.view == "all" else f" in view {view.view}"
    note = (
        f"{empty:,} of {partial.documents:,} documents {have} no true label{where}; ranking "
        f"measures leave {them} out unless --rule documents says otherwise"
    )
    return [note]


def _without_labels(view: ViewTables) -> int:
    for table in view.tables:
        if isinstance(table, HitsByRank):
            return int(table.documents[0])
        if isinstance(table, (FirstHits, Overlap)):
            return int(table.counts[table.keys[:, 0] == 0].sum())
    return 0


def _named(names: tuple[str, ...], what: str) -> str:
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    more = ", …" if len(names) > _SHOWN else ""
    return f"{len(names):,} {what} ({shown}{more})"


def _place(matrix: Matrix, row: int, column: int) -> str:
    """Name a document and a label, by id where the matrix has ids."""
    document = _name(matrix.documents(), row)
    label = _name(matrix.labels(), column)
    return f"in document {document}, label {label}"


def _name(ids: NDArray[np.str_] | None, position: int) -> str:
    return str(position) if ids is None else repr(str(ids[position]))
