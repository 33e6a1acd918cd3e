r"""One-error: the share of the documents whose best label is not true.

.. math:: OneError = 1 - \frac{1}{n} \sum_{i=1}^{n} hit_{i1}

over the n documents that count: those with a true label, or all (rule `documents` = ``all``, or
`empty_rank_losses`), one without true labels then being an error. Range 0 to 1, best 0; undefined
(NaN) when n = 0.

References
----------
Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.
https://doi.org/10.1023/A:1007649029923
"""

import math
from typing import ClassVar, Literal

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.at_k import first_places
from daskxmlc.measures.empty_documents import value_of_empty
from daskxmlc.measures.exact_sums import ratio, total
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.hits_by_rank import HitsByRank
from daskxmlc.tables.table import Table


class OneError(Measure[HitsByRank]):
    """Share of the documents whose best label is not true."""

    name: ClassVar[str] = "one_error"
    aliases: ClassVar[tuple[str, ...]] = ("1-error",)
    table: ClassVar[type[Table]] = HitsByRank
    population: ClassVar[Literal["rank", "set", "label"]] = "rank"
    higher_is_better: ClassVar[bool] = False
    formula: ClassVar[str] = "share of the documents whose best label is not true"

    def score(
        self,
        table: HitsByRank,
        rules: Rules,
        *,
        labels: int,
        parameter: int = 0,  # noqa: ARG002
    ) -> Score:
        """Compute the value from the summed table."""
        first = first_places(table, rules, measure=self.name, labels=labels, k=1)
        every = value_of_empty("one_error", rules) is not None
        documents = total(table.documents[0 if every else 1 :])
        if labels == 0 or documents == 0:
            return Score(math.nan, 0)
        return Score(ratio(documents - total(first.hits), documents), documents)

    def places(self, parameter: int) -> int:  # noqa: ARG002
        """Tell how many of the best places of each document the table must hold."""
        return 1
