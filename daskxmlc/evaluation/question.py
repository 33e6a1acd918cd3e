"""What is asked of a pair of matrices: measures, views and rules, before any score is read."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from daskxmlc.conventions.convention import Rules
from daskxmlc.conventions.resolving import conventions
from daskxmlc.errors import UsageError
from daskxmlc.measures.asking import Asked
from daskxmlc.storage.matrix import Matrix, ScoreKind
from daskxmlc.tasks.choosing import tasks_of
from daskxmlc.tasks.task import TaskOptions
from daskxmlc.taxonomy import Taxonomy
from daskxmlc.taxonomy.closing import LabelClosure, label_closure

DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class Question:
    """What a user wants to know.

    Attributes
    ----------
    asked
        Measures.
    tasks, options
        Names of tasks, and what is said of them.
    taxonomy
        None if there is none.
    close_truth
        Whether ancestors of true labels are true.
    conventions, rules
        Name of the convention, and every rule in force.
    threshold
        At or above which a label is predicted; None leaves it to the scores' kind.
    notes
        What to tell the reader of the measures.
    """

    asked: tuple[Asked, ...]
    tasks: tuple[str, ...]
    options: TaskOptions
    taxonomy: Taxonomy | None
    close_truth: bool
    conventions: str
    rules: Rules
    threshold: float | None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.threshold is not None and math.isnan(self.threshold):
            raise UsageError("--threshold: not a number, got nan; give a number")
        if self.threshold is not None and self.rules.threshold_rule == "stored":
            raise UsageError(
                f"--threshold: threshold_rule=stored predicts all that was retrieved, got "
                f"{self.threshold}; leave it out, or give --rule threshold_rule=ge"
            )
        if self.close_truth and self.taxonomy is None:
            raise UsageError("--close-truth: needs a taxonomy; give --taxonomy FILE")


def cut_of(
    question: Question, score_kind: ScoreKind
) -> tuple[float | None, tuple[Asked, ...], tuple[str, ...]]:
    """Decide at which score a label is predicted, and which measures can be computed.

    Returns
    -------
    float or None
        The threshold; None if no label is ever predicted.
    tuple of Asked
        Measures without those that need a threshold where there is none.
    tuple of str
        What to tell the reader.
    """
    asked = question.asked
    needing = sum(one.measure.needs_threshold for one in asked)
    if question.rules.threshold_rule == "stored":
        return -math.inf, asked, ()
    if question.threshold is not None:
        return question.threshold, asked, ()
    if score_kind == "probability" or not needing:
        return DEFAULT_THRESHOLD, asked, ()
    if score_kind == "unknown":
        note = (
            f"nothing says what the scores mean; a label is predicted at {DEFAULT_THRESHOLD} and "
            "above (give --threshold or --score-kind)"
        )
        return DEFAULT_THRESHOLD, asked, (note,)
    note = (
        f"{needing} of the measures need a threshold and were left out: the scores are of kind "
        f"{score_kind}, which has no natural one (give --threshold)"
    )
    return None, tuple(one for one in asked if not one.measure.needs_threshold), (note,)


def names_of(truth: Matrix) -> Sequence[str]:
    """Give the labels' ids, or their positions as text where there are none."""
    ids = truth.labels()
    return [str(i) for i in range(truth.shape[1])] if ids is None else ids.tolist()


def refuse_root(question: Question, names: Sequence[str]) -> None:
    """Refuse a truth with a label for the taxonomy's root where the convention knows none.

    Raises
    ------
    UsageError
        The root is a label, and the convention leaves it out of macro averages.
    """
    if conventions()[question.conventions].root_is_label or question.taxonomy is None:
        return
    root = question.taxonomy.root
    if root is not None and root in names:
        raise UsageError(
            f"--conventions: {question.conventions} leaves the root out of macro averages, got a "
            f"label {root!r} in the truth; take its column out, or use another convention"
        )


def closure_of(question: Question, names: Sequence[str]) -> LabelClosure | None:
    """Give the ancestors to add to each document's truth, if that is wanted."""
    if question.taxonomy is None or not question.close_truth:
        return None
    return label_closure(question.taxonomy, names)


def taxonomy_notes(question: Question, names: Sequence[str]) -> tuple[str, ...]:
    """Say of a taxonomy that it was not needed, or which of its nodes are no labels."""
    taxonomy = question.taxonomy
    if taxonomy is None:
        return ()
    used = any(task.needs_taxonomy for task in tasks_of(question.tasks, taxonomy))
    if not used and not question.close_truth:
        return ("the taxonomy was not used: no task asks for it (--task per-level does)",)
    strange = set(taxonomy.nodes) - set(names) - {taxonomy.root}
    if not strange:
        return ()
    first = next(node for node in taxonomy.nodes if node in strange)
    what = "node of the taxonomy is no label" if len(strange) == 1 else "nodes are no labels"
    return (f"{len(strange):,} {what} of the truth, the first is {first!r}",)
