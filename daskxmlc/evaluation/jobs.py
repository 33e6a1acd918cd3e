"""Which documents are counted together: bands of the scores and where the truth has them."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from daskxmlc.alignment import Alignment
from daskxmlc.evaluation.counting import Job
from daskxmlc.storage.matrix import Band, Matrix

T = TypeVar("T")

#: Documents without scores that are counted in one job.
_MISSING_AT_A_TIME = 2**17
#: What is counted where there is no document at all: nothing, but in every table.
_NOTHING = Job(Band(0, 0), Band(0, 0))


def jobs_of(scores: Matrix, documents: Alignment) -> tuple[Job, ...]:
    """Cut the documents into jobs: a band of scores each, and those that have no scores.

    Parameters
    ----------
    scores
        What is counted.
    documents
        Where each document of the truth stands in the scores.
    """
    if documents.positions is None:
        return tuple(Job(band, band) for band in scores.bands() if len(band)) or (_NOTHING,)
    document_of_row = np.full(scores.shape[0], -1, dtype=np.int64)
    found = np.flatnonzero(documents.positions >= 0)
    document_of_row[documents.positions[found]] = found
    jobs = [
        Job(band, _shortest(document_of_row[band.start : band.stop]))
        for band in scores.bands()
        if (document_of_row[band.start : band.stop] >= 0).any()
    ]
    missing = np.flatnonzero(documents.positions < 0)
    jobs += [
        Job(None, missing[start : start + _MISSING_AT_A_TIME])
        for start in range(0, len(missing), _MISSING_AT_A_TIME)
    ]
    return tuple(jobs) or (_NOTHING,)


def _shortest(documents: NDArray[np.int64]) -> Band | NDArray[np.int64]:
    first = int(documents[0])
    if first >= 0 and (documents == np.arange(first, first + len(documents))).all():
        return Band(first, first + len(documents))
    return documents


def grouped(items: Sequence[T], groups: int) -> Iterator[Sequence[T]]:
    """Cut a sequence into at most so many runs of about the same length, in order."""
    size = max(1, -(-len(items) // groups))
    for start in range(0, len(items), size):
        yield items[start : start + size]
