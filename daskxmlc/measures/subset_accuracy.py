r"""Subset accuracy: the share of the documents of which every label is right.

.. math:: SubsetAccuracy = \frac{1}{N} \sum_{i=1}^{N} [h_i = Y_i]

over all N documents; Y are a document's true labels, h the predicted ones, and both may be empty.
Range 0 to 1, best 1; undefined (NaN) without a document or a label.

References
----------
Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.
https://doi.org/10.1007/978-0-387-09823-4_34
"""

from typing import ClassVar

import numpy as np

from daskxmlc.measures.exact_sums import WholeNumbers
from daskxmlc.measures.over_documents import OverDocuments, Overlaps


class SubsetAccuracy(OverDocuments):
    """Share of the documents of which every label is right."""

    name: ClassVar[str] = "subset_accuracy"
    aliases: ClassVar[tuple[str, ...]] = ("exact match",)
    formula: ClassVar[str] = "share of the documents with predicted labels = true labels"

    def fractions(self, overlaps: Overlaps) -> tuple[WholeNumbers, WholeNumbers | int]:
        """Give a document's value as numerator and denominator."""
        right = (overlaps.true == overlaps.both) & (overlaps.predicted == overlaps.both)
        return right.astype(np.int64), 1
