"""What a convention is: a value for every rule on which tools differ."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True)
class Rules:
    """Every question on which evaluators differ, decided; the defaults are convention `default`.

    Attributes
    ----------
    documents
        Which documents ranking measures average over: those with a true label, all (a document
        without one counts 0), or those with at least k true labels.
    threshold_rule
        Whether a score equal to the threshold is predicted (``"ge"``) or not (``"gt"``).
    dead_labels
        What a label without any true or predicted document adds to a macro average.
    """

    documents: Literal["with-labels", "all", "at-least-k"] = "with-labels"
    threshold_rule: Literal["ge", "gt"] = "ge"
    dead_labels: Literal["zero", "one", "skip"] = "zero"


class Convention(ABC):
    """A named set of rules. One file a convention; found by its folder."""

    name: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def rules(self) -> Rules:
        """Give the value of every rule."""
