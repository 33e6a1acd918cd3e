"""What the measures over labels share: the counts of each label, and 0/0."""

import math
from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.exact_sums import WholeNumbers, add
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.label_counts import LabelCounts
from daskxmlc.tables.table import Table

Of = Literal["precision", "recall", "f1"]


def parts(of: Of, table: LabelCounts) -> tuple[WholeNumbers, WholeNumbers]:
    """Give what precision, recall or F1 divides by what, for each label of the view.

    Returns
    -------
    tuple
        Numerators and denominators (Q,); 0/0 stands for 0.
    """
    if of == "precision":
        return table.both, table.predicted
    if of == "recall":
        return table.both, table.true
    return add(table.both, table.both), add(table.predicted, table.true)


class OverLabels(Measure[LabelCounts]):
    """A measure of the counts of each label, over all documents."""

    table: ClassVar[type[Table]] = LabelCounts
    population: ClassVar[Literal["rank", "set", "label"]] = "label"
    needs_threshold: ClassVar[bool] = True

    def score(
        self,
        table: LabelCounts,
        rules: Rules,
        *,
        labels: int,
        parameter: int = 0,  # noqa: ARG002
    ) -> Score:
        """Compute the value from the summed table."""
        documents = int(table.documents) if labels else 0
        dead = int(np.count_nonzero((table.predicted == 0) & (table.true == 0)))
        value = self.value(table, rules, dead) if documents else math.nan
        return Score(value, documents, dead)

    @abstractmethod
    def value(self, table: LabelCounts, rules: Rules, dead: int) -> float:
        """Compute the value of at least one label and document, `dead` of the labels unused."""
