"""Documents and labels of two matrices matched by id, or by position where ids are missing."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from daskxmlc.errors import DataError

Axis = Literal["documents", "labels"]
Missing = Literal["error", "miss"]
NAMED = 3
HASH_SEED = 5


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Where each document or label of the truth stands in the scores.

    Attributes
    ----------
    positions
        int64 (documents or labels of the truth,): the row or column of the scores, -1 where they
        lack it; None where both sides have the same order.
    missing
        How many of the truth's the scores lack.
    unknown
        How many of the scores' the truth lacks.
    notes
        What a reader of the result has to know, a sentence each.
    """

    positions: NDArray[np.int64] | None = None
    missing: int = 0
    unknown: int = 0
    notes: tuple[str, ...] = ()


def align(
    truth_ids: NDArray[np.str_] | None,
    score_ids: NDArray[np.str_] | None,
    *,
    truth_count: int,
    score_count: int,
    axis: Axis = "documents",
    missing: Missing = "error",
) -> Alignment:
    """Match the documents, or the labels, of a truth and of scores.

    By id where both sides have ids; then order and additions do not matter. By position where a
    side has none; then the numbers must agree.

    Parameters
    ----------
    truth_ids, score_ids
        str (documents or labels,), in the order of the matrices, or None.
    truth_count, score_count
        How many there are on each side, whether they have ids or not.
    axis
        What is matched; a missing label always counts as never retrieved.
    missing
        Whether a missing document is refused, or counts as one for which nothing was retrieved.

    Raises
    ------
    DataError
        An id occurs twice, nothing at all matches, a document is missing, or the numbers differ
        where there are no ids to match.
    """
    if truth_ids is None or score_ids is None:
        return _by_position(truth_ids, score_ids, truth_count, score_count, axis)
    truth_index = _index(truth_ids, "truth", axis)
    if np.array_equal(truth_ids, score_ids):
        return Alignment()
    score_index = _index(score_ids, "scores", axis)
    positions = score_index.find(truth_index)
    _expect_overlap(truth_ids, score_ids, positions, axis)
    absent = truth_ids[positions < 0]
    if len(absent) and axis == "documents" and missing == "error":
        raise DataError(
            f"documents: {len(absent)} of the {len(truth_ids)} documents of the truth are missing "
            f"from the scores, the first is {str(absent[0])!r}; give their scores, or count them "
            "as documents for which nothing was retrieved (--missing-documents miss)"
        )
    known = np.zeros(len(score_ids), np.bool_)
    known[positions[positions >= 0]] = True
    unknown = score_ids[~known]
    notes = (
        *_missing_note(absent, len(truth_ids), axis),
        *_unknown_note(unknown, axis),
        *_order_note(positions, axis),
    )
    return Alignment(positions, len(absent), len(unknown), notes)


def _by_position(
    truth_ids: NDArray[np.str_] | None,
    score_ids: NDArray[np.str_] | None,
    truth_count: int,
    score_count: int,
    axis: Axis,
) -> Alignment:
    with_ids = [
        side for side, ids in (("truth", truth_ids), ("scores", score_ids)) if ids is not None
    ]
    why = f"only the {with_ids[0]} has ids" if with_ids == ["truth"] else "there are no ids"
    why = "only the scores have ids" if with_ids == ["scores"] else why
    if truth_count != score_count:
        raise DataError(
            f"{axis}: the truth has {truth_count} {axis} and the scores have {score_count}, and "
            f"{why}; give ids on both sides (--{axis} FILE), or matrices of one size"
        )
    for side, ids in (("truth", truth_ids), ("scores", score_ids)):
        if ids is not None:
            _index(ids, side, axis)
    return Alignment(notes=(f"{axis} were matched by position: {why}",))


