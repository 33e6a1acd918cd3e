"""What every task promises, by being in its folder."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daskxmlc.errors import UsageError
from daskxmlc.tasks.choosing import all_tasks, views_of
from daskxmlc.tasks.task import Task, TaskOptions
from daskxmlc.taxonomy import LEVEL_KINDS, Taxonomy

TASKS = [pytest.param(task, id=name) for name, task in all_tasks().items()]


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[str], Taxonomy, TaskOptions]:
    """Labels in any order, some of them no nodes, over a random taxonomy with stored levels."""
    size = draw(st.integers(2, 8))
    edges = [
        (f"n{parent}", f"n{child}")
        for child in range(1, size)
        for parent in draw(st.sets(st.integers(0, child - 1), min_size=1, max_size=2))
    ]
    nodes = [f"n{i}" for i in range(size)]
    stored = draw(st.dictionaries(st.sampled_from(nodes), st.integers(0, 4)))
    taxonomy = Taxonomy.from_edges(edges, stored=stored)
    labels = draw(st.lists(st.sampled_from([*nodes, "x", "y"]), unique=True, max_size=10))
    return labels, taxonomy, TaskOptions(levels=draw(st.sampled_from(LEVEL_KINDS)))


@pytest.mark.parametrize("task", TASKS)
@given(question=questions())
def test_labels_of_a_view_are_in_range_and_strictly_increasing(
    task: Task, question: tuple[list[str], Taxonomy, TaskOptions]
) -> None:
    labels, taxonomy, options = question
    for view in task.views(labels, taxonomy, options):
        assert view.labels.dtype == np.int64
        assert (np.diff(view.labels) > 0).all()
        assert ((view.labels >= 0) & (view.labels < len(labels))).all()


@pytest.mark.parametrize("task", TASKS)
@given(question=questions())
def test_views_of_a_task_bear_its_name_and_names_of_their_own(
    task: Task, question: tuple[list[str], Taxonomy, TaskOptions]
) -> None:
    views = list(task.views(*question))
    assert {view.task for view in views} <= {task.name}
    assert len({view.name for view in views}) == len(views)


@pytest.mark.parametrize("task", TASKS)
@given(question=questions())
def test_asking_twice_gives_the_same_views(
    task: Task, question: tuple[list[str], Taxonomy, TaskOptions]
) -> None:
    first, second = list(task.views(*question)), list(task.views(*question))
    assert [view.name for view in first] == [view.name for view in second]
    assert [view.labels.tolist() for view in first] == [view.labels.tolist() for view in second]


@pytest.mark.parametrize("task", TASKS)
@given(question=questions())
def test_notes_are_sentences_in_one_line(
    task: Task, question: tuple[list[str], Taxonomy, TaskOptions]
) -> None:
    notes = task.notes(*question)
    assert all(note and "\n" not in note for note in notes)


@pytest.mark.parametrize("task", TASKS)
def test_a_task_says_whether_it_needs_a_taxonomy(task: Task) -> None:
    if task.needs_taxonomy:
        with pytest.raises(UsageError, match=f"--task {task.name}: needs a taxonomy; give --tax"):
            views_of([task.name], ["a", "b"], None)
    else:
        assert views_of([task.name], ["a", "b"], None)


@pytest.mark.parametrize("task", TASKS)
def test_a_task_says_in_one_line_what_it_asks(task: Task) -> None:
    assert task.summary
    assert "\n" not in task.summary
    assert task.name == task.name.lower()
    assert " " not in task.name
    assert type(task).__doc__
