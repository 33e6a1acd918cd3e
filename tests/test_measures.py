"""Values of the measures: worked by hand, published, by scikit-learn, and of huge counts."""

import json
import math
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from daskxmlc.conventions.convention import Rules
from daskxmlc.errors import UsageError
from daskxmlc.measures import exact_sums
from daskxmlc.measures.asking import default_measures, parse
from daskxmlc.measures.measure import Score
from daskxmlc.tables.first_hits import FirstHits
from daskxmlc.tables.hits_by_rank import HitsByRank
from daskxmlc.tables.label_counts import LabelCounts
from daskxmlc.tables.overlap import Overlap
from daskxmlc.tables.table import Table
from tests.reference import reference_tables
from tests.strategies import Block

VECTORS = json.loads((Path(__file__).parent / "data/measures.json").read_text(encoding="utf-8"))
EXPECTED = [
    pytest.param(vector, name, *entry, id=f"{vector['name']}-{name}")
    for vector in VECTORS
    for name, entry in vector["expected"].items()
]


def evaluate(name: str, tables: Iterable[Table], labels: int, rules: Rules | None = None) -> Score:
    (asked,) = parse([name], [])
    (table,) = (each for each in tables if type(each) is asked.measure.table)
    return asked.measure.score(table, rules or Rules(), labels=labels, parameter=asked.parameter)


def value(name: str, block: Block, **rules: Any) -> tuple[float, int]:  # noqa: ANN401  # Literals
    chosen = Rules(**rules)
    got = evaluate(name, block.tables(5, chosen).values(), len(block.labels), chosen)
    return got.value, got.documents


@pytest.mark.parametrize(("vector", "name", "expected", "documents"), EXPECTED)
def test_a_known_value_comes_out_to_the_last_bit(
    vector: dict[str, Any], name: str, expected: str | float | None, documents: int
) -> None:
    """Text is a fraction, of which the value is the nearest float64; None is undefined."""
    scores = [[None if x is None else float(x) for x in row] for row in vector["scores"]]
    truth, labels = vector["truth"], len(vector["truth"][0])
    largest = max(map(sum, truth))
    tables = reference_tables(scores, truth, vector["threshold"], range(labels), 5, largest)
    got = evaluate(name, tables.values(), labels)
    exact = Fraction(expected) if isinstance(expected, str) else expected
    assert got.documents == documents
    assert math.isnan(got.value) if exact is None else got.value == float(exact)
    assert got.dead_labels in {None, vector["dead_labels"]}


def test_every_default_measure_has_known_values() -> None:
    known = {name.partition("@")[0] for vector in VECTORS for name in vector["expected"]}
    assert {name.partition("@")[0] for name in default_measures()} <= known


# Predicted {0, 1}, {1, 3}, {2}; true {0, 2}, {1}, {}. Rankings 0 1 2 3 | 3 1 0 2 | 2 0 1 3.
MIX = Block(
    scores=[[0.9, 0.6, 0.4, 0.1], [0.3, 0.7, 0.2, 0.8], [0.4, 0.3, 0.7, 0.1]],
    truth=[[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]],
    threshold=0.5,
    labels=(0, 1, 2, 3),
)


@pytest.mark.parametrize(
    ("name", "expected", "documents"),
    [
        ("precision@1", (1 + 0) / 2, 2),
        ("precision@3", (2 / 3 + 1 / 3) / 2, 2),
        ("recall@2", (1 / 2 + 1) / 2, 2),
        ("f1@2", (2 * 1 / (2 + 2) + 2 * 1 / (2 + 1)) / 2, 2),
        ("r_precision@2", (1 / 2 + 1 / 1) / 2, 2),
        ("hit@1", 1 / 2, 2),
        ("mrr", (1 + 1 / 2) / 2, 2),
        ("one_error", 1 / 2, 2),
        # Wrong labels 2, 1, 1 of 12 pairs.
        ("hamming_loss", 4 / 12, 3),
        ("example_accuracy", float(Fraction(1, 3) + Fraction(1, 2)) / 3, 3),
        ("example_precision", (1 / 2 + 1 / 2 + 0) / 3, 3),
        ("example_recall", (1 / 2 + 1 + 0) / 3, 3),
        ("subset_accuracy", 0.0, 3),
        # TP, predicted, true of the labels: 1 1 1, 1 2 1, 0 1 1, 0 1 0.
        ("micro_precision", 2 / 5, 3),
        ("micro_recall", 2 / 3, 3),
        ("micro_f1", 2 * 2 / (5 + 3), 3),
        ("macro_precision", (1 + 1 / 2) / 4, 3),
        ("macro_recall", (1 + 1) / 4, 3),
        ("macro_f1", float(1 + Fraction(2, 3)) / 4, 3),
        (
            "macro_f1_of_averages",
            float(2 * Fraction(3, 8) / 2 / (Fraction(3, 8) + Fraction(1, 2))),
            3,
        ),
        ("weighted_precision", (1 + 1 / 2) / 3, 3),
        ("weighted_recall", 2 / 3, 3),
    ],
)
def test_a_value_worked_by_hand(name: str, expected: float, documents: int) -> None:
    got, counted = value(name, MIX)
    assert got == pytest.approx(expected, rel=1e-15)
    assert counted == documents


