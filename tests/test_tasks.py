"""The tasks one by one, and choosing them by name."""

import numpy as np
import pytest

from daskxmlc.errors import DataError, UsageError
from daskxmlc.tasks.choosing import all_tasks, task_notes, views_of
from daskxmlc.tasks.per_level import labels_without_level
from daskxmlc.tasks.task import TaskOptions, View
from daskxmlc.taxonomy import Taxonomy

# W stands under B, at level 2, and under Z, at level 3.
TAXONOMY = Taxonomy.from_edges(
    [("R", "A"), ("R", "B"), ("A", "X"), ("B", "X"), ("A", "Z"), ("Z", "W"), ("B", "W")],
    stored={"A": 1, "B": 2, "X": 4, "W": 4},
)
LABELS = ["W", "X", "stranger", "A", "Z", "R", "B"]


def shown(views: tuple[View, ...]) -> dict[str, list[int]]:
    return {f"{view.task}/{view.name}": view.labels.tolist() for view in views}


def test_classification_is_one_view_of_all_labels() -> None:
    assert shown(views_of(["classification"], LABELS, None)) == {
        "classification/all": [0, 1, 2, 3, 4, 5, 6]
    }


def test_levels_are_views_of_the_labels_that_stand_there_by_the_shortest_path() -> None:
    assert shown(views_of(["per-level"], LABELS, TAXONOMY)) == {
        "per-level/level-1": [3, 6],
        "per-level/level-2": [0, 1, 4],
    }


def test_levels_by_the_longest_path_move_a_label_down() -> None:
    assert shown(views_of(["per-level"], LABELS, TAXONOMY, TaskOptions(levels="max"))) == {
        "per-level/level-1": [3, 6],
        "per-level/level-2": [1, 4],
        "per-level/level-3": [0],
    }


def test_stored_levels_are_taken_as_they_are_and_an_empty_level_is_no_view() -> None:
    assert shown(views_of(["per-level"], LABELS, TAXONOMY, TaskOptions(levels="stored"))) == {
        "per-level/level-1": [3],
        "per-level/level-2": [6],
        "per-level/level-4": [0, 1],
    }


def test_labels_in_no_level_are_listed_and_noted() -> None:
    assert labels_without_level(LABELS, TAXONOMY, TaskOptions()) == ("stranger",)
    stored = TaskOptions(levels="stored")
    assert labels_without_level(LABELS, TAXONOMY, stored) == ("stranger", "Z")
    assert task_notes(["classification", "per-level"], LABELS, TAXONOMY) == (
        "1 label has no level in taxonomy ('stranger') and is in no view of per-level",
        "the label 'R' is the root of taxonomy and in no view of per-level",
    )
    assert task_notes(["per-level"], ["A", "B"], TAXONOMY) == ()


def test_tasks_keep_their_order_but_classification_comes_first() -> None:
    views = views_of(["per-level", "classification", "per-level"], LABELS, TAXONOMY)
    assert [view.task for view in views] == ["classification", "per-level", "per-level"]
    assert len({(view.task, view.name) for view in views}) == len(views)


def test_no_task_named_means_classification() -> None:
    assert [view.task for view in views_of([], LABELS, TAXONOMY)] == ["classification"]


def test_a_task_that_does_not_exist_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(UsageError, match="tasks: none is called 'perlevel'; did you mean per-l"):
        views_of(["perlevel"], LABELS, TAXONOMY)


def test_a_task_without_the_taxonomy_it_needs_is_refused() -> None:
    with pytest.raises(UsageError, match="--task per-level: needs a taxonomy; give --taxonomy F"):
        views_of(["classification", "per-level"], LABELS, None)


def test_a_taxonomy_that_knows_none_of_the_labels_is_refused() -> None:
    with pytest.raises(DataError, match=r"none of the truth's 2 labels.*'0'.*taxonomy"):
        views_of(["per-level"], ["0", "1"], TAXONOMY)


def test_levels_that_the_taxonomy_does_not_store_are_refused() -> None:
    plain = Taxonomy.from_edges([("R", "A")])
    with pytest.raises(UsageError, match="stores no levels"):
        views_of(["per-level"], ["A"], plain, TaskOptions(levels="stored"))


def test_a_truth_without_labels_is_still_one_view() -> None:
    (view,) = views_of([], [], None)
    assert view.labels.dtype == np.int64
    assert len(view.labels) == 0


def test_the_folder_is_the_catalogue() -> None:
    assert {"classification", "per-level"} <= all_tasks().keys()
