r"""Ranking loss: the share of pairs of a true and another label in the wrong order.

.. math:: RankingLoss = \frac{1}{n} \sum_{i=1}^{n} \frac{|\{(\lambda, \mu) \in Y_i \times
    \overline{Y_i} : s_i(\lambda) \le s_i(\mu)\}|}{|Y_i| (Q - |Y_i|)}

over the n documents with a true label, and all others, counting 0, if rule `empty_rank_losses` says
so; a document whose labels are all true counts 0. A tie is an
error, half an error or none, as rule `ranking_loss_ties` says; two labels that were not retrieved
are tied. Range 0 to 1, best 0; undefined (NaN) when n = 0.

References
----------
Schapire, Singer (2000). BoosTexter: a boosting-based system for text categorization.
https://doi.org/10.1023/A:1007649029923
"""

from typing import ClassVar, Literal

import numpy as np

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.empty_documents import value_of_empty
from daskxmlc.measures.exact_sums import add, mean, multiply, total
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.pairs import Pairs
from daskxmlc.tables.table import Table

# Twice what a tied pair counts.
_TIES = {"full": 2, "half": 1, "none": 0}


class RankingLoss(Measure[Pairs]):
    """Share of pairs of a true and another label in the wrong order."""

    name: ClassVar[str] = "ranking_loss"
    aliases: ClassVar[tuple[str, ...]] = ("rank loss", "label ranking loss")
    table: ClassVar[type[Table]] = Pairs
    population: ClassVar[Literal["rank", "set", "label"]] = "rank"
    higher_is_better: ClassVar[bool] = False
    formula: ClassVar[str] = (
        "mean over documents of (pairs of a true and another label, the true one not above) / "
        "(all such pairs)"
    )

    def score(
        self,
        table: Pairs,
        rules: Rules,
        *,
        labels: int,
        parameter: int = 0,  # noqa: ARG002
    ) -> Score:
        """Compute the value from the summed table."""
        true = np.arange(1, len(table.documents), dtype=np.int64)
        every = value_of_empty("ranking_loss", rules) is not None
        documents = total(table.documents[0 if every else 1 :]) if labels else 0
        inverted = multiply(table.inverted[1:], np.full_like(true, 2))
        tied = multiply(table.tied[1:], np.full_like(true, _TIES[rules.ranking_loss_ties]))
        some = (true > 0) & (true < labels)
        pairs = multiply(2 * true[some], labels - true[some])
        return Score(mean(add(inverted, tied)[some], pairs, documents), documents)
