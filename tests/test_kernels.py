"""Kernels and tables against an independent evaluation, document at a time."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from daskxmlc.blocks.columns import columns_of
from daskxmlc.blocks.dense import count_better, scan_dense
from daskxmlc.blocks.dense_ranks import count_ranks, meet_true_scores
from daskxmlc.blocks.facts import Facts, facts_of
from daskxmlc.blocks.keys import bits_of, key_space, threshold_key
from daskxmlc.blocks.layout import layout_of, tile_layout
from daskxmlc.blocks.ranks import RankFacts, new_ranks, rank_facts_of
from daskxmlc.blocks.sparse import Entries, densify, labels_of, scan_sparse
from daskxmlc.blocks.sparse_ranks import count_sparse_ranks
from daskxmlc.blocks.state import State, Truth, new_state
from daskxmlc.errors import DataError
from daskxmlc.tasks.task import View
from tests.reference_ranks import Ranked

Problem = tuple[list[list[float]], list[list[int]], list[list[int]]]

INF = float("inf")
NTH = 4  # true labels of which the places are wanted
SCORES = st.sampled_from([-INF, -1.0, -0.0, 0.0, 0.25, 0.5, 0.75, 1.0, INF])
DTYPES: list[type[np.floating]] = [np.float16, np.float32, np.float64]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    documents = draw(st.integers(1, 6))
    labels = draw(st.integers(1, 12))
    row = st.lists(SCORES, min_size=labels, max_size=labels)
    mask = st.lists(st.booleans(), min_size=labels, max_size=labels)
    subset = mask.map(lambda chosen: [label for label, inside in enumerate(chosen) if inside])
    scores = draw(st.lists(row, min_size=documents, max_size=documents))
    truth = draw(st.lists(subset, min_size=documents, max_size=documents))
    views = draw(st.lists(subset.filter(bool), max_size=4))
    return scores, truth, [list(range(labels)), *views]


def expected(
    row: Sequence[float], true: Iterable[int], labels: Sequence[int], threshold: float, k: int
) -> tuple[int, int, int, list[bool], int]:
    """Work out the facts of one document by sorting."""
    retrieved = [label for label in labels if row[label] > -INF]
    ranking = sorted(retrieved, key=lambda label: (-row[label], label))
    inside = set(true) & set(labels)
    predicted = {label for label in retrieved if row[label] >= threshold}
    places = [at for at, label in enumerate(ranking, 1) if label in inside]
    hits = [at in places for at in range(1, k + 1)]
    return len(inside), len(predicted), len(predicted & inside), hits, min(places, default=0)


def found(facts: Facts, i: int) -> tuple[int, int, int, list[bool], int]:
    return (
        int(facts.true[i]),
        int(facts.predicted[i]),
        int(facts.both[i]),
        facts.hit[i].tolist(),
        int(facts.first_hit[i]),
    )


def expected_ranks(row: Sequence[float], true: Iterable[int], labels: Sequence[int]) -> list[int]:
    """Work out what full ranks say of one document by comparing all labels with all."""
    scores = {label: row[label] for label in labels if row[label] > -INF}
    document = Ranked(
        true=frozenset(true) & frozenset(labels),
        ranking=tuple(sorted(scores, key=lambda label: (-row[label], label))),
        scores=scores,
        labels=tuple(labels),
    )
    return [
        document.depth(),
        document.inverted(),
        document.tied(),
        document.cut_average_precision(),
        document.within(),
        *(document.place(j) for j in range(1, NTH + 1)),
    ]


def found_ranks(ranks: RankFacts | None, i: int) -> list[int]:
    assert ranks is not None
    return [*(int(one[i]) for one in ranks[:-1]), *ranks.places[i].tolist()]


def truth_rows(truth: Sequence[Sequence[int]]) -> Truth:
    indptr = np.cumsum([0, *(len(labels) for labels in truth)])
    flat = [label for labels in truth for label in labels]
    return Truth(indptr.astype(np.int64), np.array(flat, dtype=np.int32))


def scan_tiles(
    scores: NDArray[np.generic],
    truth: Truth,
    views: Sequence[View],
    *,
    threshold: float,
    k: int,
    width: int,
    large_cell: int,
) -> tuple[State, tuple[Facts, ...]]:
    labels = scores.shape[1]
    layout = layout_of(views, labels)
    space = key_space(scores.dtype)
    key = threshold_key(threshold, scores.dtype)
    state = new_state(len(scores), layout, k)
    ranks = new_ranks(truth, layout)
    tiles = []
    for start in range(0, labels, width):
        columns = np.arange(start, min(start + width, labels), dtype=np.int32)
        tile = tile_layout(layout, columns, large_cell=large_cell)
        prepared = columns_of(layout, tile, space, threshold=key, first=start)
        tiles.append((bits_of(np.ascontiguousarray(scores[:, columns])), prepared))
    for bits, prepared in tiles:
        scan_dense(bits, truth, prepared, state, first_hits=len(tiles) == 1)
        meet_true_scores(bits, truth, prepared, ranks)
    for bits, prepared in tiles:
        if len(tiles) > 1:
            count_better(bits, prepared, state)
        count_ranks(bits, truth, prepared, state, ranks)
    ranked = rank_facts_of(ranks, truth, layout.view_sizes, NTH)
    return state, facts_of(state, truth, layout, ranked)


@given(
    problems(),
    st.sampled_from(DTYPES),
    st.sampled_from([0.0, 0.5, 0.3, -INF, INF]),
    st.integers(0, 13),
    st.integers(1, 12),
    st.sampled_from([1, 3, 512]),
)
def test_dense_scores_give_the_facts_of_sorted_rows(
    problem: Problem, dtype: type[np.floating], threshold: float, k: int, width: int, large: int
) -> None:
    scores, truth, labels = problem
    views = [View("t", str(n), np.array(part)) for n, part in enumerate(labels)]
    state, facts = scan_tiles(
        np.array(scores, dtype=dtype), truth_rows(truth), views,
        threshold=threshold, k=k, width=width, large_cell=large,
    )  # fmt: skip
    for i, (row, true) in enumerate(zip(scores, truth, strict=True)):
        for part, one in zip(labels, facts, strict=True):
            assert found(one, i) == expected(row, true, part, threshold, k)
            assert found_ranks(one.ranks, i) == expected_ranks(row, true, part)
    predicted = [sum(row[c] >= threshold and row[c] > -INF for row in scores) for c in labels[0]]
    assert state.label_predicted.tolist() == predicted
    assert state.nan[0] == 0


@given(problems(), st.sampled_from([0.0, 0.5]), st.integers(0, 13))
def test_sparse_scores_give_the_facts_of_sorted_rows(
    problem: Problem, threshold: float, k: int
) -> None:
    scores, truth, labels = problem
    views = [View("t", str(n), np.array(part)) for n, part in enumerate(labels)]
    layout = layout_of(views, len(labels[0]))
    matrix = np.array(scores, dtype=np.float32)
    rows, columns = np.nonzero(matrix > -INF)
    indptr = np.searchsorted(rows, np.arange(len(scores) + 1)).astype(np.int64)
    entries = Entries(indptr, columns.astype(np.int32), bits_of(matrix[rows, columns]))
    space = key_space(matrix.dtype)
    known = np.arange(len(labels[0]), dtype=np.int32)
    prepared = labels_of(layout, known, space, threshold=threshold_key(threshold, matrix.dtype))
    state = new_state(len(scores), layout, k)
    scan_sparse(entries, truth_rows(truth), prepared, state)
    ranks = new_ranks(truth_rows(truth), layout)
    count_sparse_ranks(entries, truth_rows(truth), prepared, state, ranks)
    ranked = rank_facts_of(ranks, truth_rows(truth), layout.view_sizes, NTH)
    facts = facts_of(state, truth_rows(truth), layout, ranked)
    for i, (row, true) in enumerate(zip(scores, truth, strict=True)):
        for part, one in zip(labels, facts, strict=True):
            assert found(one, i) == expected(row, true, part, threshold, k)
            assert found_ranks(one.ranks, i) == expected_ranks(row, true, part)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 1), (40, 600), (5, 9000)])
def test_wide_rows_with_many_equal_scores_are_ranked_by_label(
    dtype: type[np.floating], shape: tuple[int, int]
) -> None:
    rng = np.random.default_rng(7)
    scores = rng.integers(0, 4, shape) / 8
    scores[rng.random(shape) < 0.3] = -INF
    truth = [sorted(rng.choice(shape[1], min(3, shape[1]), replace=False)) for _ in scores]
    levels = rng.integers(0, 3, shape[1])
    labels = [list(range(shape[1])), *(np.flatnonzero(levels == n).tolist() for n in range(3))]
    views = [View("t", str(n), np.array(part, dtype=np.int64)) for n, part in enumerate(labels)]
    for width in {shape[1], 250}:
        _, facts = scan_tiles(
            scores.astype(dtype), truth_rows(truth), views,
            threshold=0.25, k=5, width=width, large_cell=100,
        )  # fmt: skip
        for i, (row, true) in enumerate(zip(scores.tolist(), truth, strict=True)):
            for part, one in zip(labels, facts, strict=True):
                assert found(one, i) == expected(row, true, part, 0.25, 5)
                assert found_ranks(one.ranks, i) == expected_ranks(row, map(int, true), part)


@pytest.mark.parametrize("large", [1, 512])
@pytest.mark.parametrize("width", [1, 2, 3])
def test_a_tie_with_a_label_of_another_tile_is_seen(width: int, large: int) -> None:
    """Label 2 is tied with label 0 and behind it: second of the places, tied in rank."""
    _, (facts,) = scan_tiles(
        np.array([[0.5, 0.25, 0.5]]), truth_rows([[2]]), [View("t", "all", np.arange(3))],
        threshold=0.5, k=1, width=width, large_cell=large,
    )  # fmt: skip
    assert found_ranks(facts.ranks, 0)[:5] == [2, 0, 1, 2**61, 0]
    assert found_ranks(facts.ranks, 0)[5:] == [2, 0, 0, 0]


def test_every_nan_is_counted_and_the_first_is_named() -> None:
    nan = float("nan")
    scores = np.array([[0.9, nan, 0.1, 0.2], [nan, nan, 0.3, 0.2], [nan] * 4], dtype=np.float32)
    views = [View("t", "all", np.arange(4))]
    for dtype in DTYPES:
        for width in (1, 2, 4):
            state, _ = scan_tiles(
                scores.astype(dtype), truth_rows([[0], [2], [1]]), views,
                threshold=0.5, k=1, width=width, large_cell=512,
            )  # fmt: skip
            assert state.nan.tolist() == [7, 0, 1]


def test_a_threshold_is_compared_as_a_real_number() -> None:
    half = np.array([0.2], dtype=np.float16)
    assert float(half[0]) < 0.2
    key = int(half.view(np.int16)[0])
    assert threshold_key(0.2, half.dtype) == key + 1
    assert threshold_key(float(half[0]), half.dtype) == key
    assert threshold_key(float(half[0]), half.dtype, strict=True) == key + 1


def test_a_label_stored_twice_counts_once_with_its_better_score() -> None:
    entries = Entries(
        np.array([0, 3], dtype=np.int64),
        np.array([1, 0, 1], dtype=np.int32),
        bits_of(np.array([0.25, 0.4, 0.5], dtype=np.float32)),
    )
    layout = layout_of([View("t", "all", np.arange(3))], 3)
    space = key_space(np.dtype(np.float32))
    key = threshold_key(0.45, space.dtype)
    state = new_state(1, layout, 3)
    known = np.arange(3, dtype=np.int32)
    scan_sparse(entries, truth_rows([[0]]), labels_of(layout, known, space, threshold=key), state)
    assert state.top_label.tolist() == [1, 0, -1]
    assert state.predicted.tolist() == [[1]]
    assert state.doubled.tolist() == [1, 0, 1]
    doubled = np.array([0, -1, -1], dtype=np.int64)
    dense = densify(entries, 3, 0, doubled)
    assert dense.view(np.float32).tolist() == [[np.float32(0.4), 0.5, 0.0]]
    assert doubled.tolist() == [1, 0, 1]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "bool"])
@pytest.mark.parametrize("threshold", [1, 0.5, -INF, INF])
def test_integer_scores_are_their_own_numbers(dtype: str, threshold: float) -> None:
    scores = np.array([[0, 1, 1], [1, 1, 1]], dtype=dtype)
    state, (facts,) = scan_tiles(
        scores, truth_rows([[1], [0, 2]]), [View("t", "all", np.arange(3))],
        threshold=threshold, k=2, width=3, large_cell=512,
    )  # fmt: skip
    predicted = (scores >= threshold).sum(axis=1).tolist()
    assert facts.predicted.tolist() == predicted
    assert state.label_predicted.sum() == sum(predicted)
    assert facts.hit.tolist() == [[True, False], [True, False]]


@pytest.mark.parametrize("score", [2**63 - 1, -(2**63)])
def test_integers_that_have_no_key_are_refused(score: int) -> None:
    with pytest.raises(DataError, match="convert them to float64"):
        bits_of(np.array([[score]], dtype=np.int64))


def test_negative_integers_keep_their_order() -> None:
    scores = np.array([[-3, 2, -1, 0]], dtype=np.int32)
    state, _ = scan_tiles(
        scores, truth_rows([[0]]), [View("t", "all", np.arange(4))],
        threshold=-1, k=4, width=2, large_cell=512,
    )  # fmt: skip
    assert state.top_label.tolist() == [1, 3, 2, 0]
    assert state.label_predicted.tolist() == [0, 1, 1, 1]
