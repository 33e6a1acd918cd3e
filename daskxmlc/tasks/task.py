"""What a task promises: views, each a set of labels that a number speaks of."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from daskxmlc.taxonomy import LevelKind, Taxonomy


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Labels that a number speaks of.

    Attributes
    ----------
    task, name
        As in results: ``"per-level"``, ``"level-2"``.
    labels
        int64 (Q,): positions in the truth's label order, strictly increasing.
    """

    task: str
    name: str
    labels: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """What a user may say about tasks beyond their names; each task takes what it knows.

    A further option is a further field with a default, so that no task but its own notices.

    Attributes
    ----------
    levels
        Which level of a label counts: the shortest path from the root (``"min"``), the longest
        one (``"max"``), or the one that an ontology states (``"stored"``).
    """

    levels: LevelKind = "min"


class Task(ABC):
    """A question that is asked of a method. One file a task; found by its folder."""

    name: ClassVar[str]
    summary: ClassVar[str]
    needs_taxonomy: ClassVar[bool] = False

    @abstractmethod
    def views(
        self, labels: Sequence[str], taxonomy: Taxonomy | None, options: TaskOptions
    ) -> Iterator[View]:
        """Give the views of this task over the truth's labels, their names all different.

        Parameters
        ----------
        labels
            Ids in the truth's order (positions as text where the truth has no ids).
        taxonomy
            None only if the task does not need one.
        options
            What the user said beyond the task's name.

        Raises
        ------
        UsageError
            The options do not fit the taxonomy.
        """

    def notes(
        self,
        labels: Sequence[str],  # noqa: ARG002  # for the tasks that have something to say
        taxonomy: Taxonomy | None,  # noqa: ARG002
        options: TaskOptions,  # noqa: ARG002
    ) -> tuple[str, ...]:
        """Say what a reader of this task's values has to know, a sentence each."""
        return ()