@dataclass(frozen=True, slots=True, eq=False)
class _Index:
    """Distinct ids, sorted by a key: 64-bit hashes, many times faster to sort than strings."""

    ids: NDArray[np.str_]
    order: NDArray[np.int64]
    ranked: NDArray[np.generic]

    def find(self, wanted: "_Index") -> NDArray[np.int64]:
        """Give the position of each of the wanted ids, in their own order, or -1."""
        positions = np.full(len(wanted.ids), -1, np.int64)
        if len(self.ids) == 0:
            return positions
        if self.ranked.dtype.kind != wanted.ranked.dtype.kind:
            return _by_strings(self.ids).find(_by_strings(wanted.ids))
        place = np.minimum(np.searchsorted(self.ranked, wanted.ranked), len(self.ids) - 1)
        positions[wanted.order] = self.order[place]
        return np.where(self.ids[positions] == wanted.ids, positions, -1)


def _by_strings(ids: NDArray[np.str_]) -> _Index:
    order = np.argsort(ids, kind="stable")
    return _Index(ids, order, ids[order])


def _index(ids: NDArray[np.str_], side: str, axis: Axis) -> _Index:
    """Sort the ids; an id that occurs twice is refused."""
    keys = _hashes(ids)
    order = np.argsort(keys, kind="stable")
    index = _Index(ids, order, keys[order])
    twice = np.flatnonzero(index.ranked[1:] == index.ranked[:-1])
    if len(twice) and (ids[order[twice]] != ids[order[twice + 1]]).any():
        # Two ids have the same hash: so rare that sorting the strings is good enough.
        index = _by_strings(ids)
        twice = np.flatnonzero(index.ranked[1:] == index.ranked[:-1])
    if len(twice):
        first = int(index.order[twice + 1].min())
        one = axis.removesuffix("s")
        raise DataError(
            f"{side}: {one} {str(ids[first])!r} occurs twice, {len(twice)} of {len(ids)} ids "
            f"repeat an earlier one; every {one} must occur once"
        )
    return index


def _hashes(ids: NDArray[np.str_]) -> NDArray[np.uint64]:
    """Hash ids: letters times fixed random odd weights, so that padding does not matter."""
    width = ids.dtype.itemsize // 4
    weights = np.random.default_rng(HASH_SEED).integers(2**64, size=width, dtype=np.uint64) | 1
    letters = np.ascontiguousarray(ids).view(np.uint32).reshape(len(ids), width)
    hashes = np.zeros(len(ids), np.uint64)
    for place in range(width):
        hashes += letters[:, place] * weights[place]
    return hashes


def _expect_overlap(
    truth_ids: NDArray[np.str_],
    score_ids: NDArray[np.str_],
    positions: NDArray[np.int64],
    axis: Axis,
) -> None:
    if len(truth_ids) == 0 or len(score_ids) == 0 or (positions >= 0).any():
        return
    raise DataError(
        f"{axis}: no id of the truth occurs in the scores, got for example {str(truth_ids[0])!r} "
        f"in the truth and {str(score_ids[0])!r} in the scores; both sides must name the {axis} "
        "in the same way"
    )


def _missing_note(absent: NDArray[np.str_], count: int, axis: Axis) -> tuple[str, ...]:
    if len(absent) == 0:
        return ()
    what = "counted as never retrieved"
    if axis == "documents":
        what = "counted as documents for which nothing was retrieved"
    note = f"{len(absent)} of the {count} {axis} of the truth are missing from the scores"
    return (f"{note}, {what}: {_some(absent)}",)


def _unknown_note(unknown: NDArray[np.str_], axis: Axis) -> tuple[str, ...]:
    if len(unknown) == 0:
        return ()
    return (
        f"{len(unknown)} {axis} of the scores are unknown to the truth, left out: {_some(unknown)}",
    )


def _order_note(positions: NDArray[np.int64], axis: Axis) -> tuple[str, ...]:
    found = positions[positions >= 0]
    if (np.diff(found) > 0).all():
        return ()
    return (f"{axis} of the scores are in another order than the truth's, matched by id",)


def _some(ids: NDArray[np.str_]) -> str:
    shown = ", ".join(map(str, ids[:NAMED].tolist()))
    return shown if len(ids) <= NAMED else f"{shown}, …"
