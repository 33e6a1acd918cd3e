"""Conventions against the tools themselves, where they are installed, on awkward random data."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray

import daskxmlc

Cells = NDArray[np.float64]
Marks = NDArray[np.int64]


def awkward(seed: int, *, tied: bool) -> tuple[Any, Marks]:
    """Give sparse scores, and a truth of which some documents and labels are empty."""
    rng = np.random.default_rng(seed)
    shape = (40, 9)
    scores = rng.integers(1, 6, shape) / 5 if tied else rng.permutation(360).reshape(shape) + 1.0
    scores[rng.random(shape) < 0.4] = 0
    truth = (rng.random(shape) < rng.random(9) * 0.6).astype(np.int64)
    truth[::7] = 0
    truth[:, 4], scores[:, 4] = 0, 0
    scores[5] = 0  # nothing retrieved
    return scipy.sparse.csr_array(scores), truth


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("tied", [False, True])
def test_trec_eval_gives_the_same(seed: int, *, tied: bool) -> None:
    trec = pytest.importorskip("pytrec_eval")
    scores, truth = awkward(seed, tied=tied)
    names = {
        "precision@5": "P_5",
        "recall@5": "recall_5",
        "ndcg@5": "ndcg_cut_5",
        "map@5": "map_cut_5",
        "hit@5": "success_5",
        "mrr": "recip_rank",
        "r_precision": "Rprec",
        "example_precision": "set_P",
        "example_recall": "set_recall",
        "example_f1": "set_F",
    }
    # The qrels hold every document, labels that are not true with relevance 0.
    qrels = {
        str(i): {str(j): int(mark) for j, mark in enumerate(row)} for i, row in enumerate(truth)
    }
    runs = {
        str(i): {str(j): float(score) for j, score in enumerate(row) if score}
        for i, row in enumerate(scores.toarray())
    }
    found = trec.RelevanceEvaluator(qrels, trec.supported_measures).evaluate(runs)
    result = daskxmlc.evaluate(scores, truth, measures=list(names), conventions="trec-eval")
    for row in result:
        # As with -c, a topic without a run counts 0.
        values = [found.get(str(i), {}).get(names[row.measure], 0.0) for i in range(40)]
        assert row.value == pytest.approx(sum(values) / 40, rel=0, abs=1e-9), row
        assert row.documents == 40


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("tied", [False, True])
def test_napkinxc_gives_the_same(seed: int, *, tied: bool) -> None:
    napkin = pytest.importorskip("napkinxc.metrics")
    scores, truth = awkward(seed, tied=tied)
    marks = [np.flatnonzero(row).tolist() for row in truth]
    # A stable sort: equal scores stay in label order.
    ranked = [
        [int(j) for j in np.argsort(-row, kind="stable") if row[j]] for row in scores.toarray()
    ]
    expected = {
        **{f"precision@{k}": napkin.precision_at_k(marks, ranked, k=5)[k - 1] for k in (1, 3, 5)},
        **{f"recall@{k}": napkin.recall_at_k(marks, ranked, k=5)[k - 1] for k in (1, 3, 5)},
        **{f"ndcg@{k}": napkin.ndcg_at_k(marks, ranked, k=5)[k - 1] for k in (1, 3, 5)},
        "hamming_loss": napkin.hamming_loss(marks, ranked),
        "micro_f1": napkin.f1_measure(marks, ranked, average="micro"),
        "example_f1": napkin.f1_measure(marks, ranked, average="samples"),
    }
    result = daskxmlc.evaluate(scores, truth, measures=list(expected), conventions="napkinxc")
    for row in result:
        assert row.value == pytest.approx(float(expected[row.measure]), rel=0, abs=1e-9), row
        assert row.documents == 40
