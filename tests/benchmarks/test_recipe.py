"""The data that are made to be measured: reproducible, realistic, whole or not there at all."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc.benchmark.making import MARK, make_data
from daskxmlc.benchmark.recipe import Recipe
from daskxmlc.errors import UsageError
from daskxmlc.storage.matrix import Band, Reading, SparseRows
from daskxmlc.storage.opening import open_matrix
from daskxmlc.taxonomy import Taxonomy, read_taxonomy

RECIPE = Recipe(documents=600, labels=200, seed=7)


def rows_of(truth: SparseRows) -> list[list[int]]:
    return [part.tolist() for part in np.split(truth.indices, truth.indptr[1:-1])]


@pytest.fixture(scope="module")
def taxonomy(tmp_path_factory: pytest.TempPathFactory) -> Taxonomy:
    path = tmp_path_factory.mktemp("recipe") / "taxonomy.txt"
    path.write_text(RECIPE.taxonomy(), encoding="utf-8")
    return read_taxonomy(str(path))


@given(st.integers(0, 599), st.integers(1, 600))
def test_documents_drawn_alone_are_those_drawn_together(start: int, count: int) -> None:
    stop = min(start + count, 600)
    assert np.array_equal(RECIPE.scores(start, stop), RECIPE.scores(0, 600)[start:stop])
    assert rows_of(RECIPE.truth(start, stop)) == rows_of(RECIPE.truth(0, 600))[start:stop]


def test_another_seed_makes_other_data() -> None:
    other = Recipe(documents=600, labels=200, seed=8)
    assert not np.array_equal(RECIPE.scores(0, 9), other.scores(0, 9))
    assert rows_of(RECIPE.truth(0, 9)) != rows_of(other.truth(0, 9))
    assert RECIPE.taxonomy() != other.taxonomy()


def test_every_label_is_on_one_of_three_levels_of_the_taxonomy(taxonomy: Taxonomy) -> None:
    ids = RECIPE.label_ids()
    assert set(taxonomy.nodes) == {"root", *ids}
    assert np.array_equal(taxonomy.level_of(ids), RECIPE.levels())
    assert set(RECIPE.levels().tolist()) == {1, 2, 3}


@pytest.mark.parametrize("labels", [8, 9, 50, 1_000])
def test_a_taxonomy_of_few_labels_has_all_levels(labels: int, tmp_path: Path) -> None:
    recipe = Recipe(documents=1, labels=labels)
    path = tmp_path / "taxonomy.txt"
    path.write_text(recipe.taxonomy(), encoding="utf-8")
    found = read_taxonomy(str(path)).level_of(recipe.label_ids())
    assert np.array_equal(found, recipe.levels())
    assert set(found.tolist()) == {1, 2, 3}


def test_the_truth_is_closed_under_ancestors_and_long_tailed(taxonomy: Taxonomy) -> None:
    ids = RECIPE.label_ids()
    indptr, ancestors = taxonomy.ancestor_closure(ids)
    above = [{taxonomy.nodes[i] for i in ancestors[a:b]} - {"root"} for a, b in pairwise(indptr)]
    rows = rows_of(RECIPE.truth(0, 600))
    for row in rows:
        assert row == sorted(set(row))
        assert all(above[label] <= {ids[one] for one in row} for label in row)
    counts = sorted(Counter(label for row in rows for label in row).values())
    assert counts[-1] > 20 * counts[len(counts) // 2]


def test_documents_have_about_ten_true_labels_of_the_usual_many() -> None:
    truth = Recipe(documents=1_000).truth(0, 1_000)
    assert 8 < len(truth.indices) / 1_000 < 12


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_scores_are_those_of_a_good_method_and_never_zero(dtype: str) -> None:
    recipe = Recipe(documents=256, labels=2_000, dtype=dtype)
    scores = recipe.scores(0, 256)
    assert scores.dtype == dtype
    assert 0 < scores.min() < 1e-3
    assert scores.max() <= 1
    truth = np.zeros(scores.shape, dtype=bool)
    for number, row in enumerate(rows_of(recipe.truth(0, 256))):
        truth[number, row] = True
    best = scores.argmax(axis=1)
    assert 0.8 < truth[np.arange(256), best].mean() < 1
    assert np.median(scores[~truth]) < 0.01
    assert np.median(scores[truth]) > 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"documents": 0}, "--documents: too few to measure, got 0; 1 would do"),
        ({"documents": 1, "labels": 7}, "--labels: too few to measure, got 7; 8 would do"),
        (
            {"documents": 1, "dtype": "int8"},
            "--dtype: no such dtype, got 'int8'; float32, float16 fit",
        ),
    ],
)
def test_a_recipe_that_cannot_be_made_is_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Recipe(**options)  # type: ignore[arg-type]
    assert str(caught.value) == message


@pytest.mark.parametrize("chunk_documents", [None, 100])
def test_what_is_made_on_disk_is_what_is_drawn(chunk_documents: int | None, tmp_path: Path) -> None:
    recipe = Recipe(documents=600, labels=200, seed=7, chunk_documents=chunk_documents)
    seen: list[tuple[int, int]] = []
    data = make_data(tmp_path / "data", recipe, lambda done, total: seen.append((done, total)))
    scores, truth = open_matrix(data.scores), open_matrix(data.truth, reading=Reading("truth"))
    band = Band(0, 600)
    assert np.array_equal(scores.read(band), RECIPE.scores(0, 600))  # type: ignore[arg-type]
    rows = truth.read(band)
    assert isinstance(rows, SparseRows)
    assert rows_of(rows) == rows_of(RECIPE.truth(0, 600))
    assert scores.score_kind == "probability"
    for one in (scores, truth):
        ids = one.documents(), one.labels()
        assert ids[0] is not None
        assert ids[1] is not None
        assert ids[0].tolist() == RECIPE.document_ids(0, 600)
        assert ids[1].tolist() == RECIPE.label_ids()
    assert seen[-1] == (600, 600)


def test_a_folder_is_used_again_for_the_same_recipe_only(tmp_path: Path) -> None:
    small = Recipe(documents=30, labels=20)
    data = make_data(tmp_path / "data", small)
    before = (tmp_path / "data" / MARK).stat().st_mtime_ns
    assert make_data(tmp_path / "data", small) == data
    assert (tmp_path / "data" / MARK).stat().st_mtime_ns == before
    with pytest.raises(UsageError, match="holds data with seed 0, got seed 1; give a new folder"):
        make_data(tmp_path / "data", Recipe(documents=30, labels=20, seed=1))
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(UsageError, match="holds other files; give a new folder"):
        make_data(tmp_path, Recipe(documents=30, labels=20))
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_nothing_stays_of_data_that_were_not_made_to_the_end(tmp_path: Path) -> None:
    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_data(tmp_path / "data", Recipe(documents=30, labels=20), stop)
    assert list(tmp_path.iterdir()) == []
