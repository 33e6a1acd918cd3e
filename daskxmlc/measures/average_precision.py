r"""Average precision: how many of the labels down to each true one are true.

.. math:: AvgPrec = \frac{1}{n} \sum_{i=1}^{n} \frac{1}{|Y_i|} \sum_{\lambda \in Y_i}
    \frac{|\{\mu \in Y_i : \rho_i(\mu) \le \rho_i(\lambda)\}|}{\rho_i(\lambda)}

over the n documents with a true label, and all others, counting 1, if rule `empty_rank_losses`
says so; also called label ranking average precision. rho is the pessimistic rank: the number of
labels of the view with a score at least as high, and Q for one that was not retrieved. Range above
0 to 1, best 1; undefined (NaN) when n = 0. Each true label's part of a document's value is cut off
to a whole number of 2**-62, and so is their mean; the sum over documents is exact.

References
----------
Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.
https://doi.org/10.1023/A:1007649029923
"""

from typing import ClassVar, Literal

from daskxmlc.blocks.ranks import DIGIT_BITS, UNIT
from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.empty_documents import value_of_empty
from daskxmlc.measures.exact_sums import ratio
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.precision_sums import PrecisionSums
from daskxmlc.tables.table import Table


class AveragePrecision(Measure[PrecisionSums]):
    """Mean precision down to each true label, by pessimistic ranks."""

    name: ClassVar[str] = "average_precision"
    aliases: ClassVar[tuple[str, ...]] = ("LRAP", "label ranking average precision")
    table: ClassVar[type[Table]] = PrecisionSums
    population: ClassVar[Literal["rank", "set", "label"]] = "rank"
    formula: ClassVar[str] = (
        "mean over documents of the mean over true labels of (true labels ranked as high) / "
        "(labels ranked as high)"
    )

    def score(
        self,
        table: PrecisionSums,
        rules: Rules,
        *,
        labels: int,
        parameter: int = 0,  # noqa: ARG002
    ) -> Score:
        """Compute the value from the summed table."""
        empty = value_of_empty("average_precision", rules)
        others = 0 if empty is None else int(table.without)
        documents = int(table.documents) + others if labels else 0
        units = (int(table.high) << DIGIT_BITS) + int(table.low) + others * (empty or 0) * UNIT
        return Score(ratio(units, documents * UNIT), documents)
