"""Label counts: how often each label is true, predicted, and both."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from daskxmlc.tables.table import Counts, DenseTable


@dataclass(frozen=True, slots=True, eq=False)
class LabelCounts(DenseTable):
    """Counts of each label of the view over all documents.

    Attributes
    ----------
    both, predicted, true
        int64 (Q,): documents in which the label is predicted and true (TP), predicted (TP + FP),
        true (TP + FN), in the order of the view's labels.
    documents
        int64 (): documents counted.
    """

    both: Counts
    predicted: Counts
    true: Counts
    documents: Counts

    def select(self, labels: NDArray[np.int64]) -> Self:
        """Keep the labels at those positions: a view's part of the counts of all labels."""
        return type(self)(
            self.both[labels], self.predicted[labels], self.true[labels], self.documents
        )
