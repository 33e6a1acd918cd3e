"""Classification: how good a method is on all labels together."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from daskxmlc.tasks.task import Task, TaskOptions, View
from daskxmlc.taxonomy import Taxonomy


class Classification(Task):
    """One view, ``all``: every label of the truth."""

    name: ClassVar[str] = "classification"
    summary: ClassVar[str] = "all labels together"

    def views(
        self,
        labels: Sequence[str],
        taxonomy: Taxonomy | None,  # noqa: ARG002  # the contract's
        options: TaskOptions,  # noqa: ARG002
    ) -> Iterator[View]:
        """Give the view of all labels."""
        yield View(self.name, "all", np.arange(len(labels), dtype=np.int64))
