"""The demo's numbers are those of a direct calculation from the files that ship with it."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

DATA = Path(__file__).parent.parent / "cli/daskxmlc_cli/demo_data"
METHODS = ("parabel", "bonsai", "plt")
KS = (1, 3, 5)
THRESHOLD = 0.5


def dense(name: str) -> NDArray[np.float64]:
    """Give (documents, labels) float64 from a CSR file; minus infinity where nothing is stored."""
    with np.load(DATA / f"{name}.npz") as file:
        matrix = np.full(tuple(file["shape"]), -np.inf)
        rows = np.repeat(np.arange(len(matrix)), np.diff(file["indptr"]))
        matrix[rows, file["indices"]] = file["data"]
    return matrix


def levels() -> dict[int, NDArray[np.int64]]:
    """Columns of each level: the second field of the label file, which the cut did not touch."""
    lines = (DATA / "labels.txt").read_text(encoding="utf-8").splitlines()
    level = np.array([int(line.split("\t")[1]) for line in lines])
    return {number: np.flatnonzero(level == number) for number in range(1, level.max() + 1)}


def ranking(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> dict[str, float]:
    ranked = truth.any(axis=1)
    order = np.argsort(-scores[ranked], axis=1, kind="stable")[:, : max(KS)]
    places = np.zeros((len(order), max(KS)), dtype=bool)
    places[:, : order.shape[1]] = np.take_along_axis(truth[ranked], order, axis=1)
    places[:, : order.shape[1]] &= np.take_along_axis(scores[ranked], order, axis=1) > -np.inf
    size = truth[ranked].sum(axis=1)
    gain = 1 / np.log2(np.arange(2, max(KS) + 2))
    values = {}
    for k in KS:
        hits = places[:, :k].sum(axis=1)
        best = np.cumsum(gain[:k])[np.minimum(size, k) - 1]
        values[f"precision@{k}"] = math.fsum(hits / k) / len(hits)
        values[f"recall@{k}"] = math.fsum(hits / size) / len(hits)
        values[f"ndcg@{k}"] = math.fsum((places[:, :k] * gain[:k]).sum(axis=1) / best) / len(hits)
    return values


def thresholded(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> dict[str, float]:
    predicted = scores >= THRESHOLD
    both = predicted & truth
    hits, asked, given = (m.sum(axis=0) for m in (both, predicted, truth))
    example = 2 * both.sum(axis=1) / np.maximum(predicted.sum(axis=1) + truth.sum(axis=1), 1)
    return {
        "micro_f1": 2 * hits.sum() / (asked.sum() + given.sum()),
        "macro_f1": math.fsum(2 * hits / np.maximum(asked + given, 1)) / truth.shape[1],
        "example_f1": math.fsum(example) / len(truth),
        "subset_accuracy": (predicted == truth).all(axis=1).sum() / len(truth),
    }


def run(*arguments: str, scratch: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "daskxmlc_cli", "demo", *arguments],
        env=os.environ | {"TMPDIR": str(scratch), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "wordnet"


@pytest.fixture(scope="module")
def printed(directory: Path) -> str:
    done = run(str(directory), scratch=directory.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def expected() -> dict[str, dict[str, dict[str, float]]]:
    """Method to view to measure to value."""
    truth = dense("truth") > 0
    values = {}
    for method in METHODS:
        scores = dense(method)
        values[method] = {"all": ranking(scores, truth) | thresholded(scores, truth)}
        for level, labels in levels().items():
            values[method][f"level-{level}"] = ranking(scores[:, labels], truth[:, labels])
    return values


@pytest.mark.usefixtures("printed")
@pytest.mark.parametrize("method", METHODS)
def test_the_kept_results_are_those_of_a_direct_calculation(
    method: str, directory: Path, expected: dict[str, dict[str, dict[str, float]]]
) -> None:
    result = json.loads((directory / f"{method}.json").read_text(encoding="utf-8"))
    found = {(row["view"], row["measure"]): row["value"] for row in result["results"]}
    assert (result["documents"], result["labels"], result["threshold"]) == (2346, 3627, THRESHOLD)
    for view, values in expected[method].items():
        for measure, value in values.items():
            assert found[view, measure] == pytest.approx(value, rel=1e-12), (view, measure)
    assert {view for view, _ in found} == set(expected[method])


def test_the_comparison_shows_the_values_and_marks_the_best(
    printed: str, expected: dict[str, dict[str, dict[str, float]]]
) -> None:
    shown = {line.split()[0]: line.split()[-3:] for line in printed.splitlines() if line.strip()}
    for measure in ("precision@1", "recall@5", "ndcg@5", "micro_f1", "macro_f1", "subset_accuracy"):
        values = [expected[method]["all"][measure] for method in METHODS]
        cells = [f"{value:.4f}" + "*" * math.isclose(value, max(values)) for value in values]
        assert shown[measure] == cells


def test_the_profile_has_a_line_for_each_level(
    printed: str, expected: dict[str, dict[str, dict[str, float]]]
) -> None:
    lines = [line.split() for line in printed.splitlines() if re.match(r"\d+ ", line)]
    assert [int(line[0]) for line in lines] == list(levels())
    truth = dense("truth") > 0
    for (level, labels), line in zip(levels().items(), lines, strict=True):
        documents = int(truth[:, labels].any(axis=1).sum())
        assert line[1:3] == [f"{len(labels):,}", f"{documents:,}"]
        for place, measure in enumerate(("precision@1", "ndcg@5")):
            values = [expected[method][f"level-{level}"][measure] for method in METHODS]
            cells = line[3 + 3 * place : 6 + 3 * place]
            assert [cell.rstrip("*") for cell in cells] == [f"{value:.4f}" for value in values]


def test_it_fits_eighty_columns_and_says_what_comes_next(printed: str, directory: Path) -> None:
    tables, _, rest = printed.partition("Kept in")
    assert max(map(len, tables.splitlines())) <= 80
    assert f"daskxmlc evaluate {directory}/plt.npz --truth {directory}/truth.npz" in rest


@pytest.mark.usefixtures("printed")
def test_the_directory_holds_the_data_and_the_results(directory: Path) -> None:
    assert {path.name for path in directory.iterdir()} == {
        *(path.name for path in DATA.iterdir()),
        *(f"{method}.json" for method in METHODS),
    }
    for path in DATA.iterdir():
        assert (directory / path.name).read_bytes() == path.read_bytes()
    for method in METHODS:
        result = json.loads((directory / f"{method}.json").read_text(encoding="utf-8"))
        assert result["scores"] == str(directory / f"{method}.npz")


def test_without_a_directory_nothing_stays_behind(printed: str, tmp_path: Path) -> None:
    done = run(scratch=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("To keep")[0] == printed.split("Kept in", maxsplit=1)[0]
    assert not list(tmp_path.glob("daskxmlc-demo-*"))


def test_a_directory_with_something_in_it_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    done = run(str(tmp_path), scratch=tmp_path)
    assert done.returncode == 2
    assert re.fullmatch(
        r"(\w+: )*demo: the directory must be empty, got .* 1 entries; .*\n", done.stderr
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
