"""Conventions against what their tools return, and rules against the definitions, from stores."""

import json
import math
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import daskxmlc
from daskxmlc.conventions.convention import Rules
from daskxmlc.conventions.resolving import conventions
from daskxmlc.errors import UsageError
from daskxmlc.measures.asking import default_measures, measures
from daskxmlc.report.recomputing import recompute
from tests.reference import NAMES, reference_value
from tests.strategies import Block, blocks, rules
from tests.test_vectors import cells_of
from tests.variants import results_of, write_dense

DATA = Path(__file__).parent / "data"
MATRICES = {
    each["name"]: each for each in json.loads((DATA / "measures.json").read_text(encoding="utf-8"))
}
KNOWN = json.loads((DATA / "conventions.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: f"{known['convention']}-{known['name']}")
def test_a_convention_gives_the_values_of_its_tool(known: dict[str, Any], tmp_path: Path) -> None:
    """Text is a fraction, of which the value is the nearest float64; None is undefined."""
    matrix = MATRICES[known["name"]]
    cells, truth = cells_of(matrix), np.array(matrix["truth"], np.int8)
    lacks = conventions()[known["convention"]].lacks
    stems = {name.partition("@")[0] for name in lacks}
    names = [name for name in known["expected"] if name.partition("@")[0] not in stems]
    for scores in (
        cells,
        write_dense(tmp_path / "cut.zarr", cells, chunk_documents=1, chunk_labels=1),
    ):
        result = daskxmlc.evaluate(
            scores,
            truth,
            threshold=matrix["threshold"],
            measures=names,
            conventions=known["convention"],
        )
        for row in result:
            value, documents = known["expected"][row.measure]
            exact = Fraction(value) if isinstance(value, str) else value
            assert math.isnan(row.value) if exact is None else row.value == float(exact), row
            assert row.documents == documents, row


def test_every_convention_with_known_values_gives_most_of_them() -> None:
    for each in KNOWN:
        lacks = {name.partition("@")[0] for name in conventions()[each["convention"]].lacks}
        refused = [name for name in each["expected"] if name.partition("@")[0] in lacks]
        assert len(refused) < len(each["expected"]) / 4


# Rules from stores and arrays ---------------------------------------------------------------------


def stored(block: Block) -> Any:  # noqa: ANN401  # SciPy's
    """Give a sparse matrix that stores what is not None, -inf as well."""
    cells = np.array(
        [[math.nan if x is None else x for x in row] for row in block.scores], np.float64
    )
    rows, columns = np.nonzero(~np.isnan(cells))
    return scipy.sparse.csr_array((cells[rows, columns], (rows, columns)), shape=cells.shape)


@settings(max_examples=40)
@given(block=blocks(least=1), chosen=rules(), draw=st.data())
def test_rules_are_followed_from_every_store(
    block: Block, chosen: Rules, draw: st.DataObject
) -> None:
    truth = np.array(block.truth, np.int8)
    question: dict[str, Any] = {
        "threshold": None if chosen.threshold_rule == "stored" else block.threshold,
        "measures": NAMES,
        "rules": chosen.as_dict(),
    }
    result = daskxmlc.evaluate(stored(block), truth, **question)
    every = range(truth.shape[1])
    for row in result:
        value, documents = reference_value(
            row.measure, block.scores, block.truth, block.threshold, every, chosen
        )
        assert row.documents == documents, row
        assert row.value == value or (math.isnan(row.value) and math.isnan(value)), row
    absent = 0.0 if chosen.absent == "0.0" else -math.inf
    cells = np.array([[absent if x is None else x for x in row] for row in block.scores])
    cut = draw.draw(st.integers(1, truth.shape[1]), label="chunk")
    with tempfile.TemporaryDirectory() as name:
        store = write_dense(Path(name) / "cut.zarr", cells, chunk_documents=2, chunk_labels=cut)
        assert results_of(daskxmlc.evaluate(store, truth, **question)) == results_of(result)


def test_ids_decide_between_equal_scores_if_a_rule_says_so(tmp_path: Path) -> None:
    """In descending order of bytes: b, a, B, 10, 1."""
    labels = ["1", "10", "B", "a", "b"]
    scores = tmp_path / "labels.txt"
    scores.write_text("\n".join(labels) + "\n")
    for label, place in zip(labels, (5, 4, 3, 2, 1), strict=True):
        truth = np.array([[int(each == label) for each in labels]])
        result = daskxmlc.evaluate(
            np.ones((1, 5)),
            truth,
            labels=str(scores),
            measures=["mrr", "macro_recall"],
            rules={"ties": "id-descending"},
        )
        assert result["mrr"] == 1 / place
        assert result["macro_recall"] == 1 / 5
        assert result.tally is not None


def test_label_counts_stay_in_the_order_of_the_truth() -> None:
    scores, truth = np.array([[0.9, 0.8, 0.1]]), np.array([[1, 0, 0]])
    first, last = (
        daskxmlc.evaluate(scores, truth, threshold=0.5, rules={"ties": ties})
        for ties in ("first", "last")
    )
    assert first.tally is not None
    assert last.tally is not None
    assert first.tally.views[0].tables == last.tally.views[0].tables


def test_what_is_not_stored_is_what_the_rule_says() -> None:
    """The stored score is below 0: label 1, which is not stored, ranks first if it has 0."""
    scores = scipy.sparse.csr_array(np.array([[-1.0, 0.0]]))
    truth = np.array([[0, 1]])
    values = {
        value: daskxmlc.evaluate(scores, truth, measures=["P@1"], rules={"absent": value})[
            "precision@1"
        ]
        for value in ("as-stored", "not-retrieved", "0.0")
    }
    assert values == {"as-stored": 0, "not-retrieved": 0, "0.0": 1}
    asked = daskxmlc.evaluate(
        scores, truth, measures=["P@1"], conventions="oaxmlc-bench", absent="not-retrieved"
    )
    assert asked["precision@1"] == 0


def test_all_that_was_retrieved_is_predicted_if_a_rule_says_so(tmp_path: Path) -> None:
    scores = scipy.sparse.csr_array(np.array([[-1.0, 0.0, 0.5]]))
    truth = np.array([[1, 1, 0]])
    result = daskxmlc.evaluate(scores, truth, rules={"threshold_rule": "stored"})
    assert result["micro_precision"] == result["micro_recall"] == 1 / 2
    result.save_tables(tmp_path / "tables")
    assert results_of(daskxmlc.load_tables(tmp_path / "tables")) == results_of(result)
    with pytest.raises(UsageError, match=r"--threshold: threshold_rule=stored .*, got 0.5; leave"):
        daskxmlc.evaluate(scores, truth, threshold=0.5, conventions="napkinxc")


# What a convention cannot give ----------------------------------------------------------------


LACKS = [(name, measure) for name, each in conventions().items() for measure in each.lacks]


@pytest.mark.parametrize(("name", "measure"), LACKS)
def test_a_measure_that_a_convention_cannot_give_is_refused(name: str, measure: str) -> None:
    assert measure in measures()
    with pytest.raises(UsageError, match=f"--conventions: '.*' cannot be computed as {name} does"):
        daskxmlc.evaluate(np.eye(2), np.eye(2), measures=[measure], conventions=name)
    assert measure != "ndcg@k" or name == "scikit-learn"


@pytest.mark.parametrize("name", conventions())
def test_default_measures_that_a_convention_cannot_give_are_left_out(name: str) -> None:
    result = daskxmlc.evaluate(np.eye(2), np.eye(2), score_kind="probability", conventions=name)
    lacks = set(conventions()[name].lacks) & set(default_measures())
    given = {row.measure.partition("@")[0] for row in result}
    assert not given & ({each.partition("@")[0] for each in lacks} - {"f1"})
    assert sum("was left out" in note for note in result.notes) == len(lacks)


def test_what_was_left_out_is_not_computed_from_the_counts_either() -> None:
    result = daskxmlc.evaluate(np.eye(2), np.eye(2), threshold=0.5, conventions="scikit-learn")
    with pytest.raises(UsageError, match="cannot be computed as scikit-learn does"):
        recompute(result, measures=["ndcg@1"])


def test_a_column_for_the_root_is_refused_where_the_tool_leaves_it_out(tmp_path: Path) -> None:
    labels, taxonomy = tmp_path / "labels.txt", tmp_path / "taxonomy.txt"
    labels.write_text("root\na\n")
    taxonomy.write_text("root a\n")
    question: dict[str, Any] = {"taxonomy": taxonomy, "labels": str(labels), "threshold": 0.5}
    with pytest.raises(UsageError, match="oaxmlc-bench leaves the root out"):
        daskxmlc.evaluate(np.eye(2), np.eye(2), conventions="oaxmlc-bench", **question)
    daskxmlc.evaluate(np.eye(2), np.eye(2), **question)
    labels.write_text("b\na\n")
    daskxmlc.evaluate(np.eye(2), np.eye(2), conventions="oaxmlc-bench", **question)


# The real scikit-learn ------------------------------------------------------------------------


def awkward(seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Give heavily tied scores; some documents and labels are empty, some documents full."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 5, (40, 9)) / 4
    truth = (rng.random((40, 9)) < rng.random(9) * 0.6).astype(np.int64)
    truth[::7], truth[3::11] = 0, 1
    truth[:, 4] = 0
    scores[:, 4] /= 4
    scores[:2] /= 4
    return scores, truth


def scikit_learn(scores: NDArray[np.float64], truth: NDArray[np.int64]) -> dict[str, float]:
    metrics = pytest.importorskip("sklearn.metrics")
    predicted = (scores >= 0.5).astype(np.int64)
    values = {
        "coverage_error": metrics.coverage_error(truth, scores),
        "ranking_loss": metrics.label_ranking_loss(truth, scores),
        "average_precision": metrics.label_ranking_average_precision_score(truth, scores),
        "hamming_loss": metrics.hamming_loss(truth, predicted),
        "subset_accuracy": metrics.accuracy_score(truth, predicted),
        "example_accuracy": metrics.jaccard_score(
            truth, predicted, average="samples", zero_division=0
        ),
    }
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


@pytest.mark.parametrize("seed", range(10))
def test_scikit_learn_gives_the_same(seed: int) -> None:
    scores, truth = awkward(seed)
    expected = scikit_learn(scores, truth)
    result = daskxmlc.evaluate(
        scores, truth, threshold=0.5, measures=list(expected), conventions="scikit-learn"
    )
    for row in result:
        assert row.value == pytest.approx(expected[row.measure], rel=0, abs=1e-9), row
        assert row.documents == 40


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_gives_the_default_rank_losses_of_documents_with_labels(seed: int) -> None:
    scores, truth = awkward(seed)
    some = truth.any(axis=1)
    expected = scikit_learn(scores[some], truth[some])
    names = ["coverage_error", "ranking_loss", "average_precision"]
    for row in daskxmlc.evaluate(scores, truth, measures=names):
        assert row.value == pytest.approx(expected[row.measure], rel=0, abs=1e-9), row
        assert row.documents == some.sum()
