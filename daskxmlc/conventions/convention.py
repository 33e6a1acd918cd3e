"""What a convention is: a value for every rule on which tools differ."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True)
class Rules:
    """Every question on which evaluators differ, decided; the defaults are convention `default`.

    A rule's type names all the values that it can take. A value stands there only if every measure
    that the rule speaks of follows it.

    Attributes
    ----------
    ties
        Which of two equal scores ranks higher: the label that stands first in the truth, the last,
        or the one whose id comes last in the order of bytes.
    rank_ties
        The rank of a label in rank losses: the number of labels with a score at least as high
        (pessimistic), or its place, ties being broken as `ties` says (placed).
    documents
        Which documents ranking measures average over: those with a true label, all (a document
        without one counts 0, in `one_error` 1), or those with at least k true labels (at least
        one where there is no k).
    ndcg_ideal
        What nDCG at k is divided by: the gain of min(k, true labels) or of k first places.
    map_denominator
        What a document's sum of precisions is divided by in `map@k`: min(k, true labels), its
        true labels, or its hits in the first k places (0 if there are none).
    empty_rank_losses
        What a document without true labels gives in `one_error`, in `coverage` and
        `coverage_error`, in `ranking_loss` and in `average_precision`: it is left out of all
        (of `one_error` unless `documents` is ``"all"``), or gives those four numbers.
    mrr_empty
        Whether a document without true labels is left out of `mrr` or counts 0, whatever
        `documents` says of the other measures.
    threshold_rule
        Whether a score equal to the threshold is predicted (``"ge"``) or not (``"gt"``), or every
        label that was retrieved, without a threshold (``"stored"``).
    absent
        What a score that a sparse matrix does not store means: what the matrix says (else not
        retrieved), that the label was not retrieved, or the number 0. `--absent` comes first.
    example_empty
        What a document with neither true nor predicted labels gives in the example-based measures:
        1, 0, or ``"1,0"``: accuracy 1, and precision, recall and F1 0. Its Hamming loss is 0 and
        its subset accuracy 1 under every rule.
    dead_labels
        What a label without any true or predicted document adds to a macro average: 0, 1, or
        nothing (the mean is over the other labels).
    macro_f1
        Whether `macro_f1` is the mean of the labels' F1 or the F1 of `macro_precision` and
        `macro_recall`.
    micro_empty
        What micro measures give where no label is true and none is predicted in any document;
        other cases of 0/0 are 0.
    ranking_loss_ties
        What a tied pair of a true and another label is in `ranking_loss`: an error, half an error
        or none.
    hamming_loss
        Whether wrong labels are averaged over all pairs of document and label, or over documents.
    """

    ties: Literal["first", "last", "id-descending"] = "first"
    rank_ties: Literal["pessimistic", "placed"] = "pessimistic"
    documents: Literal["with-labels", "all", "at-least-k"] = "with-labels"
    ndcg_ideal: Literal["min", "k"] = "min"
    map_denominator: Literal["min", "true", "hits"] = "min"
    empty_rank_losses: Literal["left-out", "1,0,0,1", "1,0,0,left-out"] = "left-out"
    mrr_empty: Literal["left-out", "0"] = "left-out"
    threshold_rule: Literal["ge", "gt", "stored"] = "ge"
    absent: Literal["as-stored", "not-retrieved", "0.0"] = "as-stored"
    example_empty: Literal["1", "0", "1,0"] = "1"
    dead_labels: Literal["zero", "one", "skip"] = "zero"
    macro_f1: Literal["mean-of-f1", "f1-of-averages"] = "mean-of-f1"
    micro_empty: Literal["0", "1"] = "0"
    ranking_loss_ties: Literal["full", "half", "none"] = "full"
    hamming_loss: Literal["pairs", "documents"] = "pairs"

    def as_dict(self) -> dict[str, str]:
        """Give the value of every rule by its name, as results carry them."""
        return asdict(self)


class Convention(ABC):
    """A named set of rules. One file a convention; found by its folder.

    Attributes
    ----------
    name
        As asked for and as written into results: ``"default"``.
    summary
        One line for ``daskxmlc list conventions``.
    lacks
        Measures, by name, that no rule can make what they are under this convention, and what its
        tool does; they are refused.
    root_is_label
        Whether the root of the taxonomy may be a label of the truth like any other.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    lacks: ClassVar[Mapping[str, str]] = {}
    root_is_label: ClassVar[bool] = True

    @abstractmethod
    def rules(self) -> Rules:
        """Give the value of every rule."""
