"""Real predictions of four methods: every published value, however the scores are stored.

The data lie beside the repository; the demo's small cut of them is in the package.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pytest
import scipy.sparse
import zarr

import daskxmlc
from daskxmlc.measures.asking import default_measures, measures
from tests.variants import Cells, results_of, write_dense

DATA = Path(__file__).parents[2] / "shared/data/wordnet"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="WordNet is not beside the repository")
KNOWN = {name.partition("@")[0] for name in measures()} if DATA.exists() else set()
TASKS = ("classification", "per-level")


def said(name: str, method: str) -> dict[str, dict[str, Any]]:
    """Give what a file of expectations says of a method: view, measure (or count), value."""
    found: dict[str, dict[str, Any]] = json.loads((DATA / name).read_text(encoding="utf-8"))[method]
    return found


def check(result: daskxmlc.Result, method: str) -> None:
    expected, counts = said("expected.json", method), said("expected_counts.json", method)
    rows = {(row.view, row.measure): row for row in result}
    assert {view for view, _ in rows} == set(expected) == set(counts)
    compared = 0
    for view, values in expected.items():
        for measure, value in values.items():
            if measure.partition("@")[0] in KNOWN:
                row = rows[view, measure]
                assert row.value == pytest.approx(value, rel=0, abs=1e-12), row
                compared += 1
        for (of, measure), row in rows.items():
            if of == view:
                ranks = "@" in measure or measures()[measure].population == "rank"
                assert row.documents == counts[view]["ranked_documents" if ranks else "documents"]
                assert row.labels == counts[view]["labels"]
                assert row.dead_labels in {None, counts[view]["dead_labels"]}
    assert compared >= 21 * len(expected)


QUESTION: dict[str, Any] = {
    "taxonomy": str(DATA / "taxonomy.txt"),
    "tasks": TASKS,
    "labels": str(DATA / "labels.txt"),
}


@pytest.mark.parametrize("method", ["parabel", "bonsai", "plt"])
def test_a_method_has_its_published_values(method: str) -> None:
    result = daskxmlc.evaluate(
        DATA / f"P_{method}_test.npz",
        DATA / "Y_test.npz",
        documents=str(DATA / "ids_test.txt"),
        **QUESTION,
    )
    check(result, method)


RANK_LOSSES = (
    *("one_error", "coverage", "coverage_error", "ranking_loss", "average_precision"),
    "r_precision",
)


def test_rank_losses_of_a_method_are_those_of_scikit_learn() -> None:
    """The methods keep few labels; what is not stored ranks below all that is, tied."""
    metrics = pytest.importorskip("sklearn.metrics")
    stored = scipy.sparse.load_npz(DATA / "P_parabel_test.npz")[:500]
    truth = scipy.sparse.load_npz(DATA / "Y_test.npz")[:500].toarray()
    assert stored.data.min() > -1
    cells = np.full(stored.shape, -1, np.float64)
    cells[stored.nonzero()] = stored.data
    result = daskxmlc.evaluate(stored, truth, measures=RANK_LOSSES)
    assert (truth.sum(axis=1) > 0).all()
    expected = {
        "coverage_error": metrics.coverage_error(truth, cells),
        "ranking_loss": metrics.label_ranking_loss(truth, cells),
        "average_precision": metrics.label_ranking_average_precision_score(truth, cells),
    }
    for name, value in expected.items():
        assert result[name] == pytest.approx(value, rel=0, abs=1e-9), name


# The dense slice ------------------------------------------------------------------------------

SLICE = 4096


@pytest.fixture(scope="module")
def scores() -> Cells:
    with np.load(DATA / "D_centroid_test_first4096.npz") as file:
        cells: Cells = file["scores"]
    assert cells.dtype == np.float16
    return cells


@pytest.fixture(scope="module")
def truth() -> Any:  # noqa: ANN401  # SciPy's
    return scipy.sparse.load_npz(DATA / "Y_test.npz")[:SLICE]


def evaluate(scores: Any, truth: Any) -> daskxmlc.Result:  # noqa: ANN401  # what evaluate takes
    return daskxmlc.evaluate(
        scores, truth, threshold=0.15, measures=(*default_measures(), *RANK_LOSSES), **QUESTION
    )


def stores(folder: Path, cells: Cells) -> Iterator[str]:
    """Write the scores in few and many chunks, along labels too, in shards, by others."""
    for number, chunks in enumerate(
        (
            {},
            {"chunk_documents": 100},
            {"chunk_documents": 4096, "chunk_labels": 250},
            {"chunk_documents": 1000, "chunk_labels": 1209},
            {"chunk_documents": 64, "chunk_labels": 3627, "shard_documents": 1024},
            {"chunk_documents": 256, "chunk_labels": 1000, "shard_documents": 512},
        )
    ):
        yield write_dense(folder / f"{number}.zarr", cells, **chunks)
    foreign: list[dict[str, Any]] = [{"zarr_format": 2, "order": "F"}, {"zarr_format": 3}]
    for number, options in enumerate(foreign):
        path = folder / f"foreign-{number}.zarr"
        array = zarr.create_array(
            path, shape=cells.shape, chunks=(500, 500), dtype=cells.dtype, **options
        )
        array[:] = cells
        yield str(path)


def test_the_dense_slice_has_its_published_values(scores: Cells, truth: Any) -> None:  # noqa: ANN401
    check(evaluate(scores, truth), "centroid")


def test_rank_losses_of_the_dense_slice_are_those_of_scikit_learn(
    scores: Cells,
    truth: Any,  # noqa: ANN401
) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    marks, cells = truth.toarray(), scores.astype(np.float64)
    result = evaluate(scores, truth)
    rows = {row.measure: row.value for row in result if row.view == "all"}
    expected = {
        "coverage_error": metrics.coverage_error(marks, cells),
        "ranking_loss": metrics.label_ranking_loss(marks, cells),
        "average_precision": metrics.label_ranking_average_precision_score(marks, cells),
    }
    for name, value in expected.items():
        assert rows[name] == pytest.approx(value, rel=0, abs=1e-9), name


def test_the_dense_slice_is_one_text_however_it_is_stored(
    scores: Cells,
    truth: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    text = results_of(evaluate(scores, truth))
    for path in stores(tmp_path, scores):
        for scheduler in ("threads", "synchronous"):
            with dask.config.set(scheduler=scheduler):
                assert results_of(evaluate(path, truth)) == text, (path, scheduler)
