"""What the dependence-aware losses share: documents by their number of wrong labels."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.exact_sums import ratio, total
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.overlap import Overlap
from daskxmlc.tables.table import Counts, Table

BITS = 256
"""Fixed-point bits of a document's loss; a sum is rounded once, to the nearest float64."""

ONE = 1 << BITS


class OwaLoss(Measure[Overlap]):
    """A mean over all documents of a loss that depends on the number of wrong labels alone.

    An ordered weighted average of the labels' errors, the largest first, which for predictions
    that are right or wrong is the sum of the first weights.
    """

    table: ClassVar[type[Table]] = Overlap
    population: ClassVar[Literal["rank", "set", "label"]] = "set"
    needs_threshold: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = False

    def score(
        self,
        table: Overlap,
        rules: Rules,  # noqa: ARG002
        *,
        labels: int,
        parameter: float = 1,
    ) -> Score:
        """Compute the value from the summed table; NaN where the parameter exceeds the labels."""
        documents = total(table.counts) if labels else 0
        last = self.last(labels)
        if documents == 0 or (last is not None and parameter > last):
            return Score(math.nan, 0)
        wrong, counts = wrong_labels(table)
        spared = self.spared(labels, wrong.tolist(), parameter)
        losses = ((ONE - each) * count for each, count in zip(spared, counts.tolist(), strict=True))
        return Score(ratio(sum(losses), documents * ONE), documents)

    @abstractmethod
    def spared(self, labels: int, wrong: Sequence[int], parameter: float) -> list[int]:
        """Give 1 - loss of documents with these numbers of wrong labels, increasing, in 1 / ONE."""

    def places(self, parameter: float) -> int:  # noqa: ARG002
        """Tell that no ranking is needed."""
        return 0


def wrong_labels(table: Overlap) -> tuple[Counts, Counts]:
    """Count documents by their number of wrong labels.

    Returns
    -------
    tuple
        int64 (m,): the numbers that occur, increasing, and the documents of each.
    """
    true, predicted, both = table.keys.T
    wrong, kind = np.unique(true + predicted - 2 * both, return_inverse=True)
    counts = np.zeros(len(wrong), dtype=np.int64)
    np.add.at(counts, kind.reshape(-1), table.counts)
    return wrong, counts
