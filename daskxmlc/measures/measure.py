"""What a measure is: a pure function of one table, and what may be said about its values."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, TypeVar

from daskxmlc.conventions.convention import Rules
from daskxmlc.measures.parameter import kind_of
from daskxmlc.tables.table import Table

TableT = TypeVar("TableT", bound=Table)


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a measure.

    Attributes
    ----------
    value
        NaN where it is undefined.
    documents
        How many documents it averages over, or that were counted.
    dead_labels
        Labels that are neither true nor predicted in any document, for measures over labels.
    """

    value: float
    documents: int
    dead_labels: int | None = None


class Measure(ABC, Generic[TableT]):
    """One measure. Those of a family share a file; they are found by their folder.

    Attributes
    ----------
    name
        As listed, a parameter by its letter: ``"precision@k"``, ``"micro_f1"``. With it two
        measures differ that are called alike, such as ``macro_f1`` and ``macro_f1@k``.
    parameter
        The letter after ``@`` in the name, None where there is none. It says how the parameter is
        read: ``"k"`` and ``"j"`` are positive integers, ``"alpha"`` is a real number from 1 up or
        infinity.
    aliases
        Other names under which it is asked for, ``@`` and parameter left out; capitals, hyphens
        and spaces make no difference.
    table
        The table that it is computed from.
    population
        ``"rank"``: documents with a true label; ``"set"``: all documents; ``"label"``: labels.
    higher_is_better, lowest, highest
        Direction and range.
    needs_threshold
        Whether it speaks of predicted labels.
    formula
        One line of plain text, for ``daskxmlc list measures``.
    """

    name: ClassVar[str]
    parameter: ClassVar[Literal["k", "j", "alpha"] | None] = None
    aliases: ClassVar[tuple[str, ...]] = ()
    table: ClassVar[type[Table]]
    population: ClassVar[Literal["rank", "set", "label"]]
    needs_threshold: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True
    lowest: ClassVar[float] = 0.0
    highest: ClassVar[float] = 1.0
    formula: ClassVar[str]

    @abstractmethod
    def score(self, table: TableT, rules: Rules, *, labels: int, parameter: int = 0) -> Score:
        """Compute the value from the summed table.

        Parameters
        ----------
        table
            The sum over all documents.
        rules
            The conventions in force.
        labels
            Labels of the view, Q.
        parameter
            k, j or alpha, where the measure has one.

        Raises
        ------
        UsageError
            The table was counted for fewer places than the parameter asks for.
        """

    def called(self, parameter: float) -> str:
        """Give the name as in results: ``"precision@3"``, ``"owa_poly@1.5"``."""
        stem = self.name.partition("@")[0]
        return f"{stem}@{kind_of(self.parameter).write(parameter)}" if self.parameter else stem

    def last(self, labels: int) -> int | None:  # noqa: ARG002
        """Give the largest parameter with a value among that many labels, None for no limit."""
        return None

    def places(self, parameter: int) -> int:
        """Tell how many of the best places of each document the table must hold."""
        return parameter if self.parameter == "k" else 0
