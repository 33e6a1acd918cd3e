r"""Mean reciprocal rank: how high the first true label stands.

.. math:: MRR = \frac{1}{n} \sum_{i=1}^{n} \frac{1}{r_i}

over the n documents that count: those with a true label, or as the rules `documents` and
`mrr_empty` say. r is the place of the first true label among all retrieved ones; a document of
which no true label was retrieved adds 0. Range 0 to 1, best 1; undefined (NaN) when n = 0.

References
----------
Voorhees (1999). The TREC-8 question answering track report.
https://doi.org/10.6028/NIST.SP.500-246
"""

from typing import ClassVar, Literal

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.exact_sums import mean, total
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.first_hits import FirstHits
from daskxmlc.tables.table import Table


class MRR(Measure[FirstHits]):
    """Mean of 1 / (place of the first true label)."""

    name: ClassVar[str] = "mrr"
    aliases: ClassVar[tuple[str, ...]] = ("RR", "reciprocal rank", "mean reciprocal rank")
    table: ClassVar[type[Table]] = FirstHits
    population: ClassVar[Literal["rank", "set", "label"]] = "rank"
    formula: ClassVar[str] = "mean over documents of 1 / (place of the first true label)"

    def score(
        self,
        table: FirstHits,
        rules: Rules,
        *,
        labels: int,
        parameter: int = 0,  # noqa: ARG002
    ) -> Score:
        """Compute the value from the summed table."""
        true, place = table.keys.T
        every = rules.documents == "all" or rules.mrr_empty == "0"
        documents = total(table.counts[(true > 0) | every]) if labels else 0
        found = place > 0
        return Score(mean(table.counts[found], place[found], documents), documents)
