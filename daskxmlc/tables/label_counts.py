"""Label counts: how often each label is true, predicted, and both."""

from dataclasses import dataclass

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
