"""Which of two equal scores ranks higher, by numbering the labels anew."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from daskxmlc.conventions.convention import Rules
from daskxmlc.tasks.task import View

TieOrder = NDArray[np.int32]


def tie_order(rules: Rules, names: Sequence[str]) -> TieOrder | None:
    """Give each label a number such that of equal scores the lowest number ranks highest.

    Parameters
    ----------
    rules
        The conventions in force.
    names
        Ids of the truth's labels, in its order.

    Returns
    -------
    numpy.ndarray or None
        int32 (L,): the number of each label; None where labels keep their positions.
    """
    labels = len(names)
    if rules.ties == "first":
        return None
    order = np.arange(labels, dtype=np.int32)[::-1].copy()
    if rules.ties == "id-descending":
        best_first = sorted(range(labels), key=lambda label: names[label].encode(), reverse=True)
        order[best_first] = np.arange(labels, dtype=np.int32)
    return order


def renumber_views(views: Sequence[View], order: TieOrder | None) -> Sequence[View]:
    """Give the views over the numbers of their labels."""
    if order is None:
        return views
    return [View(view.task, view.name, np.sort(order[view.labels]).astype(int)) for view in views]


def renumber_columns(label_of_column: TieOrder, order: TieOrder | None) -> TieOrder:
    """Give the number of the label in each column, -1 for none."""
    if order is None:
        return label_of_column
    return np.where(label_of_column < 0, np.int32(-1), order[label_of_column])
