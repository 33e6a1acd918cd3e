"""Choosing tasks by name: the views of a run, in order."""

from collections.abc import Iterable, Sequence

from daskxmlc.discover import catalogue, choose
from daskxmlc.errors import DataError, UsageError
from daskxmlc.tasks.task import Task, TaskOptions, View
from daskxmlc.taxonomy import Taxonomy

FIRST = "classification"


def tasks_of(names: Iterable[str], taxonomy: Taxonomy | None) -> tuple[Task, ...]:
    """Find tasks by name.

    Parameters
    ----------
    names
        Each counts once; none means ``classification``.
    taxonomy
        What tasks that need one will be given.

    Returns
    -------
    tuple of Task
        In the order of `names`, but ``classification`` first if it was asked for.

    Raises
    ------
    UsageError
        No task has that name, or it needs a taxonomy and there is none.
    """
    entries = all_tasks()
    wanted = [choose(entries, name, what="tasks") for name in dict.fromkeys(names) or (FIRST,)]
    for task in wanted:
        if task.needs_taxonomy and taxonomy is None:
            raise UsageError(f"--task {task.name}: needs a taxonomy; give --taxonomy FILE")
    return tuple(sorted(wanted, key=lambda task: task.name != FIRST))


def views_of(
    names: Iterable[str],
    labels: Sequence[str],
    taxonomy: Taxonomy | None,
    options: TaskOptions | None = None,
) -> tuple[View, ...]:
    """Give the views of tasks, task by task.

    Parameters
    ----------
    names
        As for `tasks_of`.
    labels
        Ids in the truth's order.
    taxonomy
        None if there is none.
    options
        What the user said beyond the names; None says nothing.

    Returns
    -------
    tuple of View
        No two with the same task and name.

    Raises
    ------
    UsageError
        As `tasks_of`; or the options do not fit the taxonomy.
    DataError
        A task has no view, because taxonomy and truth have no label in common.
    """
    views: list[View] = []
    for task in tasks_of(names, taxonomy):
        found = list(task.views(labels, taxonomy, options or TaskOptions()))
        if not found:
            _refuse_empty(task, labels, taxonomy)
        views += found
    return tuple(views)


def task_notes(
    names: Iterable[str],
    labels: Sequence[str],
    taxonomy: Taxonomy | None,
    options: TaskOptions | None = None,
) -> tuple[str, ...]:
    """Give what the tasks have to say about their views and what they leave out.

    Raises
    ------
    UsageError
        As `views_of`.
    """
    said = options or TaskOptions()
    tasks = tasks_of(names, taxonomy)
    return tuple(note for task in tasks for note in task.notes(labels, taxonomy, said))


def all_tasks() -> dict[str, Task]:
    """Give every task of this folder by its name."""
    return catalogue("daskxmlc.tasks", Task)


def _refuse_empty(task: Task, labels: Sequence[str], taxonomy: Taxonomy | None) -> None:
    example = f" (such as {str(labels[0])!r})" if len(labels) else ""
    where = "the taxonomy" if taxonomy is None else taxonomy.source
    other = f" (such as {taxonomy.nodes[-1]!r})" if taxonomy is not None else ""
    raise DataError(
        f"--task {task.name}: none of the truth's {len(labels):,} labels{example} stands below "
        f"the root of {where}{other}; give names to the labels that are those of the taxonomy"
    )
