"""What the measures at k share: the documents that count and their first places."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from daskxmlc.conventions.convention import Rules
from daskxmlc.errors import UsageError
from daskxmlc.measures.exact_sums import WholeNumbers, column_totals, total
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.hits_by_rank import HitsByRank
from daskxmlc.tables.table import Counts, Table


@dataclass(frozen=True, slots=True, eq=False)
class FirstPlaces:
    """The first k places of the documents that count.

    Attributes
    ----------
    k
        Places beyond the retrieved labels are misses.
    true
        int64 (m,): the numbers of true labels that occur, all above 0, increasing.
    hits, first_hits
        int64 (places, m): documents with a hit, with their first hit, at that place, by their
        number of true labels. There are at most k places; those left out hold no hit.
    prefix
        int64 (places, m): hits up to that place, over the documents with a hit at that place.
    documents
        Documents that the mean is over. Those without true labels, if they count, add 0.
    rules
        The conventions in force.
    table
        Where all this comes from.
    """

    k: int
    true: Counts
    hits: Counts
    first_hits: Counts
    prefix: Counts
    documents: int
    rules: Rules
    table: HitsByRank

    def found(self) -> WholeNumbers:
        """Give the hits in all k places together, by the documents' number of true labels."""
        return column_totals(self.hits)

    def precisions(self) -> WholeNumbers:
        """Give the sums of the precisions at the hits, in limbs: (hits in all places, limb)."""
        by_hits = self.table.precisions[min(self.k, len(self.table.hits)) - 1]
        enough = 1 if self.rules.documents == "at-least-k" else 0
        return column_totals(by_hits.swapaxes(0, 1)[enough:])


def first_places(
    table: HitsByRank, rules: Rules, *, measure: str, labels: int, k: int
) -> FirstPlaces:
    """Select the documents that count and their first k places.

    Raises
    ------
    UsageError
        The table holds fewer places than there are to see.
    """
    held = table.hits.shape[0]
    if held < min(k, labels):
        raise UsageError(
            f"measures: {measure} needs the first {k} places of each document, got tables of "
            f"{held}; count again, or ask for k up to {held}"
        )
    least = k if rules.documents == "at-least-k" else 1
    true = np.arange(least, len(table.documents), dtype=np.int64)
    counted = total(table.documents[0 if rules.documents == "all" else least :])
    return FirstPlaces(
        k,
        true,
        table.hits[:k, least:],
        table.first_hits[:k, least:],
        table.prefix[:k, least:],
        counted,
        rules,
        table,
    )


class AtK(Measure[HitsByRank]):
    """A mean, over the documents that count, of what stands in the first k places."""

    parameter: ClassVar[Literal["k", "j"] | None] = "k"
    table: ClassVar[type[Table]] = HitsByRank
    population: ClassVar[Literal["rank", "set", "label"]] = "rank"

    def score(self, table: HitsByRank, rules: Rules, *, labels: int, parameter: int = 0) -> Score:
        """Compute the value from the summed table."""
        called = self.called(parameter)
        places = first_places(table, rules, measure=called, labels=labels, k=parameter)
        if labels == 0 or places.documents == 0:
            return Score(math.nan, 0)
        return Score(self.mean(places), places.documents)

    @abstractmethod
    def mean(self, places: FirstPlaces) -> float:
        """Average over the documents, of which there is at least one."""