def test_ndcg_divides_by_the_best_that_the_document_allows() -> None:
    """Two true labels at the places 1 and 3 of two possible; one at place 2."""
    second, third = 1 / math.log2(3), 1 / math.log2(4)
    expected = ((1 + third) / (1 + second) + second / 1) / 2
    assert value("ndcg@3", MIX)[0] == pytest.approx(expected, rel=1e-15)
    by_k = ((1 + third) + second) / (1 + second + third) / 2
    assert value("ndcg@3", MIX, ndcg_ideal="k")[0] == pytest.approx(by_k, rel=1e-15)


@pytest.mark.parametrize(
    ("name", "rules", "expected", "documents"),
    [
        ("precision@1", {"documents": "all"}, 1 / 3, 3),
        ("precision@2", {"documents": "at-least-k"}, 1 / 2, 1),
        ("recall@3", {"documents": "at-least-k"}, math.nan, 0),
        ("one_error", {"documents": "all"}, 2 / 3, 3),
        ("one_error", {"documents": "at-least-k"}, 1 / 2, 2),
        ("mrr", {"documents": "all"}, 1 / 2, 3),
        ("mrr", {"mrr_empty": "0", "documents": "at-least-k"}, 1 / 2, 3),
        ("macro_f1", {"macro_f1": "f1-of-averages"}, 3 / 7, 3),
        ("hamming_loss", {"hamming_loss": "documents"}, 4 / 3, 3),
    ],
)
def test_a_rule_changes_who_counts(
    name: str, rules: dict[str, str], expected: float, documents: int
) -> None:
    got, counted = value(name, MIX, **rules)
    assert got == pytest.approx(expected, nan_ok=True)
    assert counted == documents


@pytest.mark.parametrize(
    ("empty", "accuracy", "f1"), [("1", 1.0, 1.0), ("0", 0.0, 0.0), ("1,0", 1.0, 0.0)]
)
def test_two_empty_sets_count_as_the_rule_says(empty: str, accuracy: float, f1: float) -> None:
    nothing = Block([[0.1, 0.2]], [[0, 0]], 0.5, (0, 1))
    assert value("example_accuracy", nothing, example_empty=empty) == (accuracy, 1)
    assert value("example_f1", nothing, example_empty=empty) == (f1, 1)
    assert value("example_precision", nothing, example_empty=empty) == (f1, 1)
    assert value("subset_accuracy", nothing, example_empty=empty) == (1.0, 1)
    assert value("hamming_loss", nothing, example_empty=empty) == (0.0, 1)


@pytest.mark.parametrize(("dead", "expected"), [("zero", 1 / 3), ("one", 2 / 3), ("skip", 1 / 2)])
def test_a_dead_label_counts_as_the_rule_says(dead: str, expected: float) -> None:
    """One label right, one wrong, one neither true nor predicted."""
    block = Block([[0.9, 0.9, 0.1]], [[1, 0, 0]], 0.5, (0, 1, 2))
    for name in ("macro_precision", "macro_recall", "macro_f1", "macro_f1_of_averages"):
        assert value(name, block, dead_labels=dead) == (expected, 1)


def test_nothing_true_and_nothing_predicted_counts_as_the_rule_says() -> None:
    nothing = Block([[0.1]], [[0]], 0.5, (0,))
    assert value("micro_f1", nothing) == (0.0, 1)
    assert value("micro_f1", nothing, micro_empty="1") == (1.0, 1)
    missed = Block([[0.1]], [[1]], 0.5, (0,))
    assert value("micro_precision", missed, micro_empty="1") == (0.0, 1)


def test_labels_none_of_which_count_have_no_macro_average() -> None:
    nothing = Block([[0.1]], [[0]], 0.5, (0,))
    assert math.isnan(value("macro_f1", nothing, dead_labels="skip")[0])
    assert math.isnan(value("macro_f1_of_averages", nothing, dead_labels="skip")[0])


