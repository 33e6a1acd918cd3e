"""Per level: how good a method is on the labels of each level of a taxonomy."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from daskxmlc.tasks.task import Task, TaskOptions, View
from daskxmlc.taxonomy import Taxonomy

SHOWN = 3


class PerLevel(Task):
    """A view for each level that has a label: ``level-1``, ``level-2``, … from the top.

    The root is level 0, which is no view. Labels whose level is not known are in none.
    """

    name: ClassVar[str] = "per-level"
    summary: ClassVar[str] = "the labels of each level of the taxonomy"
    needs_taxonomy: ClassVar[bool] = True

    def views(
        self, labels: Sequence[str], taxonomy: Taxonomy | None, options: TaskOptions
    ) -> Iterator[View]:
        """Give a view for each level that has a label."""
        if taxonomy is None:
            return
        levels = taxonomy.level_of(labels, options.levels)
        for level in np.unique(levels[levels > 0]):
            yield View(self.name, f"level-{level}", np.flatnonzero(levels == level))

    def notes(
        self, labels: Sequence[str], taxonomy: Taxonomy | None, options: TaskOptions
    ) -> tuple[str, ...]:
        """Say which labels are in no level's view."""
        if taxonomy is None:
            return ()
        notes = []
        if missing := labels_without_level(labels, taxonomy, options):
            shown = ", ".join(map(repr, missing[:SHOWN])) + (", …" if len(missing) > SHOWN else "")
            have, are = ("label has", "is") if len(missing) == 1 else ("labels have", "are")
            notes.append(
                f"{len(missing):,} {have} no level in {taxonomy.source} ({shown}) and {are} in "
                f"no view of {self.name}"
            )
        if taxonomy.root is not None and taxonomy.root in set(labels):
            notes.append(
                f"the label {taxonomy.root!r} is the root of {taxonomy.source} and in no view "
                f"of {self.name}"
            )
        return tuple(notes)


def labels_without_level(
    labels: Sequence[str], taxonomy: Taxonomy, options: TaskOptions
) -> tuple[str, ...]:
    """List the labels that are not in the taxonomy or have no stored level, in label order."""
    levels = taxonomy.level_of(labels, options.levels)
    return tuple(str(labels[place]) for place in np.flatnonzero(levels < 0).tolist())
