"""Small blocks of documents in which everything awkward is common.

Ties, both zeros, infinite scores, labels that were not retrieved, documents without true labels,
with all labels true, one document and none, views of few labels.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from daskxmlc.conventions.convention import Rules
from daskxmlc.conventions.resolving import choices
from daskxmlc.tables.table import Table
from tests.reference import Scores, Truth, reference_tables, reference_value

SCORES = (None, -math.inf, -0.5, -0.0, 0.0, 0.25, 0.5, 0.75, 1.0, math.inf)
THRESHOLDS = (-0.5, 0.0, 0.3, 0.5, 1.0)


@dataclass(frozen=True)
class Block:
    """Documents with their scores and truth, and a view of their labels."""

    scores: Scores
    truth: Truth
    threshold: float
    labels: tuple[int, ...]

    @property
    def largest(self) -> int:
        """The largest number of true labels of any document, over all labels."""
        return max((sum(marks) for marks in self.truth), default=0)

    def tables(self, places: int, rules: Rules, largest: int = 0) -> dict[type[Table], Table]:
        return reference_tables(
            self.scores,
            self.truth,
            self.threshold,
            self.labels,
            places,
            max(largest, self.largest),
            rules,
        )

    def value(self, measure: str, rules: Rules) -> tuple[float, int]:
        return reference_value(measure, self.scores, self.truth, self.threshold, self.labels, rules)

    def part(self, *documents: int) -> "Block":
        return replace(
            self,
            scores=[self.scores[i] for i in documents],
            truth=[self.truth[i] for i in documents],
        )

    def perfect(self) -> "Block":
        """Give the same truth with scores that retrieve, and predict, exactly the true labels."""
        scores = [
            [self.threshold + 1 if mark else -math.inf for mark in marks] for marks in self.truth
        ]
        return replace(self, scores=scores)


@st.composite
def blocks(draw: st.DrawFn, *, least: int = 0) -> Block:
    """Draw a block of at least `least` documents."""
    documents = draw(st.integers(least, 6))
    labels = draw(st.integers(1, 7))
    some = draw(st.lists(st.sampled_from(SCORES), min_size=1, max_size=4))
    score = st.sampled_from(some)
    row = st.lists(score, min_size=labels, max_size=labels)
    mark = st.integers(0, 1)
    marks = st.one_of(
        st.lists(mark, min_size=labels, max_size=labels),
        st.sampled_from(([0] * labels, [1] * labels)),
    )
    view = draw(st.sets(st.integers(0, labels - 1), min_size=1))
    return Block(
        scores=draw(st.lists(row, min_size=documents, max_size=documents)),
        truth=draw(st.lists(marks, min_size=documents, max_size=documents)),
        threshold=draw(st.sampled_from(THRESHOLDS)),
        labels=tuple(sorted(view)) if draw(st.booleans()) else tuple(range(labels)),
    )


def rules() -> st.SearchStrategy[Rules]:
    """Draw a value for every rule."""
    values: dict[str, Any] = {name: st.sampled_from(each) for name, each in choices().items()}
    return st.builds(Rules, **values)
