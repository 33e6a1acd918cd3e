"""What the measures of label sets share: a mean over all documents, from their overlap."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.exact_sums import WholeNumbers, mean, multiply, total
from daskxmlc.measures.measure import Measure, Score
from daskxmlc.tables.overlap import Overlap
from daskxmlc.tables.table import Counts, Table


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """The kinds of documents that occur.

    Attributes
    ----------
    true, predicted, both
        int64 (m,): labels of the view that are true, predicted, and both.
    labels
        Labels of the view.
    rules
        The conventions in force.
    """

    true: Counts
    predicted: Counts
    both: Counts
    labels: int
    rules: Rules


class OverDocuments(Measure[Overlap]):
    """A mean over all documents of a fraction of their overlap."""

    table: ClassVar[type[Table]] = Overlap
    population: ClassVar[Literal["rank", "set", "label"]] = "set"
    needs_threshold: ClassVar[bool] = True

    def score(
        self,
        table: Overlap,
        rules: Rules,
        *,
        labels: int,
        parameter: int = 0,  # noqa: ARG002
    ) -> Score:
        """Compute the value from the summed table."""
        documents = total(table.counts) if labels else 0
        true, predicted, both = table.keys.T
        numerators, denominators = self.fractions(Overlaps(true, predicted, both, labels, rules))
        return Score(mean(multiply(table.counts, numerators), denominators, documents), documents)

    @abstractmethod
    def fractions(self, overlaps: Overlaps) -> tuple[WholeNumbers, WholeNumbers | int]:
        """Give each kind of document's value as numerator and denominator; 0/0 stands for 0."""