def test_macro_f1_of_averages_is_never_below_macro_f1() -> None:
    """Opitz and Burst (2019): two labels, precision 1 and recall 1/2, and the reverse: 3/4, 2/3."""
    table = LabelCounts(*map(np.asarray, ([1, 1], [1, 2], [2, 1], 3)))
    assert evaluate("macro_f1", [table], 2).value == float(Fraction(2, 3))
    assert evaluate("macro_f1_of_averages", [table], 2).value == 0.75


def test_two_relevant_of_three_places_give_the_published_gain() -> None:
    """Järvelin and Kekäläinen's discount as in scikit-learn's guide: hits at the places 2 and 3."""
    block = Block([[0.9, 0.8, 0.7]], [[0, 1, 1]], 0.5, (0, 1, 2))
    assert value("ndcg@3", block)[0] == pytest.approx(0.69342640361727, abs=1e-14)


def test_tables_of_too_few_places_are_refused() -> None:
    tables = MIX.tables(2, Rules()).values()
    with pytest.raises(UsageError, match=r"precision@3 needs the first 3 places .* tables of 2;"):
        evaluate("precision@3", tables, 4)
    assert evaluate("precision@2", tables, 4).documents == 2


def test_places_beyond_the_labels_need_not_be_counted() -> None:
    assert evaluate("precision@1000000", MIX.tables(4, Rules()).values(), 4).value == 1.5e-6
    assert evaluate("ndcg@1000", MIX.tables(4, Rules()).values(), 4) == evaluate(
        "ndcg@4", MIX.tables(4, Rules()).values(), 4
    )


# Counts that float32, int32, float64 or int64 cannot hold ---------------------------------------


@pytest.mark.parametrize("many", [2**24, 2**31, 2**53, 2**60])
def test_no_count_is_too_large_for_a_ranking_measure(many: int) -> None:
    """Of 2 * many + 1 documents with two true labels, many + 1 have a hit at the first place."""
    documents = 2 * many + 1
    hits = np.array([[0, 0, many + 1], [0, 0, many - 1]])
    sizes = np.array([0, 0, documents])
    # Of those with their only hit at the second place nothing stands here: 2**60 would not fit.
    precisions = np.zeros((2, 2, 2, 5), dtype=np.int64)
    precisions[:, 0, 1, 4] = many + 1
    table = HitsByRank(
        hits=hits, first_hits=hits, documents=sizes, prefix=hits, precisions=precisions
    )
    by_hits = evaluate("map@1", [table], 9, Rules(map_denominator="hits"))
    assert by_hits == Score(float(Fraction(many + 1, documents)), documents)
    expected = {
        "precision@1": Fraction(many + 1, documents),
        "precision@2": Fraction(2 * many, 2 * documents),
        "recall@1": Fraction(many + 1, 2 * documents),
        "f1@1": Fraction(2 * (many + 1), 3 * documents),
        "hit@2": Fraction(2 * many, documents),
        "map@2": Fraction(many + 1 + Fraction(many - 1, 2)) / (2 * documents),
        "one_error": Fraction(many, documents),
    }
    for name, exact in expected.items():
        assert evaluate(name, [table], 9) == Score(float(exact), documents)
    first = FirstHits(np.array([[2, 0], [2, 1], [2, 3]]), np.array([1, many + 1, many - 1]))
    reciprocal = (many + 1 + Fraction(many - 1, 3)) / documents
    assert evaluate("mrr", [first], 9) == Score(float(reciprocal), documents)


@pytest.mark.parametrize("many", [2**24, 2**31, 2**53, 2**60])
def test_no_count_is_too_large_for_a_label_measure(many: int) -> None:
    both, predicted, true = [many, many - 5, 3], [many + 1, many, 7], [many + 2, many + 1, 3]
    labels = list(zip(both, predicted, true, strict=True))
    counts = [np.asarray(each, dtype=np.int64) for each in (both, predicted, true, 4 * many)]
    table = LabelCounts(*counts)
    precision = sum(Fraction(b, p) for b, p, _ in labels) / 3
    recall = sum(Fraction(b, t) for b, _, t in labels) / 3
    expected = {
        "micro_precision": Fraction(sum(both), sum(predicted)),
        "micro_f1": Fraction(2 * sum(both), sum(predicted) + sum(true)),
        "macro_precision": precision,
        "macro_recall": recall,
        "macro_f1": sum(Fraction(2 * b, p + t) for b, p, t in labels) / 3,
        "macro_f1_of_averages": 2 * precision * recall / (precision + recall),
        "weighted_precision": sum(Fraction(b * t, p) for b, p, t in labels) / sum(true),
        "weighted_f1": sum(Fraction(2 * b * t, p + t) for b, p, t in labels) / sum(true),
    }
    for name, exact in expected.items():
        assert evaluate(name, [table], 3) == Score(float(exact), 4 * many, 0)


