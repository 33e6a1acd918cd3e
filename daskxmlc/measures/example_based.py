r"""Example-based measures: the mean over documents of how well their label sets agree.

.. math:: Accuracy = \frac{1}{N} \sum_i \frac{|h_i \cap Y_i|}{|h_i \cup Y_i|} \quad
    P = \frac{1}{N} \sum_i \frac{|h_i \cap Y_i|}{|h_i|} \quad
    R = \frac{1}{N} \sum_i \frac{|h_i \cap Y_i|}{|Y_i|} \quad
    F1 = \frac{1}{N} \sum_i \frac{2 |h_i \cap Y_i|}{|h_i| + |Y_i|}

over all N documents; Y are a document's true labels, h the predicted ones. Range 0 to 1, best 1;
undefined (NaN) without a document or a label. A document of which both sets are empty counts 1, or
as rule `example_empty` says; other cases of 0/0 count 0.

References
----------
Godbole, Sarawagi (2004). Discriminative methods for multi-labeled classification.
https://doi.org/10.1007/978-3-540-24775-3_5
"""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from daskxmlc.measures.exact_sums import WholeNumbers
from daskxmlc.measures.over_documents import OverDocuments, Overlaps
from daskxmlc.tables.table import Counts


class ExampleBased(OverDocuments):
    """A mean over all documents in which two empty sets agree, or as the rules say."""

    ones: ClassVar[frozenset[str]] = frozenset({"1"})
    """Values of rule `example_empty` under which two empty sets count 1."""

    def fractions(self, overlaps: Overlaps) -> tuple[WholeNumbers, WholeNumbers | int]:
        """Give a document's value as numerator and denominator."""
        numerators, denominators = self.agreement(overlaps)
        empty = (overlaps.true == 0) & (overlaps.predicted == 0)
        gift = np.int64(overlaps.rules.example_empty in self.ones)
        return np.where(empty, gift, numerators), np.where(empty, np.int64(1), denominators)

    @abstractmethod
    def agreement(self, overlaps: Overlaps) -> tuple[Counts, Counts]:
        """Give numerators and denominators of documents that have a true or predicted label."""


class ExampleAccuracy(ExampleBased):
    """Mean over documents of the Jaccard index of true and predicted labels."""

    name: ClassVar[str] = "example_accuracy"
    aliases: ClassVar[tuple[str, ...]] = ("Jaccard", "accuracy")
    formula: ClassVar[str] = "mean over documents of both / (true or predicted)"
    ones: ClassVar[frozenset[str]] = frozenset({"1", "1,0"})

    def agreement(self, overlaps: Overlaps) -> tuple[Counts, Counts]:
        """Divide the common labels by those of either set."""
        return overlaps.both, overlaps.true + overlaps.predicted - overlaps.both


class ExamplePrecision(ExampleBased):
    """Mean over documents of the share of predicted labels that are true."""

    name: ClassVar[str] = "example_precision"
    aliases: ClassVar[tuple[str, ...]] = ("samples precision",)
    formula: ClassVar[str] = "mean over documents of both / predicted"

    def agreement(self, overlaps: Overlaps) -> tuple[Counts, Counts]:
        """Divide the common labels by the predicted ones."""
        return overlaps.both, overlaps.predicted


class ExampleRecall(ExampleBased):
    """Mean over documents of the share of true labels that are predicted."""

    name: ClassVar[str] = "example_recall"
    aliases: ClassVar[tuple[str, ...]] = ("samples recall",)
    formula: ClassVar[str] = "mean over documents of both / true"

    def agreement(self, overlaps: Overlaps) -> tuple[Counts, Counts]:
        """Divide the common labels by the true ones."""
        return overlaps.both, overlaps.true


class ExampleF1(ExampleBased):
    """Mean over documents of the F1 of true and predicted labels."""

    name: ClassVar[str] = "example_f1"
    aliases: ClassVar[tuple[str, ...]] = ("samples F1",)
    formula: ClassVar[str] = "mean over documents of 2 both / (true + predicted)"

    def agreement(self, overlaps: Overlaps) -> tuple[Counts, Counts]:
        """Divide twice the common labels by the sizes of both sets."""
        return 2 * overlaps.both, overlaps.true + overlaps.predicted
