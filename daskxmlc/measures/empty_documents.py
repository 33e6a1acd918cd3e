"""What a document without true labels adds to the measures of full ranks."""

from typing import Literal

from daskxmlc.conventions.convention import Rules

Loss = Literal["one_error", "coverage", "ranking_loss", "average_precision"]

# In the order of the rule's values.
_LOSSES: tuple[Loss, ...] = ("one_error", "coverage", "ranking_loss", "average_precision")


def value_of_empty(loss: Loss, rules: Rules) -> int | None:
    """Give the value of a document without true labels, None if it is left out."""
    if loss == "one_error" and rules.documents == "all":
        return 1
    if rules.empty_rank_losses == "left-out":
        return None
    value = rules.empty_rank_losses.split(",")[_LOSSES.index(loss)]
    return None if value == "left-out" else int(value)