@pytest.mark.parametrize("many", [2**24, 2**31, 2**53, 2**60])
def test_no_count_is_too_large_for_a_set_measure(many: int) -> None:
    kinds = [(0, 0, 0), (2, 3, 1), (3, 3, 3)]
    counts = [1, many + 1, many - 1]
    table = Overlap(np.array(kinds), np.array(counts))
    documents = sum(counts)
    expected = {
        "hamming_loss": Fraction(3 * (many + 1), 1000 * documents),
        "example_accuracy": (1 + Fraction(many + 1, 4) + many - 1) / documents,
        "example_precision": (1 + Fraction(many + 1, 3) + many - 1) / documents,
        "example_f1": (1 + Fraction(2 * (many + 1), 5) + many - 1) / documents,
        "subset_accuracy": Fraction(many, documents),
    }
    for name, exact in expected.items():
        assert evaluate(name, [table], 1000) == Score(float(exact), documents)


def test_eight_documents_after_sixteen_million_are_counted() -> None:
    """In float32, 2**24 + 1 is 2**24."""
    table = LabelCounts(*map(np.asarray, ([2**24], [2**24], [2**24], 2**24)))
    one = LabelCounts(*map(np.asarray, ([1], [1], [1], 1)))
    for _ in range(8):
        table = table + one
    assert table.both.tolist() == [16_777_224]
    assert evaluate("micro_recall", [table], 1).documents == 16_777_224


def test_a_million_labels_are_averaged_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixed point gives what the fractions themselves give (on fewer labels: those are slow)."""
    rng = np.random.default_rng(3)
    labels = 20_000
    predicted, true = rng.integers(1, 10**9, (2, labels))
    table = LabelCounts(np.minimum(predicted, true) // 2, predicted, true, np.asarray(10**9))
    names = ("macro_precision", "macro_f1", "macro_f1_of_averages", "weighted_f1")
    fixed = [evaluate(name, [table], labels) for name in names]
    monkeypatch.setattr(exact_sums, "FEW", labels)
    assert fixed == [evaluate(name, [table], labels) for name in names]


# scikit-learn -----------------------------------------------------------------------------------


def matrices(seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Give scores without ties and a truth of which some documents and labels are empty."""
    rng = np.random.default_rng(seed)
    documents, labels = 40, 9
    scores = rng.permutation(documents * labels).reshape(documents, labels) / (documents * labels)
    truth = (rng.random((documents, labels)) < rng.random(labels) * 0.5).astype(np.int64)
    truth[::7] = 0
    truth[:, 4] = 0
    scores[:, 4] /= 4
    scores[:2] /= 4
    return scores, truth


def scikit_learn(scores: NDArray[np.float64], truth: NDArray[np.int64]) -> dict[str, float]:
    metrics = pytest.importorskip("sklearn.metrics")
    predicted = (scores >= 0.5).astype(np.int64)
    values = {
        "hamming_loss": metrics.hamming_loss(truth, predicted),
        "subset_accuracy": metrics.accuracy_score(truth, predicted),
        "example_accuracy": metrics.jaccard_score(
            truth, predicted, average="samples", zero_division=0
        ),
    }
    for k in (1, 3, 5):
        values[f"ndcg@{k}"] = metrics.ndcg_score(truth, scores, k=k)
    for average, ours in (
        ("samples", "example"),
        *((x, x) for x in ("micro", "macro", "weighted")),
    ):
        three = metrics.precision_recall_fscore_support(
            truth, predicted, average=average, zero_division=0
        )
        for of, each in zip(("precision", "recall", "f1"), three[:3], strict=True):
            values[f"{ours}_{of}"] = each
    return {name: float(each) for name, each in values.items()}


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_agrees(seed: int) -> None:
    scores, truth = matrices(seed)
    block = Block(scores.tolist(), truth.tolist(), 0.5, tuple(range(9)))
    for name, expected in scikit_learn(scores, truth).items():
        got, documents = value(name, block, documents="all", example_empty="0")
        assert got == pytest.approx(expected, abs=1e-12), name
        assert documents == 40
