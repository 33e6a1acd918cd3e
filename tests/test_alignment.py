from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from daskxmlc import alignment
from daskxmlc.alignment import Alignment, align
from daskxmlc.errors import DataError

names = st.lists(st.text("ab€ ", min_size=1, max_size=6).map(str.strip).filter(bool), unique=True)


def ids(*given_names: str) -> NDArray[np.str_]:
    return np.array(given_names, dtype=np.str_)


def match(
    truth: NDArray[np.str_] | None,
    scores: NDArray[np.str_] | None,
    axis: Literal["documents", "labels"] = "documents",
    missing: Literal["error", "miss"] = "error",
) -> Alignment:
    return align(
        truth,
        scores,
        axis=axis,
        missing=missing,
        truth_count=4 if truth is None else len(truth),
        score_count=4 if scores is None else len(scores),
    )


def test_the_same_ids_in_the_same_order_need_no_positions_and_no_note() -> None:
    found = match(ids("a", "b"), ids("a", "b"))
    assert found.positions is None
    assert (found.missing, found.unknown, found.notes) == (0, 0, ())


def test_another_order_is_matched_by_id_and_noted() -> None:
    found = match(ids("a", "b", "c", "d"), ids("d", "c", "b", "a"))
    assert found.positions is not None
    assert found.positions.tolist() == [3, 2, 1, 0]
    assert found.notes == (
        "documents of the scores are in another order than the truth's, matched by id",
    )


def test_a_missing_document_is_refused_by_name() -> None:
    with pytest.raises(DataError, match=r"1 of the 4 documents .* missing .* the first is 'd'"):
        match(ids("a", "b", "c", "d"), ids("a", "b", "c"))


def test_a_missing_document_counts_as_a_miss_where_that_is_wanted() -> None:
    found = match(ids("a", "b", "c", "d"), ids("a", "b", "c", "e"), missing="miss")
    assert found.positions is not None
    assert found.positions.tolist() == [0, 1, 2, -1]
    assert (found.missing, found.unknown) == (1, 1)
    assert "nothing was retrieved: d" in found.notes[0]
    assert found.notes[1] == "1 documents of the scores are unknown to the truth, left out: e"


def test_four_rows_against_four_other_rows_are_not_matched_by_position() -> None:
    with pytest.raises(DataError, match="first is 'd'"):
        match(ids("a", "b", "c", "d"), ids("a", "b", "c", "e"))


@pytest.mark.parametrize(
    ("truth", "scores", "side"),
    [
        (ids("a", "b", "c"), ids("a", "b", "b", "c"), "scores"),
        (ids("a", "b", "b", "c"), ids("a", "b", "c"), "truth"),
        (ids("a", "b", "b", "c"), ids("a", "b", "b", "c"), "truth"),
        (None, ids("a", "b", "b", "c"), "scores"),
    ],
)
@pytest.mark.parametrize("axis", ["documents", "labels"])
def test_an_id_that_occurs_twice_is_refused_by_name(
    truth: NDArray[np.str_] | None,
    scores: NDArray[np.str_],
    side: str,
    axis: Literal["documents", "labels"],
) -> None:
    with pytest.raises(DataError, match=f"^{side}: {axis[:-1]} 'b' occurs twice"):
        match(truth, scores, axis=axis)


def test_a_label_that_the_method_never_saw_counts_as_never_retrieved() -> None:
    found = match(ids("a", "b", "c", "d"), ids("a", "b", "c"), axis="labels")
    assert found.positions is not None
    assert found.positions.tolist() == [0, 1, 2, -1]
    assert found.notes == (
        "1 of the 4 labels of the truth are missing from the scores, counted as never retrieved: d",
    )


def test_ids_without_any_overlap_are_refused_with_an_example_of_each_side() -> None:
    with pytest.raises(DataError, match="'a' in the truth and '0' in the scores"):
        match(ids("a", "b"), ids("0", "1"), axis="labels")


@pytest.mark.parametrize(
    ("truth", "scores", "why"),
    [
        (None, None, "there are no ids"),
        (ids("a", "b", "c", "d"), None, "only the truth has ids"),
        (None, ids("a", "b", "c", "d"), "only the scores have ids"),
    ],
)
def test_without_ids_on_both_sides_positions_match_and_a_note_says_so(
    truth: NDArray[np.str_] | None, scores: NDArray[np.str_] | None, why: str
) -> None:
    found = match(truth, scores)
    assert found.positions is None
    assert found.notes == (f"documents were matched by position: {why}",)


def test_different_sizes_without_ids_are_refused_with_both_numbers() -> None:
    with pytest.raises(DataError, match="truth has 4 documents and the scores have 3"):
        align(None, None, truth_count=4, score_count=3)


@given(names, names, st.booleans())
def test_each_position_names_the_same_id_on_both_sides(
    truth: list[str],
    scores: list[str],
    hashes_collide: bool,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if hashes_collide:
            patch.setattr(alignment, "_hashes", lambda ids: np.zeros(len(ids), np.uint64))
        expected = [scores.index(name) if name in scores else -1 for name in truth]
        if truth and scores and max(expected) < 0:
            with pytest.raises(DataError, match="no id of the truth"):
                match(ids(*truth), ids(*scores), axis="labels")
            return
        found = match(ids(*truth), ids(*scores), axis="labels")
    positions = list(range(len(truth))) if found.positions is None else found.positions.tolist()
    assert positions == expected
    assert found.missing == expected.count(-1)
    assert found.unknown == len(set(scores) - set(truth))
