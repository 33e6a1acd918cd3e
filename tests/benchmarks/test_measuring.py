"""What the benchmark measures, on data so small that no time means anything."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from daskxmlc.benchmark import peak
from daskxmlc.benchmark.in_memory import all_peers, measure_in_memory, uniform_scores
from daskxmlc.benchmark.making import Data, make_data
from daskxmlc.benchmark.peers.peer import Peer
from daskxmlc.benchmark.reading import read_by_zarr, read_everything, scan_plainly
from daskxmlc.benchmark.recipe import Recipe
from daskxmlc.benchmark.stores import EVALUATE, READ, SCAN, measure_store
from daskxmlc.benchmark.timing import time_in_turns
from daskxmlc.storage.opening import open_matrix
from daskxmlc.storage.zarr_dense import ZarrDense

RECIPE = Recipe(documents=300, labels=60, chunk_documents=100)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    return make_data(tmp_path_factory.mktemp("bench") / "data", RECIPE)


@pytest.fixture(scope="module")
def scores(data: Data) -> ZarrDense:
    matrix = open_matrix(data.scores)
    assert isinstance(matrix, ZarrDense)
    return matrix


def test_every_way_of_reading_reads_every_score(scores: ZarrDense) -> None:
    assert read_everything(scores) == read_by_zarr(scores) == RECIPE.decoded_bytes
    expected = float(RECIPE.scores(0, 300).max(axis=1).sum())
    assert scan_plainly(scores) == pytest.approx(expected, rel=1e-6)


def test_uncompressed_scores_without_checksum_are_read_too(tmp_path: Path) -> None:
    np.save(tmp_path / "scores.npy", RECIPE.scores(0, 300))
    assert read_everything(open_matrix(str(tmp_path / "scores.npy"))) == RECIPE.decoded_bytes


def test_a_store_is_measured_with_evaluations_first_and_all_ratios(data: Data) -> None:
    said: list[str] = []
    report = measure_store(data, repeat=2, announce=said.append).to_dict()
    names = [row["name"] for row in report["measured"]]
    assert said == names * 3
    assert names[0] == EVALUATE
    assert {READ, SCAN} < set(names)
    for row in report["measured"]:
        assert row["seconds"] == min(row["turns"])
        assert len(row["turns"]) == 2
        assert row["documents_per_second"] == 300 / row["seconds"]
        assert row["gb_per_second"] == pytest.approx(RECIPE.decoded_bytes / row["seconds"] / 1e9)
        assert row["peak_client_bytes"] > 1e6
    seconds = {row["name"]: row["seconds"] for row in report["measured"]}
    assert report["ratio"] == seconds[EVALUATE] / seconds[READ]
    assert report["ratios"][f"{EVALUATE} / {SCAN}"] == seconds[EVALUATE] / seconds[SCAN]
    assert report["seconds_reading"] == seconds[READ]
    assert report["seconds_evaluating"] == seconds[EVALUATE]
    assert json.loads(json.dumps(report))["data"]["chunk"] == [100, 60]


def test_scores_that_are_no_dense_array_are_measured_without_zarr_and_scan(
    data: Data, tmp_path: Path
) -> None:
    np.save(tmp_path / "scores.npy", RECIPE.scores(0, 300))
    other = Data(str(tmp_path / "scores.npy"), data.truth, None)
    report = measure_store(other, repeat=1).to_dict()
    assert [row["name"] for row in report["measured"]] == ["evaluate, one view", "read"]
    assert any("no dense Zarr array" in note for note in report["notes"])
    assert report["ratio"] > 0


def test_turns_alternate_and_the_first_does_not_count() -> None:
    order: list[str] = []
    warm: list[str] = []
    timings = time_in_turns(
        {"a": lambda: order.append("a"), "b": lambda: order.append("b")},
        repeat=2,
        after_first=warm.append,
    )
    assert order == ["a", "b"] * 3
    assert warm == ["a", "b"]
    assert all(len(timing.turns) == 2 for timing in timings.values())


def test_a_peak_of_memory_is_seen_and_forgotten() -> None:
    if not peak.reset_peak():
        pytest.skip("this system does not let peaks start anew")
    low = peak.peak_bytes()
    np.ones(2**26, dtype=np.uint8)
    high = peak.peak_bytes()
    assert high - low > 2**25
    peak.reset_peak()
    assert high - peak.peak_bytes() > 2**25


def test_kernels_are_measured_for_both_dtypes_and_one_and_four_views() -> None:
    report = measure_in_memory(RECIPE, repeat=1)
    names = [row.name for row in report.kernels]
    assert len(names) == len(set(names)) == 8
    for part in ("float32", "float16", "1 view", "4 views", "first hits"):
        assert sum(part in name for name in names) == 4
    assert {row.decoded_bytes for row in report.kernels} == {300 * 60 * 4, 300 * 60 * 2}
    assert report.peers == ()


def test_peers_that_are_installed_are_compared_and_others_named() -> None:
    report = measure_in_memory(RECIPE, kernels=False, peers=True, repeat=1)
    installed = {name for name, peer in all_peers().items() if peer.is_installed()}
    assert {row.name for row in report.peers if row.timing} == installed
    assert {row.name for row in report.peers} == set(all_peers())
    assert "daskxmlc / numpy" in report.factors()
    assert "daskxmlc, all measures / full argsort" in report.factors()
    assert "daskxmlc / full argsort" not in report.factors()
    assert json.dumps(report.to_dict())


def installed() -> list[Peer]:
    return [peer for peer in all_peers().values() if peer.is_installed()]


@pytest.mark.parametrize("peer", installed(), ids=lambda peer: peer.name)
def test_a_peer_computes_what_it_says(peer: Peer) -> None:
    scores = uniform_scores(80, 60, seed=3)
    drawn = RECIPE.truth(0, 80)
    truth = csr_matrix((drawn.data, drawn.indices, drawn.indptr), shape=(80, 60))
    full = truth.toarray()
    hits = np.take_along_axis(full, np.argsort(-scores, axis=1)[:, :5], axis=1)
    sizes = full.sum(axis=1)
    discount = 1 / np.log2(np.arange(2, 7))
    ideal = np.cumsum(discount)[np.minimum(sizes, 5) - 1]
    expected = {
        "precision@5": hits.mean(),
        "ndcg@5": (hits @ discount / ideal).mean(),
        "precision@5 of documents with 5 labels": hits[sizes >= 5].mean(),
    }[peer.measure]
    assert peer.value(scores, peer.prepare(truth)) == pytest.approx(expected, rel=1e-5)
