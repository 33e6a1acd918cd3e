"""What a task promises: views, each a set of labels that a number speaks of."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from daskxmlc.taxonomy import Taxonomy


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


class Task(ABC):
    """A question that is asked of a method. One file a task; found by its folder."""

    name: ClassVar[str]
    summary: ClassVar[str]
    needs_taxonomy: ClassVar[bool] = False

    @abstractmethod
    def views(self, labels: Sequence[str], taxonomy: Taxonomy | None) -> Iterator[View]:
        """Give the views of this task over the truth's labels.

        Parameters
        ----------
        labels
            Ids in the truth's order (positions as text where the truth has no ids).
        taxonomy
            None only if the task does not need one.
        """
