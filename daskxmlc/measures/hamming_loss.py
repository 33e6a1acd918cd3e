r"""Hamming loss: the share of all pairs of document and label that are predicted wrongly.

.. math:: HammingLoss = \frac{1}{N Q} \sum_{i=1}^{N} |h_i \,\triangle\, Y_i|

over all N documents, for Q labels; Y are a document's true labels, h the predicted ones. Range 0
to 1, best 0; undefined (NaN) without a document or a label. Rule `hamming_loss` = ``documents``
divides by N alone.

References
----------
Tsoumakas, Katakis, Vlahavas (2010). Mining multi-label data.
https://doi.org/10.1007/978-0-387-09823-4_34
"""

from typing import ClassVar

import numpy as np

from daskxmlc.measures.exact_sums import WholeNumbers
from daskxmlc.measures.over_documents import OverDocuments, Overlaps


class HammingLoss(OverDocuments):
    """Share of all pairs of document and label that are predicted wrongly."""

    name: ClassVar[str] = "hamming_loss"
    aliases: ClassVar[tuple[str, ...]] = ("Hamming",)
    higher_is_better: ClassVar[bool] = False
    formula: ClassVar[str] = "wrong pairs of document and label / all pairs"

    def fractions(self, overlaps: Overlaps) -> tuple[WholeNumbers, WholeNumbers | int]:
        """Give a document's value as numerator and denominator."""
        wrong = np.asarray(overlaps.true + overlaps.predicted - 2 * overlaps.both)
        return wrong, overlaps.labels if overlaps.rules.hamming_loss == "pairs" else 1
